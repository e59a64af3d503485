/** Tests with the page of recorded sessions in a real browser. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { cpSync } from "node:fs";
import { launchBrowser, missingBrowser, type Shown, shownPage } from "./browser.ts";
import { jsonOf, runProgram, type TempHome, tempHome } from "../../support/program.ts";
import { testWhere } from "../../support/requirements.ts";
import { type Recorded, tellHooks } from "../../support/transcripts.ts";

/** What all tests of a file use: the browser, and homes with recorded sessions, of which each test gets a copy. */
let shared: Promise<Browser> | undefined;
const recordedHomes = new Map<string, Promise<TempHome>>();

Deno.test.afterAll(async () => {
  await (await shared)?.close();
  for (const home of recordedHomes.values()) (await home)[Symbol.dispose]();
});

/** A test with a page in a browser; the sessions of the recordings are known, and worked into memory. */
export function pageTest(
  name: string,
  body: (shown: Shown) => Promise<void>,
  recorded: readonly Recorded[] = ["work", "tools"],
): void {
  testWhere(missingBrowser(), name, async () => {
    const key = recorded.join();
    if (!recordedHomes.has(key)) recordedHomes.set(key, recordedHome(recorded));
    const { path } = await recordedHomes.get(key)!;
    await using shown = await shownPage(
      (home) => Promise.resolve(cpSync(path, home.path, { recursive: true })),
      {
        permissions: ["clipboard-read", "clipboard-write"],
        shared: await (shared ??= launchBrowser()),
      },
    );
    await body(shown);
    assert.deepEqual(shown.faults, []);
  });
}

async function recordedHome(recorded: readonly Recorded[]): Promise<TempHome> {
  const home = tempHome();
  for (const one of recorded) await tellHooks(home, one);
  await verbOf(home, "queue", "drain");
  return home;
}

/** What the command line says in a home, as JSON. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever is printed
export async function verbOf(home: TempHome, ...words: readonly string[]): Promise<any> {
  const options = { env: { HOME: home.path }, cwd: home.path };
  return jsonOf(await runProgram([...words, "--json"], options));
}

/** {@linkcode verbOf} in the home of a page. */
// deno-lint-ignore no-explicit-any -- as above
export function said({ home }: Shown, ...words: readonly string[]): Promise<any> {
  return verbOf(home, ...words);
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

/** Whether the page, or what it shows of a screen, has to be scrolled sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.locator("html, main").evaluateAll((all) =>
    all.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  );
}
