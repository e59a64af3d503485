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

Deno.test("renaming, fetching, pulling and pushing move what they name, or what is checked out", () => {
  const told = rowsOf<readonly [command: string, branches: string]>(CASES.branchesMoved);
  for (const [command, branches] of told) assert.equal(moved(command), branches, command);
});
