/** What passes while the work is put aside that failed mends nothing of it. */
import assert from "node:assert/strict";
import { leftOpen, type Step } from "../../support/left_open.ts";

const BAD = "FAILED tests/t.py::a - assert 1 == 2\n1 failed, 4 passed in 0.12s";
const GOOD = "5 passed in 0.10s";
const SAVED = "Saved working directory and index state WIP on main: 1a2b3c4 x";
const FAILS: Step = ["pytest", BAD, true];
const PASSES: Step = ["pytest", GOOD];

const LEFT_OPEN: readonly (readonly Step[])[] = [
  [FAILS, ["git stash", SAVED], PASSES, ["git stash pop", "Dropped"]],
  [FAILS, ["git stash push -q -m wip", ""], PASSES, ["git stash pop -q", ""]],
  [FAILS, ["git stash -u && git status", SAVED], ["git stash list", "stash@{0}"], PASSES],
  [FAILS, ["git stash && make x", `${SAVED}\nmake: no x`, true], PASSES],
  [FAILS, ["git stash", SAVED], ["git stash pop", "would be overwritten by merge", true], PASSES],
  [
    ["npm run build", "error: boom", true],
    ["git stash save wip", SAVED],
    ["npm run build", "ok"],
    ["git stash apply", ""],
  ],
  [FAILS, ["cp m.py /tmp/m.py && git checkout -q m.py", ""], PASSES, ["cp /tmp/m.py m.py", ""]],
  [FAILS, ["mv m.py m.py.bak && git restore m.py", ""], PASSES, ["mv m.py.bak m.py", ""]],
];

const MENDED: readonly (readonly Step[])[] = [
  [FAILS, ["git stash", SAVED], ["git stash pop", "Dropped"], PASSES],
  [FAILS, ["git stash", SAVED], ["git stash pop && pytest", GOOD]],
  [FAILS, ["git stash", SAVED], ["git stash pop", "CONFLICT in m.py", true], PASSES],
  [FAILS, ["git stash", SAVED], ["git stash drop", "Dropped"], PASSES],
  [FAILS, ["git stash", "No local changes to save"], PASSES],
  [FAILS, ["git stash", "fatal: not a git repository", true], PASSES],
  [FAILS, ["git stash list", ""], PASSES],
  [FAILS, ["pytest && git stash", `${GOOD}\n${SAVED}`]],
  [["git stash", SAVED], FAILS, PASSES],
  [FAILS, ["git checkout -q m.py", ""], PASSES],
  [FAILS, ["cp m.py /tmp/m.py && git checkout m.py", ""], ["cp /tmp/m.py m.py", ""], PASSES],
];

/** The rows after which the failure is open. */
async function openAfter(
  rows: readonly (readonly Step[])[],
): Promise<readonly (readonly Step[])[]> {
  const open: (readonly Step[])[] = [];
  for (const steps of rows) {
    const [fails] = steps.find(([, , failed]) => failed)!;
    if ((await leftOpen(...steps)).includes(fails)) open.push(steps);
  }
  return open;
}

Deno.test("what passes while the change is put aside that failed leaves it open", async () => {
  assert.deepEqual(await openAfter(LEFT_OPEN), LEFT_OPEN);
});

Deno.test("what passes when nothing is put aside any more, or failed since, is mended", async () => {
  assert.deepEqual(await openAfter(MENDED), []);
});
