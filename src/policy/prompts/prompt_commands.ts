/** Applies the rules about a prompt: adds texts for Claude, runs commands, and may hold the prompt back. */
import { type TrustPlace, whyDistrusted } from "../../config/discover.ts";
import { failureText } from "../notify.ts";
import type { Block } from "../guards/guard_policy.ts";
import { resolvePath } from "../../base/paths.ts";
import type { CommandRule, CommandRun } from "../../system/process/types.ts";
import { readHead } from "../../system/on_disk.ts";
import { realPath } from "../../system/real_paths.ts";
import { type CommandGround, type CommandRuns, runCommands } from "../run_commands.ts";

/** Longer files are cut: Claude Code shows 10,000 characters of what a hook adds, and writes the rest to a file. */
const MAX_FILE_BYTES = 32_768;

/** The exit status with which a command holds the prompt back. */
const BLOCKING_CODE = 2;

/** A regular expression that is searched in a prompt. */
export interface PatternRule {
  readonly source: string;
  readonly flags: string;
}

export interface PromptPolicy {
  /** Where `@path` starts and commands run: the folder of the project's configuration file, else null. */
  readonly root: string | null;
  /** In `context` and `commands`, a null pattern matches every prompt. */
  readonly context: readonly {
    readonly rule: string;
    readonly pattern: PatternRule | null;
    readonly prompt: string;
  }[];
  readonly commands: readonly {
    readonly pattern: PatternRule | null;
    readonly command: CommandRule;
  }[];
  readonly slash: readonly CommandsFor[];
}

export interface CommandsFor {
  readonly pattern: string;
  readonly commands: readonly CommandRule[];
}

export interface SubagentPolicy {
  readonly root: string | null;
  readonly groups: readonly CommandsFor[];
}

/**
 * Returns the texts of the rules that match a prompt. `@path` starts in `folder`; `by` says which folders are trusted.
 * @returns `missing` lists each `@path` whose file is not read, so that it stays as it is.
 */
export function contextFor(
  policy: PromptPolicy,
  prompt: string,
  { folder, by }: { readonly folder: string | null; readonly by: TrustPlace },
) {
  const rules = policy.context.filter(matching(prompt));
  const read = (path: string) => readIn(folder, path, by);
  const expanded = rules.map(({ prompt }) => expandFiles(prompt, read));
  return {
    texts: expanded.map(({ text }) => text),
    rules: rules.map(({ rule }) => rule),
    missing: expanded.flatMap(({ missing }) => missing),
  };
}

/** Runs the commands whose pattern a prompt matches, then those for its slash command. `block` holds it back. */
export async function runForPrompt(
  policy: PromptPolicy,
  prompt: string,
  { ground, ran }: { readonly ground: CommandGround; readonly ran: (run: CommandRun) => void },
): Promise<CommandRuns & { readonly block: Block | null }> {
  const slash = slashCommandOf(prompt);
  const variables = {
    ...ground.variables,
    CONCLAUDE_USER_PROMPT: prompt,
    ...slash && { CONCLAUDE_SLASH_COMMAND: slash.name, CONCLAUDE_SLASH_COMMAND_ARGS: slash.args },
  };
  const run = (commands: readonly CommandRule[]) =>
    runCommands(commands, { ...ground, variables }, { untilFailure: false, done: ran });
  const plain = policy.commands.filter(matching(prompt));
  const observing = await run(plain.map(({ command }) => command));
  const isInterrupted = observing.runs.some(({ end }) => end.kind === "interrupted");
  const judging = slash === null || isInterrupted
    ? { runs: [], gone: observing.gone }
    : await run(commandsFor(policy.slash, [slash.name]));
  const blocking = judging.runs.find(({ end }) =>
    end.kind === "failed" && end.code === BLOCKING_CODE
  );
  const block = blocking && { rule: blocking.command.rule, reason: failureText(blocking) };
  return {
    runs: [...observing.runs, ...judging.runs],
    gone: judging.gone,
    block: block ?? null,
  };
}

/** Reads a file in a folder; null for a file that is missing, lies elsewhere, or could be written by others. */
function readIn(folder: string | null, path: string, by: TrustPlace): string | null {
  if (folder === null) return null;
  const root = realPath(folder);
  const file = realPath(resolvePath(path, { folder }));
  if (!file.startsWith(root.endsWith("/") ? root : `${root}/`)) return null;
  const bytes = readHead(file, MAX_FILE_BYTES + 1);
  if (bytes === null || whyDistrusted(file, { top: root, by }) !== null) return null;
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_FILE_BYTES));
  return bytes.length > MAX_FILE_BYTES ? `${text}\n... (the rest of ${path} is left out)` : text;
}

function matching(prompt: string) {
  return ({ pattern }: { readonly pattern: PatternRule | null }) =>
    pattern === null || new RegExp(pattern.source, pattern.flags).test(prompt);
}

/**
 * Parses the first line of a prompt that is a slash command; null for none. A plugin's command has the plugin's name in
 * front: `team:deploy`.
 */
export function slashCommandOf(prompt: string): Readonly<Record<"name" | "args", string>> | null {
  const [, name, args = ""] = /^[ \t]*\/([\w:-]+)(?:[ \t]+(.*?))?[ \t\r]*$/m.exec(prompt) ?? [];
  return name === undefined ? null : { name, args };
}

/** Returns the commands whose glob matches one of the names, in the order of the policy. */
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
 * Replaces every `@path` of a file that `read` can read by the file's content. Punctuation behind the path
 * (`@docs/a.md.`) does not count, unless there is such a file. `missing` lists the paths that are not replaced.
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
