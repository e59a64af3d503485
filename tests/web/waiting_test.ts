import assert from "node:assert/strict";
import type { Shown } from "./support/browser.ts";
import { ask } from "./support/page_acts.ts";
import { pageTest, said } from "./support/pages.ts";
import { hook } from "../support/program.ts";

const SESSION = "0a5ced00-0000-4000-8000-000000000001";
const COMMAND = "rm old.txt && git status --short";

/** What hooks of the session tell, in this order. */
async function tell({ home }: Shown, ...events: readonly object[]): Promise<void> {
  for (const event of events) {
    const { hook_event_name: name } = event as { readonly hook_event_name: string };
    await hook(name, { session_id: SESSION, cwd: home.path, ...event }, home, {
      env: { CLAUDE_PROJECT_DIR: home.path },
    });
  }
}

const PROMPT = { hook_event_name: "UserPromptSubmit", prompt: "Clear the attic" };
const TOOL = { tool_name: "Bash", tool_use_id: "toolu_1", tool_input: { command: COMMAND } };
const ASKS = [
  { hook_event_name: "PreToolUse", ...TOOL },
  { hook_event_name: "PermissionRequest", ...TOOL },
];
const NOTIFIES = {
  hook_event_name: "Notification",
  message: "Claude needs your permission",
  notification_type: "permission_prompt",
};

pageTest(
  "a session that waits for a permission is told once, with what it is about, until it goes on",
  async (shown) => {
    const { page, go } = shown;
    const waits = page.locator(".panel", { hasText: "Waits for you" }).locator("a.row");
    const row = waits.filter({ hasText: "Clear the attic" });
    await go("/now");
    await tell(shown, PROMPT, ...ASKS);
    await row.filter({ hasText: "permission" }).filter({ hasText: `Bash: ${COMMAND}` }).waitFor();
    await tell(shown, NOTIFIES);
    await page.locator("nav .count", { hasText: "1" }).waitFor();
    assert.equal(await waits.filter({ hasText: /needs your permission/ }).count(), 0);
    assert.match(await row.innerText(), /^permission/);
    await page.waitForFunction("document.title.startsWith('(1) ')");
    ask(shown.home, "Which attic?");
    await waits.filter({ hasText: "Which attic?" }).waitFor();
    assert.match(await waits.first().innerText(), /^permission/, "it comes first");

    await row.click();
    const story = page.locator(".story");
    await story.getByText("Waits for").waitFor();
    await story.getByText(`Bash: ${COMMAND}`).waitFor();
    await go("/questions");
    const asked = page.locator("main li", { hasText: "Claude needs your permission" });
    await asked.getByText("answer it where the session runs").waitFor();
    assert.equal(await asked.getByRole("button").count(), 0);

    await go("/now");
    await tell(shown, {
      ...TOOL,
      hook_event_name: "PostToolUse",
      tool_response: { stdout: "", stderr: "" },
    });
    await row.waitFor({ state: "detached" });
    await page.locator("nav .count", { hasText: "1" }).waitFor();
    await go("/questions");
    await page.locator("main li", { hasText: "Which attic?" }).waitFor();
    assert.equal(await asked.count(), 0, "the tool has run");
    await go("/now");
    await tell(shown, { hook_event_name: "Stop" }, {
      hook_event_name: "Notification",
      message: "Claude is waiting for your input",
      notification_type: "idle_prompt",
    });
    await row.filter({ hasText: /^next prompt/ }).waitFor();
  },
);

pageTest("what a sub-agent does meanwhile does not end what a session has asked", async (shown) => {
  const { page, go } = shown;
  await tell(shown, PROMPT, ...ASKS, NOTIFIES);
  await tell(shown, {
    hook_event_name: "PreToolUse",
    ...TOOL,
    tool_use_id: "toolu_3",
    agent_id: "a1",
  });
  await go("/now");
  const row = page.locator("a.row", { hasText: "Clear the attic" });
  await row.filter({ hasText: "permission" }).waitFor();
});

pageTest(
  "a card tells only what its task still waits for, and offers a claim when it can begin",
  async (shown) => {
    const { page, go } = shown;
    const { task: first } = await said(shown, "task", "create", "Sweep the floor");
    await said(shown, "task", "create", "Wax the floor", "--depends-on", first.id);
    await go("/work");
    const card = page.locator(".card", {
      has: page.locator(".strong", { hasText: "Wax the floor" }),
    });
    await card.getByText("Waits for Sweep the floor").waitFor();
    assert.equal(await card.getByRole("button").count(), 0);
    await said(shown, "task", "claim", first.id, "--agent-id", "Ana");
    await said(shown, "task", "complete", first.id, "--agent-id", "Ana");
    await card.getByRole("button", { name: "Claim" }).waitFor();
    assert.equal(await card.getByText("Waits for").count(), 0);
  },
);

pageTest("questions, reviews and agents stand under the title of their task", async (shown) => {
  const { page, go, home } = shown;
  const { task } = await said(shown, "task", "create", "Tune the harp");
  ask(home, "Which key?", task.id);
  for (const path of ["/now", "/questions"]) {
    await go(path);
    await page.locator("main li", { hasText: "Which key?" }).getByText("Tune the harp").waitFor();
  }
});

pageTest("the rules of a project stand there whole", async (shown) => {
  const { page, go, home } = shown;
  const names = ["npm publish --access public", "terraform destroy --auto-approve"];
  Deno.writeTextFileSync(
    `${home.path}/.conclaude.yaml`,
    "preToolUse:\n  toolUsageValidation:\n" +
      names.map((pattern) => `    - { tool: Bash, commandPattern: "${pattern}*", action: block }\n`)
        .join(""),
  );
  await tell(shown, PROMPT);
  await page.setViewportSize({ width: 1280, height: 800 });
  await go("/rules");
  await page.getByLabel("Project").selectOption(home.path);
  const rules = page.locator(".panel", { hasText: "Guards" }).locator(".row .grow");
  for (const name of names) await rules.filter({ hasText: `${name}*` }).waitFor();
  const cut = await rules.evaluateAll((all) =>
    all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length
  );
  assert.equal(cut, 0);
});
