/** A run that passes by passing over the tests that failed mends nothing. */
import assert from "node:assert/strict";
import { readTestRun } from "../../../src/memory/observe/test_runs.ts";
import { ran } from "../../support/commands_observed.ts";
import { endOf } from "../../support/mixed_steps.ts";
import { leftOpen } from "../../support/left_open.ts";

/** A command, what it printed when it failed, and what when it passed. */
type Runs = readonly [command: string, bad: string, good: string, passing?: string];

const VITEST = " FAIL  src/p.test.ts > rounds\n Tests  1 failed | 2 passed (3)";
const PYTEST =
  "FAILED t.py::one - x\nFAILED t.py::two - x\n== 2 failed, 1 passed, 1 skipped in 0.1s ==";
const JEST = "FAIL src/a.test.ts\n  ● pdf › adds\n\nTests: 1 failed, 2 passed, 3 total";
const CARGO =
  "test tests::adds ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured";
const GO = "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/a\t0.1s";
const DENO = "adds ... FAILED (1ms)\n\nFAILED | 2 passed | 1 failed (5ms)";
const NODE = "✖ adds (1ms)\nℹ tests 3\nℹ pass 2\nℹ fail 1\nℹ skipped 0\nℹ todo 0";

const PASSED_OVER: readonly Runs[] = [
  [
    "npx vitest run",
    VITEST,
    " ✓ src/p.test.ts (3 tests | 1 skipped) 8ms\n\n Tests  2 passed | 1 skipped (3)",
  ],
  ["npx vitest run", VITEST, " Tests  2 passed | 1 todo (3)"],
  ["npx vitest run", VITEST, " Tests  3 passed | 1 skipped (4)"],
  ["npx vitest run src/p.test.ts", VITEST, " Tests  2 passed | 1 skipped (3)", "npx vitest run"],
  ["pytest", PYTEST, "t.py s.ss  [100%]\n=== 1 passed, 3 skipped in 0.01s ==="],
  ["pytest", PYTEST, "=== 1 passed, 1 skipped, 2 xfailed in 0.01s ==="],
  ["pytest -v", PYTEST, "t.py::one SKIPPED (x) [ 50%]\n=== 3 passed, 1 skipped in 0.01s ==="],
  // A smaller run has none beside it that it may have skipped.
  ["pytest", PYTEST, "=== 3 passed, 1 skipped in 0.01s ===", "pytest t.py"],
  // None of those that ran has passed.
  ["pytest", PYTEST, "=== 3 skipped in 0.01s ===", "pytest t.py"],
  ["pytest", PYTEST, "2 xfailed, 1 warning in 0.01s", "pytest -q t.py::one t.py::two"],
  ["npx jest", JEST, "Tests:       1 skipped, 2 total"],
  ["npx vitest run src/p.test.ts", VITEST, "      Tests  2 skipped | 1 todo (3)"],
  ["npx jest", JEST, "Tests:       1 skipped, 2 passed, 3 total"],
  ["npm test", JEST, "Tests:       1 todo, 2 passed, 3 total"],
  ["npm test", JEST, "Tests:       1 skipped, 2 passed, 3 total"],
  [
    "cargo test",
    CARGO,
    "test tests::adds ... ignored\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured",
  ],
  [
    "cargo test",
    CARGO,
    "test tests::adds ... ignored, slow\ntest result: ok. 1 passed; 0 failed; 1 ignored\ntest result: ok. 9 passed; 0 failed; 0 ignored",
  ],
  ["cargo test -q", CARGO, "test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured"],
  ["go test -v ./...", GO, "--- SKIP: TestA (0.00s)\n--- PASS: TestB (0.00s)\nok  \tx/a\t0.1s"],
  ["deno test", DENO, "adds ... ignored (0ms)\n\nok | 2 passed | 0 failed | 1 ignored (5ms)"],
  ["deno test", DENO, "ok | 2 passed | 0 failed | 1 ignored (5ms)"],
  ["node --test", NODE, "ℹ tests 3\nℹ pass 2\nℹ fail 0\nℹ skipped 1\nℹ todo 0"],
  ["npm test", "not ok 1 - adds\n# pass 2\n# fail 1", "ok 1 - adds # SKIP\n# pass 3\n# fail 0"],
  [
    "npx mocha",
    "  2 passing (4ms)\n  1 failing\n\n  1) adds:\n",
    "  - adds\n\n  2 passing (3ms)\n  1 pending",
  ],
  ["rspec", "  1) A adds\n5 examples, 1 failure", "5 examples, 0 failures, 1 pending"],
  [
    "./gradlew test",
    "A > adds() FAILED\n5 tests completed, 1 failed",
    "5 tests completed, 1 skipped",
  ],
  [
    "mvn test",
    "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0",
    "Tests run: 5, Failures: 0, Errors: 0, Skipped: 1",
  ],
  [
    "dotnet test",
    "Failed!  - Failed:     1, Passed:     4, Skipped:     0",
    "Passed!  - Failed:     0, Passed:     4, Skipped:     1",
  ],
  ["bun test", "✗ adds\n 2 pass\n 1 fail", " 2 pass\n 1 skip\n 0 fail"],
  ["npx playwright test", "  1 failed\n  2 passed (5.1s)", "  1 skipped\n  2 passed (4.0s)"],
];

const MENDED: readonly Runs[] = [
  ["npx vitest run", VITEST, " Tests  3 passed (3)"],
  ["pytest", PYTEST, "=== 3 passed, 1 skipped in 0.01s ==="],
  ["pytest", PYTEST, "=== 7 passed in 0.01s ==="],
  ["pytest t.py", PYTEST, "=== 400 passed, 9 skipped in 3.01s ===", "pytest"],
  ["pytest -x", PYTEST, "=== 400 passed, 9 skipped in 3.01s ==="],
  [
    "pytest -v",
    PYTEST,
    "t.py::one PASSED [ 25%]\nt.py::two PASSED [50%]\n=== 3 passed, 2 skipped in 0.01s ===",
  ],
  ["npx jest", JEST, "  ✓ adds (1 ms)\n  ○ skipped slow\nTests: 1 skipped, 3 passed, 4 total"],
  [
    "cargo test",
    CARGO,
    "test tests::adds ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored\ntest it::slow ... ignored\ntest result: ok. 9 passed; 0 failed; 1 ignored",
  ],
  ["go test -v ./...", GO, "--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\nok  \tx/a\t0.1s"],
  ["npm test", "boom", "Tests: 1 skipped, 3 passed, 4 total"],
  ["npm run build && npm test", "a.ts(1,1): error TS1: x", "Tests: 1 skipped, 3 passed, 4 total"],
];

async function mendedBy(rows: readonly Runs[]): Promise<string[]> {
  const mending: string[] = [];
  for (const [command, bad, good, passing = command] of rows) {
    const open = await leftOpen([command, bad, true], [passing, good]);
    if (open.length === 0) mending.push(`${passing}: ${good}`);
  }
  return mending;
}

Deno.test("a run that has skipped what failed leaves it open", async () => {
  assert.deepEqual(await mendedBy(PASSED_OVER), []);
});

Deno.test("a run that skips no more, or names what failed as passed, mends it", async () => {
  assert.deepEqual(
    await mendedBy(MENDED),
    MENDED.map(([command, , good, passing = command]) => `${passing}: ${good}`),
  );
});

Deno.test("skipped tests are counted, those whose failing is expected among them, and are no passed ones", () => {
  const counts:
    readonly (readonly [output: string, passed: number | null, skipped: number | null])[] = [
      ["=== 1 passed, 2 skipped, 3 xfailed in 0.1s ===", 1, 5],
      ["Tests: 1 skipped, 2 todo, 4 passed, 7 total", 4, 3],
      ["Tests run: 5, Failures: 0, Errors: 0, Skipped: 2", 3, 2],
      ["Ran 5 tests in 0.001s\n\nOK (skipped=1, expected failures=1)", 3, 2],
      ["Tests: 5, Assertions: 9, Skipped: 1, Incomplete: 1.", 3, 2],
      ["5 runs, 8 assertions, 0 failures, 0 errors, 2 skips", 3, 2],
      [
        "test result: ok. 2 passed; 0 failed; 1 ignored\n\ntest result: ok. 3 passed; 0 failed; 2 ignored",
        5,
        3,
      ],
      ["   Summary [   0.1s] 5 tests run: 5 passed, 2 skipped", 5, 2],
      ["Executed 5 tests, with 1 test skipped and 0 failures (0 unexpected)", 4, 1],
      ["5 passed in 0.1s", 5, null],
    ];
  for (const [output, passed, skipped] of counts) {
    const run = readTestRun(output);
    assert.deepEqual([run?.passed, run?.skipped], [passed, skipped], output);
  }
  assert.equal(ran("pytest", "== 1 passed, 2 skipped in 0.1s ==").facts.skipped, 2);
});

const BURST = "func TestBurst(t *testing.T) {\n\tcheck(t)\n}\n";
const REST = "\nfunc TestRest(t *testing.T) {\n\trest(t)\n}\n";
const RED =
  "--- FAIL: TestBurst (0.01s)\n    rate_test.go:9: got 3\nFAIL\nFAIL\tx/rate\t0.1s\nFAIL";
const skip = (edited: string, from: string, to: string, whole: string) => ({
  edited,
  from,
  to,
  whole,
});

Deno.test("a Go test that an edit skips is no test that was fixed, though its runner says nothing of it", async () => {
  const code = skip("rate/rate.go", "3", "4", "package rate\nvar most = 3\n");
  const fails = { failing: "go test ./...", output: RED };
  const passes = { passing: "go test ./...", output: "ok  \tx/rate\t0.1s" };
  const skips = skip(
    "rate/rate_test.go",
    "\tcheck(t)",
    '\tt.Skip("slow")\n\tcheck(t)',
    BURST + REST,
  );
  const back = skip(
    "rate/rate_test.go",
    '\tt.Skip("slow")\n\tcheck(t)',
    "\tcheck(t)",
    `${BURST.replace("\tcheck", '\tt.Skip("slow")\n\tcheck')}${REST}`,
  );
  const other = skip("rate/rate_test.go", "\trest(t)", "\tt.SkipNow()\n\trest(t)", BURST + REST);
  const rows = [
    { steps: [fails, code, skips, passes], isOpen: true },
    { steps: [fails, code, skips, { ...passes, session: "s2" }], isOpen: true },
    { steps: [fails, code, skips, back, passes], isOpen: false },
    { steps: [fails, code, other, passes], isOpen: false },
    {
      steps: [fails, code, skips, {
        passing: "go test -v ./...",
        output: "--- PASS: TestBurst (0.00s)\nok  \tx/rate\t0.1s",
      }],
      isOpen: false,
    },
  ];
  for (const [n, { steps, isOpen }] of rows.entries()) {
    const { fixes, open } = await endOf(...steps);
    assert.deepEqual([fixes.length, open.length], isOpen ? [0, 1] : [1, 0], `${n}`);
  }
});
