/** A table of test runners: how they are called, which options select tests, how their output counts and names tests. */

export interface TestRunner {
  /** The program with its subcommand, without its folder and without what only starts it (`npx`). */
  readonly call: RegExp;
  /** Options whose value chooses tests by their names. */
  readonly chooses?: string;
  /** Options whose value names a package or a configuration: with another value it is another run. */
  readonly places?: string;
  /** Other options that take a value, so that this is not taken for a path. */
  readonly values?: string;
  /** Whether its paths are relative to the folder in which it runs, so that `cd a && x b` is `x a/b`. */
  readonly takesPaths?: true;
  /** Whether its plain words are names of tests, and no paths. */
  readonly wordsChoose?: true;
  /** The lines of its output that count tests, global. */
  readonly totals?: RegExp;
  /** Whether it prints such lines for several modules, each with tests of its own. */
  readonly addsUp?: true;
  /** Lines that name a test that failed; the name is the first group. */
  readonly failing?: readonly RegExp[];
  /** An output, and its numbers: passed (null where it does not say), failed. */
  readonly example: string;
  readonly says: readonly [passed: number | null, failed: number];
}

const JAVASCRIPT = {
  chooses: "-t --testNamePattern -g --grep --fgrep -f --testPathPattern --testPathPatterns",
  places: "-c --config --selectProjects --project -p",
  values:
    "--reporter --reporters -R --maxWorkers --timeout --testTimeout --require -r --environment --outputFile",
  takesPaths: true,
  failing: [
    /^[ \t]*[✕✖×✗]\s+(.+?)(?: \([\d.]+ ?m?s\)| \d+ ?m?s)?$/gm,
    /^[ \t]+\d+\) (?!(?:Failure|Error|Skipped):)(.+?)(?: ─+)?:?$/gm,
  ],
} as const;

/** The first row whose totals an output has is the one that wrote it. */
export const TEST_RUNNERS: readonly TestRunner[] = [
  {
    call: /^deno test\b/,
    chooses: "--filter",
    places: "--config -c",
    values: "--reporter --ignore --coverage",
    takesPaths: true,
    totals: /^(?:ok|FAILED) \| .*/gm,
    failing: [/^(.+?) \.\.\. FAILED \((?:\d|due to )/gm],
    example: "ok | 12 passed | 0 failed | 1 ignored (3s)",
    says: [12, 0],
  },
  {
    call: /^cargo (?:test|t)\b/,
    chooses: "--test --bin --example",
    places: "--skip -p --package --manifest-path --features -F",
    values: "-j --jobs --target --profile --exclude --color",
    wordsChoose: true,
    totals: /^test result: .*/gm,
    addsUp: true,
    failing: [/^test (\S.*?) \.\.\. FAILED(?: <[\d.]+s>)?$/gm, /^---- (\S+) stdout ----$/gm],
    example: "test result: FAILED. 3 passed; 1 failed; 0 ignored",
    says: [3, 1],
  },
  {
    call: /^cargo nextest run\b/,
    chooses: "-E --filter-expr --filterset --test --bin",
    places: "-p --package --manifest-path --features -F",
    values: "-j --jobs --retries --exclude",
    wordsChoose: true,
    totals: /^ *Summary \[.*/gm,
    failing: [/^[ \t]*FAIL \[[ \d.]+s\] (?:\([ \d/]+\) )?(\S+ \S+)$/gm],
    example: "     Summary [   0.1s] 5 tests run: 4 passed, 1 failed, 0 skipped",
    says: [4, 1],
  },
  {
    ...JAVASCRIPT,
    call: /^(?:jest|vitest(?: run)?)\b/,
    totals: /^[ \t]*Tests:?\s.*\d (?:passed|failed|skipped|todo).*/gm,
    example: "Tests:       1 failed, 1 skipped, 4 passed, 6 total",
    says: [4, 1],
  },
  {
    call: /^(?:pytest|py\.test)\b/,
    chooses: "-k -m",
    places: "-c --rootdir -o --deselect --ignore",
    values:
      "--tb -n --numprocesses -p --cov --cov-report --maxfail --durations --timeout --color -W -r --junitxml",
    takesPaths: true,
    totals:
      /^=*[ \t]*(?:\d+ \w+, )*\d+ (?:passed|failed|errors?|skipped|xfailed)\b.* in [\d.:]+s\b/gm,
    failing: [/^FAILED ([^\s:]+::\S+)/gm, /^ERROR ([^\s:]+::\S+)/gm],
    example: "==== 1 failed, 4 passed, 2 errors in 0.1s ====",
    says: [4, 3],
  },
  {
    ...JAVASCRIPT,
    call: /^mocha\b/,
    totals: /^[ \t]*\d+ (?:passing|failing|pending)\b/gm,
    example: "  4 passing (12ms)\n  1 failing",
    says: [4, 1],
  },
  {
    call: /^(?:rspec|bats|mix test|rails test|minitest|ruby -I ?test)\b/,
    chooses: "-e --example -t --tag -f --filter --only",
    values: "--format --seed --formatter -j --jobs -n",
    takesPaths: true,
    totals: /^\d+ (?:examples?|runs?|tests?), .*/gm,
    failing: [
      /^[ \t]+\d+\) (?!(?:Failure|Error|Skipped):)(.+?)(?: ─+)?:?$/gm,
      /^([A-Z][\w:]*#test_\w+)(?: \[|:)/gm,
    ],
    example: "5 examples, 1 failure, 1 pending",
    says: [3, 1],
  },
  {
    call: /^node (?:\S+ )*--test\b/,
    chooses: "--test-name-pattern",
    places: "--test-skip-pattern",
    values:
      "--test-reporter --test-reporter-destination --test-concurrency --test-timeout --import",
    takesPaths: true,
    totals: /^(?:#|ℹ) (?:pass|fail|skipped|todo) \d+/gm,
    failing: [
      /^[ \t]*[✕✖×✗]\s+(.+?)(?: \([\d.]+ ?m?s\))?$/gm,
      /^[ \t]*not ok \d+ -? ?(?!.*# (?:TODO|SKIP))(.+?)(?: #.*)?$/gm,
    ],
    example: "# tests 5\n# pass 4\n# fail 1",
    says: [4, 1],
  },
  {
    // Maven prints this line for each class and module; those of classes have a time.
    call: /^mvnw? (?:\S+ )*(?:test|verify|integration-test)\b/,
    chooses: "-Dtest",
    places: "-pl --projects -f --file",
    totals: /Tests run: \d+,(?!.*Time elapsed).*/g,
    addsUp: true,
    failing: [/^\[ERROR\] {2,}(\w\S*:\d+)\b/gm],
    example: "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0",
    says: [4, 1],
  },
  {
    call: /^dotnet test\b/,
    chooses: "--filter",
    places: "--project",
    values: "-v --verbosity -c --configuration -l --logger",
    takesPaths: true,
    totals: /Failed:\s+\d+, Passed:.*/g,
    failing: [/^[ \t]*Failed (\S+) \[/gm],
    example: "Failed!  - Failed:     1, Passed:     4, Skipped: 0",
    says: [4, 1],
  },
  {
    call: /^(?:phpunit|pest)\b/,
    chooses: "--filter --group --testsuite",
    places: "-c --configuration",
    takesPaths: true,
    totals: /^(?:Tests: \d+, Assertions|OK \(\d+ tests?, ).*/gm,
    failing: [/^\d+\) (\S+::\S+)/gm],
    example: "Tests: 5, Assertions: 9, Failures: 1.",
    says: [4, 1],
  },
  {
    call: /^bazel(?:isk)? test\b/,
    chooses: "--test_filter",
    takesPaths: true,
    totals: /^Executed \d+ out of \d+ tests?: .*/gm,
    failing: [/^(\/\/\S+)[ \t]+(?:FAILED|TIMEOUT)\b/gm],
    example: "Executed 2 out of 2 tests: 1 test passes and 1 fails locally.",
    says: [1, 1],
  },
  {
    call: /^unittest\b/,
    chooses: "-k",
    takesPaths: true,
    totals: /^(?:Ran \d+ tests? in |(?:OK|FAILED) \().*/gm,
    failing: [/^(?:FAIL|ERROR): (\S+ \(\S+\))/gm],
    example: "Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)",
    says: [3, 2],
  },
  {
    call: /^gradlew? (?:\S+ )*(?:\S*:)?(?:test|check)\b/,
    chooses: "--tests",
    places: "-p --project-dir",
    totals: /^\d+ tests? completed.*/gm,
    failing: [/^(\S+ > \S.*) FAILED$/gm],
    example: "5 tests completed, 1 failed",
    says: [4, 1],
  },
  {
    call: /^ctest\b/,
    chooses: "-R --tests-regex -L --label-regex -I",
    places: "--test-dir --preset",
    values: "-j --parallel --timeout",
    totals: /\d+% tests passed, .*/g,
    failing: [/^[ \t]+\d+ - (\S[^(\n]*) \((?!Skipped|Disabled)/gm],
    example: "80% tests passed, 1 tests failed out of 5",
    says: [4, 1],
  },
  {
    call: /^swift test\b/,
    chooses: "--filter --specifier -s",
    places: "--package-path",
    totals: /Executed \d+ tests?, with .*/g,
    example: "Executed 5 tests, with 1 failure (0 unexpected) in 0.01 seconds",
    says: [4, 1],
  },
  {
    ...JAVASCRIPT,
    call: /^playwright test\b/,
    totals: /^ *\d+ (?:passed \([\d.]+m?s?\)|failed$|skipped$)/gm,
    example: "  1 failed\n  4 passed (5.1s)",
    says: [4, 1],
  },
  {
    ...JAVASCRIPT,
    call: /^bun test\b/,
    totals: /^ *\d+ (?:pass|fail|skip|todo)$/gm,
    failing: [/^\(fail\) (.+?)(?: \[[\d.]+ ?m?s\])?$/gm],
    example: " 4 pass\n 1 fail",
    says: [4, 1],
  },
  {
    // Go prints no counts: it names the failed tests, and prints a line for each package.
    call: /^go test\b/,
    chooses: "-run -bench",
    places: "-tags -skip",
    values: "-count -timeout -p -parallel -coverprofile -covermode -coverpkg -cpu -benchtime",
    takesPaths: true,
    failing: [/^--- FAIL: (\S+)/gm],
    example: "--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\tx.org/app/a\t0.2s",
    says: [null, 1],
  },
];
