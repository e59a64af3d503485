/** What failed on a branch and was mended on another one is mended when that is merged, with its fix. */
import assert from "node:assert/strict";
import { endOf, type MixedStep } from "../../support/mixed_steps.ts";

const RED: MixedStep = {
  failing: "pytest -q",
  output: "FAILED tests/test_cart.py::test_total - assert 3 == 2\n1 failed, 3 passed in 1s",
};
const GREEN: MixedStep = { passing: "pytest -q", output: "4 passed in 1s" };
const FIX = { on: "fix" };
const EDIT: MixedStep = { ...FIX, edited: "cart.py" };
const MERGE: MixedStep = {
  passing: "git checkout -q main && git merge fix && git branch -d fix",
  output: "Updating 1..2\nFast-forward",
};

/** Another session fixed it on the branch, and a third one merged that. */
const SECOND = { session: "c0de0000-0000-4000-8000-000000000002", ...FIX };
const THIRD = { session: "c0de0000-0000-4000-8000-000000000003" };
const EDITED: MixedStep = { ...SECOND, edited: "cart.py" };
const PASSED: MixedStep = { ...SECOND, ...GREEN };
const MERGED: MixedStep = { ...THIRD, ...MERGE };
const OTHER: MixedStep = {
  ...SECOND,
  failing: "pytest -q",
  output: "FAILED tests/test_user.py::test_name - assert 'a' == 'b'\n1 failed, 3 passed in 1s",
};

const passing = (command: string): MixedStep => ({ passing: command });

type Row = readonly [what: string, steps: readonly MixedStep[], fixes: number, open: number];

const ROWS: readonly Row[] = [
  ["merged", [RED, EDIT, { ...FIX, ...GREEN }, MERGE], 1, 0],
  ["not merged", [RED, EDIT, { ...FIX, ...GREEN }], 0, 1],
  [
    "another branch is merged",
    [RED, EDIT, { ...FIX, ...GREEN }, {
      passing: "git merge other",
    }],
    0,
    1,
  ],
  [
    "the merge was given up",
    [RED, EDIT, { ...FIX, ...GREEN }, {
      passing: "git merge --abort",
    }],
    0,
    1,
  ],
  // On both, as nobody knows here that one of them is gone.
  ["it failed there again", [RED, EDIT, { ...FIX, ...GREEN }, { ...FIX, ...RED }, MERGE], 0, 2],
  ["it passed there before it failed here", [{ ...FIX, ...GREEN }, RED, MERGE], 0, 1],
  ["something else passed there", [RED, EDIT, { ...FIX, passing: "npm test" }, MERGE], 0, 1],
  ["brought by a rebase", [RED, EDIT, { ...FIX, ...GREEN }, passing("git rebase fix")], 1, 0],
  [
    "put on top of it elsewhere",
    [
      RED,
      EDIT,
      { ...FIX, ...GREEN },
      passing("git rebase --onto x fix"),
    ],
    0,
    1,
  ],
  ["pulled", [RED, EDIT, { ...FIX, ...GREEN }, passing("git pull --no-rebase origin fix")], 1, 0],
  [
    "merged as the remote has it",
    [RED, EDIT, { ...FIX, ...GREEN }, passing("git merge --no-ff -m a origin/fix")],
    1,
    0,
  ],
  ["by sessions of their own", [RED, { ...SECOND, ...RED }, EDITED, PASSED, MERGED], 1, 0],
  ["by sessions, not seen to fail there", [RED, EDITED, PASSED, MERGED], 1, 0],
  ["by sessions, not merged", [RED, { ...SECOND, ...RED }, EDITED, PASSED], 1, 1],
  [
    "by sessions, as it is not about it",
    [
      RED,
      { ...SECOND, edited: "logo.css" },
      PASSED,
      MERGED,
    ],
    0,
    1,
  ],
  ["by sessions, nothing edited", [RED, PASSED, MERGED], 0, 1],
  [
    "by sessions, something else failed there",
    [
      RED,
      OTHER,
      { ...SECOND, edited: "user.py" },
      PASSED,
      MERGED,
    ],
    1,
    1,
  ],
  [
    "by sessions, before it failed here",
    [
      { ...SECOND, ...RED },
      EDITED,
      PASSED,
      RED,
      MERGED,
    ],
    1,
    1,
  ],
  [
    "by sessions, failing there again",
    [
      RED,
      { ...SECOND, ...RED },
      EDITED,
      PASSED,
      { ...SECOND, ...RED },
      MERGED,
    ],
    1,
    2,
  ],
  [
    "by sessions, a push that was refused",
    [
      { failing: "git push", output: "error: failed to push some refs to 'o'" },
      { ...SECOND, failing: "git push", output: "error: failed to push some refs to 'o'" },
      { ...SECOND, passing: "git push" },
      MERGED,
    ],
    0,
    1,
  ],
];

Deno.test("what fails on two branches of a session is mended on each", async () => {
  const both = [RED, { ...FIX, ...RED }];
  assert.equal((await endOf(...both)).open.length, 2);
  assert.equal((await endOf(...both, ...both)).open.length, 2);
  const onMain = await endOf(...both, { edited: "cart.py" }, GREEN);
  assert.deepEqual([onMain.fixes.length, onMain.open.length], [1, 1]);
  const onBoth = await endOf(...both, { edited: "cart.py" }, GREEN, { ...FIX, ...GREEN });
  assert.equal(onBoth.open.length, 0);
  const merged = await endOf(...both, { edited: "cart.py" }, GREEN, {
    ...FIX,
    passing: "git merge main",
  });
  assert.equal(merged.open.length, 0);
});

Deno.test("what passed on one branch and then on another is merged with the other as well", async () => {
  const { open } = await endOf(GREEN, RED, EDIT, { ...FIX, ...GREEN }, MERGE);
  assert.deepEqual(open, []);
});

for (const [what, steps, fixes, open] of ROWS) {
  Deno.test(`what a branch mended is mended where it is merged: ${what}`, async () => {
    const end = await endOf(...steps);
    assert.deepEqual([end.fixes.length, end.open.length], [fixes, open], JSON.stringify(end));
  });
}

Deno.test("the fix names what was edited on the branch", async () => {
  const { fixes } = await endOf(RED, EDIT, { ...FIX, ...GREEN }, MERGE);
  assert.deepEqual(fixes, ["Fixed tests/test_cart.py::test_total by cart.py"]);
});
