/** Tests of one crate, or of a folder, that failed in a run of more are mended by a run of that crate, or in that folder. */
import assert from "node:assert/strict";
import { outcomeOf } from "../../support/left_open.ts";

const RESULT = "0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
const CARGO =
  `test z::b ... ok\n\ntest result: ok. 1 passed; 0 failed; ${RESULT}\n\nrunning 2 tests\ntest m::a ... FAILED\ntest m::c ... ok\n\nfailures:\n    m::a\n\ntest result: FAILED. 1 passed; 1 failed; ${RESULT}\n\nerror: test failed, to rerun pass \`-p core --lib\``;
const CARGO_ALL = CARGO.replace(/error: .*/, "error: 1 target failed:\n    `-p core --lib`");
const CARGO_TWO = CARGO_ALL.replace("1 target", "2 targets") + "\n    `-p api --test it`";
const CARGO_OK =
  `test m::a ... ok\ntest m::c ... ok\n\ntest result: ok. 2 passed; 0 failed; ${RESULT}`;
const CARGO_QUIET = `running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; ${RESULT}`;
const NEXTEST =
  "        PASS [   0.005s] api z::b\n        FAIL [   0.006s] core m::a\n     Summary [   0.009s] 2 tests run: 1 passed, 1 failed, 0 skipped";
const NEXTEST_OK =
  "        PASS [   0.006s] core m::a\n     Summary [   0.009s] 1 tests run: 1 passed, 0 skipped";
const PYTEST = "FAILED tests/test_x.py::test_a - no\n1 failed, 4 passed in 0.1s";
const DENO =
  "adds => ./api/tests/a_test.ts:11:6\nerror: no\n\nadds => ./api/tests/a_test.ts:11:6\n\nFAILED | 3 passed | 1 failed (1s)";

type Row = readonly [failing: string, bad: string, passing: string, good: string, fixed?: string];

const MENDED: readonly Row[] = [
  ["cargo test --workspace", CARGO, "cargo test -p core --lib", CARGO_OK],
  ["cargo test", CARGO, "cargo test -p core --lib", CARGO_OK],
  ["cargo test", CARGO, "cargo test -p core", CARGO_QUIET],
  ["cargo test --all", CARGO, "cargo test -p core --lib m::a", CARGO_OK],
  ["cargo test --workspace --no-fail-fast", CARGO_ALL, "cargo test -q -p core", CARGO_QUIET],
  ["cargo test --workspace 2>&1 | tail -20", CARGO, "cargo nextest run -p core", NEXTEST_OK],
  ["cargo test --workspace", CARGO, "cd core && cargo test", CARGO_OK],
  ["cargo test --workspace", CARGO, "cd crates/core && cargo test", CARGO_QUIET],
  [
    "cargo nextest run --workspace",
    NEXTEST,
    "cargo nextest run -p core",
    NEXTEST_OK,
    '"core m::a"',
  ],
  ["cargo nextest run", NEXTEST, "cd core && cargo test", CARGO_OK, '"core m::a"'],
  ...["test_x.py", "test_x.py -q", "test_x.py::test_a", "./test_x.py", ""].map((path): Row => [
    "pytest",
    PYTEST,
    `cd tests && pytest ${path}`,
    "3 passed in 0.1s",
    "tests/test_x.py::test_a",
  ]),
  [
    "cd web && pytest",
    PYTEST,
    "cd web/tests && pytest test_x.py",
    "3 passed in 0.1s",
    "tests/test_x.py::test_a",
  ],
  ["deno test -A", DENO, "cd api && deno test -A", "ok | 2 passed | 0 failed (1s)", "error: no"],
];

const LEFT_OPEN: readonly Row[] = [
  ["cargo test --workspace", CARGO, "cargo test -p api", CARGO_OK],
  ["cargo test --workspace", CARGO, "cd api && cargo test", CARGO_OK],
  ["cargo test --workspace", CARGO, "cd core && cargo test --lib z", CARGO_QUIET],
  ["cargo test --workspace", CARGO, "cargo test -p core --test it", CARGO_OK],
  ["cargo test --workspace --release", CARGO, "cargo test -p core", CARGO_OK],
  ["cargo test --features x", CARGO, "cargo test -p core", CARGO_OK],
  ["cargo test --no-fail-fast", CARGO_TWO, "cargo test -p core", CARGO_OK],
  ["cargo nextest run", NEXTEST, "cargo nextest run -p api", NEXTEST_OK],
  ["pytest", PYTEST, "cd tests && pytest test_y.py", "3 passed in 0.1s"],
  ["pytest", PYTEST, "cd web && pytest test_x.py", "3 passed in 0.1s"],
  ["pytest", PYTEST, "cd web/tests && pytest test_x.py", "3 passed in 0.1s"],
  ["pytest", PYTEST, "cd ../tests && pytest test_x.py", "3 passed in 0.1s"],
  ["pytest", PYTEST, "cd tests && pytest ../web", "3 passed in 0.1s"],
  ["cd web && pytest", PYTEST, "cd tests && pytest test_x.py", "3 passed in 0.1s"],
];

Deno.test("a run of the crate, or in the folder, of the tests that failed is what mends them", async () => {
  for (const [failing, bad, passing, good, fixed = "m::a"] of MENDED) {
    const { open, fixes } = await outcomeOf([failing, bad, true], [passing, good]);
    assert.deepEqual([open, fixes], [[], [`Fixed ${fixed} by src/a.py`]], `${failing}: ${passing}`);
  }
});

Deno.test("a run of another crate, or in another folder, leaves them open", async () => {
  for (const [failing, bad, passing, good] of LEFT_OPEN) {
    const { open, fixes } = await outcomeOf([failing, bad, true], [passing, good]);
    assert.deepEqual([open, fixes], [[failing], []], `${failing}: ${passing}`);
  }
});
