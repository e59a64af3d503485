/** The schemas of requests and responses, for checks and for the document. */
import * as z from "zod/mini";
import { PRIORITIES, TASK_STATUSES, TASK_TYPES } from "../work/task.ts";
import { invalidInput } from "./input.ts";
import {
  isKeepable,
  MAX_BODY_CHARS,
  MAX_NAME_CHARS,
  MAX_TITLE_CHARS,
  NO_NUL,
} from "../work/task_input.ts";

const nullable = z.nullable;
const timeMs = z.int();

const text = nullable(z.string());
const ms = nullable(timeMs);

export const taskSchema = z.object({
  id: z.string(),
  parentId: text,
  depth: z.int(),
  title: z.string(),
  body: z.string(),
  type: z.enum(TASK_TYPES as readonly [string]),
  status: z.enum(TASK_STATUSES as readonly [string]),
  priority: z.int(),
  tags: z.array(z.string()),
  dependsOn: z.array(z.string()),
  workflow: text,
  projectDir: text,
  repository: text,
  claimedBy: text,
  claimToken: nullable(z.int()),
  claimedAtMs: ms,
  leaseUntilMs: ms,
  reason: text,
  summary: text,
  queuedAtMs: ms,
  createdAtMs: timeMs,
  updatedAtMs: timeMs,
  closedAtMs: ms,
  deletedAtMs: ms,
});

export const agentSchema = z.object({
  id: z.string(),
  kind: z.enum(["agent", "script", "subagent"]),
  name: z.string(),
  status: z.enum(["starting", "running", "completed", "failed", "killed"]),
  taskId: text,
  workflowId: text,
  stepKey: text,
  attempt: nullable(z.int()),
  sessionId: text,
  command: z.array(z.string()),
  pid: nullable(z.int()),
  processMark: text,
  worktree: text,
  outputFile: text,
  exitCode: nullable(z.int()),
  error: text,
  killReason: text,
  createdAtMs: timeMs,
  startedAtMs: ms,
  deadlineAtMs: ms,
  killRequestedAtMs: ms,
  endedAtMs: ms,
  updatedAtMs: timeMs,
});

export const workflowSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  name: z.string(),
  status: z.enum(["running", "pending_merge", "blocked", "failed", "completed", "cancelled"]),
  currentStep: text,
  reason: text,
  claimToken: z.int(),
  projectDir: text,
  repository: text,
  worktree: text,
  branch: text,
  baseBranch: text,
  baseCommit: text,
  mergeCommit: text,
  decision: nullable(z.enum(["approve", "reject", "cancel", "retry"])),
  decisionBy: text,
  decisionText: text,
  decidedAtMs: ms,
  deadlineAtMs: ms,
  createdAtMs: timeMs,
  updatedAtMs: timeMs,
  endedAtMs: ms,
});

export const stepSchema = z.object({
  key: z.string(),
  depth: z.int(),
  attempt: z.int(),
  type: z.enum(["agent", "script", "loop", "merge"]),
  status: z.enum(["running", "finished", "superseded"]),
  outcome: z.unknown(),
  agentId: text,
  startedAtMs: timeMs,
  endedAtMs: ms,
});

export const questionSchema = z.object({
  id: z.string(),
  type: z.enum(["confirmation", "permission", "choice", "input"]),
  text: z.string(),
  options: z.array(z.string()),
  status: z.enum(["pending", "answered", "resolved"]),
  source: z.enum(["output", "notification", "elicitation", "import"]),
  taskId: text,
  workflowId: text,
  stepKey: text,
  agentId: text,
  sessionId: text,
  answer: text,
  answeredBy: text,
  deliveryError: text,
  createdAtMs: timeMs,
  answeredAtMs: ms,
  deliveredAtMs: ms,
  resolvedAtMs: ms,
});

export const eventSchema = z.object({
  id: z.int(),
  type: z.string(),
  entityType: z.enum(["task", "agent", "workflow", "question"]),
  entityId: z.string(),
  data: z.record(z.string(), z.unknown()),
  createdAtMs: timeMs,
});

export const countsSchema = z.object({
  lastEventId: z.int(),
  oldestEventId: nullable(z.int()),
  tasks: z.record(z.string(), z.int()),
  agents: z.record(z.string(), z.int()),
  workflows: z.record(z.string(), z.int()),
  pendingQuestions: z.int(),
});

// The fields of requests.

const someText = z.string().check(z.refine(isKeepable, NO_NUL));
const shortText = someText.check(z.maxLength(MAX_NAME_CHARS));
const id = someText.check(z.minLength(1), z.maxLength(MAX_NAME_CHARS));
const [least, most] = PRIORITIES;

function number(min: number, max: number) {
  return z.coerce.number().check(z.int(), z.gte(min), z.lte(max));
}

export const fields = {
  title: someText.check(z.minLength(1), z.maxLength(MAX_TITLE_CHARS)),
  body: someText.check(z.maxLength(MAX_BODY_CHARS)),
  type: z.enum(TASK_TYPES as readonly [string]),
  status: z.enum(TASK_STATUSES as readonly [string]),
  priority: z.int().check(z.gte(least), z.lte(most)),
  tags: z.array(shortText.check(z.minLength(1))).check(z.maxLength(100)),
  ids: z.array(id).check(z.maxLength(1_000)),
  id,
  name: shortText.check(z.minLength(1)),
  path: someText.check(z.maxLength(4_096)),
  text: someText.check(z.minLength(1), z.maxLength(MAX_BODY_CHARS)),
  token: z.int().check(z.gte(1)),
  // Values of a query are text.
  flag: z.enum(["true", "false", "1", "0"]),
  number,
  /** How many rows a list has at most. */
  limit: z.optional(number(1, 1_000)),
  words: someText.check(z.minLength(1), z.maxLength(8_192)),
};

/** A check for the words of an enum. @throws {UserError} INVALID_INPUT */
export function wordOf(
  { def }: { readonly def: { readonly entries: Readonly<Record<string, string | number>> } },
  field: string,
): (word: string) => string {
  const words = Object.values(def.entries).map(String);
  return (word) => {
    if (words.includes(word)) return word;
    throw invalidInput(field, `expected one of ${words.join(", ")}`);
  };
}

export function isSet(flag: string | undefined): boolean {
  return flag === "true" || flag === "1";
}

/** The rows of a list up to a limit, under a name, and whether there are more. @param list Lists up to so many rows. */
export function paged<Name extends string, Row>(
  name: Name,
  limit = 100,
  list: (limit: number) => readonly Row[],
) {
  const rows = list(limit + 1);
  const page = { [name]: rows.slice(0, limit), more: rows.length > limit };
  return page as { readonly [Key in Name]: readonly Row[] } & { readonly more: boolean };
}

/** The checked parts of a text with commas; null without a text. */
export function listOf<Value>(
  words: string | undefined,
  check: (word: string) => Value,
): Value[] | null {
  if (words === undefined) return null;
  return words.split(",").map((word) => check(word.trim()));
}
