/** One test that failed in runs of other words is one failure: mended with any of them, and told once. */
import assert from "node:assert/strict";
import { leftOpen, outcomeOf, type Step } from "../../support/left_open.ts";

const JEST =
  "FAIL src/cart.test.ts\n  ● total › multiplies\n\n    Expected: 6\n\nTests: 1 failed, 11 passed, 12 total";
const VERBOSE =
  "FAIL src/cart.test.ts\n  total\n    ✕ multiplies (3 ms)\n    ✓ adds\n\nTests: 1 failed, 1 passed, 2 total";
const ALL = "Test Suites: 4 passed, 4 total\nTests:       12 passed, 12 total";
const PYTEST = "FAILED tests/test_a.py::test_one - no\n1 failed, 1 passed in 0.1s";
const GO = "--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\tx.org/calc/pkg\t0.1s";
const MOCHA = "  1 passing (2ms)\n  1 failing\n\n  1) cart adds:\n     Error: no";

/** Commands that fail, with what they print, and one that passes. */
type Row = readonly [failing: readonly (readonly [string, string])[], passing: Step];

const MENDED: readonly Row[] = [
  [
    [["npx jest src/cart.test.ts", VERBOSE], ["npx jest -t multiplies", JEST], ["npm test", JEST]],
    ["npm test 2>&1 | tail -6", ALL],
  ],
  [[["npm test", JEST], ["npx jest src/cart.test.ts", JEST]], ["npm test", ALL]],
  [[["make test", PYTEST], ["uv run pytest tests/test_a.py", PYTEST]], [
    "pytest -q",
    "2 passed in 0.1s",
  ]],
  [[["make test", GO], ["go test ./pkg", GO]], ["go test ./...", "ok  \tx.org/calc/pkg\t0.1s"]],
];

/** The first of them stays open. */
const LEFT_OPEN: readonly Row[] = [
  // Another package, folder, set-up, file, or nobody knows which.
  [[["npm test -w a", JEST], ["npm test", JEST]], ["npm test", ALL]],
  [[["cd web && npx jest", JEST], ["npm test", JEST]], ["npm test", ALL]],
  [[["NODE_ENV=e npx jest", JEST], ["npm test", JEST]], ["npm test", ALL]],
  [[["npx jest --config e2e.json", JEST], ["npm test", JEST]], ["npm test", ALL]],
  [[["npx jest src/b.test.ts", JEST.replace("cart", "b")], ["npm test", JEST]], ["npm test", ALL]],
  [[["npx mocha a.js", MOCHA], ["npm test", MOCHA]], ["npm test", "  2 passing (2ms)"]],
  // Another test fails as well, or one that is not named.
  [
    [
      [
        "npx jest src/cart.test.ts",
        JEST.replace("● total", "● total › adds\n\n  ● total")
          .replace("1 failed, 11", "2 failed, 10"),
      ],
      ["npm test", JEST],
    ],
    ["npm test", ALL],
  ],
  [
    [["npx jest src/cart.test.ts", JEST.replace("1 failed, 11", "2 failed, 10")], [
      "npm test",
      JEST,
    ]],
    ["npm test", ALL],
  ],
  // What was mended is not there any more for certain.
  [[["npx jest src/cart.test.ts", JEST], ["npm test", JEST]], ["npx jest src/b.test.ts", ALL]],
];

const asSteps = ([failing, passing]: Row): Step[] => [
  ...failing.map(([command, output]): Step => [command, output, true]),
  passing,
];

Deno.test("a test that failed in several runs is mended with one of them, by one fix", async () => {
  for (const row of MENDED) {
    const { open, fixes } = await outcomeOf(...asSteps(row));
    assert.deepEqual([open, fixes.length], [[], 1], String(row));
  }
});

Deno.test("tests of another place, or more of them than are mended, stay open", async () => {
  for (const row of LEFT_OPEN) {
    const open = await leftOpen(...asSteps(row));
    assert.equal(open[0], row[0][0]![0], String(row));
  }
});
