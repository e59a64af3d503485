import assert from "node:assert/strict";
import { join } from "node:path";
import { ensureTree, lookAtTree, removeTree } from "../../src/system/git/task_trees.ts";
import { hasBranch } from "../../src/system/git/repository.ts";
import { testWith } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";
import { gitSync, makeRepository } from "../support/git.ts";
import { pause } from "../support/wait.ts";

/** A repository that has a commit, and a place for a tree of it. */
function places() {
  const folder = tempFolder();
  const root = join(folder.path, "app");
  makeRepository(root, { files: { "a.txt": "one\n" } });
  return {
    root,
    commonDir: join(root, ".git"),
    tree: { path: join(folder.path, "trees", "task"), branch: "task/x" },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const test = testWith(places);

test("a tree is made with its branch, is taken where it is there, and may be made anew", async ({ root, commonDir, tree }) => {
  assert.equal(hasBranch({ commonDir }, tree.branch), false);
  assert.deepEqual(await ensureTree({ commonDir }, tree, "main"), { kind: "ready" });
  assert.equal(hasBranch({ commonDir }, tree.branch), true);
  Deno.writeTextFileSync(join(tree.path, "b.txt"), "new\n");
  assert.deepEqual(await lookAtTree(tree.path, "main"), { isDirty: true, ahead: 0 });
  gitSync(tree.path, "add", ".");
  gitSync(tree.path, "commit", "-q", "-m", "More");
  assert.deepEqual(await ensureTree({ commonDir }, tree, "main"), { kind: "ready" });
  assert.deepEqual(await lookAtTree(tree.path, "main"), { isDirty: false, ahead: 1 });
  await removeTree({ commonDir }, tree, "main");
  assert.equal(await lookAtTree(tree.path, "main"), null);
  assert.deepEqual(await ensureTree({ commonDir }, tree, "main"), { kind: "ready" });
  assert.equal(gitSync(tree.path, "log", "-1", "--format=%s").trim(), "More");
  gitSync(root, "merge", "-q", tree.branch);
  await removeTree({ commonDir }, tree, "main");
  assert.equal(hasBranch({ commonDir }, tree.branch), false);
  gitSync(root, "branch", `${tree.branch}/deeper`);
  assert.equal(hasBranch({ commonDir }, tree.branch), false, "a folder of branches is none");
  assert.equal(hasBranch({ commonDir }, "main/deeper"), false, "nor is a branch a folder");
});

test("a short obstacle is waited for, and a lasting one is named", async ({ commonDir, tree }) => {
  const other = join(tree.path, "precious.txt");
  Deno.mkdirSync(tree.path, { recursive: true });
  Deno.writeTextFileSync(other, "mine");
  const refused = await ensureTree({ commonDir }, tree, "main");
  assert.equal(refused.kind, "failed");
  assert.match((refused as { why: string }).why, /task is in the way: .* not empty/);
  assert.equal(Deno.readTextFileSync(other), "mine");
  const making = ensureTree({ commonDir }, tree, "main");
  await pause(100);
  Deno.removeSync(other);
  assert.deepEqual(await making, { kind: "ready" });
});
