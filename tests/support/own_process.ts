/** Code of a test that changes what all tests of a run share: it has a process of its own. */
import assert from "node:assert/strict";
import { REPOSITORY } from "./process.ts";

/**
 * Runs a module's code in a process of its own.
 *
 * @param code May import from `src/`; it prints one JSON value. @param env Replaces variables of this process.
 * @returns What it prints.
 */
// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
export async function evaluate(code: string, env: Record<string, string> = {}): Promise<any> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", code.replaceAll('from "src/', `from "file://${REPOSITORY}/src/`)],
    cwd: REPOSITORY,
    env,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
