/** Tests of the page in a browser, with the recorded sessions told to real hooks. */
import assert from "node:assert/strict";
import { missingBrowser, type Shown, shownPage } from "./browser.ts";
import { runProgram, type TempHome } from "./program.ts";
import { testWhere } from "./requirements.ts";
import { type Recorded, tellHooks } from "./transcripts.ts";

/** A test with a page in a browser; the sessions of the recordings are known, and worked into memory. */
export function recordedPageTest(
  name: string,
  body: (shown: Shown) => Promise<void>,
  recorded: readonly Recorded[] = ["work", "tools"],
): void {
  testWhere(missingBrowser(), name, async () => {
    await using shown = await shownPage(async (home) => {
      for (const one of recorded) await tellHooks(home, one);
      await verbOf(home, "queue", "drain");
    }, { permissions: ["clipboard-read", "clipboard-write"] });
    await body(shown);
    assert.deepEqual(shown.faults, []);
  });
}

/** What the command line says in a home, as JSON. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever is printed
export async function verbOf(home: TempHome, ...words: readonly string[]): Promise<any> {
  const { stdout } = await runProgram([...words, "--json"], {
    env: { HOME: home.path },
    cwd: home.path,
  });
  return JSON.parse(stdout);
}
