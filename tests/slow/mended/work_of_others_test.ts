/** What others did may have mended a failure as well: an edit that has nothing to do with it is not its fix then. */
import assert from "node:assert/strict";
import { endOf, type MixedStep } from "../../support/mixed_steps.ts";

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
const FIXED = 'Fixed "total › multiplies by quantity" by ';

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
  ["what git brought behind a commit in one script", [
    RED,
    { edited: "src/note.ts" },
    {
      passing: "git add -A && git commit -m wip && git pull --rebase",
      output: "[main 1a2b3c4] wip\n 1 file changed",
    },
    GREEN,
  ], ["`git pull --rebase`"]],
  ["what git brought where the shell hides how it ended", [
    RED,
    { edited: "src/note.ts" },
    { passing: "git stash; git pull; git stash pop", output: "Updating 1..2" },
    GREEN,
  ], ["`git pull`"]],
  ["what others have where the branch was set to it", [
    RED,
    { edited: "src/note.ts" },
    { passing: "git fetch && git reset --hard origin/main", output: "HEAD is now at 1a2b3c4" },
    GREEN,
  ], ["`git reset --hard origin/main`"]],
  ["an edit and a commit of it", [
    RED,
    { edited: "src/rates.ts" },
    { passing: "git commit -am wip", output: "[main 1a2b3c4] wip\n 1 file changed" },
    GREEN,
  ], ["src/rates.ts"]],
  ["a command behind which a commit stands", [
    RED,
    {
      passing: "sed -i s/a/b/ src/rates.ts && git commit -am wip",
      output: "[main 1a2b3c4] wip\n 1 file changed",
    },
    GREEN,
  ], ["`sed -i s/a/b/ src/rates.ts`"]],
  ["an edit of what it is about before a person did it", [
    RED,
    { edited: "src/cart.ts" },
    { asked: "Fixed it in the rates, try again" },
    GREEN,
  ], ["src/cart.ts"]],
  ["an edit before a person asks for another run", [
    RED,
    { edited: "src/rates.ts" },
    { asked: "try again" },
    GREEN,
  ], ["src/rates.ts"]],
  ["an edit beside another session's", [
    RED,
    { edited: "src/note.ts" },
    { ...LATER, edited: "src/rates.ts" },
    GREEN,
  ], []],
  ["an edit of what it is about beside another session's", [
    RED,
    { edited: "src/cart.ts" },
    { ...LATER, edited: "src/rates.ts" },
    GREEN,
  ], ["src/cart.ts"]],
  ["an edit beside another session's prose", [
    RED,
    { edited: "src/rates.ts" },
    { ...LATER, edited: "README.md" },
    GREEN,
  ], ["src/rates.ts"]],
  ["an edit beside another session's on another branch", [
    RED,
    { edited: "src/rates.ts" },
    { ...LATER, on: "other", edited: "src/note.ts" },
    GREEN,
  ], ["src/rates.ts"]],
  ["all that was edited where a person asked for something else", [
    RED,
    { edited: "src/rates.ts" },
    { asked: "now fix the header" },
    { edited: "src/header.ts" },
    GREEN,
  ], ["src/rates.ts, src/header.ts"]],
  ["what was edited before nothing more was done", [
    RED,
    { edited: "src/rates.ts" },
    { asked: "does that fix the test?" },
    GREEN,
  ], ["src/rates.ts"]],
  ["an edit where it comes and goes by itself", [
    ...[RED, GREEN, RED, GREEN, RED],
    { edited: "src/note.ts" },
    GREEN,
  ], []],
  ["an edit of what it is about where it comes and goes by itself", [
    ...[RED, GREEN, RED, GREEN, RED],
    { edited: "src/cart.ts" },
    GREEN,
  ], ["src/cart.ts"]],
  ["an edit where it passed by itself once", [
    ...[RED, GREEN, RED],
    { edited: "src/rates.ts" },
    GREEN,
  ], ["src/rates.ts"]],
  ["of many edits first what it is about", [
    RED,
    ...[1, 2, 3, 4, 5, 6, 7].map((n) => ({ edited: `src/part${n}.ts` })),
    { edited: "src/cart.ts" },
    GREEN,
  ], ["src/cart.ts, src/part1.ts +6 more"]],
  ["of very many edits what it is about", [
    RED,
    { edited: "src/cart.ts" },
    ...Array.from({ length: 25 }, (_, n) => ({ edited: `src/part${n}.ts` })),
    GREEN,
  ], ["src/cart.ts, src/part6.ts +18 more"]],
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

Deno.test("what a script was to bring behind a commit, and did not, is no fix", async () => {
  const failed = "git commit -am wip && git pull --rebase";
  const end = await endOf(
    RED,
    { edited: "src/rates.ts" },
    { failing: failed, output: "[main 1a2b3c4] wip\n 1 file changed\nfatal: no such remote" },
    GREEN,
  );
  assert.deepEqual(end.fixes, [`${FIXED}src/rates.ts`]);
});
