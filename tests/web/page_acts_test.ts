/** What people do on the page: what the verbs do, with the refusals of the verbs, by hand and by keys. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import type { Shown } from "../support/browser.ts";
import { askQuestion } from "../../src/work/questions_table.ts";
import { hook, runProgram, type TempHome } from "../support/program.ts";
import { isTooWide, pageTest, said, seriousFaults } from "../support/pages.ts";
import { recordedHooks } from "../support/transcripts.ts";
import { until } from "../support/wait.ts";
import { type WorkedProject, workedProject } from "../support/worked_project.ts";

const [FIRST] = recordedHooks("work");
const AGENT_SESSION = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";

/** Writes a file and a line; in a session that goes on, what it is told into another file. */
const AGENT = `#!/bin/sh
case $* in
*--resume*) cat >told.txt ;;
*) cat >/dev/null; printf 'one\ntwo\nthree\nfour\n' >song.txt ;;
esac
echo '{"type":"result","session_id":"${AGENT_SESSION}","result":"Done."}'
`;

const REVIEWED = `name: sing
description: An agent, and a review.
steps:
  - name: work
    type: agent
    prompt: |
      Sing.
  - name: bring
    type: merge
`;

/** Counts until somebody ends it. */
const LONG = `name: count
description: A script that never ends.
steps:
  - name: count
    type: script
    command: for n in $(seq 1 600); do echo "line $n"; sleep 0.1; done
`;

const FAILS = `name: fail
description: A script that fails until a file is there.
steps:
  - name: try
    type: script
    command: test -e ../../../go || { echo "no go"; exit 3; }
`;

function worked({ home }: Shown): Promise<WorkedProject> {
  return workedProject(home, {
    agent: AGENT,
    workflows: { sing: REVIEWED, count: LONG, fail: FAILS },
  });
}

/** Waits until a workflow has a status. @returns It, as `workflow show` prints it. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever is printed
async function reaches(project: WorkedProject, task: string, status: string): Promise<any> {
  let shown = await project.json("workflow", "show", task);
  await until(`the workflow is ${status}`, async () => {
    shown = await project.json("workflow", "show", task);
    return shown.workflow?.status === status;
  });
  return shown.workflow;
}

/** Opens the review of a task's workflow by its row. */
async function openReview({ page, go }: Shown): Promise<void> {
  await go("/questions");
  await page.locator("main a.row", { hasText: "sing" }).click();
  await page.locator("main .diff.review").waitFor();
}

/** Lets an agent ask something. @returns The id of the question. */
function ask({ database }: TempHome, text: string): string {
  using db = new DatabaseSync(database);
  const nobody = { taskId: null, workflowId: null, stepKey: null, agentId: null, sessionId: null };
  const question = { type: "input", text, options: [], source: "output", origin: null } as const;
  return askQuestion(db, { ...question, ...nobody }, Date.now())!;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

pageTest(
  "work is reviewed: comments on lines go back as one message, and it is approved in the end",
  async (shown) => {
    const { page } = shown;
    const project = await worked(shown);
    const task = await project.start("sing", "A shanty");
    await reaches(project, task, "pending_merge");
    await page.locator("nav .count", { hasText: "1" }).waitFor();
    await until("the title counts it", async () => /^\(\d+\) /.test(await page.title()));
    await openReview(shown);
    await page.getByRole("heading", { name: "Review of A shanty" }).waitFor();
    assert.equal(await button(page, "Send back").isDisabled(), true);
    await button(page, "Comment on line 2 of song.txt").click();
    await button(page, "Comment on line 3 of song.txt").click({ modifiers: ["Shift"] });
    await page.getByLabel("Comment on lines 2 to 3").fill("Sing these louder.");
    await button(page, "Add comment").click();
    await button(page, "Comment on line 4 of song.txt").click();
    await page.getByLabel("Comment on line 4", { exact: true }).fill("And stop.");
    await button(page, "Add comment").click();
    await page.reload();
    await page.locator(".comment", { hasText: "And stop." }).waitFor();
    await page.getByLabel("What is to change").fill("Otherwise fine.");
    await button(page, "Send back (2)").click();
    await page.getByText("It is sent back; its agent goes on.").waitFor();
    await until("the agent has heard it", () => isFile(`${project.tree(task)}/told.txt`));
    assert.equal(
      Deno.readTextFileSync(`${project.tree(task)}/told.txt`),
      "song.txt, lines 2 to 3:\n> +two\n> +three\nSing these louder.\n\n" +
        "song.txt, line 4:\n> +four\nAnd stop.\n\nOtherwise fine.",
    );
    await reaches(project, task, "pending_merge");
    await openReview(shown);
    await page.locator(".file", { hasText: "told.txt" }).waitFor();
    assert.equal(await page.locator("main .comment").count(), 0);
    await button(page, "Approve").click();
    await reaches(project, task, "completed");
    const merged = new Deno.Command("git", {
      args: ["show", "main:song.txt"],
      cwd: project.path,
    }).outputSync();
    assert.equal(new TextDecoder().decode(merged.stdout), "one\ntwo\nthree\nfour\n");
  },
);

pageTest(
  "work is rejected with a reason, and an approval that came too late is refused",
  async (shown) => {
    const { page } = shown;
    const project = await worked(shown);
    const task = await project.start("sing");
    await reaches(project, task, "pending_merge");
    await openReview(shown);
    assert.equal(await button(page, "Reject").isDisabled(), true);
    await page.getByLabel("What is to change").fill("nobody sings like this");
    await button(page, "Reject").click();
    await button(page, "Reject it").click();
    const { id, reason } = await reaches(project, task, "blocked");
    assert.match(reason, /nobody sings like this/);
    await shown.go(`/work/${id}`);
    await page.locator("summary", { hasText: "Changes" }).click();
    await page.locator(".file .came", { hasText: "four" }).waitFor();
    assert.equal(await page.locator("button.line-number").count(), 0);
    await project.json("workflow", "retry", task);
    await openReview(shown);
    // The page does not know yet that somebody else has decided.
    await page.route("**/api/workflows?*", (route) => route.abort());
    await project.json("workflow", "cancel", task);
    await button(page, "Approve").click();
    await page.locator(".toast.bad", { hasText: /it is cancelled/ }).waitFor();
    await page.locator(".toast.bad", { hasText: "Next: conclaude workflow show" }).waitFor();
  },
);

pageTest(
  "a workflow's output is shown as it comes; it is killed, and goes on when it is retried",
  async (shown) => {
    const { page } = shown;
    const project = await worked(shown);
    const task = await project.start("count");
    await shown.go("/work");
    await page.locator("main a.row", { hasText: "count" }).click();
    const output = page.getByLabel("Output", { exact: true }).first();
    await output.getByText(/line 3\b/).waitFor();
    await button(page, "Kill").click();
    await button(page, "Kill it").click();
    const { workflow } = await project.json("workflow", "show", task);
    await reaches(project, task, "blocked");
    const { agents } = await said(shown, "agent", "list", "--all", "--kind", "script");
    assert.deepEqual(agents.map(({ status }: { status: string }) => status), ["killed"]);
    await page.getByRole("button", { name: "Retry" }).click();
    await reaches(project, task, "running");
    await button(page, "Cancel the workflow").click();
    await button(page, "Cancel it for good").click();
    await reaches(project, workflow.id, "cancelled");
  },
);

/** Lets the page know nothing new from now on, so that it offers what is too late. */
async function freeze(page: Page): Promise<void> {
  await page.route("**/api/**", (route) => {
    if (route.request().method() !== "GET") return route.continue();
  });
}

/** What the page says of a refusal: what, why, and what to do. */
async function refused(page: Page, why: RegExp): Promise<void> {
  await page.locator(".toast.bad", { hasText: why }).waitFor();
  assert.match(await page.locator(".toast.bad").innerText(), /\. Next: \S/);
}

pageTest("a claim that came too late is refused, with what to do", async (shown) => {
  const { page } = shown;
  const { task } = await said(shown, "task", "create", "Correct the tide table");
  await shown.go("/work");
  await button(page, "Claim").waitFor();
  await freeze(page);
  await said(shown, "task", "claim", task.id, "--agent-id", "Ana");
  await button(page, "Claim").click();
  await refused(page, /Ana/);
});

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

pageTest("an agent that has ended is not killed again", async (shown) => {
  const { page } = shown;
  const project = await worked(shown);
  const task = await project.start("count");
  await shown.go("/work");
  await button(page, "Kill").waitFor();
  await freeze(page);
  const { agents } = await said(shown, "agent", "list", "--kind", "script");
  await said(shown, "agent", "kill", agents[0].id, "--reason", "enough");
  await reaches(project, task, "blocked");
  await button(page, "Kill").click();
  await button(page, "Kill it").click();
  await refused(page, /it has ended already: killed/);
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

async function isFile(path: string): Promise<boolean> {
  return await Deno.stat(path).then((file) => file.isFile, () => false);
}

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

pageTest("a task is claimed on the board, and its holder and lease are shown", async (shown) => {
  const { page, home } = shown;
  const env = { HOME: home.path };
  await runProgram(["task", "create", "Correct the tide table"], { env, cwd: home.path });
  await shown.go("/work");
  const card = page.locator(".card", { hasText: "Correct the tide table" });
  await card.getByRole("button", { name: "Claim" }).click();
  await page.locator('[aria-label="In work"] .card').getByText(/left$/).waitFor();
  const { tasks } = await said(shown, "task", "list", "--all-projects", "--status", "in_progress");
  assert.equal(tasks.length, 1);
});

pageTest("a question is answered, once", async (shown) => {
  const { page, home } = shown;
  const id = ask(home, "Which port?");
  await shown.go("/questions");
  await page.getByText("Which port?").waitFor();
  await page.getByLabel("Answer").fill("5433");
  await page.getByRole("button", { name: "Answer" }).click();
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

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate(() => {
      // deno-lint-ignore no-explicit-any -- the page's own global
      const node = (globalThis as any).document.activeElement;
      return node?.getAttribute("aria-label") ?? node?.textContent ?? "";
    });
    if (found.trim() === name) return;
  }
  throw new Error(`no Tab leads to "${name}"`);
}

pageTest(
  "keys alone review, reject, claim, kill, satisfy, pause, explain, note and forget",
  async (shown) => {
    const { page, home } = shown;
    const project = await worked(shown);
    const [task, long] = [await project.start("sing", "A shanty"), await project.start("count")];
    await reaches(project, task, "pending_merge");
    const { keyboard } = page;
    const press = async (name: string) => {
      await tabTo(page, name);
      await keyboard.press("Enter");
    };
    const sure = async (name: string) => {
      await page.locator("button:focus", { hasText: name }).waitFor();
      await keyboard.press("Enter");
    };
    const type = async (name: string, text: string) => {
      await tabTo(page, name);
      await keyboard.type(text);
    };
    const see = (letter: string, heading: string) =>
      until(`${heading} is shown`, async () => {
        // Both keys have to come within a second.
        for (const key of ["Escape", "g", letter]) await keyboard.press(key);
        return await page.getByRole("heading", { name: heading, level: 1 })
          .waitFor({ timeout: 1_000 }).then(() => true, () => false);
      });
    await see("q", "Questions and reviews");
    await page.locator("main a.row").first().waitFor();
    await keyboard.press("j");
    await keyboard.press("Enter");
    await page.locator(".diff.review").waitFor();
    await press("Comment on line 1 of song.txt");
    await page.getByLabel("Comment on line 1", { exact: true }).waitFor();
    await keyboard.type("Too loud.");
    await press("Add comment");
    await press("Reject");
    await sure("Reject it");
    assert.match((await reaches(project, task, "blocked")).reason, /line 1:\n> \+one\nToo loud\./);

    await see("w", "Work");
    await said(shown, "task", "create", "Correct the tide table");
    await page.locator(".card", { hasText: "tide table" }).waitFor();
    await press("Claim");
    await page.getByText(/left$/).first().waitFor();
    await page.locator("main button", { hasText: "Kill" }).waitFor();
    await press("Kill");
    await sure("Kill it");
    await reaches(project, long, "blocked");

    const session_id = crypto.randomUUID();
    const required = `${project.path}/.conclaude.yaml`;
    const before = Deno.readTextFileSync(required);
    Deno.writeTextFileSync(
      required,
      `${before}requirements:\n  plan:\n    scope: session\n    message: Plan first.\n`,
    );
    const told = { ...FIRST, session_id, cwd: project.path };
    await hook(
      "SessionStart",
      { ...told, hook_event_name: "SessionStart", source: "startup" },
      home,
      { env: { CLAUDE_PROJECT_DIR: project.path } },
    );
    await see("r", "Rules");
    await page.getByLabel("Session").locator(`option[value="${session_id}"]`)
      .waitFor({ state: "attached" });
    await tabTo(page, "Session");
    await keyboard.press("ArrowDown");
    await type("Why it is satisfied", "it is planned");
    await press("Satisfy");
    await page.getByText('"plan" is satisfied.').waitFor();
    await type("Why the requirements are paused", "a hurry");
    await press("Pause requirements");
    await press("End the pause");
    await page.getByText("The requirements are in force again.").waitFor();
    await type("Input", "git push --force");
    await keyboard.press("Enter");
    await page.getByText("denied", { exact: true }).waitFor();

    await see("m", "Memory");
    await type("Note", "The quay is wet");
    await press("Remember");
    await page.locator("main a.row", { hasText: "The quay is wet" }).waitFor();
    await keyboard.press("j");
    await keyboard.press("Enter");
    await press("Forget …");
    await page.getByText(/^1 observation would go/).waitFor();
    await press("Forget them");
    await sure("Forget for ever");
    await page.getByText("It is forgotten.").waitFor();
  },
);

pageTest(
  "what people act with is right for screen readers, in light and dark, and fits a phone",
  async (shown) => {
    const { page, home } = shown;
    const project = await worked(shown);
    const task = await project.start("sing", "A shanty");
    await project.start("count");
    await reaches(project, await project.start("fail"), "blocked");
    await reaches(project, task, "pending_merge");
    ask(home, "Which port?");
    const look = async (about: string) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await seriousFaults(page), [], `${about} ${colorScheme}`);
      }
      await page.setViewportSize({ width: 360, height: 700 });
      assert.equal(await isTooWide(page), false, about);
      await page.setViewportSize({ width: 1440, height: 900 });
    };
    await openReview(shown);
    await button(page, "Comment on line 2 of song.txt").click();
    await page.getByLabel("Comment on line 2", { exact: true }).fill("Louder.");
    await button(page, "Add comment").click();
    await button(page, "Comment on line 3 of song.txt").click();
    await button(page, "Reject").click();
    await look("a review");
    await shown.go("/work");
    await page.locator("main a.row", { hasText: "count" }).click();
    await page.getByLabel("Output", { exact: true }).getByText(/line 2\b/).waitFor();
    await page.locator("main button", { hasText: "Kill" }).click();
    await look("a workflow");
    await shown.go("/rules");
    await page.getByLabel("Input").fill("git push --force");
    await button(page, "Explain").click();
    await page.getByText("denied", { exact: true }).waitFor();
    await page.locator("details summary").click();
    await look("an explanation");
    await shown.go("/memory");
    await page.getByLabel("Note", { exact: true }).fill("The quay is wet");
    await button(page, "Remember").click();
    await page.locator("main a.row", { hasText: "The quay is wet" }).click();
    await button(page, "Replace …").click();
    await button(page, "Forget …").click();
    await button(page, "Forget them").click();
    await look("a preview");
    await button(page, "Forget for ever").click();
    await page.getByRole("heading", { name: "Receipt" }).waitFor();
    await look("a receipt");
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
