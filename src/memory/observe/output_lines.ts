/** Loads patterns for lines that programs print when something went wrong, from a table with an example for each. */
import TABLE from "./output_lines.json" with { type: "json" };

interface Row {
  readonly pattern: string;
  readonly ignoresCase?: boolean;
}

function patternOf({ pattern, ignoresCase = false }: Row, flags = ""): RegExp {
  return new RegExp(pattern, ignoresCase ? `${flags}i` : flags);
}

/** Makes a pattern that is searched in a whole output, not in one line. */
const inOutput = (row: Row) => patternOf(row, "m");
const inLine = (row: Row) => patternOf(row);

/** Match lines that tell what is wrong. The surest kind comes first. */
export const TELLING: readonly RegExp[] = TABLE.telling.map(inLine);
/** Match the totals that test runs and builds print at the end. */
export const TOTALS: readonly RegExp[] = TABLE.totals.map(inLine);
/** Match lines that report only that something is wrong, or how much, or that announce the error. */
export const SAYS_LITTLE: readonly RegExp[] = TABLE.little.map(inLine);
/** Match lines that only a failed build, linter or test run prints. */
export const CHECK_FAILED: readonly RegExp[] = TABLE.checkFailed.map(inLine);
/** Match what programs print after a wrong call. The text of the group also stands in the command line. */
export const WRONG_CALLS: readonly RegExp[] = TABLE.wrongCall.map(inOutput);
/** Match lines that a program prints when it has failed. */
export const PROGRAM_FAILED: readonly (readonly [program: RegExp, line: RegExp])[] = TABLE
  .programFailed.map((row) => [new RegExp(row.program), inOutput(row)]);
