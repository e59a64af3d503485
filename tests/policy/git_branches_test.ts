/** Which branches a git command checks out, makes or moves. */
import assert from "node:assert/strict";
import { readUses } from "../../src/policy/guards/bash.ts";
import { branchesMoved } from "../../src/policy/shell/git_branches.ts";
import ROWS from "../../src/policy/shell/moved_branches.json" with { type: "json" };
import { literal } from "../../src/policy/shell/word.ts";

function lastStep(command: string) {
  const { steps } = readUses(command, { tool: "Bash", folder: "/p", home: "/h" });
  return steps.at(-1)!;
}

function checkedOut(command: string) {
  return lastStep(command).checksOut;
}

Deno.test("a branch that a command checks out is recognised, whether it exists, is made, or is made anew", () => {
  const told: readonly (readonly [string, string, string, boolean?])[] = [
    ["git switch main", "main", "no"],
    ["git -C sub checkout -q main", "main", "no"],
    ["git checkout 'feature/x'", "feature/x", "no"],
    ["git switch -c q", "q", "new"],
    ["git switch --create q main", "q", "new", true],
    ["git checkout -qb q", "q", "new"],
    ["git checkout -b q origin/main", "q", "new", true],
    ["git switch --orphan q", "q", "new", true],
    ["git checkout -B q", "q", "anew"],
    ["git switch --force-create q", "q", "anew"],
    ["X=main; git switch $X", "main", "no"],
  ];
  for (const [command, branch, makes, startsElsewhere = false] of told) {
    assert.deepEqual(checkedOut(command), { branch, makes, startsElsewhere }, command);
  }
});

Deno.test("no branch is named where only git knows it, or where none is checked out", () => {
  const untold = [
    "git switch $BRANCH",
    "git switch --detach main",
    "git checkout -t origin/main",
    "git checkout -- main",
    "git checkout main src/a.ts",
    "git checkout -b 'a b'",
    "git checkout -b -q",
    "git switch ../../HEAD",
    "git switch -",
    "git switch @{-1}",
    "git branch main",
    "git commit -m main",
    "echo git switch main",
    "git switch",
    "ssh host 'git switch main'",
  ];
  for (const command of untold) assert.equal(checkedOut(command), null, command);
});

Deno.test("a working tree is made in the folder that is named", () => {
  const made: readonly (readonly [string, string | null])[] = [
    ["worktree add -b q ../w", "/w"],
    ["worktree add ../w -b q main", "/w"],
    ["worktree add --lock --reason why w main", "/p/w"],
    ["-C /t worktree add w", "/t/w"],
    ["worktree add", null],
    ["worktree add $W", null],
    ["worktree list w", null],
    ["worktree remove w", null],
  ];
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
  assert.equal(moved("git -C x pull"), "");
});

Deno.test("pushing moves the branches that it names, or the one that is checked out", () => {
  assert.equal(moved("git push"), "HEAD");
  assert.equal(moved("git push -u origin work"), "work");
  assert.equal(moved("git push origin work:main :old"), "main old");
  assert.equal(moved("git push --tags"), "");
  assert.equal(moved("git push --dry-run origin main"), "");
});
