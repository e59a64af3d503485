/** When an action has used up the satisfaction that allowed it. */
import assert from "node:assert/strict";
import { endTellsOfAll, isUsedUp, movesBranch } from "../../src/requirement/single_use.ts";
import { commandText } from "../../src/requirement/triggers.ts";

const about = (command: string | null) => ({
  triggers: [{ tool: "Bash", toolPattern: null, command }],
});
const commands = (...lines: string[]) => lines.map((line) => commandText(line.split(" ")));

Deno.test("movesBranch() knows the commands of git that make a commit, also with git's own options", () => {
  const moving = [
    "git commit -m x",
    "/usr/bin/git commit",
    "git -C a -c b=c cherry-pick d",
    "git merge e",
  ];
  for (const line of moving) assert.equal(movesBranch(about("git"), commands(line)), "all", line);
  for (const line of ["git push", "git log --grep commit", "git commit-tree x", "gh pr merge"]) {
    assert.equal(movesBranch(about("."), commands(line)), "none", line);
  }
  const both = commands("git commit -m x", "git push");
  assert.equal(movesBranch(about("git\\s+(commit|push)"), both), "some");
  assert.equal(movesBranch(about("git\\s+commit"), both), "all");
  assert.equal(movesBranch(about(null), both), "some");
});

Deno.test("endTellsOfAll() trusts the end of a script only where nothing can hide a failure in it", () => {
  for (const script of ["git commit -m x", "git add . && git commit -m x && git push"]) {
    assert.equal(endTellsOfAll(script), true, script);
  }
  const hiding = ["a; b", "a || b", "a | b", "a & b", "a\nb", "! a", "echo $(a)", "echo `a`"];
  for (const script of hiding) assert.equal(endTellsOfAll(script), false, script);
});

Deno.test("isUsedUp() goes by the branch where that tells, else by the end of the command", () => {
  const ended = (succeeded: boolean, tellsOfAll = false) => ({ succeeded, tellsOfAll });
  const told: Parameters<typeof isUsedUp>[] = [
    [ended(true), true, "all"],
    [ended(false), true, "some"],
    [ended(true), false, "some"],
    [ended(true), null, "all"],
    [ended(true, true), false, "all"],
    [ended(true), null, "none"],
  ];
  for (const one of told) assert.equal(isUsedUp(...one), true, JSON.stringify(one));
  const kept: Parameters<typeof isUsedUp>[] = [
    [ended(true), false, "all"],
    [ended(false), false, "all"],
    [ended(false), null, "all"],
    [ended(false), true, "none"],
  ];
  for (const one of kept) assert.equal(isUsedUp(...one), false, JSON.stringify(one));
});
