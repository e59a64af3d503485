/** Tests behind a pipe: the status is another program's, and their output shows whether all passed. */
import assert from "node:assert/strict";
import { failed, ran } from "../../support/commands_observed.ts";
import { leftOpen, outcomeOf } from "../../support/left_open.ts";

const TAP_BAD = `TAP version 13
# Subtest: adds numbers
ok 1 - adds numbers
  ---
  duration_ms: 2.5
  ...
# Subtest: multiplies numbers
not ok 2 - multiplies numbers
  ---
  duration_ms: 1.9
  location: '/x/sum.test.js:3:1'
  failureType: 'testCodeFailure'
  error: '5 == 6'
  code: 'ERR_ASSERTION'
  ...
1..2
# tests 2
# suites 0
# pass 1
# fail 1
# cancelled 0
# skipped 0
# todo 0
# duration_ms 242.1`;
const TAP_GOOD = `# Subtest: multiplies numbers
ok 2 - multiplies numbers
  ---
  duration_ms: 1.9
  ...
1..2
# tests 2
# suites 0
# pass 2
# fail 0
# cancelled 0
# skipped 0
# todo 0
# duration_ms 242.1`;
const SPEC_BAD =
  "✔ adds numbers (1.1ms)\n✖ multiplies numbers (0.9ms)\nℹ tests 2\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0";
const SPEC_GOOD =
  "✔ throws an error that fails loudly (1.1ms)\n✔ multiplies numbers (0.9ms)\nℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 98.2";
const CTEST_BAD =
  "2/3 Test #2: parse ....***Failed    0.01 sec\n\n67% tests passed, 1 tests failed out of 3\n\nThe following tests FAILED:\n\t  2 - parse (Failed)";
const GRADLE_BAD =
  "OrderTest > totalIsRounded() FAILED\n    org.opentest4j.AssertionFailedError at OrderTest.java:22\n\n12 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 3s";
const GRADLE_GOOD = "BUILD SUCCESSFUL in 2s\n5 actionable tasks: 3 executed, 2 up-to-date";
const MAVEN_BAD =
  "[ERROR]   OrderTest.total:22 expected: <1> but was: <2>\n[INFO] \n[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE";
const MAVEN_GOOD =
  "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n[INFO] \n[INFO] ------------------------------------------------------------------------\n[INFO] BUILD SUCCESS";
const DOTNET_BAD =
  "  Failed Shop.CartTests.Adds [2 ms]\nFailed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4";
const DOTNET_GOOD =
  "Passed!  - Failed:     0, Passed:     4, Skipped:     0, Total:     4, Duration: 9 ms - Shop.dll (net8.0)";

type Row = readonly [command: string, bad: string, good: string];

const MENDED: readonly Row[] = [
  ["npm test", TAP_BAD, `> test\n> node --test\n\n${TAP_GOOD}`],
  ["node --test", TAP_BAD, TAP_GOOD],
  ["node --test", TAP_BAD, "# pass 2\n# fail 0\n# cancelled 0\n# skipped 0"],
  ["npm test", SPEC_BAD, SPEC_GOOD],
  ["ctest", CTEST_BAD, "100% tests passed, 0 tests failed out of 3"],
  ["./gradlew test", GRADLE_BAD, GRADLE_GOOD],
  ["gradle :app:test", GRADLE_BAD, GRADLE_GOOD],
  ["mvn test", MAVEN_BAD, MAVEN_GOOD],
  ["./mvnw -q test", MAVEN_BAD, "[INFO] BUILD SUCCESS\n[INFO] Total time:  2.1 s"],
  ["dotnet test", DOTNET_BAD, DOTNET_GOOD],
];

const LEFT_OPEN: readonly Row[] = [
  // Others fail, are cancelled, or are cut away and told of by the manager.
  ["npm test", TAP_BAD, TAP_GOOD.replace("# cancelled 0", "# cancelled 1")],
  ["npm test", SPEC_BAD, `${SPEC_GOOD}\nnpm error Lifecycle script \`test\` failed with error:`],
  // What failed is passed over.
  [
    "node --test",
    TAP_BAD,
    "ok 1 - adds numbers\nok 2 - multiplies numbers # SKIP\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 1",
  ],
  [
    "ctest",
    CTEST_BAD,
    "100% tests passed, 0 tests failed out of 3\n\nTotal Test time (real) =   0.01 sec\n\nThe following tests did not run:\n\t  2 - parse (Skipped)",
  ],
  ["mvn test", MAVEN_BAD, MAVEN_GOOD.replace("Skipped: 0", "Skipped: 1")],
  // None ran.
  ["node --test", TAP_BAD, "# tests 0\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 0"],
  ["ctest", CTEST_BAD, "No tests were found!!!"],
  ["./gradlew test", GRADLE_BAD, `> Task :test NO-SOURCE\n\n${GRADLE_GOOD}`],
  ["mvn test", MAVEN_BAD, "[INFO] No tests to run.\n[INFO] BUILD SUCCESS"],
  ["mvn test", MAVEN_BAD, "[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS"],
  // Nothing is shown, or something else.
  ["./gradlew test", GRADLE_BAD, "5 actionable tasks: 3 executed"],
  ["npm test", TAP_BAD, GRADLE_GOOD],
];

Deno.test("tests that are shown to pass behind a pipe mend what had failed, and the fix is told", async () => {
  for (const [command, bad, good] of MENDED) {
    const piped = `${command} 2>&1 | tail -40`;
    assert.equal(ran(piped, good).outcome, "success", `${piped}: ${good}`);
    const { open, fixes } = await outcomeOf([command, bad, true], [piped, good]);
    assert.deepEqual([open, fixes.length], [[], 1], `${piped}: ${good}`);
  }
});

Deno.test("what is not shown to pass behind a pipe, passed over or not there, stays open", async () => {
  for (const [command, bad, good] of LEFT_OPEN) {
    const piped = `${command} 2>&1 | tail -40`;
    assert.deepEqual(await leftOpen([command, bad, true], [piped, good]), [command], good);
  }
});

Deno.test("tests that fail behind a pipe have failed, whoever the status is of", () => {
  const rows: readonly (readonly [command: string, output: string])[] = [
    ["npm test", TAP_BAD],
    ["npm test", SPEC_BAD],
    ["ctest", CTEST_BAD],
    ["./gradlew test", GRADLE_BAD],
    ["./gradlew test", "BUILD FAILED in 3s"],
    ["mvn test", MAVEN_BAD],
    // The first of its classes passes; an error is counted beside.
    [
      "mvn test",
      "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s -- in CartTest\n" +
      "[ERROR] Tests run: 2, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 0.01 s <<< ERROR! -- in OrderTest\n" +
      "[ERROR] Tests run: 4, Failures: 0, Errors: 1, Skipped: 0",
    ],
    ["dotnet test", DOTNET_BAD],
    ["bundle exec rake test", "4 runs, 5 assertions, 0 failures, 1 errors, 0 skips"],
  ];
  for (const [command, output] of rows) {
    const { outcome, title } = ran(`${command} 2>&1 | tail -40`, output);
    assert.equal(outcome, "failure", `${command}: ${output}`);
    assert.equal(title, failed(command, output).title);
  }
});

Deno.test("the classes and modules of a run are counted once", () => {
  const { facts } = failed(
    "mvn test",
    "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s -- in CartTest\n" +
      "[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.01 s <<< FAILURE! -- in OrderTest\n" +
      "[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 0",
  );
  assert.deepEqual([facts.passed, facts.failed], [3, 2]);
});
