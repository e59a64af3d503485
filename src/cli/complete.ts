import { proposeCompletions, type StricliProcess } from "@stricli/core";
import type { Environment } from "../environment.ts";
import { application } from "./app.ts";
import { type CliContext, locateToLook, PROCESS_STREAMS } from "./context.ts";
import { GLOBAL_FLAGS, splitGlobals } from "./global_flags.ts";

/**
 * Prints proposals for the last word of a command line, one a line. It opens no database and no file.
 * @param words What follows `conclaude`; the last word may be typed in part, or be empty.
 */
export async function complete(
  words: readonly string[],
  environment: Environment,
  { stdout }: StricliProcess = PROCESS_STREAMS,
): Promise<void> {
  const proposals = await proposalsFor(words, environment);
  if (proposals.length > 0) stdout.write(proposals.join("\n") + "\n");
}

async function proposalsFor(words: readonly string[], environment: Environment): Promise<string[]> {
  const partial = words.at(-1) ?? "";
  // After `--db` comes a path, which the shell completes itself.
  if (words.at(-2) === "--db") return [];
  const { rest } = splitGlobals(words.slice(0, -1));
  const app = await application({ globals: { color: false } }, [...rest, partial]);
  const found = await proposeCompletions(app, [...rest, partial], quietContext(environment));
  const flags = partial.startsWith("-")
    ? GLOBAL_FLAGS.filter(({ rootOnly }) => !rootOnly).map(({ name }) => `--${name}`)
      .filter((flag) => flag.startsWith(partial) && !words.slice(0, -1).includes(flag))
    : [];
  const proposals = [...found.map(({ completion }) => completion), ...flags]
    .filter((completion) => partial.startsWith("-") || !completion.startsWith("-"));
  return [...new Set(proposals)].sort();
}

/** A context that prints nothing and looks for its places only when somebody asks. */
function quietContext(environment: Environment): CliContext {
  const silent = { write: () => {} };
  return {
    process: { stdout: silent, stderr: silent },
    globals: { db: undefined, noDb: true, json: false, color: false },
    environment,
    cwd: environment.cwd(),
    get locations() {
      return locateToLook(environment);
    },
  };
}
