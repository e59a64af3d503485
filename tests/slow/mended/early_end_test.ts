/** Runs that end at the first failure: they say nothing of the other tests. */
import assert from "node:assert/strict";
import { leftOpen, outcomeOf, type Step } from "../../support/left_open.ts";

const VAT: Step = [
  "pytest -q",
  "FAILED tests/test_tax.py::test_vat - assert 19 == 21\n1 failed, 5 passed in 0.05s",
  true,
];
const A = "FAILED tests/test_a.py::test_a - assert 0\n" +
  "!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!\n1 failed in 0.05s";
const EARLY: readonly Step[] = ["-x -q", "-q --exitfirst", "-q --maxfail=1", "-xq"]
  .map((flags) => [`pytest ${flags}`, A, true]);

Deno.test("a test at which a run ended is mended where its file passes, and no other", async () => {
  const passes: Step = ["pytest -q tests/test_a.py", "...\n3 passed in 0.02s"];
  for (const early of EARLY) {
    const { open, fixes } = await outcomeOf(VAT, early, passes);
    assert.deepEqual([open, fixes.length], [[VAT[0]], 1], early[0]);
    const other: Step = ["pytest -q tests/test_b.py", "...\n3 passed in 0.02s"];
    assert.deepEqual(await leftOpen(early, other), [early[0]]);
    assert.deepEqual(await leftOpen(VAT, early, ["pytest -q", "9 passed in 0.1s"]), []);
  }
});
