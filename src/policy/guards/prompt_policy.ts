/** What happens with a prompt: the compiled configuration, and which of it a prompt falls under. */
import type { CommandRule } from "../../system/process/types.ts";

export interface PatternRule {
  readonly source: string;
  readonly flags: string;
}

export interface PromptPolicy {
  /** Where `@path` starts and commands run: the folder of the project's configuration file, else null. */
  readonly root: string | null;
  readonly context: readonly {
    readonly rule: string;
    readonly pattern: PatternRule;
    readonly prompt: string;
  }[];
  /** A null pattern is for every prompt. */
  readonly commands: readonly {
    readonly pattern: PatternRule | null;
    readonly command: CommandRule;
  }[];
  readonly slash: readonly CommandsFor[];
}

/** Commands for the names that a glob matches. */
export interface CommandsFor {
  readonly pattern: string;
  readonly commands: readonly CommandRule[];
}

export interface SubagentPolicy {
  readonly root: string | null;
  readonly groups: readonly CommandsFor[];
}

export interface SlashCommand {
  /** Without the slash; a plugin's command has the plugin's name in front: `team:deploy`. */
  readonly name: string;
  readonly args: string;
}

/** The first line of a prompt that begins with a slash command. */
export function slashCommandOf(prompt: string): SlashCommand | null {
  const [, name, args = ""] = /^[ \t]*\/([\w:-]+)(?:[ \t]+(.*?))?[ \t\r]*$/m.exec(prompt) ?? [];
  return name === undefined ? null : { name, args };
}

export function concernsPrompt(pattern: PatternRule | null, prompt: string): boolean {
  return pattern === null || new RegExp(pattern.source, pattern.flags).test(prompt);
}

/** The commands whose glob matches one of the names, in the order of the policy. */
export function commandsFor(
  groups: readonly CommandsFor[],
  names: readonly string[],
): readonly CommandRule[] {
  return groups
    .filter(({ pattern }) => names.some((name) => new RegExp(pattern, "s").test(name)))
    .flatMap(({ commands }) => commands);
}

const FILE_TOKEN = /(?<=^|[\s("'[])@([^\s"'()[\]]+)/g;

/**
 * Replaces every `@path` of a readable file in a text by the file's content. Punctuation behind the path (`@docs/a.md.`)
 * does not count, unless there is such a file.
 *
 * @param read The content of a file, or null when it may not be, or cannot be, read.
 * @returns The text, and the paths that stayed as they are.
 */
export function expandFiles(
  text: string,
  read: (path: string) => string | null,
): { readonly text: string; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const expanded = text.replace(FILE_TOKEN, (whole, path: string) => {
    const plain = path.replace(/[.,;:!?]+$/, "");
    for (const name of new Set([path, plain])) {
      const content = name === "" ? null : read(name);
      if (content !== null) return content.trimEnd() + path.slice(name.length);
    }
    missing.push(plain || path);
    return whole;
  });
  return { text: expanded, missing };
}
