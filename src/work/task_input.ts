/** Checks the fields of a task, for the command line and the API. */
import { scriptPattern } from "../base/letters.ts";
import { type Refusal, refusal } from "./refusal.ts";
import { PRIORITIES, TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from "./task.ts";

export const MAX_TITLE_CHARS = 500;
export const MAX_BODY_CHARS = 200_000;
export const MAX_NAME_CHARS = 200;

const CREATE_HELP = "conclaude task create --help";

/** The fault of a text with NUL: SQLite returns a text only up to its first NUL character. */
export const NO_NUL = "a text holds no NUL character";

export function isKeepable(text: string): boolean {
  return !text.includes("\0");
}

/** Checks a title. @param next The command that helps. @throws {UserError} INVALID_TITLE */
export function checkTitle(title: string, next = CREATE_HELP): string {
  const line = title.trim();
  refuseIf("INVALID_TITLE", { given: title, next }, [
    [line === "", "title is required"],
    [!isKeepable(line), NO_NUL],
    [/[\r\n]/.test(line), "a title is one line"],
    [line.length > MAX_TITLE_CHARS, `a title has at most ${MAX_TITLE_CHARS} characters`],
  ]);
  return line.toWellFormed();
}

/** Checks a long text: a body, a summary, a reason, an answer. @throws {UserError} INVALID_INPUT */
export function checkBody(body: string): string {
  refuseIf("INVALID_INPUT", { given: body, next: CREATE_HELP }, [
    [!isKeepable(body), NO_NUL],
    [body.length > MAX_BODY_CHARS, `a body has at most ${MAX_BODY_CHARS} characters`],
  ]);
  return body.toWellFormed();
}

/** Checks a priority. @throws {UserError} INVALID_PRIORITY */
export function checkPriority(priority: unknown, next = CREATE_HELP): number {
  const [min, max] = PRIORITIES;
  const n = typeof priority === "string" && /^\d+$/.test(priority) ? Number(priority) : priority;
  if (typeof n === "number" && Number.isInteger(n) && n >= min && n <= max) return n;
  throw invalid("INVALID_PRIORITY", { given: priority, next }, `priority must be ${min}-${max}`);
}

/** Checks a type. @throws {UserError} INVALID_TYPE */
export function checkType(type: string, next = CREATE_HELP): TaskType {
  return checkWord(type, TASK_TYPES, { what: "type", reason: "INVALID_TYPE", next });
}

/** Checks that a status is known. @throws {UserError} INVALID_STATUS */
export function checkStatus(status: string, next = "conclaude task list --help"): TaskStatus {
  return checkWord(status, TASK_STATUSES, { what: "status", reason: "INVALID_STATUS", next });
}

/** Checks that a word is a known one. @param options `what`: the noun for the words, `status`. @throws {UserError} */
export function checkWord<Word extends string>(
  word: string,
  words: readonly Word[],
  { what, reason = "INVALID_INPUT", next }: {
    readonly what: string;
    readonly reason?: Refusal;
    readonly next: string;
  },
): Word {
  const known = words.find((one) => one === word);
  if (known !== undefined) return known;
  throw invalid(reason, { given: word, next }, `${what} must be one of: ${words.join(", ")}`);
}

/** Checks tags, and sorts them without doubles. @throws {UserError} INVALID_TAG */
export function checkTags(tags: readonly string[]): string[] {
  const checked = tags.map((tag) => {
    const name = tag.trim();
    refuseIf("INVALID_TAG", { given: tag, next: CREATE_HELP }, [
      [name === "", "a tag is not empty"],
      [CONTROL.test(name) || name.includes(","), "a tag holds no comma and no control character"],
      [name.length > MAX_NAME_CHARS, `a tag has at most ${MAX_NAME_CHARS} characters`],
    ]);
    return name.toWellFormed();
  });
  return [...new Set(checked)].sort();
}

const workflowName = scriptPattern(String.raw`^(?!\.)[^/\\\p{Cc}]+$`, "u");

/** Checks the name of a workflow, which names a file, and is no path and not hidden. @throws {UserError} INVALID_INPUT */
export function checkWorkflowName(name: string, next = CREATE_HELP): string {
  const why =
    "the name of a workflow is that of a file in .conclaude/workflows, without its ending";
  const isName = name.length <= MAX_NAME_CHARS && workflowName().test(name);
  refuseIf("INVALID_INPUT", { given: name, next }, [[!isName, why]]);
  return name.toWellFormed();
}

// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Checks the name of an agent or person who changes something. @throws {UserError} INVALID_INPUT */
export function checkAgentId(agentId: string): string {
  const name = agentId.trim();
  const isOwn = name === "system" || name.startsWith("workflow:");
  const isName = name !== "" && name.length <= MAX_NAME_CHARS && !CONTROL.test(name);
  refuseIf("INVALID_INPUT", { given: agentId, next: "conclaude task claim --help" }, [
    [isOwn, "this name is the program's own"],
    [!isName, `the name of an agent is one line of 1 to ${MAX_NAME_CHARS} characters`],
  ]);
  return name.toWellFormed();
}

interface Given {
  readonly given: unknown;
  readonly next: string;
}

/** Refuses a value that has one of these faults. @throws {UserError} */
function refuseIf(
  reason: Refusal,
  value: Given,
  faults: readonly (readonly [has: boolean, why: string])[],
): void {
  const fault = faults.find(([has]) => has);
  if (fault !== undefined) throw invalid(reason, value, fault[1]);
}

function invalid(reason: Refusal, { given, next }: Given, why: string) {
  const shown = String(given).replace(/[\s\0]+/g, " ").slice(0, 60);
  return refusal(reason, {
    what: `Cannot take "${shown}"`,
    why: `${why}; nothing was changed`,
    next,
    // The value makes no sense, whatever the status of the task.
    exitCode: 2,
  });
}
