/** Tests with the page of recorded sessions in a real browser. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";
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

/** What axe finds on the page as it stands that is serious: the rule, and the first node. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // The page's policy lets no other script run, so the checker runs outside of it.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe.source });
  const { violations } = await page.evaluate(() =>
    // deno-lint-ignore no-explicit-any -- the checker puts itself there
    (globalThis as any).axe.run({ resultTypes: ["violations"] })
  );
  return violations
    .filter(({ impact }: { impact: string }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
}

/** Whether the page has to be scrolled sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.locator("html").evaluate((html) => html.scrollWidth > html.clientWidth);
}
