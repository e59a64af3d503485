/** Tests that a file passes over, where their runner does not say so: `go test` without `-v`. */
import { isOneOf } from "./test_name.ts";

/** A file of tests, with what begins one of them, and what passes it over whatever happens. */
const IS_OF_GO = /_test\.go$/;
const TEST = /^func (Test\w{0,200})\(/;
const SKIPS = /^(?:\t| {2,4})t\.Skip(?:f|Now)?\(/;

/** What an edit has left in a file. */
export interface EditedTests {
  readonly path: string;
  /** The tests that it passes over. */
  readonly skips: readonly string[];
}

/** The tests that a file passes over; null where it is none whose runner keeps that to itself. */
export function skippedIn(path: string, content: string | null): string[] | null {
  if (!IS_OF_GO.test(path) || content === null) return null;
  const skipped: string[] = [];
  let test = "";
  for (const line of content.split("\n")) {
    test = TEST.exec(line)?.[1] ?? test;
    if (test !== "" && SKIPS.test(line)) skipped.push(test);
  }
  return [...new Set(skipped)];
}

/** Whether one of some tests is passed over by the files as edits have left them. @param edits Oldest first. */
export function areSkippedBy(
  failing: readonly string[],
  edits: readonly EditedTests[],
): boolean {
  const last = new Map(edits.map(({ path, skips }) => [path, skips]));
  const skips = [...last.values()].flat();
  return failing.map((name) => name.replace(/\/.*$/, "")).some(isOneOf(skips));
}
