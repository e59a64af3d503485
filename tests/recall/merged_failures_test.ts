/** What failed on a branch and was mended on another one is mended when that is merged, with its fix. */
import assert from "node:assert/strict";
import { endOf, type MixedStep } from "../support/mixed_steps.ts";

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
  ["it failed there again", [RED, EDIT, { ...FIX, ...GREEN }, { ...FIX, ...RED }, MERGE], 0, 1],
  ["it passed there before it failed here", [{ ...FIX, ...GREEN }, RED, MERGE], 0, 1],
  ["something else passed there", [RED, EDIT, { ...FIX, passing: "npm test" }, MERGE], 0, 1],
];

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
