/** Tests that fail with another error than before are a failure of their own; with the same one they repeat. */
import assert from "node:assert/strict";
import { errorSigns } from "../../../src/memory/observe/error_signs.ts";
import { failuresOf, outcomeOf, type Step } from "../../support/left_open.ts";

const pytest = (error: string, test = "test_add") =>
  `    raise x\nE   ${error}\n\nm.py:3: X\nFAILED m.py::${test} - ${error}\n1 failed, 2 passed in 0.12s`;
const cargo = (message: string) =>
  `test tests::parses ... FAILED\n\n---- tests::parses stdout ----\n\nthread 'tests::parses' panicked at src/lib.rs:9:5:\n${message}\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass \`--lib\``;
const go = (message: string) =>
  `--- FAIL: TestAdd (0.00s)\n    add_test.go:7: ${message}\nFAIL\nFAIL\tx.org/calc\t0.1s`;
const mocha = (error: string) =>
  `  1 passing (2ms)\n  1 failing\n\n  1) cart\n       adds:\n     ${error}\n      at x.js:1:2`;
const jest = (error: string) =>
  `FAIL src/a.test.ts\n  ● adds\n\n    ${error}\n\nTests: 1 failed, 2 passed, 3 total`;
const node = (error: string) =>
  `not ok 1 - adds\n  ---\n  error: |-\n    ${error}\n  ...\n# pass 0\n# fail 1`;
const dotnet = (message: string) =>
  `  Failed Shop.CartTests.Adds [3 ms]\n  Error Message:\n   ${message}\nFailed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3`;
const two = (a: string, b: string) =>
  `E   ${a}\nE   ${b}\nFAILED m.py::a - ${a}\nFAILED m.py::b - ${b}\n2 failed in 0.1s`;

type Row = readonly [command: string, one: string, other: string];

const OTHER: readonly Row[] = [
  ["pytest", pytest("TypeError: carryFlag"), pytest("ZeroDivisionError: modulusZero")],
  [
    "pytest | tail -2",
    "FAILED m.py::test_add - TypeError: carryFlag\n1 failed in 0.1s",
    "FAILED m.py::test_add - ValueError: modulusZero\n1 failed in 0.1s",
  ],
  ["pytest", two("TypeError: p", "KeyError: 'q'"), two("TypeError: p", "KeyError: 'r'")],
  ["pytest", pytest("ValueError: значение"), pytest("ValueError: ключ")],
  ["cargo test", cargo("carryFlag is gone"), cargo("attempt to divide by zero")],
  ["go test ./...", go("carryFlag is gone"), go("modulusZero")],
  ["npx mocha", mocha("TypeError: carryFlag"), mocha("RangeError: modulusZero")],
  ["npx jest", jest("expect(received).toBe(expected)"), jest("TypeError: add is not a function")],
  ["node --test", node("carryFlag is gone"), node("modulusZero")],
  ["dotnet test", dotnet("Assert.Equal() Failure"), dotnet("System.DivideByZeroException : zero")],
];

const SAME: readonly Row[] = [
  ["pytest", pytest("TypeError: carryFlag"), pytest("TypeError: carryFlag")],
  ["pytest", pytest("OSError: port 53211 is taken"), pytest("OSError: port 5401 is taken")],
  ["pytest", pytest("assert 3.25 == 4"), pytest("assert 3 == 4")],
  ["pytest", pytest("KeyError: 'a91c0f'"), pytest("KeyError: '77bd2e10'")],
  ["pytest", pytest("OSError: no /tmp/x1/a b"), pytest("OSError: no /var/folders/zq/T/k b")],
  ["pytest", pytest("TimeoutError: after 5.02s"), pytest("TimeoutError: after 812 ms")],
  ["pytest", pytest("ValueError: {'a', 'b'}"), pytest("ValueError: {'b', 'a'}")],
  ["pytest", pytest("TypeError: <A at 0x7fa0>"), pytest("TypeError: <A at 0xb3>")],
  ["pytest", two("TypeError: p", "KeyError: 'q'"), two("KeyError: 'q'", "TypeError: p")],
  ["pytest", pytest("TypeError: carryFlag"), "FAILED m.py::test_add\n1 failed in 0.1s"],
  ["pytest", "FAILED m.py::test_add\n1 failed in 0.1s", pytest("TypeError: carryFlag")],
  [
    "pytest",
    pytest("TypeError: carryFlag of p").replace(/- TypeError.*/, "- TypeError: carr..."),
    "FAILED m.py::test_add - TypeError: carry...\n1 failed in 0.1s",
  ],
  [
    "cargo test",
    cargo("carryFlag"),
    "test tests::parses ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored",
  ],
  ["go test ./...", go("got 3, want 4"), go("got 5, want 4")],
  ["npx mocha", mocha("Error: boom"), mocha("Error: boom")],
];

/** A run that fails, fails once more after an edit, and passes after another. */
const runs = ([command, one, other]: Row): Step[] => [
  [command, one, true],
  [command, other, true],
  [command, "3 passed in 0.1s"],
];

Deno.test("the same tests with another error are another failure, and have a fix of their own", async () => {
  for (const row of OTHER) {
    const failures = await failuresOf(...runs(row).slice(0, 2));
    assert.deepEqual(failures.map(({ repeats }) => repeats), [1, 1], row[1]);
  }
  const [row] = OTHER;
  const [first] = await failuresOf(...runs(row!));
  assert.ok(first!.text.includes("carryFlag"));
  const { open, fixes } = await outcomeOf(...runs(row!));
  assert.deepEqual(open, []);
  assert.deepEqual(fixes, [
    "Fixed m.py::test_add by src/a.py",
    "Fixed m.py::test_add by src/a.py",
  ]);
});

Deno.test("the same tests with the same error are a repeat, whatever chance changes in it", async () => {
  for (const row of SAME) {
    const failures = await failuresOf(...runs(row).slice(0, 2));
    assert.deepEqual(failures.map(({ repeats }) => repeats), [2], row[1] + row[2]);
    assert.deepEqual((await outcomeOf(...runs(row))).fixes.length, 1, row[1]);
  }
});

Deno.test("an error that comes back is a repeat of the failure that had it", async () => {
  const errors = ["TypeError: p", "KeyError: 'q'", "TypeError: p"];
  const failures = await failuresOf(
    ...errors.map((error): Step => ["pytest", pytest(error), true]),
  );
  assert.deepEqual(failures.map(({ repeats }) => repeats), [2, 1]);
});

Deno.test("of several tests that fail with one error, those that fail on with another are told besides", async () => {
  const first =
    "FAILED m.py::a - TypeError: carryFlag\nFAILED m.py::b - x\nFAILED m.py::c - x\n3 failed in 0.1s";
  const then: Step = ["pytest", pytest("KeyError: 'modulusZero'", "a"), true];
  const failures = await failuresOf(["pytest", first, true], then, ["pytest", "3 passed in 0.1s"]);
  assert.deepEqual(failures.map(({ text }) => /carryFlag|modulusZero/.exec(text)?.[0]), [
    "carryFlag",
    "modulusZero",
  ]);
});

Deno.test("no error is told for certain by lines that count, or only say that something failed", () => {
  for (
    const output of [
      "test tests::parses ... FAILED",
      "error: test failed, to rerun pass `--lib`",
      "npm error code 1\nmake: *** [test] Error 1",
      "1 failed, 2 passed in 0.1s",
    ]
  ) assert.deepEqual(errorSigns(output), [], output);
});
