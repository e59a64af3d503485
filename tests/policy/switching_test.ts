/** Which branch a git command checks out. */
import assert from "node:assert/strict";
import { readUses } from "../../src/policy/guards/bash.ts";

function lastStep(command: string) {
  const { steps } = readUses(command, { tool: "Bash", folder: "/p", home: "/h" });
  return steps.at(-1)!;
}

function checkedOut(command: string) {
  return lastStep(command).checksOut;
}

Deno.test("a branch that a command names is recognised, whether it exists, is made, or is made anew", () => {
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

Deno.test("where only git knows the branch, or none is checked out, none is named", () => {
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
