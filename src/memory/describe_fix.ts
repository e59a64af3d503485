/** A failure and what mended it, as one observation: the error, the changes, and that the same command passes. */
import { baseName, isAbsolutePath } from "../paths.ts";
import type { ObservedFacts } from "./observation.ts";
import { saysLittle } from "./observe/summary_lines.ts";
import { headAndTail, shortened, titleLine } from "./text.ts";

/** What failed. */
interface Failure {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly facts: ObservedFacts;
}

/** What is told of a change that came between. */
interface MendingChange {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  /** Of a command: its part that changes something. */
  readonly part?: string;
}

/** A fix in words. */
export interface Fix {
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly facts: ObservedFacts;
}

const KEPT_CHANGE = { head: 700, tail: 200 };
const KEPT_ERROR = { head: 300, tail: 900 };
const MAX_WHAT_CHARS = 90;
const MAX_COMMAND_CHARS = 80;
const MAX_BY_CHARS = 60;
/** So many files are named in a title. */
const NAMED_FILES = 2;
const FILE_ALONE = /^\S+\.[cm]?[jt]sx?$/;
/** `tests/a.py::test_b`, `OrderTest.total:42`, `TestAdd`: nobody takes them for words of the title. */
const IS_CODE = /^\S*(?:[:/._#(]|[a-z][A-Z])\S*$/;

/**
 * Tells a fix.
 *
 * @param changes What was changed between the failure and what passes; at least one. @param passing The command that passes.
 */
export function describeFix(
  failure: Failure,
  changes: readonly MendingChange[],
  passing: string,
): Fix {
  const files = [...new Set(changes.flatMap((change) => change.files))];
  const { command = "", error } = failure.facts;
  return {
    title: titleLine(`Fixed ${whatFailed(failure, files)} by ${byWhat(changes, files)}`),
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

function byWhat(changes: readonly MendingChange[], files: readonly string[]): string {
  const parts = changes.flatMap(({ part }) => part ?? []);
  if (parts.length === 0) return namesOf(files);
  const command = `\`${shortened(parts.at(-1)!, MAX_BY_CHARS)}\``;
  return files.length === 0 ? command : `${command} and ${namesOf(files)}`;
}

function whatFailed({ text, facts }: Failure, files: readonly string[]): string {
  const { command = "", error, failing, failed = 0 } = facts;
  const [test] = failing ?? [];
  // Of a file that could not be read at all no test is named.
  const isTest = test !== undefined && !FILE_ALONE.test(test);
  if (error !== undefined && !saysLittle(error) && !isTest) {
    return shortened(foundByLinter(error, { text, files }) ?? error, MAX_WHAT_CHARS);
  }
  if (test === undefined) return shortened(command, MAX_COMMAND_CHARS);
  const many = Math.max(failing?.length ?? 0, failed);
  const name = shortened(test, MAX_WHAT_CHARS);
  return `${IS_CODE.test(name) ? name : `"${name}"`}${many > 1 ? ` +${many - 1} more` : ""}`;
}

/** Files as a title names them; those of long folders by their names alone. */
function namesOf(files: readonly string[]): string {
  const named = files.slice(0, NAMED_FILES);
  const isLong = named.join(", ").length > MAX_BY_CHARS;
  const more = files.length - named.length;
  return shortened((isLong ? named.map(baseName) : named).join(", "), MAX_BY_CHARS) +
    (more > 0 ? ` +${more} more` : "");
}

/** `3:5 error 'x' is not defined no-undef`, below a line that names the file. */
const FOUND = /^\d+(?::\d+)? +(?:error|warning) +(.+)$/;
/** The name of a rule stands at the end, apart from the message. */
const RULE = /^(.+?) {2,}(@?[\w-]+(?:\/[\w-]+){0,3})$/;
const PATH = /^\S*[^\s:]\.\w{1,12}$/;

/** What a linter that names a file above its lines has found there; null for any other line. */
function foundByLinter(
  error: string,
  { text, files }: { readonly text: string; readonly files: readonly string[] },
): string | null {
  if (!FOUND.test(error)) return null;
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.replace(/\s+/g, " ").trim() === error);
  const [, found = ""] = FOUND.exec(lines[at]?.trim() ?? error) ?? [];
  const [, message = found, rule] = RULE.exec(found) ?? [];
  const above = lines.slice(0, Math.max(0, at)).findLast((line) => PATH.test(line.trimEnd()));
  return `${rule ?? message}${above === undefined ? "" : ` in ${placeOf(above.trim(), files)}`}`;
}

/** A file as it is told from its project, as far as that is known. */
function placeOf(path: string, files: readonly string[]): string {
  const known = files.find((file) => path === file || path.endsWith(`/${file}`));
  return known ?? (isAbsolutePath(path) ? baseName(path) : path);
}
