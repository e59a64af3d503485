/** Which of the changes between a failure and what passes are told as its fix. */
import { baseName, isAbsolutePath } from "../paths.ts";
import type { ObservedFacts } from "./observation.ts";
import { liesOutside } from "./outside_causes.ts";

/** A failure, as far as it tells what it is about. */
interface Failure {
  readonly title: string;
  readonly text: string;
  readonly facts: ObservedFacts;
}

/** An edit, or a command that changes something. */
export interface PossibleFix {
  /** The files that an edit changed; none for a command. */
  readonly files: readonly string[];
  /** Of a command: its part that changes something, and whether that lies outside of the project's files. */
  readonly part?: string;
  readonly isOutside?: boolean;
}

/** So many changes are told with a fix. */
const MAX_CREDITED = 4;
/** Texts for people: no test and no compiler reads them. */
const PROSE = /\.(?:md|markdown|rst|adoc|txt)$|(?:^|\/)(?:README|LICENSE|CHANGELOG)$/i;
const IN_NAME = /[\w.-]/;
const MIN_NAME_CHARS = 3;

/**
 * The changes that a fix names, in their order: those that the failure names or that touch what it ran, else all; of a file
 * the last change, and at most four. What failed for a cause outside of the code was mended by a command, where one changed
 * something there.
 */
export function creditedChanges<Change extends PossibleFix>(
  failure: Failure,
  changes: readonly Change[],
): Change[] {
  const own = changes.filter(({ files, part }) =>
    part !== undefined || files.some((path) => !isAbsolutePath(path))
  );
  const outside = liesOutside(failure.facts.error ?? failure.title)
    ? own.filter(({ isOutside }) => isOutside === true)
    : [];
  const read = own.filter(({ files }) =>
    files.length === 0 || !files.every((path) => PROSE.test(path))
  );
  const likely = read.length > 0 ? read : own;
  const about = likely.filter((change) => isAbout(failure, change));
  const named = outside.length > 0 ? [...outside, ...about] : about.length > 0 ? about : likely;
  const last = new Map(named.map((change) => [change.part ?? change.files.join("\n"), change]));
  const credited = new Set([...last.values()].slice(-MAX_CREDITED));
  return changes.filter((change) => credited.has(change));
}

function isAbout({ title, text, facts }: Failure, { files, part = "" }: PossibleFix): boolean {
  const { paths = [], error = "" } = facts;
  return files.some((path) =>
    isNamedIn(text, path) || isNamedIn(title, path) ||
    paths.some((one) => path === one || path.startsWith(`${one.replace(/\/\.$/, "")}/`))
  ) ||
    part.split(/\s+/).slice(1).some((word) =>
      word.length >= MIN_NAME_CHARS && !word.startsWith("-") && standsIn(error, baseName(word))
    );
}

/** Whether a text names a file, in whichever folder. */
function isNamedIn(text: string, path: string): boolean {
  return standsIn(text, baseName(path));
}

/** Whether a text has a name, or the end of a path, that is no end of a longer name. */
export function standsIn(text: string, name: string): boolean {
  if (name === "") return false;
  let at = text.indexOf(name);
  while (at > 0 && IN_NAME.test(text[at - 1]!)) at = text.indexOf(name, at + 1);
  return at >= 0;
}
