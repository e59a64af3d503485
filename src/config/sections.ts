/**
 * Keeps the configuration sections of other rooms. `config/` imports none of those rooms: `config_sections.ts` makes
 * the list, and the faces pass it in here.
 */
import type { HookConfig } from "./hook_config.ts";
import type { Shape } from "./schema_kit.ts";
import type { NameOfEntry } from "./yaml_tree.ts";

export interface CompileFrom {
  /** The folder of the project's configuration file; null when there is only the user's own file. */
  readonly root: string | null;
  /** The folder that `~` means. */
  readonly home: string | undefined;
  /** Names an entry of a list as its file does: `stop.commands[2]`. */
  readonly nameOf: NameOfEntry;
}

/** The part of the guards' policy that `config/` knows. */
export interface StrictPolicy {
  readonly root: string | null;
  readonly isStrict: boolean;
  readonly whenBlind: "allow" | "ask" | "deny";
  readonly lock: string | null;
  /** Whether the agent may not change the policy's files. */
  readonly protectsItself: boolean;
}

export interface CompiledSections {
  readonly policy: StrictPolicy;
  readonly hook: Pick<
    HookConfig,
    | "guards"
    | "requirements"
    | "requiredUses"
    | "followedTools"
    | "stop"
    | "subagentStop"
    | "prompts"
    | "notifications"
    | "memoryEnabled"
    | "contextTokens"
    | "tellsPerson"
    | "recallsPrompts"
    | "recallsEdits"
    | "memoryRetentionDays"
  >;
}

/** All sections besides those of `config/` itself, in the order of `config init`. */
export interface SectionList {
  readonly shape: Shape;
  /** @param config A complete configuration. */
  readonly compile: (config: never, from: CompileFrom) => CompiledSections;
}

let list: SectionList | undefined;
let load: (() => Promise<unknown>) | undefined;

export function useSections(sections: SectionList): void {
  list = sections;
}

/** Sets the function that loads the sections at first use. A hook with a valid cache never loads them. */
export function loadSectionsWith(loader: () => Promise<unknown>): void {
  load = loader;
}

export async function loadSections(): Promise<void> {
  if (list === undefined) await load?.();
}

/** Returns the sections of other rooms. @throws {Error} When none are set: import `config_sections.ts` first. */
export function sections(): SectionList {
  if (list === undefined) throw new Error("the sections of the configuration are not known");
  return list;
}
