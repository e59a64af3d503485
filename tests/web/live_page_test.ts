import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { missingBrowser, type Shown, shownPage } from "./support/browser.ts";
import { runDaemon } from "../support/daemon.ts";
import { writeEvents } from "../support/event_writer.ts";
import { sizedTest, sizeOf } from "../support/lanes.ts";
import { longSession } from "../support/long_session.ts";
import { pageTest, verbOf } from "./support/pages.ts";
import { hook } from "../support/program.ts";
import { everyScreenSaysIt } from "./support/screens_said.ts";
import { testWhere } from "../support/requirements.ts";
import { PROJECT, recordedHooks } from "../support/transcripts.ts";

const FIRST = recordedHooks("work")[0]!;
const LONG = "5e55107e-0000-4000-8000-000000000001";

pageTest("each screen says what the command line says, now and after more", async (shown) => {
  const session = String(FIRST["session_id"]);
  for (const prompt of [null, "Paint the lighthouse"]) {
    if (prompt !== null) await tellPrompt(shown, { prompt });
    const counts = await everyScreenSaysIt(shown, session);
    for (const said of ["session list", "session log", "memory list", "audit stats", "doctor"]) {
      assert.ok(counts[said]! > 0, said);
    }
  }
});

/** Screens beside what happens elsewhere, and what they show of it without being asked. */
const HAPPENS: readonly {
  readonly path: string;
  readonly happens: (shown: Shown) => Promise<unknown>;
  readonly shows: string;
}[] = [
  ...["/now", "/sessions", `/session/${FIRST["session_id"]}`].map((path) => ({
    path,
    happens: (shown: Shown) =>
      tellPrompt(shown, {
        prompt: `Look at ${path}`,
        ...path.startsWith("/session/") ? {} : { sessionId: crypto.randomUUID() },
      }),
    shows: `Look at ${path}`,
  })),
  {
    path: "/latency",
    happens: (shown) => tellHook(shown, { hook_event_name: "Notification", message: "Done" }),
    shows: "Notification",
  },
  {
    path: "/work",
    happens: ({ home }) => verbOf(home, "task", "create", "Oil the hinges"),
    shows: "Oil the hinges",
  },
];

pageTest(
  "what hooks and verbs of other processes write appears by itself",
  async (shown) => {
    const { page, go } = shown;
    for (const { path, happens, shows } of HAPPENS) {
      await go(path);
      await page.locator("main section.screen h1").waitFor();
      await page.getByText("Loading …").first().waitFor({ state: "detached" });
      assert.equal(await page.locator("main").getByText(shows).count(), 0, path);
      await happens(shown);
      await page.locator("main").getByText(shows).first().waitFor();
    }
  },
);

pageTest(
  "what is written while the daemon is gone is shown when it is back, and nothing is lost meanwhile",
  async (shown) => {
    const { page, go, daemon, home } = shown;
    const sessionId = String(FIRST["session_id"]);
    await go(`/session/${sessionId}`);
    await page.locator(".step").first().waitFor();
    const known = await page.locator(".step").count();
    daemon.child.kill("SIGKILL");
    await daemon.left;
    await page.getByText("The daemon is gone.").waitFor();
    await tellPrompt(shown, { prompt: "Nobody tells the page of this", sessionId });
    assert.equal(await page.locator(".step").count(), known, "what was there stays");
    // Nobody has to know its port: the page waits for it there.
    await using next = await runDaemon(home, { cwd: home.path, args: [] });
    assert.equal(next.port, daemon.port);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.locator(".step", { hasText: "Nobody tells the page of this" }).waitFor();
    await tellPrompt(shown, { prompt: "And then this", sessionId });
    await page.locator(".step", { hasText: "And then this" }).waitFor();
    assert.equal(await page.locator(".step").count(), known + 2);
  },
);

sizedTest(
  "a long session at full speed is fetched once, row by row, and never fills the page",
  async () => {
    const { uses, seconds } = sizeOf({
      fast: { uses: 2_000, seconds: 3 },
      slow: { uses: 6_000, seconds: 10 },
      whole: { uses: 20_000, seconds: 60 },
    });
    await using shown = await shownPage((home) => longSession(home, LONG, uses));
    const { page, home, go } = shown;
    await go(`/session/${LONG}`);
    await page.locator(".timeline .step").first().waitFor();
    const fetched = fetchedSteps(page);
    const written = await writeEvents({
      ...{ database: home.database, sessionId: LONG },
      ...{ perSecond: 500, seconds },
    });
    // A busy machine shows the last row late; only that it comes is told here.
    await page.locator(".step", { hasText: `written-${written - 1}.ts` })
      .waitFor({ timeout: 120_000 });
    const ids = await fetched();
    assert.equal(new Set(ids).size, written, "every event");
    assert.equal(ids.length, written, "and none of them twice");
    const nodes = await page.locator("*").count();
    assert.ok(nodes < 600, `${nodes} nodes`);
    assert.equal((await shown.daemon.ask("GET", "/status")).body.streams, 1);
    assert.deepEqual(shown.faults, []);
  },
  missingBrowser(),
);

testWhere(missingBrowser(), "at rest the page asks for nothing", async () => {
  await using shown = await shownPage((home) => longSession(home, LONG, 500));
  const { page, go } = shown;
  await go(`/session/${LONG}`);
  await page.locator(".timeline .step").first().waitFor();
  await page.locator(".story .badge").first().waitFor();
  // The story is made anew at most every 3 s.
  await page.waitForTimeout(3_500);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.waitForTimeout(3_000);
  assert.deepEqual(asked, []);
});

testWhere(
  missingBrowser(),
  "what was removed by a person's wish leaves the page when it begins anew",
  async () => {
    await using shown = await shownPage((home) => longSession(home, LONG, 50));
    const { page, home, go } = shown;
    await go(`/session/${LONG}`);
    await page.locator(".timeline .step").first().waitFor();
    const before = await page.locator(".step").count();
    using db = new DatabaseSync(home.database, { timeout: 5_000 });
    // As if the database had been put back from a backup.
    db.exec("DELETE FROM hook_executions; DELETE FROM pending_queue; DELETE FROM observations");
    await page.getByText("Nothing is known of its steps.").waitFor();
    assert.ok(before > 0);
  },
);

/** Follows the steps that the page fetches from now on. @returns Gives their ids. */
function fetchedSteps(page: Page): () => Promise<string[]> {
  const answers: Promise<string[]>[] = [];
  page.on("response", (response) => {
    if (!new URL(response.url()).pathname.endsWith("/log")) return;
    answers.push(response.json().then(({ steps }) => steps.map(({ id }: { id: string }) => id)));
  });
  return async () => (await Promise.all(answers)).flat();
}

function tellPrompt(
  shown: Shown,
  { prompt, sessionId = String(FIRST["session_id"]) }: { prompt: string; sessionId?: string },
) {
  return tellHook(shown, {
    ...{ hook_event_name: "UserPromptSubmit", prompt, session_id: sessionId },
  });
}

function tellHook(
  { home }: Shown,
  payload: { readonly hook_event_name: string } & Readonly<Record<string, unknown>>,
) {
  return hook(payload.hook_event_name, { ...FIRST, ...payload }, home, {
    env: { CLAUDE_PROJECT_DIR: PROJECT },
  });
}

/** Holds the stream of a page back. @returns Lets it through. */
async function holdStream(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/api/live", async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Counts what a page asks for. */
function askedFor(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  return asked;
}

pageTest(
  "what happens while the stream begins is shown, and nothing is loaded twice",
  async (shown) => {
    const { page } = shown;
    const letThrough = await holdStream(page);
    const held = page.waitForRequest("**/api/live");
    const asked = askedFor(page);
    await page.reload();
    await held;
    // A page that does not wait for the stream has what it shows by now.
    await page.waitForTimeout(500);
    await tellPrompt(shown, { prompt: "Told too early", sessionId: crypto.randomUUID() });
    letThrough();
    await page.locator("main").getByText("Told too early").first().waitFor();
    await page.waitForTimeout(500);
    assert.equal(asked.filter((path) => path === "/api/now").length, 1);
  },
);

pageTest("the tab that takes the stream over misses nothing in between", async (shown) => {
  const { page } = shown;
  const tab = await page.context().newPage();
  await tab.goto(await shown.address());
  await tab.getByText("Live", { exact: true }).waitFor();
  await tellPrompt(shown, { prompt: "While both are open", sessionId: crypto.randomUUID() });
  await tab.getByText("While both are open").first().waitFor();
  const letThrough = await holdStream(tab);
  const held = tab.waitForRequest("**/api/live");
  await page.close();
  await held;
  await tellPrompt(shown, { prompt: "While nobody reads", sessionId: crypto.randomUUID() });
  letThrough();
  await tab.getByText("While nobody reads").first().waitFor();
});
