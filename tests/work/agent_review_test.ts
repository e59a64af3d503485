import assert from "node:assert/strict";
import { join } from "node:path";
import { git, makeRepository } from "../support/git.ts";
import { jsonOf, observed, runProgram, tempHome } from "../support/program.ts";
import { hook } from "../support/program.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempHome);

test.git("agent diff shows what a sub-agent has changed in its own working tree, committed or not", async (home) => {
  const [app, tree] = [join(home.path, "app"), join(home.path, "tree")];
  makeRepository(app);
  Deno.writeTextFileSync(join(app, "song.txt"), "one\n");
  await git(app, "add", "--all");
  await git(app, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first");
  await git(app, "worktree", "add", "-q", tree);
  const start = { ...observed("SubagentStart"), cwd: tree, agent_id: "a1" };
  await hook("SubagentStart", start, home, { env: { CLAUDE_PROJECT_DIR: app } });
  const other = { ...observed("SubagentStart"), cwd: app, agent_id: "a2" };
  await hook("SubagentStart", other, home, { env: { CLAUDE_PROJECT_DIR: app } });
  Deno.writeTextFileSync(join(tree, "song.txt"), "one\ntwo\n");
  await git(tree, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "second");
  Deno.writeTextFileSync(join(tree, "new.txt"), "three\n");
  const options = { env: { HOME: home.path }, cwd: app };
  const run = (...words: string[]) => runProgram([...words, "--json"], options);
  const { agents } = jsonOf(await run("agent", "list", "--kind", "subagent"));
  const idOf = (end: string) => agents.find(({ id }: { id: string }) => id.endsWith(end)).id;
  const { review } = jsonOf(await run("agent", "diff", idOf("a1")));
  assert.deepEqual(review.files, [
    { path: "new.txt", added: 1, removed: 0 },
    { path: "song.txt", added: 1, removed: 0 },
  ]);
  assert.match(review.diff, /\+two/);
  const none = jsonOf(await run("agent", "diff", idOf("a2")));
  assert.match(none.error.why, /no working tree of its own/);
  assert.match(none.error.next, /^conclaude session log /);
  await git(app, "worktree", "remove", "--force", tree);
  const gone = jsonOf(await run("agent", "diff", idOf("a1")));
  assert.match(gone.error.why, /working tree .* is gone/);
});
