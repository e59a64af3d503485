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

Deno.test("`git branch NAME` makes a branch, unless an option asks for something else", () => {
  const made = { branch: "q", makes: "new", startsElsewhere: false };
  assert.deepEqual(lastStep("git branch q").makesBranch, made);
  assert.deepEqual(lastStep("git -C sub branch -q --no-track q").makesBranch, made);
  assert.deepEqual(lastStep("git branch -f q main").makesBranch, {
    ...made,
    startsElsewhere: true,
  });
  const none = [
    "-d q",
    "-m q",
    "--list q",
    "--contains q",
    "-u q",
    "",
    "$Q",
    "'a b'",
    "--merged q",
  ];
  for (const args of none) assert.equal(lastStep(`git branch ${args}`).makesBranch, null, args);
});

Deno.test("a working tree is made in a folder, on the branch that is named or called like it", () => {
  const begins = { branch: "q", makes: "new", startsElsewhere: false };
  const made: readonly (readonly [string, string, object | null])[] = [
    ["-b q ../w", "/w", begins],
    ["-bq ../w", "/w", begins],
    ["../w -b q main", "/w", { ...begins, startsElsewhere: true }],
    ["-fB q w", "/p/w", { ...begins, makes: "anew" }],
    ["--lock --reason why w main", "/p/w", { ...begins, branch: "main", makes: "no" }],
    ["/t/q", "/t/q", { ...begins, makes: "missing" }],
    ["-d w main", "/p/w", null],
  ];
  for (const [args, folder, checksOut] of made) {
    assert.deepEqual(lastStep(`git worktree add ${args}`).makesTree, { folder, checksOut }, args);
  }
  assert.equal(lastStep("git -C /t worktree add w").makesTree!.folder, "/t/w");
  const none = ["add", "add $W", "list w", "add --orphan w", "remove w", "add 'a b'"];
  for (const args of none) assert.equal(lastStep(`git worktree ${args}`).makesTree, null, args);
});

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
