/** Which tests failed, by the outputs of real runners: a test is named as its runner names it, and no other line is a name. */
import assert from "node:assert/strict";
import { readTestRun } from "../../../src/memory/observe/test_runs.ts";
import { failed } from "../../support/commands_observed.ts";

/** An output of each runner, the tests that it names, and its last lines, which name none. */
interface Output {
  readonly runner: string;
  readonly command: string;
  readonly output: string;
  readonly names: readonly string[];
  /** How many lines of the end hold counts alone. */
  readonly counting: number;
}

const OUTPUTS: readonly Output[] = [
  {
    runner: "node --test, spec",
    command: "node --test",
    output: `✖ adds (1.367083ms)
  AssertionError [ERR_ASSERTION]: 1 == 2
      at TestContext.<anonymous> (file:///p/a.test.mjs:2:27) {
    code: 'ERR_ASSERTION',
  }

▶ outer
  ✖ inner fails (0.116158ms)
    Error: boom

✖ outer (0.360727ms)
✔ fine (0.081283ms)
ℹ tests 4
ℹ suites 0
ℹ pass 1
ℹ fail 3
ℹ cancelled 0
ℹ skipped 0
ℹ todo 0
ℹ duration_ms 82.109623

✖ failing tests:

test at a.test.mjs:2:1
✖ adds (1.367083ms)
  AssertionError [ERR_ASSERTION]: 1 == 2
ℹ tests 4
ℹ suites 0
ℹ pass 1
ℹ fail 3
ℹ cancelled 0
✖ failing tests:`,
    names: ["adds", "inner fails", "outer"],
    counting: 6,
  },
  {
    runner: "node --test, TAP",
    command: "node --test --test-reporter=tap",
    output: `TAP version 13
# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 1.492303
  error: '1 == 2'
  ...
# Subtest: outer
    # Subtest: inner fails
    not ok 1 - inner fails
      ---
      error: 'boom'
      ...
    1..1
not ok 2 - outer
  ---
  error: '1 subtest failed'
  ...
# Subtest: fine
ok 3 - fine
not ok 4 - later # TODO not yet
1..4
# tests 4
# suites 0
# pass 1
# fail 2
# cancelled 0
# skipped 0
# todo 1
# duration_ms 81.020087`,
    names: ["adds", "inner fails", "outer"],
    counting: 8,
  },
  {
    runner: "phpunit",
    command: "vendor/bin/phpunit",
    output: `PHPUnit 10.5.5 by Sebastian Bergmann and contributors.

..F                                                                 3 / 3 (100%)

Time: 00:00.012, Memory: 8.00 MB

There was 1 failure:

1) FooTest::testAdd
Failed asserting that 2 matches expected 3.

/app/tests/FooTest.php:12

FAILURES!
Tests: 3, Assertions: 3, Failures: 1.`,
    names: ["FooTest::testAdd"],
    counting: 2,
  },
  {
    runner: "maven",
    command: "mvn test",
    output: `[INFO] Running com.example.AppTest
[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.example.AppTest
[ERROR] com.example.AppTest.testAdd -- Time elapsed: 0.004 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
	at com.example.AppTest.testAdd(AppTest.java:12)

[INFO] Results:
[INFO]
[ERROR] Failures:
[ERROR]   AppTest.testAdd:12 expected: <3> but was: <2>
[INFO]
[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0
[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE
[INFO] ------------------------------------------------------------------------
[INFO] Total time:  2.345 s
[INFO] Finished at: 2026-01-01T00:00:00Z`,
    names: ["AppTest.testAdd:12"],
    counting: 6,
  },
  {
    runner: "jest",
    command: "npx jest",
    output: `FAIL src/a.test.ts
  math
    ✕ adds (3 ms)
    ✓ fine

  ● math › adds

    expect(received).toBe(expected) // Object.is equality

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
Snapshots:   0 total
Time:        0.5 s
Ran all test suites.`,
    names: ["adds"],
    counting: 5,
  },
  {
    runner: "vitest",
    command: "npx vitest run",
    output: ` ❯ src/a.test.ts (2 tests | 1 failed) 5ms
   × adds 3ms
     → expected 1 to be 2 // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/a.test.ts > adds
AssertionError: expected 1 to be 2 // Object.is equality
 ❯ src/a.test.ts:4:13

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)
   Start at  10:00:00
   Duration  300ms (transform 20ms, setup 0ms)`,
    names: ["adds"],
    counting: 4,
  },
  {
    runner: "pytest",
    command: "pytest",
    output: `E       assert 1 == 2

test_a.py:2: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_b - assert 1 == 2
FAILED test_a.py::T::test_c - AssertionError: 1 != 2
=================== 2 failed, 1 passed in 0.51s ===================`,
    names: ["test_a.py::test_b", "test_a.py::T::test_c"],
    counting: 1,
  },
  {
    runner: "unittest",
    command: "python3 -m unittest",
    output: `FE
======================================================================
ERROR: test_d (test_a.T.test_d)
----------------------------------------------------------------------
ValueError: x

======================================================================
FAIL: test_c (test_a.T.test_c)
----------------------------------------------------------------------
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 2 tests in 0.000s

FAILED (failures=1, errors=1)`,
    names: ["test_d (test_a.T.test_d)", "test_c (test_a.T.test_c)"],
    counting: 4,
  },
  {
    runner: "cargo test",
    command: "cargo test",
    output: `running 3 tests
test fine ... ok
test adds ... FAILED
test deep::under ... FAILED

failures:

---- adds stdout ----

thread 'adds' (16155) panicked at src/lib.rs:1:21:
assertion \`left == right\` failed

failures:
    adds
    deep::under

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.06s

error: test failed, to rerun pass \`--lib\``,
    names: ["adds", "deep::under"],
    counting: 3,
  },
  {
    runner: "go test",
    command: "go test ./...",
    output: `--- FAIL: TestAdd (0.00s)
    --- FAIL: TestAdd/sub (0.00s)
        add_test.go:8: got 1, want 2
FAIL
FAIL	example.com/a	0.002s
ok  	example.com/b	0.001s
FAIL`,
    names: ["TestAdd"],
    counting: 4,
  },
  {
    runner: "mocha",
    command: "npx mocha",
    output: `  math
    ✔ fine
    1) adds

  1 passing (4ms)
  1 failing

  1) math
       adds:

      AssertionError [ERR_ASSERTION]: 1 == 2
      + expected - actual
`,
    names: ["adds"],
    counting: 0,
  },
  {
    runner: "deno test",
    command: "deno test",
    output: `running 2 tests from ./a_test.ts
adds ... FAILED (740µs)
outer ...
  inner ... FAILED (0ms)
outer ... FAILED (due to 1 failed step) (637µs)

 ERRORS

adds => ./a_test.ts:1:6
error: Error: boom

 FAILURES

adds => ./a_test.ts:1:6
outer ... inner => ./a_test.ts:2:43

FAILED | 0 passed | 2 failed (1 step) (5ms)

error: Test failed`,
    names: ["adds", "inner", "outer"],
    counting: 3,
  },
  {
    runner: "rspec",
    command: "bundle exec rspec",
    output: `Failures:

  1) Calculator adds
     Failure/Error: expect(1).to eq(2)

       expected: 2
            got: 1

     # ./spec/a_spec.rb:5:in \`block (2 levels) in <top (required)>'

Failed examples:

rspec ./spec/a_spec.rb:4 # Calculator adds

Finished in 0.01 seconds (files took 0.08 seconds to load)
3 examples, 1 failure
`,
    names: ["Calculator adds"],
    counting: 3,
  },
  {
    runner: "dotnet test",
    command: "dotnet test",
    output: `  Failed App.Tests.Adds [12 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 2
Actual:   1

Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5, Duration: 12 ms - App.Tests.dll (net8.0)`,
    names: ["App.Tests.Adds"],
    counting: 1,
  },
];

for (const { runner, command, output, names, counting } of OUTPUTS) {
  Deno.test(`${runner}: the tests that failed are named, and no counter or heading`, () => {
    assert.deepEqual(readTestRun(output)?.failing, names);
    const told = failed(command, output);
    assert.ok(told.title.endsWith(`: ${names.join(", ")}`), told.title);
    assert.deepEqual(told.facts.failing, names);
  });

  if (counting === 0) continue;
  Deno.test(`${runner}: the last lines alone name no test and no error`, () => {
    const tail = output.split("\n").slice(-counting).join("\n");
    const told = failed(`${command} | tail -${counting}`, tail);
    assert.deepEqual(told.facts.failing ?? [], [], told.title);
    assert.equal(told.facts.error, undefined, told.title);
    assert.match(told.title, /^Tests fail: [^:]+$/);
  });
}

Deno.test("of mocha's second list a test is named with its suites", () => {
  const tail =
    "  1 passing (4ms)\n  2 failing\n\n  1) math\n       of numbers\n         adds:\n\n      Error: boom\n\n  2) says so:\n     Error: no\n";
  assert.deepEqual(readTestRun(tail)?.failing, ["math of numbers adds", "says so"]);
});

Deno.test("what a program prints in a runner's words is no name of a test", () => {
  const rows: readonly (readonly [output: string, names: readonly string[]])[] = [
    ["FAILED to connect to redis, retrying\nFAILED t.py::net - x\n1 failed in 0.1s", ["t.py::net"]],
    ["FAILED to connect to redis\n1 failed in 0.1s", []],
    ["FAILED t.py::a[x y] - no\n1 failed in 0.1s", ["t.py::a[x"]],
    [
      "Connecting to redis ... FAILED\ntest adds ... FAILED\ntest result: FAILED. 0 passed; 1 failed",
      ["adds"],
    ],
    [
      "uploading ... FAILED\nadds ... FAILED (3ms)\nFAILED | 0 passed | 1 failed (3s)",
      ["adds"],
    ],
    ["test src/lib.rs - add (line 3) ... FAILED\ntest result: FAILED. 0 passed; 1 failed", [
      "src/lib.rs - add (line 3)",
    ]],
  ];
  for (const [output, names] of rows) assert.deepEqual(readTestRun(output)?.failing, names, output);
});
