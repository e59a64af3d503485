/**
 * `deno task bench:page [--uses N] [--per-second N] [--seconds N] [--json]`: the page in a real browser, on a session of very
 * many tool uses: what the daemon takes while the page is open and nothing happens, how soon the first rows are there, and what
 * the tab takes while events pour in.
 */
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { type Shown, shownPage } from "../web/support/browser.ts";
import { longSession } from "../support/long_session.ts";
import { pause } from "../support/wait.ts";
import { writeEvents, type Writing } from "../support/event_writer.ts";
import { cpuMs, privateMegabytes, residentMegabytes } from "./process_figures.ts";

const SESSION = "5e55107e-0000-4000-8000-000000000001";
const SETTLED_MS = 5_000;
const REST_MS = 20_000;

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly budget: number;
  readonly isLeast?: true;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      uses: { type: "string", default: "20000" },
      "per-second": { type: "string", default: "500" },
      seconds: { type: "string", default: "60" },
      json: { type: "boolean", default: false },
    },
  });
  const [uses, perSecond, seconds] = [values.uses, values["per-second"], values.seconds].map(
    Number,
  );
  await using shown = await shownPage((home) => longSession(home, SESSION, uses!));
  const figures = [
    ...await atRest(shown),
    await firstRows(shown),
    ...await underLoad(shown, { perSecond: perSecond!, seconds: seconds! }),
  ];
  if (values.json) console.log(JSON.stringify(figures));
  else for (const figure of figures) console.log(lineOf(figure));
  if (figures.some(isMissed)) Deno.exitCode = 1;
}

function isMissed({ value, budget, isLeast }: Figure): boolean {
  return isLeast ? value < budget : value > budget;
}

function lineOf(figure: Figure): string {
  const { name, value, unit, budget, isLeast } = figure;
  const told = `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`.padStart(12);
  return `${name.padEnd(44)}${told}  ${isLeast ? "at least" : "at most"} ${budget}${
    isMissed(figure) ? "  MISSED" : ""
  }`;
}

/** The daemon while the page shows what happens now, and nothing does. */
async function atRest({ daemon }: Shown): Promise<Figure[]> {
  await pause(SETTLED_MS);
  const [beforeMs, begunMs] = [cpuMs(daemon.pid) ?? NaN, performance.now()];
  await pause(REST_MS);
  const core = ((cpuMs(daemon.pid) ?? NaN) - beforeMs) / (performance.now() - begunMs);
  return [
    { name: "daemon at rest, page open", value: core * 100, unit: "% of a core", budget: 1 },
    {
      name: "daemon's memory, page open",
      value: residentMegabytes(daemon.pid) ?? NaN,
      unit: "MB",
      budget: 100,
    },
  ];
}

/** A new tab on the session, from its address to rows that are seen. */
async function firstRows({ page, address }: Shown): Promise<Figure> {
  const tab = await page.context().newPage();
  await tab.goto(await address());
  await tab.getByText("Live", { exact: true }).waitFor();
  const begunMs = performance.now();
  await tab.goto(`${new URL(tab.url()).origin}/#/session/${SESSION}`);
  await tab.reload();
  await tab.locator(".timeline .step").first().waitFor();
  const ms = performance.now() - begunMs;
  await tab.close();
  return {
    name: "first rows of the session, page loaded anew",
    value: ms,
    unit: "ms",
    budget: 1_000,
  };
}

/** The tab while events come: frames, freezes, memory, nodes, and whether it has all of them at the end. */
async function underLoad(
  { page, go, daemon, home }: Shown,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Figure[]> {
  await go(`/session/${SESSION}`);
  await page.locator(".timeline .step").first().waitFor();
  await pause(1_000);
  await watchFrames(page);
  const rows = { fetched: 0, asked: 0 };
  page.on("response", (response) => {
    if (!new URL(response.url()).pathname.endsWith("/log")) return;
    rows.asked++;
    void response.json().then(({ steps }) => rows.fetched += steps.length, () => {});
  });
  const beforeMs = cpuMs(daemon.pid) ?? NaN;
  const writing: Writing = { database: home.database, sessionId: SESSION, perSecond, seconds };
  const begunMs = performance.now();
  const written = await writeEvents(writing);
  const [tookMs, cpu] = [performance.now() - begunMs, (cpuMs(daemon.pid) ?? NaN) - beforeMs];
  const { frames, longestMs } = await seenFrames(page);
  const shownMs = performance.now();
  const last = page.locator(".step", { hasText: `written-${written - 1}.ts` });
  await last.waitFor({ timeout: 30_000 });
  const lateMs = performance.now() - shownMs;
  await pause(500);
  return [
    { name: "frames a second", value: frames, unit: "", budget: 50, isLeast: true },
    { name: "longest freeze", value: longestMs, unit: "ms", budget: 200 },
    { name: "memory of the tab", value: await tabMegabytes(page), unit: "MB", budget: 200 },
    { name: "nodes of the page", value: await page.locator("*").count(), unit: "", budget: 600 },
    { name: "last event on the page after", value: lateMs, unit: "ms", budget: 1_000 },
    { name: "events missed", value: written - rows.fetched, unit: "", budget: 0 },
    { name: "rows fetched for each event", value: rows.fetched / written, unit: "", budget: 1.05 },
    { name: "daemon meanwhile", value: cpu / tookMs * 100, unit: "% of a core", budget: 100 },
  ];
}

/** Runs in the page. */
const WATCH = `
  globalThis.seen = { begunMs: performance.now(), frames: 0, longestMs: 0 };
  const frame = () => {
    seen.frames++;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longestMs = Math.max(seen.longestMs, duration);
  }).observe({ type: "longtask" });`;

/** Counts frames and long tasks in the page from now on. */
async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(`(() => { ${WATCH} })()`);
}

async function seenFrames(page: Page): Promise<{ frames: number; longestMs: number }> {
  return await page.evaluate(`({
    frames: seen.frames / (performance.now() - seen.begunMs) * 1_000,
    longestMs: seen.longestMs,
  })`);
}

/** What the largest process that draws pages holds for itself, as the browser's own task manager counts. */
async function tabMegabytes(page: Page): Promise<number> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  return Math.max(...renderers.map(({ id }) => privateMegabytes(id) ?? NaN));
}

await main();
