/** Tests that failed in one run are mended one by one, each by a run that was told to take it, whatever that prints. */
import assert from "node:assert/strict";
import { endOf } from "../../support/mixed_steps.ts";

type Pass = readonly [command: string, output: string];

/** A run in which two tests fail, the passes of the first and of the second alone, and how their names end. */
interface Row {
  readonly failing: string;
  readonly output: string;
  readonly first: Pass;
  readonly second: Pass;
  readonly names: readonly [string, string];
}

const PYTEST =
  "FAILED tests/test_a.py::test_tax - no\nFAILED tests/test_b.py::test_ship - no\n2 failed, 8 passed in 0.1s";
const VITEST =
  " FAIL  src/a.test.ts > cart > adds tax\nError: x\n FAIL  src/b.test.ts > ships\nError: y\n\n Test Files  2 failed | 3 passed (5)\n      Tests  2 failed | 4 passed (6)";
const VITEST_ONE =
  " ✓ src/a.test.ts (6 tests | 5 skipped)\n\n Test Files  1 passed (1)\n      Tests  1 passed | 5 skipped (6)";
const JEST =
  "FAIL src/a.test.js\n  ● cart › adds tax\n\n    x\n\nFAIL src/b.test.js\n  ● cart › ships\n\n    x\n\nTest Suites: 2 failed, 3 passed, 5 total\nTests:       2 failed, 10 passed, 12 total";
const JEST_ONE =
  "PASS src/a.test.js\n\nTest Suites: 3 skipped, 1 passed, 1 of 4 total\nTests:       11 skipped, 1 passed, 12 total";
const GO =
  "--- FAIL: TestTax (0.00s)\n    a_test.go:9: no\nFAIL\nFAIL\tx.org/app/a\t0.1s\n--- FAIL: TestShip (0.00s)\n    b_test.go:9: no\nFAIL\nFAIL\tx.org/app/b\t0.1s\nFAIL";
const GO_ONE =
  "--- FAIL: TestTax (0.00s)\n--- FAIL: TestShip (0.00s)\nFAIL\nFAIL\tx.org/app/a\t0.1s\nFAIL";
const RSPEC =
  "Failures:\n\n  1) Cart adds tax\n     Failure/Error: x\n\n  2) Cart ships\n     Failure/Error: x\n\n3 examples, 2 failures\n\nFailed examples:\n\nrspec ./spec/a_spec.rb:5 # Cart adds tax\nrspec ./spec/a_spec.rb:9 # Cart ships\n";
const unittest = (behind: (test: string) => string) =>
  `FAIL: test_tax (${behind("test_tax")})\nAssertionError: 1\nFAIL: test_ship (${
    behind("test_ship")
  })\nAssertionError: 1\nRan 5 tests in 0.0s\n\nFAILED (failures=2)`;
const UNITTEST = unittest((test) => `test_calc.T.${test}`);
const PHPUNIT =
  "There were 2 failures:\n\n1) Tests\\CartTest::testTotal\nFailed\n\n2) Tests\\CartTest::testShip\nFailed\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 2.";
const DENO =
  "adds tax ... FAILED (1ms)\nships ... FAILED (1ms)\n\n ERRORS\n\nadds tax => ./a_test.ts:3:6\nerror: x\n\nships => ./b_test.ts:3:6\nerror: x\n\nFAILED | 3 passed | 2 failed (5ms)";
const MIX =
  ".\n\n  1) test adds tax (CartTest)\n     test/cart_test.exs:5\n     Assertion with == failed\n\n  2) test ships (CartTest)\n     test/cart_test.exs:9\n     Assertion with == failed\n\n3 tests, 2 failures";
const PLAYWRIGHT =
  "Running 3 tests using 1 worker\n\n  1) [chromium] › a.spec.ts:3:1 › adds tax ────\n\n    Error: x\n\n  2) [chromium] › b.spec.ts:3:1 › ships ────\n\n    Error: x\n\n  2 failed\n  1 passed (5.1s)";
const DOTNET =
  "  Failed App.Tests.CartTests.AddsTax [12 ms]\n  Failed App.Tests.CartTests.Ships [2 ms]\nFailed!  - Failed:     2, Passed:     4, Skipped:     0, Total:     6";
const DOTNET_ONE = "Passed!  - Failed:     0, Passed:     1, Skipped:     0, Total:     1";
const GRADLE =
  "CartTest > addsTax() FAILED\nCartTest > ships() FAILED\n5 tests completed, 2 failed\nBUILD FAILED in 3s";
const MAVEN =
  "[ERROR] Failures: \n[ERROR]   CartTest.addsTax:12 expected: <1>\n[ERROR]   CartTest.ships:20 expected: <1>\n[INFO] \n[ERROR] Tests run: 5, Failures: 2, Errors: 0, Skipped: 0";
const MAVEN_ONE = "[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS";
const BUN =
  "a.test.ts:\nerror: x\n(fail) cart > adds tax [1.00ms]\n\nb.test.ts:\nerror: x\n(fail) ships [1.00ms]\n\n 4 pass\n 2 fail";

const ROWS: readonly Row[] = [
  {
    failing: "pytest -q",
    output: PYTEST,
    first: ["pytest -q tests/test_a.py::test_tax", ".  [100%]\n1 passed in 0.02s"],
    second: ["pytest -q tests/test_b.py::test_ship", "1 passed in 0.02s"],
    names: ["test_tax", "test_ship"],
  },
  {
    failing: "pytest",
    output: PYTEST,
    first: [
      "python -m pytest tests/test_a.py",
      "collected 4 items\n\ntests/test_a.py ....  [100%]\n\n===== 4 passed in 0.02s =====",
    ],
    second: ["pytest -k test_ship", "1 passed, 9 deselected in 0.02s"],
    names: ["test_tax", "test_ship"],
  },
  {
    failing: "npx vitest run",
    output: VITEST,
    first: ['npx vitest run -t "adds tax"', VITEST_ONE],
    second: ["npx vitest run src/b.test.ts", "      Tests  2 passed (2)"],
    names: ["adds tax", "ships"],
  },
  {
    failing: "npx jest",
    output: JEST,
    first: ['npx jest -t "adds tax"', JEST_ONE],
    second: ["npx jest src/b.test.js", "Tests:       3 passed, 3 total"],
    names: ["adds tax", "ships"],
  },
  {
    failing: "npx jest",
    output: JEST.replace("FAIL src/b.test.js\n", "").replace("2 failed, 3", "1 failed, 3"),
    first: ['npx jest -t "cart adds tax"', JEST_ONE],
    second: ["npx jest -t ships", JEST_ONE],
    names: ["adds tax", "ships"],
  },
  {
    failing: "go test ./...",
    output: GO,
    first: ["go test ./a/", "ok  \tx.org/app/a\t0.1s"],
    second: ["go test -run 'TestShip$' ./b", "ok  \tx.org/app/b\t0.1s"],
    names: ["TestTax", "TestShip"],
  },
  {
    failing: "go test ./...",
    output: GO_ONE,
    first: ["go test ./a -run TestTax", "ok  \tx.org/app/a\t0.1s"],
    second: ["go test ./... -run TestShip", "ok  \tx.org/app/a\t0.1s"],
    names: ["TestTax", "TestShip"],
  },
  {
    failing: "bundle exec rspec",
    output: RSPEC,
    first: ["bundle exec rspec ./spec/a_spec.rb:5", "1 example, 0 failures"],
    second: ["rspec spec/a_spec.rb:9", "1 example, 0 failures"],
    names: ["adds tax", "ships"],
  },
  {
    failing: "python -m unittest -q",
    output: UNITTEST,
    first: ["python -m unittest -q test_calc.T.test_tax", "Ran 1 test in 0.0s\n\nOK"],
    second: ["python -m unittest test_calc.T.test_ship", "Ran 1 test in 0.0s\n\nOK"],
    names: ["test_tax", "test_ship"],
  },
  {
    failing: "python3.9 -m unittest",
    output: unittest(() => "test_calc.T"),
    first: ["python3.9 -m unittest test_calc.T.test_tax", "Ran 1 test in 0.0s\n\nOK"],
    second: ["python3.9 -m unittest test_calc.T.test_ship", "Ran 1 test in 0.0s\n\nOK"],
    names: ["test_tax", "test_ship"],
  },
  {
    failing: "vendor/bin/phpunit",
    output: PHPUNIT,
    first: ["vendor/bin/phpunit --filter testTotal", "OK (1 test, 1 assertion)"],
    second: ["vendor/bin/phpunit --filter CartTest::testShip", "OK (1 test, 1 assertion)"],
    names: ["testTotal", "testShip"],
  },
  {
    failing: "deno test -A",
    output: DENO,
    first: ["deno test -A a_test.ts", "ok | 2 passed | 0 failed (3ms)"],
    second: ["deno test -A --filter ships", "ok | 1 passed | 0 failed | 4 filtered out (3ms)"],
    names: ["adds tax", "ships"],
  },
  {
    failing: "mix test",
    output: MIX,
    first: ["mix test test/cart_test.exs:5", "Excluding tags: [:test]\n\n1 test, 0 failures"],
    second: ["mix test test/cart_test.exs:9", "1 test, 0 failures"],
    names: ["adds tax", "ships"],
  },
  {
    failing: "npx playwright test",
    output: PLAYWRIGHT,
    first: ["npx playwright test a.spec.ts", "  1 passed (2.0s)"],
    second: ["npx playwright test b.spec.ts:3", "  1 passed (2.0s)"],
    names: ["adds tax", "ships"],
  },
  {
    failing: "dotnet test",
    output: DOTNET,
    first: ["dotnet test --filter FullyQualifiedName~CartTests.AddsTax", DOTNET_ONE],
    second: ["dotnet test --no-build --filter CartTests.Ships", DOTNET_ONE],
    names: ["AddsTax", "Ships"],
  },
  {
    failing: "./gradlew test",
    output: GRADLE,
    first: ["./gradlew test --tests CartTest.addsTax", "1 tests completed\nBUILD SUCCESSFUL in 1s"],
    second: ["./gradlew test --tests '*CartTest.ships'", "1 tests completed\nBUILD SUCCESSFUL"],
    names: ["addsTax", "ships"],
  },
  {
    failing: "mvn test",
    output: MAVEN,
    first: ["mvn test -Dtest=CartTest#addsTax", MAVEN_ONE],
    second: ["mvn -q test -Dtest='CartTest#ships'", MAVEN_ONE],
    names: ["addsTax", "ships"],
  },
  {
    failing: "bun test",
    output: BUN,
    first: ["bun test a.test.ts", " 3 pass\n 0 fail"],
    second: ["bun test b.test.ts", " 1 pass\n 0 fail"],
    names: ["adds tax", "ships"],
  },
];

/** What is open and fixed when the tests of a row pass one after the other, an edit before each. */
async function mended({ failing, output, first, second }: Row) {
  const bad = { failing, output };
  const passes = ([passing, output]: Pass) => ({ passing, output });
  const half = [bad, { edited: "src/one.py" }, passes(first)];
  const all = [...half, { edited: "src/other.py" }, passes(second)];
  return { half: await endOf(...half), all: await endOf(...all) };
}

Deno.test("of tests that failed together each is mended by a run of its own, with its own fix", async () => {
  const wrong: unknown[] = [];
  for (const row of ROWS) {
    const { half, all } = await mended(row);
    const [one, other] = row.names.map((name) => new RegExp(name));
    const isHalf = half.open.length === 1 && other!.test(half.open[0]!) &&
      !one!.test(half.open[0]!) && half.fixes.length === 1 && one!.test(half.fixes[0]!);
    const isAll = all.open.length === 0 && all.fixes.length === 2 && other!.test(all.fixes[1]!);
    if (!isHalf || !isAll) wrong.push([row.first, half, row.second, all]);
  }
  assert.deepEqual(wrong, []);
});

const WITHOUT: readonly (readonly [failing: string, output: string, ...Pass])[] = [
  // It ran nothing, or passed over some of it.
  ["pytest -q", PYTEST, "pytest -q tests/test_a.py::test_tax", "no tests ran in 0.01s"],
  ["pytest -q", PYTEST, "pytest -q tests/test_a.py::test_tax", "1 skipped in 0.01s"],
  ["pytest -q", PYTEST, "pytest -q tests/test_a.py::test_tax", "1 xfailed in 0.01s"],
  ["pytest -q", PYTEST, "pytest -q tests/test_a.py", "3 passed, 1 skipped in 0.01s"],
  [
    "pytest -q",
    PYTEST.replace("8 passed", "8 passed, 2 skipped"),
    "pytest -q tests/test_a.py",
    "3 passed, 1 skipped in 0.01s",
  ],
  ["pytest -q", PYTEST, "pytest --collect-only tests/test_a.py::test_tax", "1 test collected"],
  ["go test ./...", GO, "go test ./a -run TestTx", "ok  \tx.org/app/a\t0.1s [no tests to run]"],
  [
    "go test ./...",
    GO,
    "go test -v ./a -run TestTax",
    "--- SKIP: TestTax (0.0s)\nok  \tx.org/app/a\t0.1s",
  ],
  ["npx jest", JEST, "npx jest -t 'adds tax'", "Tests:       12 skipped, 12 total"],
  [
    "bundle exec rspec",
    RSPEC,
    "bundle exec rspec spec/a_spec.rb:5",
    "1 example, 0 failures, 1 pending",
  ],
  ["bundle exec rspec", RSPEC, "bundle exec rspec spec/a_spec.rb:5", "0 examples, 0 failures"],
  ["vendor/bin/phpunit", PHPUNIT, "vendor/bin/phpunit --filter testTotal", "No tests executed!"],
  // It takes others, or leaves these out.
  ["pytest -q", PYTEST, "pytest -q tests/test_a.py::test_vat", "1 passed in 0.01s"],
  ["pytest -q", PYTEST, "pytest -q tests/test_a.py::test_tax_free", "1 passed in 0.01s"],
  ["pytest -q", PYTEST, "pytest -q tests/test_c.py", "1 passed in 0.01s"],
  ["pytest -q", PYTEST, "pytest -q tests/test_a.py -k 'not tax'", "3 passed, 1 deselected in 0.1s"],
  ["pytest -q", PYTEST, "pytest -q --ignore tests/test_a.py", "4 passed in 0.1s"],
  [
    "pytest -q",
    PYTEST,
    "pytest -q tests/test_a.py --deselect tests/test_a.py::test_tax",
    "3 passed, 1 deselected in 0.1s",
  ],
  ["pytest -q", PYTEST, "cd other && pytest tests/test_a.py::test_tax", "1 passed in 0.1s"],
  ["pytest -q", PYTEST, "pytest --lf", "1 passed, 9 deselected in 0.1s"],
  [
    "npx jest",
    JEST,
    "npx jest -t tax",
    JEST_ONE.replace("a.test", "c.test").replace("1 passed, 12", "3 passed, 14"),
  ],
  ["npx jest", JEST, "npx jest src/c.test.js", "Tests:       3 passed, 3 total"],
  ["npx vitest run", VITEST, "npx vitest run --exclude src/a.test.ts", "      Tests  4 passed (4)"],
  ["go test ./...", GO, "go test ./b -run TestTax", "ok  \tx.org/app/b\t0.1s"],
  ["go test ./...", GO, "go test ./c", "ok  \tx.org/app/c\t0.1s"],
  ["go test ./...", GO, "go test -short ./a", "ok  \tx.org/app/a\t0.1s"],
  ["go test ./...", GO, "go test ./a -skip TestTax", "ok  \tx.org/app/a\t0.1s"],
  ["go test -race ./...", GO, "go test ./a", "ok  \tx.org/app/a\t0.1s"],
  ["bundle exec rspec", RSPEC, "bundle exec rspec spec/a_spec.rb:7", "1 example, 0 failures"],
  ["bundle exec rspec", RSPEC, "bundle exec rspec spec/b_spec.rb:5", "1 example, 0 failures"],
  [
    "python -m unittest",
    UNITTEST,
    "python -m unittest test_calc.T.test_vat",
    "Ran 1 test in 0.0s\n\nOK",
  ],
  ["python -m unittest", UNITTEST, "python -m unittest test_calc.U", "Ran 1 test in 0.0s\n\nOK"],
  [
    "vendor/bin/phpunit",
    PHPUNIT,
    "vendor/bin/phpunit --filter testTotals",
    "OK (1 test, 1 assertion)",
  ],
  // Two are called so, or may be.
  [
    "npx jest",
    JEST.replace("cart › ships", "sub › cart › adds tax"),
    "npx jest -t 'adds tax'",
    JEST_ONE,
  ],
  [
    "npx jest",
    JEST.replace("cart › ships", "order › adds tax"),
    "npx jest -t 'adds tax'",
    JEST_ONE,
  ],
  ["go test ./...", GO.replaceAll("TestShip", "TestTax"), "go test ./a", "ok  \tx.org/app/a\t0.1s"],
  // With the work put aside that failed.
  [
    "pytest -q",
    PYTEST,
    "git stash && pytest tests/test_a.py::test_tax; git stash pop",
    "1 passed in 0.1s",
  ],
  ["pytest -q", PYTEST, "pytest tests/test_a.py::test_tax | head -1", "."],
];

Deno.test("a run that took none of them for certain leaves all of them open", async () => {
  const wrong: unknown[] = [];
  for (const [failing, output, passing, good] of WITHOUT) {
    const bad = { failing, output };
    const { open: before } = await endOf(bad);
    const { open, fixes } = await endOf(bad, { edited: "src/a.py" }, { passing, output: good });
    if (open.join() !== before.join() || fixes.length > 0) wrong.push([passing, good, open, fixes]);
  }
  assert.deepEqual(wrong, []);
});
