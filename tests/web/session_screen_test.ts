import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { changeFile, readRecording } from "../../src/build/replay.ts";
import { missingBrowser, shownPage } from "./support/browser.ts";
import { longSession } from "../support/long_session.ts";
import { openDatabase } from "../../src/db/database.ts";
import { pageTest, verbOf } from "./support/pages.ts";
import { hook, type TempHome } from "../support/program.ts";
import { drainAt, saveUse } from "../support/records.ts";
import { testWhere } from "../support/requirements.ts";
import { PROJECT, recordedHooks } from "../support/transcripts.ts";
import { until } from "../support/wait.ts";

const WORK = String(recordedHooks("work")[0]!["session_id"]);
/** Waits until the page has so many of something. */
async function countOf(page: Page, selector: string, count: number): Promise<void> {
  await until(`${count} ${selector}`, async () => await page.locator(selector).count() === count);
}

const LONG = "5e55107e-0000-4000-8000-000000000001";

testWhere(
  missingBrowser(),
  "a failure leads to what mended it and back, and what was denied stands in the story",
  async () => {
    let session = "";
    await using shown = await shownPage(async (home) => {
      const project = `${home.path}/tides`;
      Deno.mkdirSync(`${project}/.git`, { recursive: true });
      for (const payload of readRecording(home.path, project)) {
        await changeFile(payload);
        await hook(payload.hook_event_name, payload, home, {
          env: { CLAUDE_PROJECT_DIR: project },
        });
        session = String(payload["session_id"]);
      }
      const push = { tool_name: "Bash", tool_use_id: "toolu_push" };
      await hook(
        "PreToolUse",
        {
          ...{ hook_event_name: "PreToolUse", session_id: session, cwd: project, ...push },
          tool_input: { command: "rm -rf ~" },
        },
        home,
        { env: { CLAUDE_PROJECT_DIR: project } },
      );
      await verbOf(home, "queue", "drain");
    });
    const { page } = shown;
    await shown.go(`/session/${session}`);
    const failed = page.locator(".step", { hasText: "Tests fail" });
    const mending = page.locator(".step", { hasText: "Tests pass" });
    await failed.getByRole("button", { name: "mended", exact: true }).click();
    await mending.getByRole("button", { name: "mends", exact: true }).click();
    const { story } = await verbOf(shown.home, "session", "show", session);
    assert.equal(story.denied.length, 1);
    const [{ subject, why }] = story.denied;
    const shownStory = page.locator(".story");
    for (const text of ["Denied", subject, why, "Failed", story.fixes[0].title]) {
      await shownStory.getByText(text).first().waitFor();
    }
    assert.deepEqual(shown.faults, []);
  },
);

pageTest("sub-agents have lanes, which can be seen alone", async ({ page, home, go }) => {
  await go(`/session/${WORK}`);
  const { steps } = await verbOf(home, "session", "log", WORK);
  const ofAgents = steps.filter(({ agent }: { agent: string | null }) => agent !== null);
  assert.ok(ofAgents.length > 0, "the recording has steps of a sub-agent");
  await page.locator(".step.lane").first().waitFor();
  assert.equal(await page.locator(".step.lane").count(), ofAgents.length);
  await page.getByLabel("Agent").selectOption(ofAgents[0].agent);
  await countOf(page, ".step", ofAgents.length);
  await page.getByLabel("Agent").selectOption("own");
  await page.locator(".step.lane").first().waitFor({ state: "detached" });
});

pageTest(
  "what Claude Code sends in a person's place is no prompt of theirs",
  async ({ page, home, go }) => {
    await go(`/session/${WORK}`);
    const notice = page.locator(".step.notice").first();
    await notice.getByText("Notice", { exact: true }).waitFor();
    const { steps } = await verbOf(home, "session", "log", WORK);
    const prompts = steps.filter(({ kind }: { kind: string }) => kind === "prompt");
    await countOf(page, ".anchors li", prompts.length);
  },
);

pageTest(
  "what is new since a person marked it is marked, here and on the first screen",
  async ({ page, home, go }) => {
    await go(`/session/${WORK}`);
    await page.locator(".step").first().waitFor();
    assert.equal(await page.locator(".step.new").count(), 0, "nothing is new at the first look");
    await page.getByRole("button", { name: "Seen to here" }).click();
    await page.getByRole("button", { name: "Seen to here" }).waitFor({ state: "detached" });
    const prompt = "And now the harbour wall";
    const first = recordedHooks("work")[0]!;
    await hook(
      "UserPromptSubmit",
      { ...first, hook_event_name: "UserPromptSubmit", prompt },
      home,
      {
        env: { CLAUDE_PROJECT_DIR: PROJECT },
      },
    );
    await page.locator(".step.new", { hasText: prompt }).waitFor();
    await page.getByRole("button", { name: "Seen to here (1 new)" }).waitFor();
    await go("/now");
    await page.locator(`a[href="#/session/${WORK}"]`).getByText("new", { exact: true }).waitFor();
  },
);

testWhere(
  missingBrowser(),
  "the link of a step opens it however long ago it was, and find reaches as far",
  async () => {
    await using shown = await shownPage((home) => longSession(home, LONG, 1_500), {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page, home } = shown;
    const { steps } = await verbOf(home, "session", "log", LONG);
    const old = steps[7];
    await shown.go(`/session/${LONG}/${old.id}`);
    const opened = page.locator(".step", { has: page.locator(".details") });
    await opened.getByText(old.subject.slice(0, 40)).first().waitFor();
    await opened.getByRole("button", { name: "Copy link to step" }).click();
    await page.getByText("The link is copied.").waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.ok(link.endsWith(`/#/session/${LONG}/${old.id}`), link);
    await page.getByRole("button", { name: "Copy link", exact: true }).click();
    await until(
      "the link",
      async () =>
        (await page.evaluate<string>("navigator.clipboard.readText()")).endsWith(`/${LONG}`),
    );
    // A new tab has the newest page alone until it looks further back.
    await shown.go("/now");
    await shown.go(`/session/${LONG}`);
    const text = old.subject.toLowerCase();
    const all = steps.filter(({ name, subject }: { name: string; subject: string }) =>
      `${name} ${subject}`.toLowerCase().includes(text)
    );
    await page.getByLabel("Find in this session").fill(old.subject);
    await page.getByRole("button", { name: "Show earlier steps" }).waitFor({ state: "detached" });
    await page.locator(".step").first().waitFor();
    await countOf(page, ".step", all.length);
    assert.deepEqual(shown.faults, []);
  },
);

pageTest("keys lead from prompt to prompt", async ({ page, go, home }) => {
  const first = recordedHooks("work")[0]!;
  for (const prompt of ["The second prompt", "The third prompt"]) {
    await hook(
      "UserPromptSubmit",
      { ...first, hook_event_name: "UserPromptSubmit", prompt },
      home,
      {
        env: { CLAUDE_PROJECT_DIR: PROJECT },
      },
    );
  }
  // A list so low that it shows one step at a time.
  await page.setViewportSize({ width: 1_440, height: 200 });
  await go(`/session/${WORK}`);
  await page.locator(".step", { hasText: "The third prompt" }).waitFor();
  const isSeen = (text: string) =>
    until(`${text} in sight`, async () => {
      const list = (await page.locator(".long-list").boundingBox())!;
      const step = page.locator(".step.prompt", { hasText: text });
      const box = await step.count() === 1 ? await step.boundingBox() : null;
      return box !== null && box.y >= list.y - 1 && box.y < list.y + list.height;
    });
  await page.keyboard.press("p");
  await isSeen("The third prompt");
  await page.keyboard.press("p");
  await isSeen("The second prompt");
  await page.keyboard.press("n");
  await isSeen("The third prompt");
});

const DAY_MS = 86_400_000;
const PROMPTS = ["Raise the mast", "Mend the sails", "Paint the hull"];

/** A session of three days, each with a prompt and more tool uses than the page loads at first. */
async function voyage(home: TempHome): Promise<void> {
  const db = await openDatabase(home.database, { busyTimeoutMs: 1_000 });
  const midnightMs = new Date().setHours(0, 0, 0, 0);
  for (const [n, prompt] of PROMPTS.entries()) {
    const atMs = midnightMs - (PROMPTS.length - n) * DAY_MS + DAY_MS / 2;
    const at = { sessionId: LONG, execution: { hookName: "UserPromptSubmit" } };
    saveUse(db, "UserPromptSubmit", { prompt }, { ...at, atMs });
    for (let use = 1; use <= 250; use++) {
      const input = { tool_input: { file_path: `/home/ana/app/day${n}/${use}.ts` } };
      saveUse(db, "Read", input, { sessionId: LONG, atMs: atMs + use * 1_000 });
    }
  }
  drainAt(db);
  db.close();
}

testWhere(
  missingBrowser(),
  "all prompts of a long session lead to their steps, and each day is told",
  async () => {
    await using shown = await shownPage(voyage);
    const { page, go } = shown;
    await go(`/session/${LONG}`);
    await page.locator(".step").first().waitFor();
    const anchors = page.locator(".anchors button");
    await until("all prompts are told", async () => await anchors.count() === PROMPTS.length);
    assert.deepEqual(await anchors.allInnerTexts(), PROMPTS);
    await anchors.first().click();
    await page.locator(".step.prompt .step-line:focus", { hasText: PROMPTS[0]! }).waitFor();
    const midnightMs = new Date().setHours(0, 0, 0, 0);
    const firstDay = new Date(midnightMs - PROMPTS.length * DAY_MS + DAY_MS / 2).toDateString();
    await page.locator(".day", { hasText: firstDay }).waitFor();
    await page.keyboard.press("n");
    await page.locator(".step.prompt .step-line:focus", { hasText: PROMPTS[0]! })
      .waitFor({ state: "detached" });
    assert.deepEqual(shown.faults, []);
  },
);

testWhere(
  missingBrowser(),
  "of very many prompts the last ones are listed, the others on request, and find looks into their text",
  async () => {
    await using shown = await shownPage(async (home) => {
      const db = await openDatabase(home.database, { busyTimeoutMs: 1_000 });
      for (let n = 1; n <= 60; n++) {
        saveUse(db, "UserPromptSubmit", { prompt: `Prompt ${n}\nabout Pier ${n}` }, {
          ...{ sessionId: LONG, execution: { hookName: "UserPromptSubmit" } },
          atMs: Date.now() - (61 - n) * 1_000,
        });
      }
      await drainAt(db);
      db.close();
    });
    const { page, go } = shown;
    await go(`/session/${LONG}`);
    await countOf(page, ".anchors li", 50);
    assert.equal(await page.locator(".anchors").getAttribute("start"), "11");
    assert.equal(await page.locator(".anchors button").first().innerText(), "Prompt 11");
    await page.getByRole("button", { name: "10 earlier" }).click();
    await countOf(page, ".anchors li", 60);
    assert.equal(await page.locator(".anchors button").first().innerText(), "Prompt 1");
    await page.getByLabel("Find in this session").fill("pier 7");
    await countOf(page, ".step", 1);
    await page.locator(".step", { hasText: "Prompt 7" }).waitFor();
  },
);
