/** Thrown where a command costs more to read than may be spent on it. */
export class TooMuchWork extends Error {}

/** Steps that one command may cost to read, a microsecond or so each: less than half a second. */
const MAX_STEPS = 250_000;

/** Counts the work of reading a command. It is not timed, so the same command always gets the same answer. */
export class Budget {
  #left = MAX_STEPS;

  /** @throws {TooMuchWork} Nothing is left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork();
  }
}

/** The cost of parsing a script, in steps. */
export function stepsToParse(script: string): number {
  // The parser reads what is inside of others again for each, and looks through all here-documents for one of them.
  const openings = script.match(/[$<>][({]|`/g)?.length ?? 0;
  const hereDocuments = script.split("<<").length - 1;
  return 10 + script.length / 32 + openings * 15 + hereDocuments ** 2 / 500;
}
