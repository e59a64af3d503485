/** Tests are mended by a run that names them as passed, or has taken them, whatever runner and options it is called with. */
import assert from "node:assert/strict";
import { leftOpen } from "../../support/left_open.ts";

const CARGO =
  "test tests::parses ... FAILED\ntest tests::b ... ok\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored";
const CARGO_OK =
  "test tests::parses ... ok\ntest tests::b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored";
const NEXTEST_OK =
  "    Starting 2 tests\n        PASS [   0.005s] crate tests::parses\n        PASS [   0.006s] crate tests::b\n     Summary [   0.009s] 2 tests run: 2 passed, 0 skipped";
const NEXTEST =
  "        PASS [   0.005s] crate tests::b\n        FAIL [   0.006s] crate tests::parses\n     Summary [   0.009s] 2 tests run: 1 passed, 1 failed, 0 skipped";
const GO =
  "=== RUN   TestRouteMatch\n--- FAIL: TestRouteMatch (0.00s)\nFAIL\nFAIL\tx.org/web\t0.1s";
const GO_OK =
  "=== RUN   TestRouteMatch\n--- PASS: TestRouteMatch (0.00s)\nPASS\nok  \tx.org/web\t1.1s";
const CTEST =
  "    Start 1: ring_test\n1/2 Test #1: ring_test ........................***Failed    0.01 sec\n2/2 Test #2: b_test ...........................   Passed    0.01 sec\n\n50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  1 - ring_test (Failed)\nErrors while running CTest";
const CTEST_OK =
  "1/2 Test #1: ring_test ........................   Passed    0.01 sec\n2/2 Test #2: b_test ...........................   Passed    0.01 sec\n\n100% tests passed, 0 tests failed out of 2";
const DOTNET =
  "  Failed Shop.Tests.CartTests.Adds [3 ms]\n  Error Message:\n   Assert.Equal() Failure\n\nFailed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5, Duration: 9 ms";
const DOTNET_OK =
  "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 9 ms";
const DOTNET_ONE =
  "Passed!  - Failed:     0, Passed:     1, Skipped:     0, Total:     1, Duration: 9 ms";
const PHPUNIT =
  "There was 1 failure:\n\n1) Tests\\CartTest::testAdds\nFailed asserting that 3 matches expected 4.\n\n/p/tests/CartTest.php:9\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 1.";
const MIX =
  "Running ExUnit\n\n  1) test adds (CartTest)\n     test/cart_test.exs:4\n     Assertion with == failed\n\nFinished in 0.02 seconds\n3 tests, 1 failure";
const PLAYWRIGHT =
  "Running 3 tests using 1 worker\n\n  1) [chromium] › checkout.spec.ts:3:1 › pays ─────────\n\n    Error: no\n\n  1 failed\n    [chromium] › checkout.spec.ts:3:1 › pays ─────\n  2 passed (4.1s)";
const BUN =
  "a.test.ts:\nerror: expect(received).toBe(expected)\n      at <anonymous> (/p/a.test.ts:4:15)\n(fail) cart > adds [0.10ms]\n\nb.test.ts:\n(pass) b [0.02ms]\n\n 1 pass\n 1 fail\nRan 2 tests across 2 files.";
const BAZEL =
  "//cart:cart_test                        FAILED in 0.3s\n//b:b_test                              PASSED in 0.2s\n\nExecuted 2 out of 2 tests: 1 test passes and 1 fails locally.";
const TAP =
  "TAP version 13\nnot ok 1 - hours\n  ---\n  duration_ms: 1.2\n  type: 'test'\n  location: '/p/d.test.js:3:1'\n  failureType: 'testCodeFailure'\n  error: 'no'\n  ...\nok 2 - days\n# tests 2\n# pass 1\n# fail 1";
const TAP_OK =
  "TAP version 13\nok 1 - hours\n  ---\n  duration_ms: 1\n  ...\nok 2 - days\n# pass 2\n# fail 0";
const NODE_SPEC =
  "✖ hours (1ms)\n✔ days (1ms)\nℹ pass 1\nℹ fail 1\n\n✖ failing tests:\n\ntest at d.test.js:3:1\n✖ hours (1ms)\n  Error: no";
const MAKE =
  "pytest -q\nFAILED test_dur.py::test_hours - no\n1 failed, 3 passed in 0.1s\nmake: *** [Makefile:2: test] Error 1";

type Row = readonly [failing: string, bad: string, later: string, output: string];

const MENDED: readonly Row[] = [
  ...[
    "cargo test --workspace",
    "cargo test --lib",
    "cargo test --all",
    "cargo test --all-features",
    "cargo test --release",
    "cargo test --lib tests::",
  ].map((later): Row => ["cargo test", CARGO, later, CARGO_OK]),
  ["cargo test --workspace", CARGO, "cargo test", CARGO_OK],
  ["cargo test --lib", CARGO, "cargo test --lib tests::", CARGO_OK],
  [
    "cargo test",
    CARGO,
    "cargo test --workspace -q",
    "test result: ok. 2 passed; 0 failed; 0 ignored",
  ],
  ["cargo test", CARGO, "cargo test --all-targets", CARGO_OK],
  ["cargo test", CARGO, "cargo nextest run", NEXTEST_OK],
  ["cargo nextest run", NEXTEST, "cargo test", CARGO_OK],
  ["cargo nextest run", NEXTEST, "cargo nextest run --release parses", NEXTEST_OK],
  ["go test -v ./...", GO, "go test -v -race ./...", GO_OK],
  ["ctest", CTEST, "ctest --output-on-failure", CTEST_OK],
  ["ctest --output-on-failure", CTEST, "ctest", CTEST_OK],
  ["ctest", CTEST, "ctest -R ring -j 4", CTEST_OK],
  ["dotnet test", DOTNET, "dotnet test --no-build", DOTNET_OK],
  ["dotnet test", DOTNET, "dotnet test -v minimal", DOTNET_OK],
  ["dotnet test", DOTNET, "dotnet test --filter CartTests", DOTNET_ONE],
  [
    "dotnet test",
    DOTNET,
    'dotnet test --logger "console;verbosity=detailed" --filter Name=Adds',
    `  Passed Shop.Tests.CartTests.Adds [2 ms]\n${DOTNET_ONE}`,
  ],
  [
    "vendor/bin/phpunit",
    PHPUNIT,
    "vendor/bin/phpunit --filter testAdds",
    "OK (1 test, 1 assertion)",
  ],
  [
    "mix test",
    MIX,
    "mix test test/cart_test.exs:4",
    "Finished in 0.01 seconds\n3 tests, 0 failures, 2 excluded",
  ],
  ["mix test", MIX, "mix test test/cart_test.exs", "Finished in 0.01 seconds\n3 tests, 0 failures"],
  [
    "npx playwright test",
    PLAYWRIGHT,
    "npx playwright test checkout.spec.ts",
    "  ✓  1 [chromium] › checkout.spec.ts:3:1 › pays (1.2s)\n\n  1 passed (2.0s)",
  ],
  ["npx playwright test", PLAYWRIGHT, "npx playwright test checkout.spec.ts", "  1 passed (2.0s)"],
  [
    "bun test",
    BUN,
    "bun test a.test.ts",
    "a.test.ts:\n(pass) cart > adds [0.10ms]\n\n 1 pass\n 0 fail",
  ],
  ["bun test", BUN, "bun test a.test.ts", " 1 pass\n 0 fail"],
  [
    "bazel test //...",
    BAZEL,
    "bazel test //cart:cart_test",
    "//cart:cart_test                        PASSED in 0.3s\n\nExecuted 1 out of 1 test: 1 test passes.",
  ],
  ["npm test", TAP, "node --test d.test.js", TAP_OK],
  ["node --test", TAP, "node --test d.test.js", TAP_OK],
  ["node --test", TAP, "node --test --experimental-some-flag", TAP_OK],
  ["make test", MAKE, "pytest -q test_dur.py", "4 passed in 0.1s"],
  [
    "npm test",
    "not ok 1 - hours\n  ---\n  error: 'no'\n  stack: |-\n    d.test.js:3:9\n  ...\n# pass 1\n# fail 1",
    "node --test d.test.js",
    TAP_OK,
  ],
  ["node --test", NODE_SPEC, "node --test d.test.js", "✔ hours (1ms)\nℹ pass 1\nℹ fail 0"],
  ["make -s test", MAKE, "pytest -q test_dur.py", "4 passed in 0.1s"],
  ["dotnet test", DOTNET, "dotnet test --filter FullyQualifiedName~CartTests", DOTNET_ONE],
  ["make test", MAKE, "make test", "4 passed in 0.1s"],
];

const LEFT_OPEN: readonly Row[] = [
  [
    "cargo test",
    CARGO,
    "cargo test --all-targets -q",
    "test result: ok. 2 passed; 0 failed; 0 ignored",
  ],
  [
    "cargo test --workspace",
    CARGO,
    "cargo test -q",
    "test result: ok. 2 passed; 0 failed; 0 ignored",
  ],
  [
    "cargo test",
    CARGO,
    "cargo test --workspace",
    CARGO_OK.replace("parses ... ok", "parses ... ignored").replace(
      "2 passed; 0 failed; 0 ig",
      "1 passed; 0 failed; 1 ig",
    ),
  ],
  [
    "cargo test",
    CARGO,
    "cargo nextest run",
    NEXTEST_OK.replaceAll("tests::parses", "tests::other"),
  ],
  ["cargo test", CARGO, "cargo nextest run -p other", NEXTEST_OK],
  ["cargo test", CARGO, "cargo test --manifest-path other/Cargo.toml", CARGO_OK],
  ["go test -v -race ./...", GO, "go test -v ./...", GO_OK],
  ["go test -v ./...", GO, "go test -v -race ./b/...", GO_OK.replace("x.org/web", "x.org/b")],
  ["ctest", CTEST, "ctest -E ring", CTEST_OK.replace(/.*ring.*\n/, "")],
  ["ctest", CTEST, "ctest", CTEST_OK.replace(/(ring_test \.+) +Passed/, "$1***Not Run (Disabled)")],
  ["ctest --test-dir a", CTEST, "ctest --test-dir b", CTEST_OK],
  ["dotnet test", DOTNET, "dotnet test --filter OtherTests", DOTNET_ONE],
  [
    "dotnet test",
    DOTNET,
    "dotnet test --filter CartTests",
    "No test matches the given testcase filter `CartTests` in a.dll",
  ],
  [
    "vendor/bin/phpunit",
    PHPUNIT,
    "vendor/bin/phpunit --filter testSubs",
    "OK (1 test, 1 assertion)",
  ],
  ["vendor/bin/phpunit", PHPUNIT, "vendor/bin/phpunit --filter testAdds", "No tests executed!"],
  [
    "vendor/bin/phpunit",
    PHPUNIT,
    "vendor/bin/phpunit --filter testAdds",
    "OK, but some tests were skipped!\nTests: 1, Assertions: 0, Skipped: 1.",
  ],
  ["mix test", MIX, "mix test test/cart_test.exs:9", "3 tests, 0 failures, 2 excluded"],
  ["mix test", MIX, "mix test test/other_test.exs", "3 tests, 0 failures"],
  ["npx playwright test", PLAYWRIGHT, "npx playwright test cart.spec.ts", "  1 passed (2.0s)"],
  [
    "npx playwright test",
    PLAYWRIGHT,
    "npx playwright test checkout.spec.ts --project=firefox",
    "  1 passed (2.0s)",
  ],
  ["bun test", BUN, "bun test b.test.ts", "b.test.ts:\n(pass) b [0.10ms]\n\n 1 pass\n 0 fail"],
  [
    "bun test",
    BUN,
    "bun test b.test.ts",
    "b.test.ts:\n(pass) cart > adds [0.10ms]\n\n 1 pass\n 0 fail",
  ],
  [
    "bun test",
    BUN,
    "bun test",
    "a.test.ts:\n(skip) cart > adds\n(pass) b\n\n 1 pass\n 1 skip\n 0 fail",
  ],
  [
    "bazel test //...",
    BAZEL,
    "bazel test //b:b_test",
    "//b:b_test     PASSED in 0.3s\n\nExecuted 1 out of 1 test: 1 test passes.",
  ],
  ["npm test", TAP, "node --test e.test.js", TAP_OK],
  [
    "npm test",
    "not ok 1 - hours\n    at d.test.js:3:9\nok 2 - x of e.test.js\n# pass 1\n# fail 1",
    "node --test e.test.js",
    TAP_OK,
  ],
  ["npm test -w a", TAP, "node --test d.test.js", TAP_OK],
  ["node --test", TAP, "node --test d.test.js", TAP_OK.replace("1 - hours", "1 - hours # SKIP")],
  ["make -C web test", MAKE, "pytest -q test_dur.py", "4 passed in 0.1s"],
  ["make test", MAKE, "pytest -q test_other.py", "4 passed in 0.1s"],
  ["make test", MAKE, "pytest -q test_dur.py -k days", "1 passed, 3 deselected in 0.1s"],
  ["make test", MAKE, "cd other && pytest -q test_dur.py", "4 passed in 0.1s"],
  ["make test", MAKE, "pytest -q test_dur.py", "no tests ran in 0.1s"],
];

async function openAfter(rows: readonly Row[]): Promise<readonly Row[]> {
  const open: Row[] = [];
  for (const row of rows) {
    const [failing, bad, later, output] = row;
    if ((await leftOpen([failing, bad, true], [later, output])).length > 0) open.push(row);
  }
  return open;
}

Deno.test("a run that names what failed as passed, or has taken it, mends it whatever its options are", async () => {
  assert.deepEqual(await openAfter(MENDED), []);
});

Deno.test("a run of another place, of other tests, or that passes over them, leaves them open", async () => {
  assert.deepEqual(await openAfter(LEFT_OPEN), LEFT_OPEN);
});
