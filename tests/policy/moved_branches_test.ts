/** A command that moves a branch is known by its words. */
import assert from "node:assert/strict";
import { branchesMoved } from "../../src/policy/shell/moved_branches.ts";
import ROWS from "../../src/policy/shell/moved_branches.json" with { type: "json" };
import { literal } from "../../src/policy/shell/word.ts";

const moved = (command: string) => branchesMoved(command.split(" ").map(literal)).join(" ");

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
  assert.equal(moved("git -C x pull"), "");
});

Deno.test("pushing moves the branches that it names, or the one that is checked out", () => {
  assert.equal(moved("git push"), "HEAD");
  assert.equal(moved("git push -u origin work"), "work");
  assert.equal(moved("git push origin work:main :old"), "main old");
  assert.equal(moved("git push --tags"), "");
  assert.equal(moved("git push --dry-run origin main"), "");
});
