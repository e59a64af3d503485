/** Schemas of requests and responses, for checks and for the API's document. */
import * as z from "zod/mini";
import { PRIORITIES, TASK_FIELDS, TASK_STATUSES, TASK_TYPES } from "../work/task.ts";
import type { FieldKind, Fields } from "../work/row_fields.ts";
import * as work from "../work/store.ts";
import { inField, invalidInput } from "./input.ts";
import {
  isKeepable,
  MAX_BODY_CHARS,
  MAX_NAME_CHARS,
  MAX_TITLE_CHARS,
  NO_NUL,
} from "../work/task_input.ts";

const KINDS = {
  text: z.string(),
  "text?": z.nullable(z.string()),
  integer: z.int(),
  "integer?": z.nullable(z.int()),
  texts: z.array(z.string()),
  object: z.record(z.string(), z.unknown()),
  any: z.unknown(),
};

function rowSchema(table: Fields) {
  return z.object(Object.fromEntries(
    Object.entries(table).map(([name, kind]) => [name, fieldSchema(kind)]),
  ));
}

function fieldSchema(kind: FieldKind): z.ZodMiniType {
  if (typeof kind === "string") return KINDS[kind];
  const words = z.enum(kind.filter((word) => word !== null));
  return kind.includes(null) ? z.nullable(words) : words;
}

export const rows = {
  task: rowSchema(TASK_FIELDS),
  /** A task with the open tasks that it depends on. */
  waitingTask: z.extend(rowSchema(TASK_FIELDS), {
    waitsFor: z.array(z.object({ id: z.string(), title: z.string() })),
  }),
  agent: rowSchema(work.AGENT_FIELDS),
  workflow: rowSchema(work.WORKFLOW_FIELDS),
  step: z.extend(rowSchema(work.STEP_FIELDS), { depth: z.int() }),
  question: rowSchema(work.QUESTION_FIELDS),
  event: rowSchema(work.EVENT_FIELDS),
};

export const oneTask = { task: rows.task };

export const countsSchema = z.object({
  lastEventId: z.int(),
  oldestEventId: z.nullable(z.int()),
  tasks: z.record(z.string(), z.int()),
  agents: z.record(z.string(), z.int()),
  workflows: z.record(z.string(), z.int()),
  pendingQuestions: z.int(),
});

export const refused = { what: z.string(), why: z.string(), next: z.string(), code: z.string() };

/** The title of the task that a row names. */
export const titled = { taskTitle: z.nullable(z.string()) };

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
  type: z.enum(TASK_TYPES),
  status: z.enum(TASK_STATUSES),
  priority: z.int().check(z.gte(least), z.lte(most)),
  tags: z.array(shortText.check(z.minLength(1))).check(z.maxLength(100)),
  ids: z.array(id).check(z.maxLength(1_000)),
  id,
  name: shortText.check(z.minLength(1)),
  path: someText.check(z.maxLength(4_096)),
  text: someText.check(z.minLength(1), z.maxLength(MAX_BODY_CHARS)),
  token: z.int().check(z.gte(1)),
  // A query sends flags as text.
  flag: z.enum(["true", "false", "1", "0"]),
  number,
  limit: z.optional(number(1, 1_000)),
  words: someText.check(z.minLength(1), z.maxLength(8_192)),
};

export function words<Name extends string>(...names: readonly Name[]) {
  const entries = names.map((name) => [name, z.optional(fields.words)]);
  return Object.fromEntries(entries) as Record<Name, z.ZodMiniOptional<typeof fields.words>>;
}

export function isSet(flag: string | undefined): boolean {
  return flag === "true" || flag === "1";
}

/** Returns the rows of a list up to a limit, under a name, and whether there are more. */
export function paged<Name extends string, Row>(
  name: Name,
  limit = 100,
  list: (limit: number) => readonly Row[],
) {
  const rows = list(limit + 1);
  const page = { [name]: rows.slice(0, limit), more: rows.length > limit };
  return page as { readonly [Key in Name]: readonly Row[] } & { readonly more: boolean };
}

/** Splits a text at commas and checks each part; null without a text. @param check A check, or the allowed words. */
export function listOf<Value>(
  field: string,
  given: string | undefined,
  check: readonly Value[] | ((word: string) => Value),
): Value[] | null {
  if (given === undefined) return null;
  return given.split(",").map((text) => {
    const word = text.trim();
    if (typeof check === "function") return inField(field, () => check(word));
    const found = check.find((one) => one === word);
    if (found !== undefined) return found;
    throw invalidInput(field, `expected one of ${check.join(", ")}`);
  });
}
