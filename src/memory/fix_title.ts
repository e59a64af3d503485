/** What a fix is called: by what was wrong, and what was done about it. */
import { baseName, isAbsolutePath } from "../paths.ts";
import type { ObservedFacts } from "./observation.ts";
import { failedPart } from "./observe/failed_part.ts";
import { scriptCommands } from "./observe/shell_words.ts";
import { saysLittle } from "./observe/summary_lines.ts";
import { shortened, titleLine } from "./text.ts";

const MAX_WHAT_CHARS = 90;
const MAX_COMMAND_CHARS = 80;
const MAX_BY_CHARS = 60;
/** So many files are named. */
const NAMED_FILES = 2;
const FILE_ALONE = /^\S+\.[cm]?[jt]sx?$/;
/** `tests/a.py::test_b`, `OrderTest.total:42`, `TestAdd`: nobody takes them for words of the title. */
const IS_CODE = /^\S*(?:[:/._#(]|[a-z][A-Z])\S*$/;

/** What failed, as far as a title tells it. */
interface Failure {
  readonly text: string;
  readonly facts: ObservedFacts;
}

/** The title of a fix. @param done `files` that were changed, the likeliest first; `commands` that were run. */
export function titleOfFix(
  failure: Failure,
  { files, commands }: { readonly files: readonly string[]; readonly commands: readonly string[] },
): string {
  // The last is the nearest to what passes.
  const byWhat = files.length > 0 || commands.length === 0
    ? namesOf(files)
    : `\`${shortened(commands.at(-1)!, MAX_BY_CHARS)}\``;
  return titleLine(`Fixed ${whatFailed(failure, files)} by ${byWhat}`);
}

function whatFailed({ text, facts }: Failure, files: readonly string[]): string {
  const { command = "", error, failing, failed = 0 } = facts;
  const [test] = failing ?? [];
  // Of a file that could not be read at all no test is named.
  const isTest = test !== undefined && !FILE_ALONE.test(test);
  if (error !== undefined && !saysLittle(error) && !isTest) {
    return shortened(foundByLinter(error, { text, files }) ?? error, MAX_WHAT_CHARS);
  }
  if (test === undefined) {
    const commands = scriptCommands(command);
    return shortened(failedPart({ commands, output: text }) ?? command, MAX_COMMAND_CHARS);
  }
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
