/** Does what the configuration says about a prompt: tells Claude more, runs commands, may hold the prompt back. */
import { type TrustPlace, whyDistrusted } from "../config/discover.ts";
import { failureText } from "./guards/notify.ts";
import type { Block } from "./guards/guard_policy.ts";
import {
  commandsFor,
  concernsPrompt,
  expandFiles,
  type PromptPolicy,
  slashCommandOf,
} from "./guards/prompt_policy.ts";
import { resolvePath } from "../base/paths.ts";
import type { CommandRun } from "../system/process/types.ts";
import { readHead } from "../system/on_disk.ts";
import { realPath } from "../system/real_paths.ts";
import { type CommandGround, type CommandRuns, runCommands } from "./run_commands.ts";

/** Longer files are cut: Claude Code shows 10,000 characters of what a hook adds, and keeps the rest in a file. */
const MAX_FILE_BYTES = 32_768;

/** The exit status with which a command holds the prompt back. */
const BLOCKING_CODE = 2;

export interface PromptContext {
  readonly texts: readonly string[];
  readonly rules: readonly string[];
  /** Each `@path` that stayed as it is, since there is no such file. */
  readonly missing: readonly string[];
}

/** The texts of the rules that match a prompt. `@path` starts in `folder`; `by` says which folders are trusted. */
export function contextFor(
  policy: PromptPolicy,
  prompt: string,
  { folder, by }: { readonly folder: string | null; readonly by: TrustPlace },
): PromptContext {
  const rules = policy.context.filter(({ pattern }) => concernsPrompt(pattern, prompt));
  const expanded = rules.map(({ prompt }) =>
    expandFiles(prompt, (path) => readIn(folder, path, by))
  );
  return {
    texts: expanded.map(({ text }) => text),
    rules: rules.map(({ rule }) => rule),
    missing: expanded.flatMap(({ missing }) => missing),
  };
}

/** Runs the commands for a prompt, those for every prompt first. `block` is what holds the prompt back, or null. */
export async function runForPrompt(
  policy: PromptPolicy,
  prompt: string,
  around: { readonly ground: CommandGround; readonly ran: (run: CommandRun) => void },
): Promise<CommandRuns & { readonly block: Block | null }> {
  const slash = slashCommandOf(prompt);
  const { ran } = around;
  const ground = {
    ...around.ground,
    variables: {
      ...around.ground.variables,
      CONCLAUDE_USER_PROMPT: prompt,
      ...(slash === null
        ? {}
        : { CONCLAUDE_SLASH_COMMAND: slash.name, CONCLAUDE_SLASH_COMMAND_ARGS: slash.args }),
    },
  };
  const plain = policy.commands.filter(({ pattern }) => concernsPrompt(pattern, prompt));
  const observing = await runCommands(plain.map(({ command }) => command), ground, {
    untilFailure: false,
    done: ran,
  });
  const isInterrupted = observing.runs.some(({ end }) => end.kind === "interrupted");
  const ofSlash = slash === null || isInterrupted ? [] : commandsFor(policy.slash, [slash.name]);
  const judging = await runCommands(ofSlash, ground, { untilFailure: false, done: ran });
  const blocking = judging.runs.find(({ end }) =>
    end.kind === "failed" && end.code === BLOCKING_CODE
  );
  return {
    runs: [...observing.runs, ...judging.runs],
    gone: isInterrupted ? observing.gone : judging.gone,
    block: blocking === undefined
      ? null
      : { rule: blocking.command.rule, reason: failureText(blocking) },
  };
}

/** Reads a file in a folder; null when there is none, it lies elsewhere, or others could have written it. */
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
