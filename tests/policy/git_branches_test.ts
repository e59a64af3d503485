/** Which branches a git command checks out, makes or moves. */
import assert from "node:assert/strict";
import { readUses } from "../../src/policy/guards/bash.ts";
import { branchesMoved } from "../../src/policy/shell/git_branches.ts";
import ROWS from "../../src/policy/shell/moved_branches.json" with { type: "json" };
import { literal } from "../../src/policy/shell/word.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

function lastStep(command: string) {
  const { steps } = readUses(command, { tool: "Bash", folder: "/p", home: "/h" });
  return steps.at(-1)!;
}

function checkedOut(command: string) {
  return lastStep(command).checksOut;
}

Deno.test("a branch that a command checks out is recognised, whether it exists, is made, or is made anew", () => {
  const told = rowsOf<readonly [string, string, string, boolean?]>(CASES.checkedOut);
  for (const [command, branch, makes, startsElsewhere = false] of told) {
    assert.deepEqual(checkedOut(command), { branch, makes, startsElsewhere }, command);
  }
});

Deno.test("no branch is named where only git knows it, or where none is checked out", () => {
  for (const command of CASES.notCheckedOut) assert.equal(checkedOut(command), null, command);
});

Deno.test("a working tree is made in the folder that is named", () => {
  const made = rowsOf<readonly [string, string | null]>(CASES.workingTrees);
  for (const [args, folder] of made) assert.equal(lastStep(`git ${args}`).makesTree, folder, args);
});

const moved = (command: string) =>
  branchesMoved({ words: command.split(" ").map(literal) }).join(" ");

Deno.test("each way to move a branch is found by its example, and passes its counterexample", () => {
  for (const { example, moves, counterexample } of ROWS) {
    assert.equal(moved(example), moves, example);
    assert.equal(moved(counterexample), "", counterexample);
  }
});

Deno.test("a branch that is renamed moves under both names", () => {
  assert.equal(moved("git branch -m work main"), "work main");
  assert.equal(moved("git push -o ci.skip origin work"), "work");
});

Deno.test("fetching moves a branch unless the same branch of another repository comes", () => {
  assert.equal(moved("git fetch . tmp:main"), "main");
  assert.equal(moved("git fetch origin +tmp:refs/heads/main"), "main");
  assert.equal(moved("git fetch origin main:main"), "");
  assert.equal(moved("git fetch origin main"), "");
});

Deno.test("a pull that names a branch moves the one that is checked out, unless it is the same", () => {
  assert.equal(moved("git -C x pull"), "");
  assert.equal(moved("git pull origin main"), "HEAD^main");
  assert.equal(moved("git pull --ff-only origin tmp"), "HEAD^tmp");
  assert.equal(moved("git pull . tmp"), "HEAD");
});

Deno.test("pushing moves the branches that it names, or the one that is checked out", () => {
  assert.equal(moved("git push"), "HEAD");
  assert.equal(moved("git push -u origin work"), "work");
  assert.equal(moved("git push origin work:main :old"), "main old");
  assert.equal(moved("git push --tags"), "");
  assert.equal(moved("git push --dry-run origin main"), "");
});
