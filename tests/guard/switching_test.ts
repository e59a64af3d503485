/** Which branch a git command checks out. */
import assert from "node:assert/strict";
import { readUses } from "../../src/guard/bash.ts";

function checkedOut(command: string) {
  const { steps } = readUses(command, { folder: "/p", home: "/h" });
  return steps.at(-1)!.checksOut;
}

Deno.test("a branch that is named is known, whether it is there, begins, or begins anew", () => {
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

Deno.test("where only git knows, or nothing is checked out, no branch is named", () => {
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
  ];
  for (const command of untold) assert.equal(checkedOut(command), null, command);
});
