/**
 * What a team wants to be guarded, compiled from the configuration: plain JSON, so that a hook takes it from the cache.
 * Regular expressions are sources, anchored at both ends, for the flag `s`.
 */
import { EDITING_TOOLS, namesInRules, SHELL_TOOLS } from "../capture/payload.ts";

/** A file that is protected. */
export interface FileRule {
  /** As in the configuration file: `preToolUse.uneditableFiles[2]`. */
  readonly name: string;
  /** As the configuration has it, for people. */
  readonly glob: string;
  /** The same compiled. */
  readonly pattern: string;
  /** In every text that the pattern matches. */
  readonly needle: string;
  /** Told instead of the usual reason; null for that. */
  readonly message: string | null;
  /** To be tried on each of the agent's names; null for every agent. */
  readonly agent: string | null;
}

/** What a tool may be used for. */
export interface ToolRule {
  /** As in the configuration file: `preToolUse.toolUsageValidation[2]`. */
  readonly name: string;
  /** The name of the tool, or `*` for every tool. */
  readonly tool: string;
  /** Where the name is another glob: to be tried on the tool's name; else null. */
  readonly toolPattern: string | null;
  readonly action: "block" | "allow";
  /** Of commands: to be tried on each command that a shell tool starts. Of files: on the file that the tool works on. */
  readonly about: "command" | "file";
  readonly glob: string;
  readonly pattern: string;
  readonly needle: string;
  /** Of commands: the pattern may also match the first words alone. */
  readonly isPrefix: boolean;
  readonly message: string | null;
  readonly agent: string | null;
}

/** Everything that is judged before a tool runs. */
export interface GuardPolicy {
  /** The folder of the project's configuration file, absolute; null when only the user's own file speaks. */
  readonly root: string | null;
  /** True: what cannot be told before it runs is denied. */
  readonly isStrict: boolean;
  /** Why nothing may be changed: a strict policy became unreadable. Null when it can be read. */
  readonly lock: string | null;
  readonly preventsRootAdditions: boolean;
  readonly rootAdditionsMessage: string | null;
  readonly uneditable: readonly FileRule[];
  readonly noAdditions: readonly FileRule[];
  /** True: files that git ignores may not be changed. */
  readonly protectsIgnored: boolean;
  readonly protectsGenerated: boolean;
  readonly generatedMessage: string | null;
  readonly tools: readonly ToolRule[];
  readonly deniesDangerous: boolean;
  /** True: the agent may not change the policy's own files, nor lift a rule. */
  readonly protectsItself: boolean;
  readonly permission: PermissionPolicy;
}

/** What is answered in the place of the person who would be asked; the globs are for the tool's name. */
export interface PermissionPolicy {
  readonly deny: readonly { readonly glob: string; readonly pattern: string }[];
  readonly allow: readonly { readonly glob: string; readonly pattern: string }[];
  /** For every other tool; null leaves the person the question. */
  readonly fallback: "allow" | "deny" | null;
}

/** A rule that forbids what is about to be done. */
export interface Block {
  /** Its name, as in the configuration: `preToolUse.uneditableFiles[2]`. */
  readonly rule: string;
  /** What is forbidden, and by what; for the agent and the person. */
  readonly reason: string;
  /** True where not even a pause lifts it: it would give the agent what only a person may give. */
  readonly isLasting?: boolean;
}

/** What the rules say of one tool use. */
export interface Verdict {
  readonly blocks: readonly Block[];
  /** What could not be told before it runs, a sentence each; nothing of it is forbidden unless the policy is strict. */
  readonly doubts: readonly string[];
  /** Why it was not judged to its end; a person decides then. Absent where it was. */
  readonly unread?: string;
}

/** The name of the main thread. */
export const MAIN_AGENT = "main";

/** Who is about to do it. */
export interface Actor {
  /** The names it goes by: {@linkcode MAIN_AGENT}, the type of the agent, or both. */
  readonly agents: readonly string[];
}

/** What everything that a glob matches begins with; empty when it begins with a sign of its own. */
export function fixedHead(glob: string): string {
  return /^[^*?[{\\]*/.exec(glob)![0];
}

/** Tells if a rule is for this tool. A rule for Bash is for every shell. */
export function isAbout(
  { tool, toolPattern }: Pick<ToolRule, "tool" | "toolPattern">,
  used: string,
): boolean {
  return namesInRules(used).some((name) =>
    toolPattern === null ? tool === "*" || tool === name : new RegExp(toolPattern, "s").test(name)
  );
}

/** Whether a rule about files is about the tool itself: its pattern means every file. */
export function isAboutAll({ glob }: Pick<ToolRule, "glob">): boolean {
  return /^[*]+$/.test(glob);
}

/**
 * Whether a rule that forbids files is for this tool: one about a tool that changes files also means what a shell command
 * changes, unless it is about the tool itself, and one about Edit also means MultiEdit. What a tool may be used for instead
 * is that tool's alone.
 */
export function forbidsFor(
  rule: Pick<ToolRule, "tool" | "toolPattern" | "glob">,
  used: string,
): boolean {
  if (isAbout(rule, used)) return true;
  if (used === "MultiEdit") return isAbout(rule, "Edit");
  return !isAboutAll(rule) && SHELL_TOOLS.has(used) &&
    [...EDITING_TOOLS].some((tool) => isAbout(rule, tool));
}

/** Whether a rule is for an agent of one of these names. */
export function concerns({ agent }: { readonly agent: string | null }, { agents }: Actor): boolean {
  return agent === null || agents.some((name) => new RegExp(agent, "s").test(name));
}

/**
 * A message with its placeholders filled, all at once: what stands for one may look like another, or like a sign of a
 * replacement. A name in braces that stands for nothing stays.
 */
export function filled(message: string, values: Readonly<Record<string, string>>): string {
  return message.replace(
    /\{(\w+)\}/g,
    (whole, name: string) => Object.hasOwn(values, name) ? values[name]! : whole,
  );
}
