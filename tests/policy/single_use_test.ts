/** Which commands of git are counted by what they leave, and which by their end. */
import assert from "node:assert/strict";
import { isMove, touchedByCommits } from "../../src/policy/requirements/used_up.ts";
import type { Requirement } from "../../src/policy/requirements/requirement_policy.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };

Deno.test("a command of git that moves a branch is known with git's own options", () => {
  for (const line of CASES.movingCommands) assert.equal(isMove(line), true, line);
  for (const line of ["git push", "git log --grep commit", "git commit-tree x", "gh pr merge"]) {
    assert.equal(isMove(line), false, line);
  }
});

Deno.test("requirements are about commits by what their patterns find, whatever they are called", () => {
  const about = (tool: string, command: string | null, scope = "session") =>
    touchedByCommits([
      { scope, triggers: [{ tool, toolPattern: null, command }] } as unknown as Requirement,
    ]).length;
  assert.equal(about("Bash", "git\\s+commit(\\s|$)"), 1);
  assert.equal(about("Bash", null), 1);
  assert.equal(about("Bash", "git\\s+push"), 0);
  assert.equal(about("Edit", null), 0);
  assert.equal(about("Bash", "git\\s+merge"), 0);
  assert.equal(about("Bash", "git\\s+merge", "single_use"), 1);
});
