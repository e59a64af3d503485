/** Runs a verb in a home, or on the database of a folder that stands for the home. */
import type { Finished } from "./process.ts";
import { jsonOf, runProgram, type TempHome } from "./program.ts";

type Place = Readonly<{ home: string; database?: string }>;

/** Runs a verb in the home. */
export function runVerb(
  args: readonly string[],
  { home, database }: Place,
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const named = database === undefined ? {} : { CONCLAUDE_DB_PATH: database };
  return runProgram(args, { env: { HOME: home, ...named, ...env }, cwd: home });
}

/** {@linkcode runVerb} with `--json`. @returns What it printed, parsed. */
export async function runVerbJson(
  args: readonly string[],
  place: Place,
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
): Promise<any> {
  return jsonOf(await runVerb([...args, "--json"], place));
}

/** Runs a verb in a home: `await run(home, "queue", "drain")`. */
export function run(home: TempHome, ...args: readonly string[]): Promise<Finished> {
  return runVerb(args, { home: home.path });
}

/** {@linkcode run} with `--json`. @returns What it printed, parsed. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
export function json(home: TempHome, ...args: readonly string[]): Promise<any> {
  return runVerbJson(args, { home: home.path });
}
