/** A run in other words mends what failed where it is known to have taken that: a phase that holds it, its name, what failed last. */
import assert from "node:assert/strict";
import {
  assertLeftOpen,
  assertMended,
  type Mending,
  outcomeOf,
  outcomeWithoutEdits,
} from "../../support/left_open.ts";

const MVN =
  "[INFO] Running com.x.OrderTest\n[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.x.OrderTest\n[ERROR] Failures: \n[ERROR]   OrderTest.totalIncludesTax:42 expected: <119> but was: <100>\n[INFO] \n[ERROR] Tests run: 12, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE";
const MVN_TWO =
  "[ERROR] Failures: \n[ERROR]   OrderTest.totalIncludesTax:42 expected: <119>\n[ERROR] Errors: \n[ERROR]   CartTest.adds:9 » NullPointer\n[INFO] \n[ERROR] Tests run: 12, Failures: 1, Errors: 1, Skipped: 0\n[INFO] BUILD FAILURE";
const MVN_OK = "[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS";
const MVN_ONE = "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS";
const GRADLE =
  "> Task :test FAILED\n\nOrderTest > totalIncludesTax() FAILED\n    org.opentest4j.AssertionFailedError at OrderTest.java:42\n\n12 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.";
const GRADLE_OK = "> Task :test\n\nBUILD SUCCESSFUL in 3s";
const GO =
  "--- FAIL: TestPut (0.00s)\n    --- FAIL: TestPut/empty (0.00s)\nFAIL\nFAIL\tx.org/store\t0.1s";
const GO_OK = "ok  \tx.org/store\t0.1s";
const PYTEST = "FAILED tests/t.py::a - no\n1 failed, 4 passed in 0.1s";
const PYTEST_TWO =
  "FAILED tests/t.py::a - no\nFAILED tests/t.py::b - no\n2 failed, 3 passed in 0.1s";
const LAST = "run-last-failure: rerun previous 1 failure\n\n1 passed, 4 deselected in 0.1s";
const JEST = "FAIL src/a.test.ts\n  ● renders\n\nTests:       1 failed, 4 passed, 5 total";
const JEST_OK = "Snapshots:   1 updated, 1 total\nTests:       5 passed, 5 total";
const JEST_SUITE = JEST.replace("● renders", "● header › renders");
const VITEST =
  " FAIL  src/a.test.ts > header > renders\nAssertionError: no\n\n Test Files  1 failed (1)\n      Tests  1 failed | 4 passed (5)";
const RSPEC =
  "Failures:\n\n  1) Order total includes tax\n     Failure/Error: no\n\n3 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/order_spec.rb:5 # Order total includes tax";
const PLAYWRIGHT =
  "Running 3 tests\n\n  1) [chromium] › cart.spec.ts:5:1 › adds item\n\n    Error: no\n\n  1 failed\n    [chromium] › cart.spec.ts:5:1 › adds item\n  2 passed (5s)";
const CARGO =
  "test parse::empty ... FAILED\ntest b ... ok\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored";
const DOTNET =
  "  Passed Shop.Tests.CartTests.Subs [1 ms]\n  Failed Shop.Tests.CartTests.Adds [3 ms]\n  Error Message:\n   no\n\nFailed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5, Duration: 9 ms";
const DOTNET_OK =
  "Passed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2, Duration: 9 ms";
const MAKE = "src/a.c:3:5: error: 'foo' undeclared\nmake: *** [Makefile:3: a.o] Error 1";

const MENDED: readonly Mending[] = [
  ["mvn test", MVN, "mvn test -Dtest=OrderTest", MVN_ONE],
  ["mvn test", MVN, "mvn -q test -Dtest=com.x.OrderTest", MVN_ONE],
  ["mvn test", MVN, "mvn test -Dtest=OrderTest#totalIncludesTax", MVN_ONE],
  ["mvn test", MVN, "mvn test '-Dtest=Order*'", MVN_ONE],
  ["mvn test", MVN_TWO, "mvn test -Dtest=OrderTest,CartTest", MVN_ONE],
  ["mvn test", MVN, "mvn verify", MVN_OK],
  ["mvn test", MVN, "./mvnw -B clean install", MVN_OK],
  ["mvn test", MVN, "mvn package", MVN_OK],
  ["mvn test -Dtest=OrderTest", MVN, "mvn verify", MVN_OK],
  ["mvn -pl core test", MVN, "mvn test -pl core", MVN_OK],
  ["./gradlew test", GRADLE, "./gradlew test --tests OrderTest", GRADLE_OK],
  ["./gradlew test", GRADLE, "gradle test --tests 'com.x.OrderTest.totalIncludesTax'", GRADLE_OK],
  ["./gradlew test", GRADLE, "./gradlew test --tests '*OrderTest*' --tests CartTest", GRADLE_OK],
  ["./gradlew test", GRADLE, "./gradlew build", GRADLE_OK],
  ["./gradlew test", GRADLE, "./gradlew clean check", GRADLE_OK],
  ["./gradlew :app:test", GRADLE, "./gradlew :app:test", GRADLE_OK],
  ["go test ./...", GO, "go test ./store -run TestPut", GO_OK],
  ["go test ./...", GO, "go test -count=1 -run '^TestPut$' ./store/...", GO_OK],
  ["pytest -q", PYTEST, "pytest -q --lf", LAST],
  ["pytest", PYTEST_TWO, "pytest --last-failed -x", "2 passed, 3 deselected in 0.1s"],
  [
    "bundle exec rspec",
    "rspec ./spec/a_spec.rb:3 # adds\n5 examples, 1 failure",
    "bundle exec rspec --only-failures",
    'Run options: include {:last_run_status=>"failed"}\n\n1 example, 0 failures',
  ],
  // By its name.
  ["npm test", JEST, "npm test -- -t renders", "Tests:       4 skipped, 1 passed, 5 total"],
  ["npx jest", JEST_SUITE, "npx jest -t 'header renders'", "Tests: 4 skipped, 1 passed, 5 total"],
  [
    "npx vitest run",
    VITEST,
    "npx vitest run -t renders",
    " ✓ src/a.test.ts (5 tests | 4 skipped) 5ms\n\n Test Files  1 passed (1)\n      Tests  1 passed | 4 skipped (5)",
  ],
  ["pytest", PYTEST_TWO, "pytest -k 'a or b'", "2 passed, 3 deselected in 0.1s"],
  ["rspec", RSPEC, "rspec -e 'includes tax'", "1 example, 0 failures"],
  [
    "npx playwright test",
    PLAYWRIGHT,
    "npx playwright test -g 'adds item'",
    "Running 1 test\n\n  1 passed (3s)",
  ],
  [
    "cargo test",
    CARGO,
    "cargo test -q parse::empty",
    "test result: ok. 2 passed; 0 failed; 0 ignored",
  ],
  ["dotnet test", DOTNET, "dotnet test --filter Name~Adds", DOTNET_OK],
  // Compiled before they ran.
  ["mvn compile", "[ERROR] A.java:[3,5] cannot find symbol", "mvn test", MVN_OK],
  ["./gradlew compileJava", "A.java:3: error: no", "./gradlew build", GRADLE_OK],
  ["npm test", JEST, "npm test -- -u", JEST_OK],
  ["npx jest", JEST, "npx jest --updateSnapshot", JEST_OK],
  ["npx vitest run", JEST, "npx vitest run -u", JEST_OK],
  ["make", MAKE, "make -j$(nproc)", "cc -o a a.o"],
  ["make all", MAKE, 'make -j "$(nproc)" all', "cc -o a a.o"],
  ["make", MAKE, "make -j$(sysctl -n hw.ncpu)", "cc -o a a.o"],
  ["cmake --build build", MAKE, "cmake --build build -j $(nproc)", "ok"],
  ["make test", PYTEST, "make -j$(nproc) test", "5 passed in 0.1s"],
];

const LEFT_OPEN: readonly Mending[] = [
  ["mvn test", MVN, "mvn test -Dtest=CartTest", MVN_ONE],
  ["mvn test", MVN, "mvn test -Dtest=OrderTest#adds", MVN_ONE],
  ["mvn test", MVN, "mvn test '-Dtest=!OrderTest'", MVN_ONE],
  ["mvn test", MVN, "mvn test -Dtest=OrderTestIT", MVN_ONE],
  ["mvn test", MVN_TWO, "mvn test -Dtest=OrderTest", MVN_ONE],
  ["mvn verify", MVN, "mvn test", MVN_OK],
  ["mvn test", MVN, "mvn compile", "[INFO] BUILD SUCCESS"],
  ["mvn test", MVN, "mvn install -DskipTests", "[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS"],
  ["mvn test", MVN, "mvn package -Dmaven.test.skip=true", "[INFO] BUILD SUCCESS"],
  ["mvn test", MVN, "mvn verify -pl web", MVN_OK],
  ["mvn test", MVN, "mvn verify || true", "[INFO] Finished"],
  ["./gradlew test", GRADLE, "./gradlew test --tests CartTest", GRADLE_OK],
  ["./gradlew test", GRADLE, "./gradlew test --tests OrderTest.adds", GRADLE_OK],
  ["./gradlew test", GRADLE, "./gradlew build -x test", "BUILD SUCCESSFUL in 3s"],
  ["./gradlew test", GRADLE, "./gradlew assemble", "BUILD SUCCESSFUL in 3s"],
  ["./gradlew test", GRADLE, "./gradlew build", "> Task :test SKIPPED\n\nBUILD SUCCESSFUL in 3s"],
  ["./gradlew test", GRADLE, "./gradlew :web:build", GRADLE_OK],
  ["go test ./...", GO, "go test ./store -run TestGet", GO_OK],
  ["go test ./...", GO, "go test ./store -run TestPut", `${GO_OK} [no tests to run]`],
  ["go test ./...", GO, "go test ./store -run TestPut/full", GO_OK],
  ["go test ./...", GO, "go test ./api -run TestPut", "ok  \tx.org/api\t0.1s"],
  ["go test -race ./...", GO, "go test ./store -run TestPut", GO_OK],
  ["go test -tags=db ./...", GO, "go test ./store -run TestPut", GO_OK],
  ["pytest -q", PYTEST_TWO, "pytest -q --lf", LAST],
  ["pytest -q", PYTEST, "pytest -q --lf tests/u.py", LAST],
  [
    "pytest",
    PYTEST,
    "pytest --lf -v",
    "run-last-failure: rerun previous 1 failure\n\ntests/u.py::a PASSED [100%]\n1 passed in 0.1s",
  ],
  ["DB=pg pytest -q", PYTEST, "pytest -q --lf", LAST],
  ["npm test", JEST, "npm test -- -t removes", "Tests:       4 skipped, 1 passed, 5 total"],
  ["npm test", JEST, "npm test -- -t renders", "Tests:       5 skipped, 5 total"],
  ["npm test", JEST, "npm test -- -t render", "Tests:       2 skipped, 3 passed, 5 total"],
  ["npm test -w a", JEST, "npm test -- -t renders", "Tests:       4 skipped, 1 passed, 5 total"],
  ["npx jest", JEST, "npx jest src/b.test.ts -t renders", "Tests: 4 skipped, 1 passed, 5 total"],
  ["pytest", PYTEST_TWO, "pytest -k a", "1 passed, 4 deselected in 0.1s"],
  ["pytest", PYTEST, "pytest -k 'not a'", "4 passed, 1 deselected in 0.1s"],
  ["rspec", RSPEC, "rspec -e 'adds'", "1 example, 0 failures"],
  ["rspec", RSPEC, "rspec -e 'includes tax'", "1 example, 0 failures, 1 pending"],
  [
    "npx playwright test",
    PLAYWRIGHT,
    "npx playwright test -g removes",
    "Running 1 test\n\n  1 passed (3s)",
  ],
  // Another test may have passed in its place.
  ["pytest", PYTEST_TWO, "pytest -k 'a or b or c'", "2 passed, 3 deselected in 0.1s"],
  ["cargo test", CARGO, "cargo test -q empt", "test result: ok. 2 passed; 0 failed; 0 ignored"],
  ["rspec", RSPEC, "rspec -e 'total'", "1 example, 0 failures"],
  ["cargo test", CARGO, "cargo test -q store", "test result: ok. 2 passed; 0 failed; 0 ignored"],
  ["cargo test", CARGO, "cargo test -q -p b parse", "test result: ok. 2 passed; 0 failed"],
  ["dotnet test", DOTNET, "dotnet test --filter Name~Cart", DOTNET_OK],
  ["dotnet test", DOTNET, "dotnet test --filter 'Name!~Adds'", DOTNET_OK],
  ["mvn compile -pl a", "[ERROR] A.java:[3,5] cannot find symbol", "mvn test", MVN_OK],
  ["npx playwright test", "  1 failed\n", "npx playwright test --last-failed", "  1 passed (2.0s)"],
  ["make", MAKE, "make -j$(nproc) other", "ok"],
];

Deno.test("a run that has taken what failed mends it, in whichever words", async () => {
  await assertMended(MENDED);
});

Deno.test("a run of which that is not known leaves it open", async () => {
  await assertLeftOpen(LEFT_OPEN);
});

Deno.test("what is mended so has its fix, and snapshots that are written anew are one", async () => {
  const { fixes } = await outcomeOf(["mvn test", MVN, true], ["mvn verify", MVN_OK]);
  assert.deepEqual(fixes, ["Fixed OrderTest.totalIncludesTax:42 by src/a.py"]);
  const written = await outcomeWithoutEdits(["npm test", JEST, true], ["npm test -- -u", JEST_OK]);
  assert.deepEqual(written.fixes, ['Fixed "renders" by `npm test -- -u`']);
});
