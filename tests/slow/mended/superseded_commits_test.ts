/** A commit that was taken back is not told as what is there. */
import assert from "node:assert/strict";
import { endOf, type MixedStep } from "../../support/mixed_steps.ts";

const committed = (hash: string, subject: string, more = ""): MixedStep => ({
  passing: `git commit ${more}-am "${subject}"`,
  output: `[main ${hash}] ${subject}\n 1 file changed, 1 insertion(+)`,
});
const A = committed("aaaaaa1", "Add a");
const B = committed("bbbbbb2", "Add b");

type Row = readonly [what: string, steps: readonly MixedStep[], there: readonly string[]];

const ROWS: readonly Row[] = [
  ["nothing", [A, B], ["Add a", "Add b"]],
  ["amended", [A, B, committed("ccccccc", "Add b, whole", "--amend ")], ["Add a", "Add b, whole"]],
  [
    "amended twice",
    [A, committed("ccccccc", "Add c", "--amend "), committed("ddddddd", "Add d", "--amend ")],
    ["Add d"],
  ],
  ["reset by one", [A, B, { passing: "git reset --hard HEAD~1" }], ["Add a"]],
  ["reset by two, as carets", [A, B, { passing: "git reset --soft HEAD^^" }], []],
  ["reset to a hash", [A, B, { passing: "git reset --hard aaaaaa1" }], ["Add a"]],
  ["reset and made anew", [
    A,
    { passing: "git reset --soft HEAD~ && git commit -m c", output: "[main ccccccc] c" },
  ], ["c"]],
  ["reset to an unknown one", [A, B, { passing: "git reset --hard 1234567" }], ["Add a", "Add b"]],
  ["files taken out of the index", [A, { passing: "git reset HEAD~1 src/a.ts" }], ["Add a"]],
  ["reset to where it is", [A, { passing: "git reset --hard" }], ["Add a"]],
  ["another repository", [A, { passing: "cd /other && git reset --hard HEAD~1" }], ["Add a"]],
  ["a reset of which nobody knows", [A, { passing: "git reset HEAD~1 || echo no" }], ["Add a"]],
  ["a reset that failed", [A, { failing: "git reset --hard HEAD~1", output: "fatal: x" }], [
    "Add a",
  ]],
];

for (const [what, steps, there] of ROWS) {
  Deno.test(`a commit is told where it is there: ${what}`, async () => {
    const { commits } = await endOf(...steps);
    assert.deepEqual(commits.map((title) => title.replace(/^.*?: |, amended: /, "")), there);
  });
}
