/** Operations of git that failed are over when a later command has ended them, however it is spelled. */
import assert from "node:assert/strict";
import {
  assertLeftOpen,
  assertMended,
  failuresOf,
  leftOpen,
  type Mending,
  outcomeOf,
} from "../support/left_open.ts";

const CONFLICT = "CONFLICT (content): Merge conflict in a\nAutomatic merge failed; fix conflicts";
const APPLY = "CONFLICT (content): Merge conflict in a\nerror: could not apply 1a2b3c4... x";
const HOOK = "src/a.ts:1:1 error no-undef\nhusky - pre-commit hook exited with code 1";
const UPSTREAM = "fatal: The current branch main has no upstream branch.";
const REJECTED = " ! [rejected] main -> main (fetch first)\nerror: failed to push some refs to 'x'";
const DIVERGED = "fatal: Need to specify how to reconcile divergent branches.";

const OVER: readonly Mending[] = [
  ["git merge side", CONFLICT, "git add -A && git commit -m 'Merge side'", "[main 1a2b3c4] Merge"],
  ["git merge side", CONFLICT, "git add a && git merge --continue"],
  ["git merge side", CONFLICT, "git merge --abort"],
  ["git fetch && git merge side", CONFLICT, "git reset -q --hard"],
  ["git cherry-pick 1a2b3c4", APPLY, "git add a && git cherry-pick --continue"],
  ["git cherry-pick 1a2b3c4", APPLY, "git cherry-pick --abort"],
  ["git cherry-pick 1a2b3c4", APPLY, "git cherry-pick --skip"],
  ["git revert 1a2b3c4", APPLY, "git revert --abort"],
  ["git rebase main", APPLY, "git add a && GIT_EDITOR=true git rebase --continue", "Successfully"],
  ["git rebase main", APPLY, "git rebase --abort"],
  ["git commit -m x", HOOK, "git add -A && git commit -m 'x and y'", "[main 1a2b3c4] x and y"],
  ["git add -A && git commit -m x", HOOK, "git commit -qm x"],
  ["git push", UPSTREAM, "git push -u origin main"],
  ["git push", REJECTED, "git pull --rebase && git push origin HEAD"],
  ["git push origin main", REJECTED, "git push --force-with-lease"],
  ["git commit -qm x && git push", REJECTED, "git push"],
  ["git push", REJECTED, "git push 2>&1 | tail -2", "To x\n   1a2b3c4..2b3c4d5  main -> main"],
  ["git pull", DIVERGED, "git pull --rebase"],
  ["git pull", CONFLICT, "git commit -qam 'Merge'"],
];

const OPEN: readonly Mending[] = [
  ["git merge side", "error: Your local changes would be overwritten by merge", "git commit -qm x"],
  ["git merge side", CONFLICT, "git commit --dry-run"],
  ["git merge side", CONFLICT, "git -C ../other commit -qm x"],
  ["git merge side", CONFLICT, "git commit -qm x || true"],
  ["git rebase main", APPLY, "git rebase --continue", "Stopped at 1a2b3c4... y"],
  ["git rebase main", APPLY, "git commit -qm x"],
  ["git push", REJECTED, "git push origin other"],
  ["git push origin main", REJECTED, "git push backup main"],
  ["git push", REJECTED, "git push --tags"],
  ["git push", REJECTED, "git push | tail -2", REJECTED],
  ["git push origin v1", REJECTED, "git push"],
  ["git pull && npm test", DIVERGED, "git pull --rebase"],
  ["git pull && git push", "fatal: boom", "git pull"],
];

Deno.test("an operation of git is over when it was concluded, given up, or has worked in another way", async () => {
  await assertMended(OVER);
});

Deno.test("an operation of git stays open while nothing is known to have ended it", async () => {
  await assertLeftOpen(OPEN);
});

Deno.test("a commit that was made ends one that was refused, although a push behind it failed", async () => {
  const later = "git commit -m y && git push";
  const open = await leftOpen(["git commit -m x", HOOK, true], [
    later,
    `[main 1a2b3c4] y\n${REJECTED}`,
    true,
  ]);
  assert.deepEqual(open, [later]);
});

Deno.test("what was given up, passed by or only sent again is no fix, what was concluded is one", async () => {
  const fixesBy = async (failing: string, error: string, later: string) =>
    (await outcomeOf([failing, error, true], [later, ""])).fixes;
  assert.deepEqual(await fixesBy("git merge side", CONFLICT, "git merge --abort"), []);
  assert.deepEqual(await fixesBy("git commit -m x", HOOK, "git commit --no-verify -m x"), []);
  assert.deepEqual(await fixesBy("git push", UPSTREAM, "git push -u origin main"), []);
  assert.deepEqual(await fixesBy("git commit -m x", HOOK, "git commit -qm x"), [
    "Fixed src/a.ts:1:1 error no-undef by src/a.py",
  ]);
});

Deno.test("that there was nothing to commit is over with the next commit, which is no fix", async () => {
  const rows: readonly (readonly [failing: string, error: string, later: string])[] = [
    [
      "git commit -m x",
      'Changes not staged for commit:\n\tmodified: a\n\nno changes added to commit (use "git add")',
      "git commit -qam x",
    ],
    ["git commit -m x", "nothing to commit, working tree clean", "git commit -m x"],
    ["git commit -m x", "On branch main\nnothing to commit", "git add -A && git commit -qm x"],
    [
      "git add -A && git commit -qm x",
      "nothing to commit",
      "git cherry-pick -n a; git commit -qm x",
    ],
    ["npm run fmt && git commit -qm x", "nothing to commit", "npm run fmt && git commit -qm x"],
    ["npm run fmt && git commit -qm x", "nothing to commit", "git add -A && git commit -qm y"],
    [
      "git add -A && git commit -m x && git push",
      "nothing added to commit but untracked files present",
      "git commit -qam y",
    ],
    [
      "npm test && git commit -am x",
      "3 passed\nnothing to commit, working tree clean",
      "git commit -m y 2>&1 | tail -1",
    ],
  ];
  for (const [failing, error, later] of rows) {
    const said = later.includes("tail") ? "[main 1a2b3c4] y" : "";
    const steps = [[failing, error, true], [later, said]] as const;
    assert.deepEqual(await outcomeOf(...steps), { open: [], fixes: [] }, later);
    assert.deepEqual((await failuresOf(...steps)).map(({ isMended }) => isMended), [true], later);
  }
});
