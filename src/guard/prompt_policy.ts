/** What happens with a prompt: the configuration, compiled, and which of it a prompt is meant by. */
import type { CommandRule } from "../process/types.ts";

/** A regular expression as plain data. */
export interface PatternRule {
  readonly source: string;
  readonly flags: string;
}

/** Everything that is done with a prompt; plain JSON. */
export interface PromptPolicy {
  /** Where `@path` starts, and where commands run: the folder of the project's configuration file, else null. */
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
  /** Source of a regular expression, for the flag `s`. */
  readonly pattern: string;
  readonly commands: readonly CommandRule[];
}

/** What is run when a subagent stops. */
export interface SubagentPolicy {
  readonly root: string | null;
  readonly groups: readonly CommandsFor[];
}

/** A slash command that stands in a prompt. */
export interface SlashCommand {
  /** Without the slash; that of a plugin has its name in front: `team:deploy`. */
  readonly name: string;
  /** What follows in its line; may be empty. */
  readonly args: string;
}

/** The first line of a prompt that begins with a slash command. */
export function slashCommandOf(prompt: string): SlashCommand | null {
  const [, name, args = ""] = /^[ \t]*\/([\w:-]+)(?:[ \t]+(.*?))?[ \t\r]*$/m.exec(prompt) ?? [];
  return name === undefined ? null : { name, args };
}

/** Whether a prompt is meant by a pattern. */
export function concernsPrompt(pattern: PatternRule | null, prompt: string): boolean {
  return pattern === null || new RegExp(pattern.source, pattern.flags).test(prompt);
}

/** The commands whose glob matches one of the names, in the order of the policy, each once. */
export function commandsFor(
  groups: readonly CommandsFor[],
  names: readonly string[],
): readonly CommandRule[] {
  return groups
    .filter(({ pattern }) => names.some((name) => new RegExp(pattern, "s").test(name)))
    .flatMap(({ commands }) => commands);
}

/** A `@path` in a text: from, to, and the path. */
const FILE_TOKEN = /(?<=^|[\s("'[])@([^\s"'()[\]]+)/g;

/**
 * A text in which every `@path` of a file that can be read is replaced by what the file holds. What stands behind the
 * path in a sentence (`@docs/a.md.`) is no part of it, unless there is such a file.
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
