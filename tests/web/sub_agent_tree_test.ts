/** A sub-agent with a working tree of its own: its edits stand in the session, and the tree's diff beside the reviews. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git, makeRepository } from "../support/git.ts";
import { isTooWide, pageTest, said, seriousFaults } from "./support/pages.ts";
import { hook, observed } from "../support/program.ts";

pageTest(
  "the edits of a sub-agent in its own working tree are diffs of its session and of the tree",
  async (shown) => {
    const { page, home, go } = shown;
    const [app, tree] = [join(home.path, "app"), join(home.path, "app/.claude/worktrees/agent-a1")];
    makeRepository(app);
    Deno.writeTextFileSync(join(app, "song.txt"), "one\n");
    await git(app, "add", "--all");
    await git(app, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first");
    await git(app, "worktree", "add", "-q", tree);
    const session_id = crypto.randomUUID();
    const tell = (event: string, payload: object) => {
      const told = { ...observed(event), session_id, cwd: app, ...payload };
      return hook(event, told, home, { env: { CLAUDE_PROJECT_DIR: app } });
    };
    await tell("UserPromptSubmit", { prompt: "Sing" });
    const agent = { agent_id: "a1", agent_type: "singer", cwd: tree };
    await tell("SubagentStart", agent);
    Deno.writeTextFileSync(join(tree, "song.txt"), "two\n");
    const file_path = join(tree, "song.txt");
    await hook(
      "PostToolUse",
      {
        ...{
          session_id,
          hook_event_name: "PostToolUse",
          tool_name: "Edit",
          tool_use_id: "toolu_t1",
        },
        ...agent,
        tool_input: { file_path, old_string: "one", new_string: "two" },
        tool_response: { filePath: file_path },
      },
      home,
      { env: { CLAUDE_PROJECT_DIR: app } },
    );
    await said(shown, "queue", "drain");
    await go(`/session/${session_id}`);
    const step = page.locator(".step.tool", { hasText: "song.txt" });
    await step.locator(".step-line").click();
    await step.locator(".diff .came", { hasText: "two" }).waitFor();
    const story = page.locator(".story");
    await story.locator("li", { hasText: "song.txt" }).first().waitFor();
    await story.getByRole("link", { name: "its changes" }).click();
    await page.getByRole("heading", { name: "Working tree of singer" }).waitFor();
    await page.locator(".review-line.came", { hasText: "two" }).waitFor();
    const { agents } = await said(shown, "agent", "list", "--kind", "subagent", "--all");
    const own = agents.filter(({ worktree }: { worktree: string | null }) => worktree !== null);
    const rows = page.locator(".panel", { hasText: "Working trees of sub-agents" })
      .locator('a.row[href^="#/questions/tree/"]');
    assert.deepEqual(
      await rows.evaluateAll((all) => all.map((row) => row.getAttribute("href"))),
      own.map(({ id }: { id: string }) => `#/questions/tree/${id}`),
    );
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFaults(page), [], colorScheme);
    }
    await page.setViewportSize({ width: 360, height: 700 });
    assert.equal(await isTooWide(page), false);
    await git(app, "worktree", "remove", "--force", tree);
    await page.reload();
    await page.getByText(/working tree .* is gone/).waitFor();
  },
);
