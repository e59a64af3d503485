/** What others did may have mended a failure as well: an edit that has nothing to do with it is not its fix then. */
import assert from "node:assert/strict";
import { endOf, type MixedStep } from "../support/mixed_steps.ts";

const RED: MixedStep = {
  failing: "npx jest src/cart.test.ts",
  output:
    "FAIL src/cart.test.ts\n  ● total › multiplies by quantity\n\n    at src/cart.test.ts:4:5\n\nTests:       1 failed, 3 passed, 4 total",
};
const GREEN: MixedStep = {
  passing: "npx jest src/cart.test.ts",
  output: "PASS src/cart.test.ts\n\nTests:       4 passed, 4 total",
};
const PULLED: MixedStep = {
  passing: "git pull",
  output: "Updating 1..2\nFast-forward\n src/cart.ts | 2 +-",
};
const LATER = { session: "22222222-0000-4000-8000-000000000000" };
const FIXED = "Fixed total › multiplies by quantity by ";

type Row = readonly [what: string, steps: readonly MixedStep[], fixes: readonly string[]];

const ROWS: readonly Row[] = [
  ["an edit of the same session", [RED, { edited: "src/rates.ts" }, GREEN], ["src/rates.ts"]],
  ["a later session's edit of something else", [
    RED,
    { ...LATER, edited: "src/search/page.ts" },
    { ...LATER, ...GREEN },
  ], []],
  ["a later session's edit of what it is about", [
    RED,
    { ...LATER, edited: "src/cart.ts" },
    { ...LATER, ...GREEN },
  ], ["src/cart.ts"]],
  ["what git brought", [RED, PULLED, { edited: "src/note.ts" }, GREEN], ["`git pull`"]],
  ["what git brought beside the edit that it is about", [
    RED,
    PULLED,
    { edited: "src/cart.ts" },
    GREEN,
  ], ["src/cart.ts"]],
  ["an edit that was taken back after it had failed again", [
    RED,
    { edited: "src/tax.ts", from: "a", to: "b", whole: "a" },
    RED,
    { edited: "src/tax.ts", from: "b", to: "a", whole: "b" },
    { edited: "src/cart.ts" },
    GREEN,
  ], ["src/cart.ts"]],
];

for (const [what, steps, fixes] of ROWS) {
  Deno.test(`a fix is credited to what mended: ${what}`, async () => {
    const end = await endOf(...steps);
    assert.deepEqual(end.fixes, fixes.map((by) => FIXED + by));
    assert.deepEqual(end.open, []);
  });
}
