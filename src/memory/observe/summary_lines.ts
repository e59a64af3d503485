/** Lines of an output that count what went wrong, or say only that something did: what it was stands in others. */

/** What runs of tests and builds say of themselves at the end. */
const TOTALS: readonly RegExp[] = [
  /^[=\s]*(?:\[(?:ERROR|INFO)\] )?(?:Tests:?\s.*\d|Test (?:Suites:|Files )|Snapshots:|Time:|Ran all test|Ran \d+ tests?\b|FAILED [(|]|ok \||test result:|\d+ (?:failed|passed|errors?)(?:,| in )|\d+ (?:runs|tests|examples?|scenarios), |\d+% tests passed|\d+ tests? completed|\d+ (?:passing|failing)\b)/,
  // node --test
  /^\s*[#ℹ] (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/,
  // phpunit, dotnet, go
  /^\s*(?:(?:FAILURES|ERRORS|WARNINGS)!|Failed! +- Failed:|Passed! +- Failed:|FAIL|exit status \d+|FAIL\s+\S+\s+(?:[\d.]+s|\[[a-z ]+\]))\s*$/,
  /^\s*Failed! +- Failed:/,
  // maven, gradle, dotnet, vitest, rspec
  /^\s*(?:\[(?:ERROR|INFO)\] )?(?:BUILD (?:FAILURE|FAILED|SUCCESS)\b|Build FAILED|Total time:|Finished at:|Finished in |Start at |Duration |-{8,}\s*$)/,
  /^\s*[⎯─━═-]{3,}[^A-Za-z]*(?:Failed Tests|Failed Suites) \d/,
];

/** Lines that announce what is wrong, or say only that something is. */
const SAYS_LITTLE: readonly RegExp[] = [
  // pytest, rustc
  /^(?:_+ ERROR (?:collecting|at (?:setup|teardown) of) |ERROR \S+\.py(?:::\S+)?$|!+ .* !+$|For more information about this error, try )/,
  /^\s*(?:\[ERROR\] (?:Failures|Errors|COMPILATION ERROR ?):|\[ERROR\]\s*$|(?:Failures?|Errors?):?\s*$|Traceback \(|The following tests FAILED|Errors while running CTest|FAILURE: Build failed|> Task \S+ FAILED|> Compilation failed|\* What went wrong|Execution failed for task)/,
  /^\s*(?:npm (?:ERR!|error) (?:Test failed|Lifecycle|code|errno|path|command|syscall|Exit status|Failed at the|This is probably|A complete log|in workspace|at location)|error Command failed|error: script "[^"]*" exited with|error: Recipe |error Command |task: Failed to run task|Error: Process completed with|g?make(?:\[\d+\])?: \*\*\*|ninja: build stopped)/,
  // jest
  /^\s*● Test suite failed to run\s*$/,
  /^\W*(?:ELIFECYCLE|Command failed with exit code|failing tests:|Build failed\b|Failed to compile\b|Compilation failed\b)/i,
  /^\s*error(?: during build:|: (?:test failed|type checking failed|aborting due to|could not compile .* due to|linking with .* failed))/i,
];

/** `Found 2 errors.`, `✖ 3 problems (2 errors, 1 warning)`, `error: 2 errors generated.`, `webpack 5.1 compiled with 1 error` */
const COUNT =
  /^\W*(?:\[?(?:error|warn(?:ing)?|info|fatal)\]?:?\s+)?(?:webpack \S+ )?(?:found |failed with |compiled with |completed with |finished with |there (?:was|were) )?(?:a total of )?\d+ (?:(?!of |out )[a-z][\w-]* ){0,2}(?:errors?|problems?|issues?|warnings?|offen[cs]es?|failures?|violations?|tests? failed|(?:not )?formatted files?)(?:\W*$|[.,;:!(]|\s+(?:\(|in\b|and\b|generated|found|detected|due\b|emitted|prevented|across|have\b|occurred|total))/i;
/** `Tests: 1 failed`, `3 files inspected, 2 offenses detected`, `2 of 5 tests failed` */
const COUNT_BEHIND =
  /^\W*(?:tests?: \d+ (?:failed|passed)|\d+ (?:of|out of) \d+ |\d+ files? (?:inspected|checked|linted|scanned), |\d+ (?:Error\(s\)|fixable with ))/i;

/** A summary is short: of a longer line its beginning tells what it is. */
const LOOKED_AT_CHARS = 400;

/** Whether a line is only the sum of a run of tests, or of a build: in a title it says nothing. */
export function isTotal(line: string): boolean {
  const head = line.slice(0, LOOKED_AT_CHARS);
  return TOTALS.some((pattern) => pattern.test(head));
}

/** Whether a line does not say what is wrong, but that something is, or how much: a title takes it when there is no other. */
export function saysLittle(line: string): boolean {
  const head = line.slice(0, LOOKED_AT_CHARS);
  return COUNT.test(head) || COUNT_BEHIND.test(head) || isTotal(head) ||
    SAYS_LITTLE.some((pattern) => pattern.test(head));
}
