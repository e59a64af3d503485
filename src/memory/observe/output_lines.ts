/** Patterns for lines that programs print when something went wrong, from a table in which each has an example. */
import TABLE from "./output_lines.json" with { type: "json" };

interface Row {
  readonly pattern: string;
  readonly ignoresCase?: boolean;
}

function patternOf({ pattern, ignoresCase = false }: Row, flags = ""): RegExp {
  return new RegExp(pattern, ignoresCase ? `${flags}i` : flags);
}

/** A pattern that is searched in a whole output, not in one line. */
const inOutput = (row: Row) => patternOf(row, "m");
const inLine = (row: Row) => patternOf(row);

/** Lines that say what is wrong, the surest kind first. */
export const TELLING: readonly RegExp[] = TABLE.telling.map(inLine);
/** The totals that test runs and builds print at the end. */
export const TOTALS: readonly RegExp[] = TABLE.totals.map(inLine);
/** Lines that say only that something is wrong, or how much, or that announce the error. */
export const SAYS_LITTLE: readonly RegExp[] = TABLE.little.map(inLine);
/** Lines that only a failed build, linter or test run prints. */
export const CHECK_FAILED: readonly RegExp[] = TABLE.checkFailed.map(inLine);
/** What programs print when they were called wrongly. The text of the group stands in the command line, too. */
export const WRONG_CALLS: readonly RegExp[] = TABLE.wrongCall.map(inOutput);
/** Lines that a program prints when it has failed. */
export const PROGRAM_FAILED: readonly (readonly [program: RegExp, line: RegExp])[] = TABLE
  .programFailed.map((row) => [new RegExp(row.program), inOutput(row)]);
