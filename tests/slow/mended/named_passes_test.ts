/** Tests are mended by a run that names them as passed, however few it takes, and whatever else fails in it. */
import assert from "node:assert/strict";
import { leftOpen } from "../../support/left_open.ts";

const PYTEST = "FAILED m.py::test_add - no\n1 failed, 1 passed in 0.1s";
const UNITTEST =
  "FAIL: test_add (test_m.T.test_add)\nTraceback\nRan 2 tests in 0.001s\n\nFAILED (failures=1)";
const DENO = "adds ... FAILED (1ms)\nother ... ok (0ms)\n\nFAILED | 1 passed | 1 failed (5ms)";
const CARGO =
  "test tests::t_add ... FAILED\ntest tests::t_sub ... ok\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored";
const NODE = "✖ adds (1ms)\n✔ subs (1ms)\nℹ pass 1\nℹ fail 1";
const NODE_TAP = "not ok 1 - adds\nok 2 - subs\n# pass 1\n# fail 1";
const GO = "--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\tx.org/calc/pkg\t0.1s\nok  \tx.org/calc/b\t0.1s";
const JEST =
  "FAIL src/math.test.ts\n  ● add › adds two numbers\n\nTest Suites: 1 failed, 1 total\nTests: 1 failed, 2 passed, 3 total";
const VITEST =
  " FAIL  src/a.test.ts > adds\n Test Files  1 failed (1)\n Tests  1 failed | 3 passed (4)";

type Row = readonly [failing: string, bad: string, later: string, output: string, fails?: boolean];

const JEST_ONE =
  "PASS src/math.test.ts\n  add\n    ✓ adds two numbers (1 ms)\n\nTests:       3 passed, 3 total";
const MENDED: readonly Row[] = [
  ["pnpm -r test", JEST, "pnpm --filter a test", JEST_ONE],
  [
    "pnpm -r test",
    `${JEST}\n/p/packages/a:\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  @x/a@1.0.0 test: \`jest\``,
    "pnpm --filter ./packages/a test",
    JEST_ONE,
  ],
  ["pytest", PYTEST, "pytest --lf -v", "m.py::test_add PASSED [100%]\n1 passed in 0.1s"],
  ["pytest", PYTEST, "pytest -k test_add", "1 passed, 1 deselected in 0.1s"],
  ["pytest", PYTEST, "pytest m.py -q -k test_add", "1 passed, 1 deselected in 0.1s"],
  [
    "python3 -m unittest",
    UNITTEST,
    "python3 -m unittest test_m.T.test_add",
    "Ran 1 test in 0.0s\n\nOK",
  ],
  ["python3 -m unittest", UNITTEST, "python3 -m unittest test_m", "Ran 2 tests in 0.0s\n\nOK"],
  [
    "deno test",
    DENO,
    "deno test --filter adds",
    "adds ... ok (0ms)\n\nok | 1 passed | 0 failed | 1 filtered out (1ms)",
  ],
  [
    "cargo test",
    CARGO,
    "cargo test t_add",
    "test tests::t_add ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 1 filtered out",
  ],
  [
    "cargo test",
    CARGO,
    "cargo nextest run",
    "PASS [   0.005s] app tests::t_add\n        PASS [   0.005s] app tests::t_sub\n------------\n     Summary [   0.010s] 2 tests run: 2 passed, 0 skipped",
  ],
  ["node --test", NODE, "node --test --test-name-pattern=adds", "✔ adds (1ms)\nℹ pass 1\nℹ fail 0"],
  [
    "node --test",
    NODE_TAP,
    "node --test --test-name-pattern adds",
    "ok 1 - adds\n# pass 1\n# fail 0",
  ],
  [
    "go test ./...",
    GO,
    "go test ./pkg -run TestAdd -v",
    "--- PASS: TestAdd (0.00s)\nPASS\nok  \tx.org/calc/pkg\t0.1s",
  ],
  ["go test ./...", GO, "go test ./pkg/...", "ok  \tx.org/calc/pkg\t0.1s"],
  [
    "npm test",
    JEST,
    "npx jest -t 'adds two numbers' --verbose",
    "PASS src/math.test.ts\n  add\n    ✓ adds two numbers (1 ms)\n    ○ skipped subs\n\nTests: 2 skipped, 1 passed, 3 total",
  ],
  [
    "npm test",
    JEST,
    "npx jest src/math.test.ts",
    "PASS src/math.test.ts\nTests:       3 passed, 3 total",
  ],
  [
    "npm test",
    VITEST,
    "npx vitest run src/a.test.ts",
    " ✓ src/a.test.ts (4 tests) 3ms\n Tests  4 passed (4)",
  ],
  [
    "node --test",
    NODE,
    "node --test",
    "✔ adds (1ms)\n✖ subs (1ms)\nℹ pass 1\nℹ fail 1",
    true,
  ],
  [
    "deno test",
    DENO,
    "deno test",
    "adds ... ok (1ms)\nother ... FAILED (0ms)\n\nFAILED | 1 passed | 1 failed (5ms)",
    true,
  ],
  [
    "cargo test",
    CARGO,
    "cargo test",
    "test tests::t_add ... ok\ntest tests::t_sub ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored",
    true,
  ],
  [
    "npx jest",
    JEST,
    "npx jest --verbose",
    "FAIL src/math.test.ts\n  ✓ adds two numbers\n  ✕ subs\n  ● subs\n\nTests: 1 failed, 2 passed, 3 total",
    true,
  ],
];

const LEFT_OPEN: readonly Row[] = [
  // Of all packages another one failed, or nobody knows which, or it is a run of others.
  [
    "pnpm -r test",
    `${JEST}\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  b@1.0.0 test: \`jest\``,
    "pnpm --filter a test",
    JEST_ONE,
  ],
  ["pnpm -r test", JEST, "pnpm --filter a test", JEST_ONE.replace("math.test", "b.test")],
  ["pnpm -r test", JEST, "pnpm --filter a test", JEST_ONE.replace("adds two", "adds no")],
  ["pnpm --filter b test", JEST, "pnpm --filter a test", JEST_ONE],
  ["pytest", PYTEST, "pytest -k 'test_add or test_sub'", "1 passed, 1 deselected in 0.1s"],
  ["pytest", PYTEST, "pytest -k add", "1 passed, 1 deselected in 0.1s"],
  ["pytest", PYTEST, "pytest other.py -k test_add", "1 passed in 0.1s"],
  ["pytest", PYTEST, "pytest --lf -v", "n.py::test_add PASSED [100%]\n1 passed in 0.1s"],
  ["pytest", PYTEST, "pytest --lf", "1 passed in 0.1s"],
  [
    "python3 -m unittest",
    UNITTEST,
    "python3 -m unittest test_m.T.test_sub",
    "Ran 1 test in 0.0s\n\nOK",
  ],
  ["deno test", DENO, "deno test b_test.ts", "adds ... ok (0ms)\n\nok | 1 passed | 0 failed (1ms)"],
  [
    "deno test",
    DENO,
    "deno test --filter oth",
    "other ... ok (0ms)\n\nok | 1 passed | 0 failed (1)",
  ],
  [
    "cargo test",
    CARGO,
    "cargo test --test it t_add",
    "test tests::t_add ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored",
  ],
  [
    "cargo test",
    CARGO,
    "cargo test -p other t_add",
    "test tests::t_add ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored",
  ],
  [
    "cargo test",
    CARGO,
    "cargo test",
    "test tests::t_add ... ok\ntest tests::t_add ... FAILED\ntest tests::t_sub ... FAILED\ntest result: FAILED. 1 passed; 2 failed",
    true,
  ],
  [
    "go test ./...",
    GO,
    "go test ./b -run TestAdd -v",
    "--- PASS: TestAdd (0.00s)\nok  \tx.org/calc/b\t0.1s",
  ],
  ["go test ./...", GO, "go test ./b/...", "ok  \tx.org/calc/b\t0.1s"],
  [
    "npm test",
    JEST,
    "npx jest -t subs src/math.test.ts",
    "PASS src/math.test.ts\nTests: 2 skipped, 1 passed, 3 total",
  ],
  ["npm test", JEST, "npx jest src/b.test.ts", "PASS src/b.test.ts\nTests: 3 passed, 3 total"],
  ["npm test", JEST, "npx jest", "Tests: 3 passed, 3 total"],
  [
    "npm test",
    JEST,
    "npx jest --config e2e.json",
    "PASS src/math.test.ts\nTests: 3 passed, 3 total",
  ],
  ["npm test -w a", JEST, "npx jest", "PASS src/math.test.ts\nTests: 3 passed, 3 total"],
  [
    "npm test",
    JEST,
    "npx jest src/math.test.ts",
    "PASS src/math.test.ts\nTests: 1 skipped, 2 passed, 3 total",
  ],
];

/** The rows after which what failed first is open. */
async function openAfter(rows: readonly Row[]): Promise<readonly Row[]> {
  const open: Row[] = [];
  for (const row of rows) {
    const [failing, bad, later, output, fails = false] = row;
    const left = await leftOpen([failing, bad, true], [later, output, fails]);
    if (left.length > (fails ? 1 : 0)) open.push(row);
  }
  return open;
}

Deno.test("a run that names the tests that failed as passed, or all of their files, mends them", async () => {
  assert.deepEqual(await openAfter(MENDED), []);
});

Deno.test("a run that names others, or may name others, leaves them open", async () => {
  assert.deepEqual(await openAfter(LEFT_OPEN), LEFT_OPEN);
});
