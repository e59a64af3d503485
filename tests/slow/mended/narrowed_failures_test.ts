/** Of tests that failed together and pass one after the other it is told which still fail, and what fixed the others. */
import assert from "node:assert/strict";
import { drainCaptures } from "../../../src/recall/capture_drain.ts";
import { failed } from "../../support/commands_observed.ts";
import type { Step } from "../../support/left_open.ts";
import { saveEvent, tempDatabase } from "../../support/records.ts";

const PYTEST =
  "FAILED tests/test_a.py::test_one - no\nFAILED tests/test_b.py::test_two - no\n2 failed, 5 passed in 0.2s";
const GO =
  "--- FAIL: TestParse (0.00s)\nFAIL\nFAIL\tx/parse\t0.003s\n--- FAIL: TestStore (0.00s)\nFAIL\nFAIL\tx/store\t0.004s\nFAIL";
const JEST =
  "FAIL src/cart.test.ts\n  ● total › adds\n\n  ● total › multiplies\n\nTests:       2 failed, 10 passed, 12 total";
const TWINS = JEST.replace("● total › m", "● total › sub › adds\n\n  ● total › m")
  .replace("2 failed, 10", "3 failed, 9");
const ONE_PASSED = "tests/test_a.py::test_one PASSED [100%]\n1 passed in 0.01s";

/** What is open after commands, each with an edit of a file of its own behind it, and what was fixed. */
async function told(...steps: readonly Step[]) {
  using temp = await tempDatabase();
  const start = Date.UTC(2026, 6, 15);
  for (const [at, [command, output, fails = false]] of steps.entries()) {
    const atMs = start + at * 10_000;
    const payload = fails
      ? { tool_input: { command }, error: `Exit code 1\n${output}` }
      : { tool_input: { command }, tool_response: { stdout: output, stderr: "" } };
    saveEvent(temp.db, {
      atMs,
      capture: {
        toolName: "Bash",
        outcome: fails ? "failure" : "success",
        payload: JSON.stringify(payload),
      },
    });
    const edit = { file_path: `/p/src/${at}.py`, old_string: "a", new_string: "b" };
    saveEvent(temp.db, {
      atMs: atMs + 1_000,
      capture: {
        toolName: "Edit",
        outcome: "success",
        payload: JSON.stringify({ tool_input: edit, tool_response: {} }),
      },
    });
  }
  temp.db.exec("UPDATE pending_queue SET branch = 'main'");
  drainCaptures(temp.db, { now: () => start + 1_000_000 });
  const titles = (where: string) =>
    temp.db.prepare(`SELECT title FROM observations WHERE ${where} ORDER BY id`).all()
      .map(({ title }) => String(title));
  return {
    open: titles("outcome = 'failure' AND resolved_by IS NULL"),
    fixes: titles("kind = 'fix'"),
  };
}

Deno.test("a failure names the tests of it that do not pass by now", async () => {
  const rows: readonly (readonly [first: Step, next: Step, open: string, fixed: string])[] = [
    [
      ["pytest", PYTEST, true],
      ["pytest tests/test_a.py::test_one -v", ONE_PASSED],
      "pytest (6 passed, 1 failed): tests/test_b.py::test_two",
      "tests/test_a.py::test_one",
    ],
    [
      ["go test ./...", GO, true],
      [
        "go test -run TestParse -v ./parse/",
        "--- PASS: TestParse (0.00s)\nPASS\nok  \tx/parse\t0.003s",
      ],
      "go test ./... (1 failed): TestStore",
      "TestParse",
    ],
    [
      ["npm test", JEST, true],
      [
        'npx jest -t "total adds"',
        "PASS src/cart.test.ts\n  total\n    ✓ adds (1 ms)\n    ○ skipped multiplies\n\nTests:       11 skipped, 1 passed, 12 total",
      ],
      "npm test (11 passed, 1 failed): total › multiplies",
      '"total › adds"',
    ],
  ];
  for (const [first, next, open, fixed] of rows) {
    assert.deepEqual(await told(first, next), {
      open: [`Tests fail: ${open}`],
      fixes: [`Fixed ${fixed} by src/0.py`],
    });
  }
});

Deno.test("what is left of a failure is mended by its own tests, and fails again as a whole", async () => {
  const one: Step = ["pytest tests/test_a.py::test_one -v", ONE_PASSED];
  const two: Step = [
    "pytest --lf -v",
    "tests/test_b.py::test_two PASSED [100%]\n1 passed in 0.01s",
  ];
  assert.deepEqual((await told(["pytest", PYTEST, true], one, two)).open, []);
  const again = await told(["pytest", PYTEST, true], one, ["pytest", PYTEST, true]);
  assert.deepEqual(again.open, [
    "Tests fail: pytest (5 passed, 2 failed): tests/test_a.py::test_one, tests/test_b.py::test_two",
  ]);
});

Deno.test("a test of the same name elsewhere, or that nobody can tell apart, stays in the failure", async () => {
  const rows: readonly (readonly [first: Step, next: Step])[] = [
    [["pytest", PYTEST, true], ["cd other && pytest --lf -v", ONE_PASSED]],
    [["pytest", PYTEST, true], ["pytest tests/test_a.py -k one", "1 passed in 0.1s"]],
    [["go test ./...", GO, true], [
      "go test -run TestParse -v ./c/",
      "--- PASS: TestParse (0.00s)\nok  \tx/c\t0.003s",
    ]],
    [["npm test", JEST, true], [
      "npx jest src/b.test.ts",
      "PASS src/b.test.ts\n  ✓ adds\n\nTests: 1 passed, 1 total",
    ]],
    [["npm test", TWINS, true], [
      "npx jest -t adds",
      "PASS src/cart.test.ts\n  ✓ adds\n\nTests: 11 skipped, 1 passed, 12 total",
    ]],
  ];
  for (const [first, next] of rows) {
    const { open, fixes } = await told(first, next);
    assert.deepEqual([open, fixes], [[failed(first[0], first[1]).title], []], next[0]);
  }
});

Deno.test("what passes of a failure is taken out of those with the same tests in other words", async () => {
  const beta = "FAILED tests/test_b.py::test_two - no\n1 failed, 6 passed in 0.2s";
  assert.deepEqual(
    await told(["make test", PYTEST, true], ["pytest", PYTEST, true], ["pytest", beta, true]),
    {
      open: [
        "Tests fail: make test (6 passed, 1 failed): tests/test_b.py::test_two",
        "Tests fail: pytest (6 passed, 1 failed): tests/test_b.py::test_two",
      ],
      fixes: ["Fixed tests/test_a.py::test_one by src/1.py"],
    },
  );
});

Deno.test("each test is fixed by what was changed until it failed no more", async () => {
  const beta = "FAILED tests/test_b.py::test_two - no\n1 failed, 6 passed in 0.2s";
  assert.deepEqual(
    await told(["pytest", PYTEST, true], ["pytest", beta, true], ["pytest", "7 passed in 0.2s"]),
    {
      open: [],
      fixes: [
        "Fixed tests/test_a.py::test_one by src/0.py",
        "Fixed tests/test_b.py::test_two by src/1.py",
      ],
    },
  );
  // One was taken out, or has another name.
  for (const next of [beta.replace("6 passed", "5 passed"), beta.replace("two", "three")]) {
    assert.deepEqual((await told(["pytest", PYTEST, true], ["pytest", next, true])).fixes, []);
  }
});

Deno.test("a test that passes later is fixed by what was changed since another one passed, before the rest", async () => {
  const { fixes } = await told(
    ["pytest", PYTEST, true],
    ["pytest tests/test_a.py::test_one", "1 passed in 0.1s"],
    ["pytest tests/test_b.py::test_two", "1 passed in 0.1s"],
  );
  assert.deepEqual(fixes, [
    "Fixed tests/test_a.py::test_one by src/0.py",
    "Fixed tests/test_b.py::test_two by src/1.py, src/0.py",
  ]);
});

Deno.test("a title names all tests that fail, or how many more there are", () => {
  const names = (count: number, of: (at: number) => string) =>
    failed(
      "pytest",
      `${
        Array.from({ length: count }, (_, at) => `FAILED ${of(at)} - no\n`).join("")
      }${count} failed in 0.1s`,
    ).title;
  assert.equal(
    names(2, (at) => `a.py::t${at}`),
    "Tests fail: pytest (2 failed): a.py::t0, a.py::t1",
  );
  const first = Array.from({ length: 8 }, (_, at) => `a.py::t${at}`).join(", ");
  assert.equal(
    names(12, (at) => `a.py::t${at}`),
    `Tests fail: pytest (12 failed): ${first} +4 more`,
  );
  assert.match(names(3, (at) => `${"a".repeat(100)}.py::t${at}`), /^.{100,150} \+2 more$/);
});
