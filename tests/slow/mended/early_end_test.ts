/** Runs that end at the first failure: they say nothing of the other tests. */
import assert from "node:assert/strict";
import { newestOfEach } from "../../../src/memory/open_ends.ts";
import { failed } from "../../support/commands_observed.ts";
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

/** Which of the steps are told as open, each failing in the next second. */
function toldOf(...steps: readonly Step[]): readonly string[] {
  const failures = steps.map(([command, output], at) => ({
    id: at,
    branch: "main",
    facts: failed(command, output).facts,
    updatedAtMs: at * 1_000,
  }));
  return newestOfEach(failures).map(({ id }) => steps[id]![0]);
}

Deno.test("a run that ended at its first failure leaves the others told that a whole run named", () => {
  const jest = "FAIL src/a.test.ts\n  ● adds\n\nTests: 1 failed, 4 passed, 5 total";
  for (const early of EARLY) {
    assert.deepEqual(toldOf(VAT, early), [VAT[0], early[0]]);
    assert.deepEqual(toldOf(early, VAT), [VAT[0]], "a whole run tells of all");
    assert.deepEqual(toldOf(VAT, early, VAT), [VAT[0]]);
    assert.deepEqual(toldOf(VAT, early, early), [VAT[0], early[0]], "the last that ended early");
  }
  // One is set up to do so, and says it.
  assert.deepEqual(toldOf(VAT, ["pytest -q", A]), ["pytest -q", "pytest -q"]);
  const other = jest.replace("adds", "subs");
  assert.deepEqual(toldOf(["npx jest", jest], ["npx jest --bail", other]), [
    "npx jest",
    "npx jest --bail",
  ]);
  assert.deepEqual(toldOf(["npx jest", jest], ["npx jest --bail", jest]), ["npx jest"]);
  assert.deepEqual(toldOf(VAT, ["pytest -q", VAT[1].replaceAll("vat", "tip")]), ["pytest -q"]);
});

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
