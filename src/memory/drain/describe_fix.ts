/** Describes a fix: the failure, the changes that mended it, and the command that passes now. */
import { baseName, isAbsolutePath } from "../../base/paths.ts";
import { saysLittle } from "../observe/error_line.ts";
import type { Observation } from "./observations_table.ts";
import { headAndTail, shortened, titleLine } from "../text.ts";
import CAUSES from "./outside_causes.json" with { type: "json" };

type Failure = Pick<Observation, "title" | "text" | "facts">;

/** An edit, or a command that changes something, which may have mended a failure. */
export interface PossibleFix {
  /** The files that an edit changed; empty for a command. */
  readonly files: readonly string[];
  /** For a command: the part that changes something, and whether that change lies outside of the project's files. */
  readonly part?: string;
  readonly isOutside?: boolean;
}

type ToldChange = PossibleFix & Pick<Observation, "id" | "title" | "text">;

const KEPT_CHANGE = { head: 700, tail: 200 };
const KEPT_ERROR = { head: 300, tail: 900 };
const MAX_WHAT_CHARS = 90;
const MAX_COMMAND_CHARS = 80;
const MAX_BY_CHARS = 60;
const NAMED_FILES = 2;
const FILE_ALONE = /^\S+\.[cm]?[jt]sx?$/;
/** Names of tests that a title shows without quotes: `tests/a.py::test_b`, `OrderTest.total:42`, `TestAdd`. */
const IS_CODE = /^\S*(?:[:/._#(]|[a-z][A-Z])\S*$/;

/** Describes a fix. @param changes The changes between the failure and the pass; at least one. */
export function describeFix(
  failure: Failure & { readonly id: number },
  changes: readonly ToldChange[],
  passing: string,
) {
  const files = [...new Set(changes.flatMap((change) => change.files))];
  const { command = "", error } = failure.facts;
  return {
    title: titleLine(`Fixed ${whatFailed(failure)} by ${byWhat(changes, files)}`),
    text: [
      `Failed: ${failure.title}`,
      headAndTail(failure.text, KEPT_ERROR),
      ...changes.map(({ title, text }) => `${title}\n${headAndTail(text, KEPT_CHANGE)}`),
      `Passes since: ${shortened(passing, 200)}`,
    ].join("\n"),
    files,
    facts: {
      command,
      ...(error === undefined ? {} : { error }),
      mended: failure.id,
      by: changes.map(({ id }) => id),
    },
  };
}

function byWhat(changes: readonly ToldChange[], files: readonly string[]): string {
  const parts = changes.flatMap(({ part }) => part ?? []);
  if (parts.length === 0) return namesOf(files);
  const command = `\`${shortened(parts.at(-1)!, MAX_BY_CHARS)}\``;
  return files.length === 0 ? command : `${command} and ${namesOf(files)}`;
}

function whatFailed({ facts }: Failure): string {
  const { command = "", error, failing, failed = 0 } = facts;
  const [test] = failing ?? [];
  // A test file that could not be loaded names no test.
  const isTest = test !== undefined && !FILE_ALONE.test(test);
  if (error !== undefined && !saysLittle(error) && !isTest) {
    return shortened(error, MAX_WHAT_CHARS);
  }
  if (test === undefined) return shortened(command, MAX_COMMAND_CHARS);
  const many = Math.max(failing?.length ?? 0, failed);
  const name = shortened(test, MAX_WHAT_CHARS);
  return `${IS_CODE.test(name) ? name : `"${name}"`}${many > 1 ? ` +${many - 1} more` : ""}`;
}

/** Returns the names of files for a title. Leaves out their folders when the names are too long with them. */
function namesOf(files: readonly string[]): string {
  const named = files.slice(0, NAMED_FILES);
  const isLong = named.join(", ").length > MAX_BY_CHARS;
  const others = files.length - named.length;
  return shortened((isLong ? named.map(baseName) : named).join(", "), MAX_BY_CHARS) +
    (others > 0 ? ` +${others} more` : "");
}

/**
 * The causes outside of the code, with the patterns of their error messages. The cause of a `counterexample` lies in the
 * code.
 */
export const OUTSIDE_CAUSES = CAUSES.map(
  ({ pattern, isExact, ...row }: typeof CAUSES[number]) => ({
    ...row,
    pattern: new RegExp(pattern, isExact ? "" : "i"),
  }),
);

export function liesOutside(error: string): boolean {
  return OUTSIDE_CAUSES.some(({ pattern }) => pattern.test(error));
}

const MAX_CREDITED = 4;
/** Files that people read, but no test or compiler. */
const PROSE = /\.(?:md|markdown|rst|adoc|txt)$|(?:^|\/)(?:README|LICENSE|CHANGELOG)$/i;
const IN_NAME = /[\w.-]/;
const MIN_NAME_CHARS = 3;

/**
 * Returns the changes that are credited with a fix, in their order: changes of files that the failure names or ran; all
 * changes when there are none. Only the last change of each file counts, and at most four. When the cause lies outside
 * of the code, commands that changed something outside are credited as well.
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
  const code = own.filter(({ files }) =>
    files.length === 0 || !files.every((path) => PROSE.test(path))
  );
  const likely = code.length > 0 ? code : own;
  const about = likely.filter((change) => isAbout(failure, change));
  const named = outside.length > 0 ? [...outside, ...about] : about.length > 0 ? about : likely;
  const last = new Map(named.map((change) => [change.part ?? change.files.join("\n"), change]));
  const credited = new Set([...last.values()].slice(-MAX_CREDITED));
  return changes.filter((change) => credited.has(change));
}

function isAbout({ title, text, facts }: Failure, { files, part = "" }: PossibleFix): boolean {
  const { paths = [], error = "" } = facts;
  return files.some((path) =>
    standsIn(text, baseName(path)) || standsIn(title, baseName(path)) ||
    paths.some((one) => path === one || path.startsWith(`${one.replace(/\/\.$/, "")}/`))
  ) ||
    part.split(/\s+/).slice(1).some((word) =>
      word.length >= MIN_NAME_CHARS && !word.startsWith("-") && standsIn(error, baseName(word))
    );
}

/** Tells whether a text holds a file name or the end of a path as a whole name, not as the end of a longer one. */
export function standsIn(text: string, name: string): boolean {
  if (name === "") return false;
  let at = text.indexOf(name);
  while (at > 0 && IN_NAME.test(text[at - 1]!)) at = text.indexOf(name, at + 1);
  return at >= 0;
}
