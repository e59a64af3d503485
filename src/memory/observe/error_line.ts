import { shortened } from "../text.ts";

/** Lines that say what is wrong, the surest kind first. */
const TELLING: readonly RegExp[] = [
  /^\s*(?:\w+\.)*\w*(?:Error|Exception|Panic)\b.*:.+/,
  /^\s*(?:error|fatal|panic|E)\b\s*(?:\[[^\]]+\])?\s*:.+/i,
  /\b(?:error|fatal|panicked|exception|cannot|undefined reference|not found|no such file|denied|refused|failed)\b/i,
];
/** Totals, which the counts tell already. */
const TOTALS =
  /^[=\s]*(?:\[(?:ERROR|INFO)\] )?(?:Tests:?\s.*\d|Test (?:Suites:|Files )|Snapshots:|Time:|Ran all test|Ran \d+ tests?\b|FAILED [(|]|ok \||test result:|\d+ (?:failed|passed|errors?)(?:,| in )|\d+ (?:runs|tests|examples?|scenarios), |\d+% tests passed|\d+ tests? completed|\d+ (?:passing|failing)\b|# (?:tests|pass|fail) \d)/;
/** Lines that announce what is wrong, or say only that something is. */
const SAYS_LITTLE =
  /^\s*(?:\[ERROR\] (?:Failures|Errors|COMPILATION ERROR ?):|\[ERROR\]\s*$|(?:Failures?|Errors?):?\s*$|Traceback \(|The following tests FAILED|Errors while running CTest|FAILURE: Build failed|> Task \S+ FAILED|npm (?:ERR!|error) (?:Test failed|Lifecycle|code|errno|path|command)|error Command failed|\W*ELIFECYCLE|make(?:\[\d+\])?: \*\*\*|error: [Tt]est failed)/;
const MAX_LINES = 400;
const LOOKED_AT_CHARS = 400;
const MAX_ERROR_CHARS = 160;

/**
 * The line of an output that says what went wrong; else the last one that is not blank; null when there is none, or only
 * totals of tests.
 */
export function errorLine(output: string): string | null {
  const lines = output.split("\n").slice(-MAX_LINES).filter((line) =>
    line.trim() !== "" && !TOTALS.test(line.slice(0, LOOKED_AT_CHARS))
  );
  const telling = lines.filter((line) => !SAYS_LITTLE.test(line.slice(0, LOOKED_AT_CHARS)));
  for (const looked of [telling, lines]) {
    for (const pattern of TELLING) {
      const found = looked.find((line) => pattern.test(line.slice(0, LOOKED_AT_CHARS)));
      if (found !== undefined) return shortOf(found);
    }
  }
  return lines.length === 0 ? null : shortOf(lines.at(-1)!);
}

function shortOf(line: string): string {
  return shortened(line.replace(/\s+/g, " ").trim(), MAX_ERROR_CHARS);
}
