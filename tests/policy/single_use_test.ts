/** When an action has used up the satisfaction that allowed it. */
import assert from "node:assert/strict";
import {
  endTellsOfAll,
  haveMoved,
  isUsedUp,
  movesOf,
} from "../../src/policy/requirements/used_up.ts";
import { commandText } from "../../src/policy/requirements/trigger_match.ts";

const about = (command: string | null) => ({
  triggers: [{ tool: "Bash", toolPattern: null, command }],
});
const commands = (...lines: string[]) => lines.map((line) => commandText(line.split(" "), false));

Deno.test("movesOf() knows the commands of git that move a branch, also with git's own options", () => {
  const moving = {
    "git commit -m x": "commit",
    "/usr/bin/git commit": "commit",
    "git -C a -c b=c cherry-pick d": "cherry-pick",
    "GIT MERGE e": "merge",
  };
  for (const [line, command] of Object.entries(moving)) {
    const told = { moves: [command], onlyMoves: true };
    assert.deepEqual(movesOf(about("git"), commands(line)), told, line);
  }
  for (const line of ["git push", "git log --grep commit", "git commit-tree x", "gh pr merge"]) {
    assert.deepEqual(movesOf(about("."), commands(line)), { moves: [], onlyMoves: false }, line);
  }
  const both = commands("git commit -m x", "git push", "git commit -m y");
  const told = { moves: ["commit"], onlyMoves: false };
  assert.deepEqual(movesOf(about("git\\s+(commit|push)"), both), told);
  assert.deepEqual(movesOf(about("git\\s+commit"), both), { ...told, onlyMoves: true });
  assert.deepEqual(movesOf(about(null), both), told);
});

Deno.test("haveMoved() tells what each command did from what others did, in the words of git's log", () => {
  const logged: Readonly<Record<string, readonly string[]>> = {
    commit: ["commit: a", "commit (amend): a", "commit (initial): a", "commit (merge): a"],
    merge: ["merge b: Fast-forward", "merge b c: Merge made by the 'octopus' strategy."],
    "cherry-pick": ["cherry-pick: a", "commit (cherry-pick): a"],
    revert: ['revert: Revert "a"', 'commit: Revert "a"'],
    rebase: [
      "rebase (finish): returning to refs/heads/x",
      "rebase -i (finish): returning to refs/heads/x",
      "rebase finished: returning to refs/heads/x",
    ],
    pull: [
      "pull: Fast-forward",
      "pull --no-rebase origin b: Merge made by the 'ort' strategy.",
      "pull --rebase (finish): returning to refs/heads/x",
    ],
    am: ["am: a"],
  };
  for (const [command, lines] of Object.entries(logged)) {
    for (const line of lines) assert.equal(haveMoved([command], [line]), true, line);
  }
  const others = [
    "reset: moving to HEAD~1",
    "checkout: moving from commit: to merge",
    "Branch: renamed refs/heads/x to refs/heads/y",
    "rebase (start): checkout b",
    "rebase (pick): a: (finish): b",
    "pull --rebase (start): checkout 53f3b27",
    "pull --rebase (pick): a: b",
    "am --abort",
  ];
  for (const line of others) assert.equal(haveMoved(Object.keys(logged), [line]), false, line);
  assert.equal(haveMoved(["commit"], ["merge b: Fast-forward", "cherry-pick: a"]), false);
  assert.equal(haveMoved(["merge", "commit"], ["reset: moving to HEAD~1", "commit: a"]), true);
  assert.equal(haveMoved([], ["commit: a"]), false);
});

Deno.test("endTellsOfAll() trusts the end of a script only where nothing can hide a failure in it", () => {
  for (const script of ["git commit -m x", "git add . && git commit -m x && git push"]) {
    assert.equal(endTellsOfAll(script), true, script);
  }
  const hiding = ["a; b", "a || b", "a | b", "a & b", "a\nb", "! a", "echo $(a)", "echo `a`"];
  for (const script of hiding) assert.equal(endTellsOfAll(script), false, script);
});

Deno.test("isUsedUp() goes by what moved the branch where that tells, else by the end of the command", () => {
  const ended = (succeeded: boolean, tellsOfAll = false) => ({ succeeded, tellsOfAll });
  const commit = { moves: ["commit"], onlyMoves: true };
  const merge = { moves: ["merge"], onlyMoves: true };
  const commitAndMore = { moves: ["commit"], onlyMoves: false };
  const others = { moves: [], onlyMoves: false };
  const told: Parameters<typeof isUsedUp>[] = [
    [ended(true), true, commit],
    [ended(false), true, commitAndMore],
    [ended(true), false, commitAndMore],
    [ended(true), null, commit],
    [ended(true, true), false, commit],
    [ended(true), null, others],
  ];
  for (const one of told) assert.equal(isUsedUp(...one), true, JSON.stringify(one));
  const kept: Parameters<typeof isUsedUp>[] = [
    [ended(true), false, commit],
    [ended(true, true), false, merge],
    [ended(false), false, commit],
    [ended(false), null, commit],
    [ended(false), null, others],
  ];
  for (const one of kept) assert.equal(isUsedUp(...one), false, JSON.stringify(one));
});
