/** What lies in a working tree and must not be merged as it lies there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { busyStage, type EngineStage } from "../support/engine.ts";
import { git } from "../support/git.ts";
import { workflowText } from "../support/workflows.ts";

const BRING = workflowText("agent-and-merge");

/** A workflow that waits for a review. @returns Its task, and its working tree. */
async function waiting(stage: EngineStage): Promise<{ id: string; tree: string }> {
  const id = await stage.begin();
  const { worktree } = await stage.reaches(id, "pending_merge");
  return { id, tree: worktree };
}

/** Approves, and is refused; `main` is as it was. @returns Why. */
async function refused(stage: EngineStage, id: string): Promise<string> {
  const before = await stage.git("rev-parse", "main");
  const { code, body } = await stage.json(["workflow", "approve", id]);
  assert.equal(code, 1);
  assert.equal(body.error.reason, "MERGE_FAILED");
  assert.equal(await stage.git("rev-parse", "main"), before);
  return body.error.why;
}

/** Who commits, where nobody has told git. */
const SOMEBODY = ["-c", "user.name=t", "-c", "user.email=t@t"];
const AS_SOMEBODY = {
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@t",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@t",
};

async function commitTheirs(stage: EngineStage): Promise<void> {
  stage.write("a.txt", "theirs\n");
  await stage.git("commit", "--quiet", "--all", "-m", "theirs");
}

Deno.test("conflicts that nobody has resolved are not merged, nor hidden from the review", async () => {
  await using stage = await busyStage({
    agent: "cat >/dev/null; echo ours >a.txt",
    workflow: BRING,
  });
  const { id, tree } = await waiting(stage);
  await commitTheirs(stage);
  // The first refusal commits the work, and names the way on.
  const first = (await stage.json(["workflow", "approve", id])).body.error;
  assert.equal(first.reason, "MERGE_CONFLICTS");
  await new Deno.Command("/bin/sh", {
    args: ["-c", first.next],
    env: AS_SOMEBODY,
    stdout: "null",
  }).output();
  assert.match(await refused(stage, id), /conflicts in a\.txt are not resolved/);
  assert.deepEqual((await stage.json(["workflow", "diff", id])).body.review.conflicts, ["a.txt"]);
  // Resolved, but not committed: the merge that is under way is ended.
  Deno.writeTextFileSync(join(tree, "a.txt"), "both\n");
  await git(tree, "add", "a.txt");
  assert.equal((await stage.run(["workflow", "approve", id])).code, 0);
  assert.equal(await stage.git("show", "main:a.txt"), "both");
});

Deno.test("a rebase that is under way is not merged half", async () => {
  await using stage = await busyStage({
    agent: `cat >/dev/null; echo ours >a.txt; git add a.txt; git ${
      SOMEBODY.join(" ")
    } commit -q -m ours`,
    workflow: BRING,
  });
  const { id, tree } = await waiting(stage);
  await commitTheirs(stage);
  await assert.rejects(git(tree, ...SOMEBODY, "rebase", "main"));
  Deno.writeTextFileSync(join(tree, "a.txt"), "both\n");
  await git(tree, "add", "a.txt");
  assert.match(await refused(stage, id), /a rebase is under way/);
  await git(tree, ...SOMEBODY, "-c", "core.editor=true", "rebase", "--continue");
  assert.equal((await stage.run(["workflow", "approve", id])).code, 0);
  assert.equal(await stage.git("show", "main:a.txt"), "both");
});

Deno.test("a repository inside of a working tree is not merged as an empty folder, and stays", async () => {
  await using stage = await busyStage({
    agent: "cat >/dev/null; mkdir lib; cd lib; git init -q; echo precious >p; git add p; " +
      "git -c user.name=t -c user.email=t@t commit -q -m p",
    workflow: BRING,
  });
  const { id, tree } = await waiting(stage);
  assert.match(await refused(stage, id), /lib in .* is a repository of its own/);
  assert.equal(Deno.readTextFileSync(join(tree, "lib/p")), "precious\n");
  Deno.removeSync(join(tree, "lib/.git"), { recursive: true });
  assert.equal((await stage.run(["workflow", "approve", id])).code, 0);
  assert.equal(await stage.git("show", "main:lib/p"), "precious");
});
