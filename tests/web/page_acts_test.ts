/** What people do on the page: what the verbs do, with the refusals of the verbs, by hand. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { ask, button, freeze, refused } from "./support/page_acts.ts";
import { hook, runProgram } from "../support/program.ts";
import { pageTest, said } from "./support/pages.ts";
import { recordedHooks } from "../support/transcripts.ts";
import { until } from "../support/wait.ts";

const [FIRST] = recordedHooks("work");

pageTest("an answer that came too late is refused, and the first one stays", async (shown) => {
  const { page, home } = shown;
  const id = ask(home, "Which port?");
  await shown.go("/questions");
  await page.getByText("Which port?").waitFor();
  await freeze(page);
  await said(shown, "question", "answer", id, "5432");
  await page.getByLabel("Answer").fill("5433");
  await button(page, "Answer").click();
  await refused(page, /has answered it already/);
  assert.equal((await said(shown, "question", "show", id)).question.answer, "5432");
});

pageTest("what was forgotten meanwhile is not said to be forgotten again", async (shown) => {
  const { page } = shown;
  await shown.go("/memory");
  await page.getByLabel("Note", { exact: true }).fill("The quay is wet");
  await button(page, "Remember").click();
  await page.locator("main a.row", { hasText: "The quay is wet" }).click();
  await button(page, "Forget …").click();
  await page.getByText(/^1 observation would go/).waitFor();
  await page.getByLabel("Text to forget").fill("quay is wet");
  await button(page, "Forget this text …").click();
  await button(page, "Forget them").nth(1).waitFor();
  await freeze(page);
  await said(shown, "memory", "forget", "--text", "The quay is wet", "--yes");
  for (const [at, why] of [/no observation has this number/, /forgotten meanwhile/].entries()) {
    await button(page, "Forget them").nth(at).click();
    await button(page, "Forget for ever").click();
    await refused(page, why);
  }
  assert.equal(await page.getByText("Receipt").count(), 0);
});

pageTest(
  "memory shows what the command line finds, keeps a note, and forgets it",
  async (shown) => {
    const { page } = shown;
    await shown.go("/memory");
    const { observations } = await said(shown, "memory", "list", "--limit", "3");
    for (const { title } of observations) await page.getByText(title).first().waitFor();
    const note = "The harbour wall is painted in June";
    await page.getByLabel("Note", { exact: true }).fill(note);
    await page.getByRole("button", { name: "Remember" }).click();
    await page.getByLabel("Search memory").fill("harbour wall June");
    const found = page.locator("main a.row", { hasText: note });
    await found.first().click();
    await page.getByRole("button", { name: "Forget …" }).click();
    await page.getByRole("button", { name: "Forget them" }).click();
    await page.getByRole("button", { name: "Forget for ever" }).click();
    await page.getByText("It is forgotten.").waitFor();
    const { results } = await said(shown, "memory", "search", "harbour wall June");
    assert.equal(results.some(({ title }: { title: string }) => title.includes("harbour")), false);
  },
);

pageTest("a question is answered, once, also after what is no answer", async (shown) => {
  const { page, home } = shown;
  const id = ask(home, "Which port?");
  await shown.go("/questions");
  await page.getByText("Which port?").waitFor();
  await page.getByLabel("Answer").fill("5433");
  const foreign = { status: 502, body: "<h1>Bad gateway</h1>" };
  await page.route("**/api/questions/*/answer", (route) => route.fulfill(foreign), { times: 1 });
  await button(page, "Answer").click();
  await refused(page, /no JSON \(HTTP 502\)/);
  await button(page, "Answer").click();
  await page.getByText("Nobody asks anything.").waitFor();
  assert.equal((await said(shown, "question", "show", id)).question.answer, "5433");
});

pageTest(
  "a requirement is satisfied and paused with a reason, and what is denied is listed",
  async (shown) => {
    const { page, home } = shown;
    const project = `${home.path}/shop`;
    Deno.mkdirSync(`${project}/.git`, { recursive: true });
    Deno.writeTextFileSync(`${project}/.git/HEAD`, "ref: refs/heads/main\n");
    Deno.mkdirSync(`${project}/.git/refs/heads`, { recursive: true });
    Deno.writeTextFileSync(`${project}/.git/refs/heads/main`, `${"0".repeat(40)}\n`);
    Deno.writeTextFileSync(
      `${project}/.conclaude.yaml`,
      "requirements:\n  commit_plan:\n    scope: session\n    message: Plan the change first.\n",
    );
    const session_id = crypto.randomUUID();
    const told = { ...FIRST, session_id, cwd: project };
    const options = { env: { CLAUDE_PROJECT_DIR: project } };
    await hook(
      "SessionStart",
      { ...told, hook_event_name: "SessionStart", source: "startup" },
      home,
      options,
    );
    const beside = { ...told, session_id: crypto.randomUUID(), source: "startup" };
    await hook("SessionStart", { ...beside, hook_event_name: "SessionStart" }, home, options);
    const denied = await hook(
      "PreToolUse",
      {
        ...told,
        hook_event_name: "PreToolUse",
        tool_name: "Edit",
        tool_use_id: "toolu_1",
        tool_input: { file_path: `${project}/a.ts`, old_string: "a", new_string: "b" },
      },
      home,
      options,
    );
    assert.match(denied.stdout, /deny/);
    await shown.go("/rules");
    await page.getByText("Plan the change first.").first().waitFor();
    await page.getByLabel("Project").selectOption(project);
    await page.locator("li", { hasText: "commit_plan" }).getByRole("button", { name: "Satisfy" })
      .click();
    await refused(page, /session/);
    await page.getByLabel("Session").selectOption(session_id);
    await page.getByLabel("Why it is satisfied").fill("it is planned");
    await page.locator("li", { hasText: "commit_plan" }).getByRole("button", { name: "Satisfy" })
      .click();
    await page.locator("li", { hasText: "commit_plan" }).getByText("satisfied").waitFor();
    await page.getByLabel("Why the requirements are paused").fill("a hurry");
    await page.getByLabel("For how many minutes the requirements are paused").fill("99999");
    await page.getByRole("button", { name: "Pause requirements" }).click();
    await refused(page, /from 1 to 10080/);
    await page.getByLabel("For how many minutes the requirements are paused").fill("");
    await page.getByRole("button", { name: "Pause requirements" }).click();
    await page.getByText("Its requirements are paused.").waitFor();
    using db = new DatabaseSync(home.database);
    const row = db.prepare("SELECT reason FROM pauses WHERE session_id = ?").get(session_id);
    assert.equal(row!["reason"], "a hurry");
    const kept = db.prepare("SELECT metadata FROM requirements WHERE session_id = ?")
      .get(session_id);
    assert.equal(JSON.parse(String(kept!["metadata"])).reason, "it is planned");
  },
);

pageTest(
  "a use is explained: the rule that decides stands first, and a wrong tool is refused",
  async (shown) => {
    const { page } = shown;
    await shown.go("/rules");
    await page.getByLabel("Input").fill("rm -rf ~");
    await button(page, "Explain").click();
    await page.getByText("denied", { exact: true }).waitFor();
    const [project] = (await said(shown, "session", "list")).sessions;
    const explained = await runProgram(["explain", "Bash", "rm -rf ~", "--json"], {
      env: { HOME: shown.home.path },
      cwd: project.projectDir ?? shown.home.path,
    });
    const [first] = JSON.parse(explained.stdout).deciding;
    const row = page.locator("[role=status] li").first();
    await row.getByText(first.rule).waitFor();
    await row.getByText("forbids").waitFor();
    await page.getByLabel("Input").fill("ls");
    await button(page, "Explain").click();
    await page.getByText("allowed", { exact: true }).waitFor();
    await page.getByLabel("Tool").fill("Bush");
    await button(page, "Explain").click();
    await page.getByText('Unknown tool "Bush"').waitFor();
  },
);

pageTest("a note is replaced, and its place is kept in what is told", async (shown) => {
  const { page } = shown;
  await shown.go("/memory");
  await page.getByLabel("Note", { exact: true }).fill("The ferry leaves at eight");
  await button(page, "Remember").click();
  await page.locator("main a.row", { hasText: "The ferry leaves at eight" }).click();
  await button(page, "Replace …").click();
  const changed = page.getByLabel("New note");
  assert.equal(await changed.inputValue(), "The ferry leaves at eight");
  await changed.fill("The ferry leaves at nine");
  await button(page, "Replace it").click();
  await page.getByText(/replaced by #\d+/).waitFor();
  await page.locator(".words", { hasText: "The ferry leaves at nine" }).waitFor();
  const { results } = await said(shown, "memory", "search", "ferry leaves", "--kind", "note");
  const [old] = results.filter(({ title }: { title: string }) => title.includes("eight"));
  const [young] = results.filter(({ title }: { title: string }) => title.includes("nine"));
  assert.equal(old.resolvedBy, young.id);
});

pageTest("a text is forgotten everywhere after a preview, with a receipt", async (shown) => {
  const { page } = shown;
  await shown.go("/memory");
  await page.getByLabel("Note", { exact: true }).fill("Project Zanzibar begins in May");
  await button(page, "Remember").click();
  await page.locator("main a.row", { hasText: "Zanzibar" }).waitFor();
  await page.getByLabel("Text to forget").fill("zanzibar");
  await button(page, "Forget this text …").click();
  await page.getByText(/1 observation.* would go/).waitFor();
  assert.equal((await said(shown, "memory", "search", "Zanzibar")).results.length, 1);
  await button(page, "Forget them").click();
  await button(page, "Forget for ever").click();
  const receipt = page.locator(".panel", { hasText: "Receipt" });
  const verify = await receipt.locator("code").innerText();
  assert.equal((await said(shown, "memory", "search", "Zanzibar")).results.length, 0);
  const verified = await said(shown, ...verify.split(" ").slice(1), "--text", "Zanzibar");
  assert.equal(verified.ok, true);
});

pageTest(
  "who asks for notices is told what waits from then on, in one tab of several",
  async (shown) => {
    const { page, home } = shown;
    await page.context().grantPermissions(["notifications"]);
    await page.context().addInitScript(() => {
      // deno-lint-ignore no-explicit-any -- the page's own global
      const all = globalThis as any;
      all.told = [];
      all.Notification = class extends all.Notification {
        constructor(title: string, options: { body: string }) {
          super(title, options);
          all.told.push(`${title}: ${options.body}`);
        }
      };
    });
    // deno-lint-ignore no-explicit-any -- as above
    const told = () => page.evaluate(() => (globalThis as any).told.join());
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    ask(home, "Before?");
    await shown.go("/questions");
    await page.getByText("Before?").waitFor();
    await until("the title counts it", async () => await page.title() === "(1) conclaude");
    assert.equal(await told(), "");
    await page.getByLabel("Notify me").check();
    ask(home, "Which quay?");
    await until("it is told", async () => await told() === "A question: Which quay?");
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("Which quay?").waitFor();
    assert.equal(await page.getByLabel("Notify me").isChecked(), true);
    await page.getByLabel("Notify me").uncheck();
    ask(home, "And now?");
    await until("the title counts it", async () => await page.title() === "(3) conclaude");
    assert.equal(await told(), "");
  },
);

pageTest(
  "what the next session is told stands on the page, with the price and the reason of each line",
  async (shown) => {
    const { page, daemon } = shown;
    await shown.go("/memory");
    const [{ projectDir }] = (await said(shown, "session", "list")).sessions;
    await page.getByLabel("Project").selectOption(projectDir);
    const path = `/memory/context?folder=${encodeURIComponent(projectDir)}`;
    const { body: { text, tokens, lines } } = await daemon.ask("GET", path);
    const panel = page.locator(".panel", { hasText: `Next context · ${tokens} tokens` });
    await panel.waitFor();
    assert.equal((await panel.locator("pre").textContent())!.trim(), text.trim());
    await panel.locator("summary").click();
    const told = await panel.locator("li").allTextContents();
    assert.equal(told.length, lines.length);
    lines.forEach((line: { tokens: number; why: string }, i: number) => {
      assert.ok(told[i]!.startsWith(String(line.tokens)) && told[i]!.endsWith(line.why), told[i]);
    });
  },
);
