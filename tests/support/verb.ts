import type { CliContext } from "../../src/cli/context.ts";
import { splitGlobals } from "../../src/cli/global_flags.ts";
import { runLine } from "../../src/cli/run.ts";
import { locate } from "../../src/paths.ts";
import { isRefusedToAgents, letKnowToken, PERSON_TOKEN } from "./person.ts";

/** What a verb printed, and with what it would have left. */
export interface VerbResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a verb in this process, on the database of a folder that stands for the home; as a person where only one may. */
export async function runVerb(
  args: readonly string[],
  place: { readonly home: string; readonly database?: string },
): Promise<VerbResult> {
  Deno.env.set("CONCLAUDE_TOKEN", PERSON_TOKEN);
  const result = await runOnce(args, place);
  const env = { HOME: place.home, CONCLAUDE_DB_PATH: place.database ?? "" };
  if (!isRefusedToAgents(result) || !letKnowToken(args, env)) return result;
  return await runOnce(args, place);
}

async function runOnce(
  args: readonly string[],
  place: { readonly home: string; readonly database?: string },
): Promise<VerbResult> {
  const line = splitGlobals(args);
  const printed = { stdout: "", stderr: "" };
  const context: CliContext = {
    process: {
      stdout: { write: (text: string) => void (printed.stdout += text) },
      stderr: { write: (text: string) => void (printed.stderr += text) },
    },
    globals: { ...line.globals, color: false },
    locations: locate({ HOME: place.home }, { dbFlag: place.database, cwd: place.home }),
    cwd: place.home,
  };
  await runLine(context, line);
  return { ...printed, code: Math.abs(Number(context.process.exitCode ?? 0)) };
}

/** {@linkcode runVerb} with `--json`. @returns What it printed, parsed. */
export async function runVerbJson(
  args: readonly string[],
  place: { readonly home: string; readonly database?: string },
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
): Promise<any> {
  const { stdout } = await runVerb([...args, "--json"], place);
  return JSON.parse(stdout);
}
