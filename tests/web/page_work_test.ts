/** What people do with work on the page, as the verbs do it: reviews, claims, agents; by hand and by keys. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Shown } from "./support/browser.ts";
import { ask, button, freeze, refused } from "./support/page_acts.ts";
import { hook, runProgram } from "../support/program.ts";
import { isTooWide, pageTest, said, seriousFaults } from "./support/pages.ts";
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

pageTest(
  "work is reviewed: comments on lines go back as one message, and it is approved in the end",
  async (shown) => {
    const { page } = shown;
    const project = await worked(shown);
    const task = await project.start("sing", "A shanty");
    await reaches(project, task, "pending_merge");
    await page.locator("nav .count", { hasText: "1" }).waitFor();
    await until("the title counts it", async () => /^\(\d+\) /.test(await page.title()));
    ask(shown.home, "Which harbour?");
    await shown.go("/now");
    const waits = page.locator(".panel", { hasText: "Waits for you" }).locator("a.row");
    await waits.filter({ hasText: "Which harbour?" }).waitFor();
    assert.match(await waits.first().innerText(), /^review\s+A shanty\s+sing · conclaude\//);
    await waits.first().click();
    await page.getByRole("heading", { name: "Review of A shanty" }).waitFor();
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
    await until("the agent has heard it", () => isWritten(`${project.tree(task)}/told.txt`));
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

async function isWritten(path: string): Promise<boolean> {
  // What writes it makes it empty first.
  return await Deno.stat(path).then(({ size }) => size > 0, () => false);
}

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
    await page.locator("button", { hasText: "End the pause" }).waitFor();
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
