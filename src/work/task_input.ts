/** Checks the fields of a task, for the command line and the API. */
import { scriptPattern } from "../base/letters.ts";
import { type Refusal, refusal } from "./refusal.ts";
import { PRIORITIES, TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from "./task.ts";

/** The longest title, in characters. */
export const MAX_TITLE_CHARS = 500;

/** The longest body, in characters. */
export const MAX_BODY_CHARS = 200_000;

/** The longest tag or name, in characters. */
export const MAX_NAME_CHARS = 200;

/** The help page with every field of a task. */
const CREATE_HELP = "conclaude task create --help";

/** The fault of a text with NUL: SQLite returns a text only up to its first NUL character. */
export const NO_NUL = "a text holds no NUL character";

export function isKeepable(text: string): boolean {
  return !text.includes("\0");
}

/** Checks a title. @param next The command that helps. @throws {UserError} INVALID_TITLE */
export function checkTitle(title: string, next: string = CREATE_HELP): string {
  const line = title.trim();
  const fault = line === ""
    ? "title is required"
    : !isKeepable(line)
    ? NO_NUL
    : /[\r\n]/.test(line)
    ? "a title is one line"
    : line.length > MAX_TITLE_CHARS
    ? `a title has at most ${MAX_TITLE_CHARS} characters`
    : null;
  if (fault !== null) throw invalid("INVALID_TITLE", title, fault, next);
  return line.toWellFormed();
}

/** Checks a long text: a body, a summary, a reason, an answer. @throws {UserError} INVALID_INPUT */
export function checkBody(body: string): string {
  if (!isKeepable(body)) throw invalid("INVALID_INPUT", body, NO_NUL);
  if (body.length <= MAX_BODY_CHARS) return body.toWellFormed();
  throw invalid("INVALID_INPUT", body, `a body has at most ${MAX_BODY_CHARS} characters`);
}

/** Checks a priority. @throws {UserError} INVALID_PRIORITY */
export function checkPriority(priority: unknown, next: string = CREATE_HELP): number {
  const [min, max] = PRIORITIES;
  const n = typeof priority === "string" && /^\d+$/.test(priority) ? Number(priority) : priority;
  if (typeof n === "number" && Number.isInteger(n) && n >= min && n <= max) return n;
  throw invalid("INVALID_PRIORITY", priority, `priority must be ${min}-${max}`, next);
}

/** Checks a type. @throws {UserError} INVALID_TYPE */
export function checkType(type: string, next: string = CREATE_HELP): TaskType {
  const known = TASK_TYPES.find((one) => one === type);
  if (known !== undefined) return known;
  throw invalid("INVALID_TYPE", type, `type must be one of: ${TASK_TYPES.join(", ")}`, next);
}

/** Checks that a status is known. @throws {UserError} INVALID_STATUS */
export function checkStatus(
  status: string,
  next: string = "conclaude task list --help",
): TaskStatus {
  const known = TASK_STATUSES.find((one) => one === status);
  if (known !== undefined) return known;
  const why = `status must be one of: ${TASK_STATUSES.join(", ")}`;
  throw invalid("INVALID_STATUS", status, why, next);
}

/** Checks tags, and sorts them without doubles. @throws {UserError} INVALID_TAG */
export function checkTags(tags: readonly string[]): string[] {
  const checked = tags.map((tag) => {
    const name = tag.trim();
    if (name === "") throw invalid("INVALID_TAG", tag, "a tag is not empty");
    // deno-lint-ignore no-control-regex
    if (/[\u0000-\u001f\u007f,]/.test(name)) {
      throw invalid("INVALID_TAG", tag, "a tag holds no comma and no control character");
    }
    if (name.length > MAX_NAME_CHARS) {
      throw invalid("INVALID_TAG", tag, `a tag has at most ${MAX_NAME_CHARS} characters`);
    }
    return name.toWellFormed();
  });
  return [...new Set(checked)].sort();
}

const workflowName = scriptPattern(String.raw`^(?!\.)[^/\\\p{Cc}]+$`, "u");

/**
 * Checks the name of a workflow, which names a file, and is no path and not hidden.
 * @throws {UserError} INVALID_INPUT
 */
export function checkWorkflowName(name: string, next: string = CREATE_HELP): string {
  if (name.length <= MAX_NAME_CHARS && workflowName().test(name)) {
    return name.toWellFormed();
  }
  const why =
    "the name of a workflow is that of a file in .conclaude/workflows, without its ending";
  throw invalid("INVALID_INPUT", name, why, next);
}

/** The help page about the names of agents. */
const CLAIM_HELP = "conclaude task claim --help";

/** Checks the name of an agent or person who changes something. @throws {UserError} INVALID_INPUT */
export function checkAgentId(agentId: string): string {
  const name = agentId.trim();
  if (name === "system" || name.startsWith("workflow:")) {
    throw invalid("INVALID_INPUT", agentId, "this name is the program's own", CLAIM_HELP);
  }
  // deno-lint-ignore no-control-regex
  if (name !== "" && name.length <= MAX_NAME_CHARS && !/[\u0000-\u001f\u007f]/.test(name)) {
    return name.toWellFormed();
  }
  const why = `the name of an agent is one line of 1 to ${MAX_NAME_CHARS} characters`;
  throw invalid("INVALID_INPUT", agentId, why, CLAIM_HELP);
}

function invalid(reason: Refusal, given: unknown, why: string, next: string = CREATE_HELP) {
  const shown = String(given).replace(/[\s\0]+/g, " ").slice(0, 60);
  return refusal(reason, {
    what: `Cannot take "${shown}"`,
    why: `${why}; nothing was changed`,
    next,
    // The value makes no sense, whatever the status of the task.
    exitCode: 2,
  });
}
