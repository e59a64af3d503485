import assert from "node:assert/strict";
import { missingBrowser, shownPage } from "./support/browser.ts";
import { runDaemon } from "../support/daemon.ts";
import { longSession } from "../support/long_session.ts";
import { sizedTest, sizeOf } from "../support/lanes.ts";
import { change } from "../support/on_home.ts";
import { hook } from "../support/program.ts";
import { isTooWide, pageTest, said, seriousFaults } from "./support/pages.ts";
import { PROJECT, recordedHooks } from "../support/transcripts.ts";
import { until } from "../support/wait.ts";

const SCREENS = [
  "/now",
  "/sessions",
  "/memory",
  "/rules",
  "/work",
  "/questions",
  "/latency",
  "/team",
  "/health",
];
const [FIRST] = recordedHooks("work");
const LONG = "5e55107e-0000-4000-8000-000000000001";
const SESSION = String(FIRST!["session_id"]);

pageTest("a session's timeline has the steps that `session log` prints", async (shown) => {
  const { page } = shown;
  await shown.go(`/session/${SESSION}`);
  const { steps } = await said(shown, "session", "log", SESSION);
  const [first] = steps;
  await page.locator(".timeline").getByText(first.subject, { exact: true }).first().waitFor();
  const { story } = await said(shown, "session", "show", SESSION);
  const story1 = page.locator(".story");
  for (const { path } of story.files.slice(0, 3)) await story1.getByText(path).first().waitFor();
});

pageTest("an edit opens as a diff", async (shown) => {
  const { page } = shown;
  await shown.go(`/session/${recordedHooks("tools")[0]!["session_id"]}`);
  await page.locator(".step.tool", { hasText: "Edit" }).locator("button").click();
  await page.locator(".diff .went").first().waitFor();
  await page.locator(".diff .came").first().waitFor();
});

pageTest("what a hook writes is on the page within a second", async (shown) => {
  const { page, home } = shown;
  const prompt = "Paint the harbour wall";
  const session_id = crypto.randomUUID();
  await hook(
    "UserPromptSubmit",
    { ...FIRST, session_id, hook_event_name: "UserPromptSubmit", prompt },
    home,
    {
      env: { CLAUDE_PROJECT_DIR: PROJECT },
    },
  );
  await page.getByText(prompt).first().waitFor({ timeout: 1_000 });
});

pageTest("a daemon that is killed and started again is told of, and found again", async (shown) => {
  const { page, daemon, home } = shown;
  daemon.child.kill("SIGKILL");
  await daemon.left;
  await page.getByText("The daemon is gone.").waitFor();
  await using _next = await runDaemon(home, { cwd: home.path });
  await page.getByText("Live", { exact: true }).waitFor();
  await shown.go("/sessions");
  await page.locator(`a[href="#/session/${SESSION}"]`).waitFor();
});

pageTest("a page that may only look offers no acts, and is refused them", async (shown) => {
  const { page } = shown;
  const other = await shown.browser.newPage();
  await other.goto(await shown.address({ readOnly: true }));
  await other.getByText("This page may only look.").waitFor();
  const status = await other.evaluate(async () => {
    const token = sessionStorage.getItem("conclaude-tab");
    const init = { method: "POST", headers: { authorization: `Bearer ${token}` } };
    return (await fetch("/api/shutdown", init)).status;
  });
  assert.equal(status, 403);
  assert.equal(await page.getByText("This page may only look.").count(), 0);
});

pageTest("what others wrote is shown as text, never as a page", async (shown) => {
  const { page, home } = shown;
  const prompt =
    `Look: <img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\x1b[31mred`;
  const session_id = crypto.randomUUID();
  await hook(
    "UserPromptSubmit",
    { ...FIRST, session_id, hook_event_name: "UserPromptSubmit", prompt },
    home,
    {
      env: { CLAUDE_PROJECT_DIR: PROJECT },
    },
  );
  await page.getByText("Look: <img src=x").first().waitFor();
  await shown.go(`/session/${session_id}`);
  await page.locator(".step.prompt").first().locator("button").click();
  await page.locator(".details pre", { hasText: "<script>" }).waitFor();
  assert.notEqual(await page.title(), "owned");
  assert.equal(await page.locator("main script, main img").count(), 0);
  assert.equal((await page.locator("main").innerText()).includes("\x1b"), false);
});

pageTest("every screen is right for screen readers, in light and dark", async (shown) => {
  const { page } = shown;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const path of [...SCREENS, `/session/${SESSION}`]) {
      await shown.go(path);
      await page.locator("main section.screen h1").waitFor();
      await page.getByText("Loading …").first().waitFor({ state: "detached" });
      assert.deepEqual(await seriousFaults(page), [], `${path} ${colorScheme}`);
    }
  }
});

pageTest("keys alone lead through the page", async (shown) => {
  const { page } = shown;
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await page.locator(`a[href="#/session/${SESSION}"]`).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.locator(".timeline .step").first().waitFor();
  await page.keyboard.press("/");
  assert.equal(
    await page.getByLabel("Find in this session")
      .evaluate((node) => node.ownerDocument.activeElement === node),
    true,
  );
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  await keys.waitFor();
  for (const behind of ["j", "n", "g", "n"]) await page.keyboard.press(behind);
  assert.equal(await page.locator("dialog :focus").innerText(), "Close", "keys stay in the dialog");
  assert.match(page.url(), /#\/session\//);
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  await page.keyboard.press("p");
  await page.locator(".step.prompt .step-line:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".step.prompt .details .words").waitFor();
});

pageTest("an address that leads nowhere says so, whatever it is", async (shown) => {
  const { page, go } = shown;
  for (
    const [path, heading, said] of [
      ["/nowhere", "Nothing is here", 'There is no screen "nowhere".'],
      ["/session", "Nothing is here", 'There is no screen "session".'],
      ["/%zz", "Nothing is here", 'There is no screen "%zz".'],
      ["/session/nobody", "Session", 'Cannot find the session "nobody"'],
    ] as const
  ) {
    await go(path);
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
    await page.locator("main .screen").getByText(said).waitFor();
  }
});

pageTest(
  "the chart of latencies covers the time that is chosen, however few hooks ran",
  async (shown) => {
    const { page, go } = shown;
    await page.evaluate(`{
      globalThis.drawn = [];
      const { prototype } = CanvasRenderingContext2D;
      const { fillText } = prototype;
      prototype.fillText = function (text, ...where) {
        drawn.push(text);
        return fillText.call(this, text, ...where);
      };
    }`);
    await go("/latency");
    const labels = async (): Promise<string[]> =>
      (await page.evaluate<string[]>("drawn")).filter((text) => /[:A-Z]/.test(text));
    await until("its times are drawn", async () => (await labels()).length > 0);
    const hours = (await labels()).filter((text) => /^\d\d:\d\d$/.test(text));
    assert.ok(hours.length >= 4, (await labels()).join(" "));
    const days = (await labels()).filter((text) => /^[A-Z]/.test(text));
    assert.ok(new Set(days).size <= 2, "a day has one midnight");
  },
);

pageTest("no screen is wider than a narrow phone", async (shown) => {
  const { page, home } = shown;
  change(home, "UPDATE hook_executions SET duration_ms = 98765.4");
  await page.setViewportSize({ width: 360, height: 700 });
  for (const path of [...SCREENS, `/session/${SESSION}`]) {
    await shown.go(path);
    await page.locator("main section.screen h1").waitFor();
    if (path === "/latency") await page.locator(".bars").first().waitFor();
    assert.equal(await isTooWide(page), false, path);
  }
});

pageTest("eight tabs share one stream, and all of them are told", async (shown) => {
  const { home } = shown;
  const tabs = [];
  for (let n = 0; n < 8; n++) {
    const tab = await shown.page.context().newPage();
    await tab.goto(await shown.address());
    await tab.getByText("Live", { exact: true }).waitFor();
    tabs.push(tab);
  }
  const prompt = "Paint the lighthouse";
  const payload = { ...FIRST, session_id: crypto.randomUUID(), prompt };
  await hook("UserPromptSubmit", { ...payload, hook_event_name: "UserPromptSubmit" }, home, {
    env: { CLAUDE_PROJECT_DIR: PROJECT },
  });
  for (const tab of tabs) await tab.getByText(prompt).first().waitFor();
  assert.equal((await shown.daemon.ask("GET", "/status")).body.streams, 1);
});

sizedTest("a very long session keeps the page small, and is read in pages", async () => {
  const uses = sizeOf({ fast: 2_000, slow: 6_000, whole: 20_000 });
  await using shown = await shownPage(async (home) => await longSession(home, LONG, uses));
  const { page } = shown;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await shown.go(`/session/${LONG}`);
  await page.locator(".timeline .step").first().waitFor();
  const list = page.locator(".long-list");
  for (let round = 0; round < 5; round++) {
    await list.evaluate((node) => void (node.scrollTop = 0));
    await page.waitForTimeout(200);
  }
  const nodes = await page.locator("*").count();
  assert.ok(nodes < 600, `${nodes} nodes`);
  const pages = asked.filter((path) => path.endsWith("/log")).length;
  assert.ok(pages >= 3 && pages <= 8, `${pages} pages`);
  assert.deepEqual(shown.faults, []);
}, missingBrowser());
