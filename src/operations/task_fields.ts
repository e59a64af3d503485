/** What people and programs say of a task: each field checked and without its secrets, the same for verbs and routes. */
import {
  checkBody,
  checkPriority,
  checkTags,
  checkTitle,
  checkType,
  checkWorkflowName,
} from "../work/task_input.ts";
import { DEFAULT_PRIORITY, type TaskType } from "../work/task.ts";

interface Cleaning {
  readonly mask: (text: string) => string;
  /** What helps where a field is refused. */
  readonly next?: string;
  /** Runs the check of a field; a route's refusals name the field. */
  readonly inField?: <Value>(field: string, check: () => Value) => Value;
}

const FIELDS = {
  title: (title: string, { mask, next }: Cleaning) => checkTitle(mask(title), next),
  body: (body: string, { mask }: Cleaning) => checkBody(mask(body)),
  type: (type: string, { next }: Cleaning) => checkType(type, next),
  priority: (priority: string | number, { next }: Cleaning) => checkPriority(priority, next),
  tags: (tags: readonly string[], { mask }: Cleaning) => checkTags(tags.map(mask)),
  workflow: (name: string | null, { next }: Cleaning) =>
    name === null ? null : checkWorkflowName(name, next),
};

type Fields = typeof FIELDS;
type Given = { readonly [Name in keyof Fields]?: Parameters<Fields[Name]>[0] | undefined };
type Cleaned<Said> = {
  [Name in keyof Pick<Said, keyof Said & keyof Fields>]: ReturnType<Fields[Name & keyof Fields]>;
};

/** The fields that are said, as they are kept. @throws {UserError} INVALID_TITLE, INVALID_TAG, … */
export function cleanFields<Said extends Given>(said: Said, how: Cleaning): Cleaned<Said> {
  const { inField = (_field, check) => check() } = how;
  const entries = Object.entries(FIELDS).flatMap(([name, check]) => {
    const value = said[name as keyof Given];
    return value === undefined ? [] : [[name, inField(name, () => check(value as never, how))]];
  });
  return Object.fromEntries(entries);
}

/** What a new task is where nobody says so. */
export const NEW_TASK: {
  readonly body: string;
  readonly type: TaskType;
  readonly priority: number;
  readonly tags: string[];
  readonly workflow: string | null;
} = { body: "", type: "task", priority: DEFAULT_PRIORITY, tags: [], workflow: null };
