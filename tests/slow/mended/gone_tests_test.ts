/** A test that was taken out or renamed is no test that was fixed. */
import assert from "node:assert/strict";
import { outcomeOf, type Step } from "../../support/left_open.ts";

const FAILS: Step = ["pytest", "FAILED t.py::test_add - no\n1 failed, 1 passed in 0.1s", true];
const FIXED = ["Fixed t.py::test_add by src/a.py"];

Deno.test("a run that counts fewer tests closes what failed without a fix, unless it names it as passed", async () => {
  const rows: readonly (readonly [passing: string, good: string, fixes: readonly string[]])[] = [
    ["pytest", "1 passed in 0.1s", []],
    ["pytest -q .", "1 passed in 0.1s", []],
    ["pytest", "2 passed in 0.1s", FIXED],
    ["pytest", "1 passed, 1 skipped in 0.1s", []],
    ["pytest -v", "t.py::test_add PASSED\n1 passed in 0.1s", FIXED],
    ["pytest t.py::test_add", "1 passed in 0.1s", FIXED],
    ["pytest t.py", "1 passed in 0.1s", FIXED],
  ];
  for (const [passing, good, fixes] of rows) {
    const outcome = await outcomeOf(FAILS, [passing, good]);
    assert.deepEqual(outcome.fixes, fixes, `${passing}: ${good}`);
    assert.deepEqual(outcome.open, good.includes("skipped") ? ["pytest"] : [], good);
  }
});

Deno.test("a test that fails no more while another of its file does may be the same by another name, and stays open", async () => {
  const rows: readonly (readonly [command: string, output: string, fixes: readonly string[]])[] = [
    ["pytest", "FAILED t.py::test_addition - no\n1 failed, 1 passed in 0.1s", []],
    [
      "pytest -v",
      "t.py::test_add PASSED\nt.py::test_sub FAILED\nFAILED t.py::test_sub - no\n1 failed, 1 passed in 0.1s",
      FIXED,
    ],
    ["pytest", "FAILED u.py::test_sub - no\n1 failed, 1 passed in 0.1s", FIXED],
    ["pytest", "FAILED u.py::test_sub - no\n1 failed in 0.1s", []],
  ];
  for (const [command, output, fixes] of rows) {
    const outcome = await outcomeOf(FAILS, [command, output, true]);
    assert.deepEqual(outcome.fixes, fixes, output);
    assert.equal(outcome.open.length, fixes.length === 0 ? 2 : 1, output);
  }
});
