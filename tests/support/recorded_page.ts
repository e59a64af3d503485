/** Tests with the page of recorded sessions in a real browser. */
import assert from "node:assert/strict";
import { missingBrowser, type Shown, shownPage } from "./browser.ts";
import { runProgram } from "./program.ts";
import { testWhere } from "./requirements.ts";
import { tellHooks } from "./transcripts.ts";

/** A test with a page in a browser; the sessions of the recording are known. */
export function pageTest(name: string, body: (shown: Shown) => Promise<void>): void {
  testWhere(missingBrowser(), name, async () => {
    await using shown = await shownPage(async (home) => {
      for (const name of ["work", "tools"] as const) await tellHooks(home, name);
      await runProgram(["queue", "drain"], { env: { HOME: home.path } });
    });
    await body(shown);
    assert.deepEqual(shown.faults, []);
  });
}

/** What the command line says, as JSON. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever is printed
export async function said({ home }: Shown, ...words: readonly string[]): Promise<any> {
  const { stdout } = await runProgram([...words, "--json"], {
    env: { HOME: home.path },
    cwd: home.path,
  });
  return JSON.parse(stdout);
}
