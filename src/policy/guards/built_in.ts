/** The built-in protections: each row has its key, what that keeps, and an example that is refused. */
import { commandLines } from "./command_forms.ts";
import { matchesWithHead, withPatterns } from "../shell/rows.ts";
import type { Argument } from "../shell/word.ts";
import ROWS from "./built_in.json" with { type: "json" };

interface Row {
  readonly key: string;
  /** Tried on the usual forms of a command, with one blank between the words. */
  readonly pattern?: RegExp;
  /** Tried on each file that it writes. */
  readonly written?: RegExp;
  /** Tried on what a client of a database is told. */
  readonly told?: RegExp;
  /** What the command does, as a part of a sentence. */
  readonly does?: string;
}

const BUILT_IN = withPatterns(ROWS) as readonly Row[];

/** The rows by which a command is meant, by its words or the files that it writes. */
export function rowsMeant(words: readonly Argument[], written: readonly string[]) {
  const lines = commandLines(words);
  return BUILT_IN.filter(({ pattern, written: place }) =>
    (pattern !== undefined && lines.some((line) => matchesWithHead(pattern, line))) ||
    (place !== undefined && written.some((path) => place.test(path)))
  );
}

/** The rows by whose pattern a client of a database is told to destroy something. */
export function rowsTold(texts: readonly string[]) {
  return BUILT_IN.filter(({ told }) => told !== undefined && texts.some((text) => told.test(text)));
}
