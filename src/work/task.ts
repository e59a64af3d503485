/** Defines the fields of a task, and how its status may change. */
import type { Fields, RowOf } from "./row_fields.ts";
import type { TemplateValue } from "./template_syntax.ts";

/** Every status, in the order of a task's life. */
export const TASK_STATUSES = ["open", "in_progress", "pending_merge", "blocked", "closed"] as const;

export type TaskStatus = typeof TASK_STATUSES[number];

export const TASK_TYPES = ["task", "feature", "bug"] as const;

export type TaskType = typeof TASK_TYPES[number];

export const PRIORITIES: readonly [min: number, max: number] = [0, 4];

export const DEFAULT_PRIORITY = 2;

/** The depth of a tree above which commands warn. */
export const DEEP = 10;

export const TASK_FIELDS = {
  id: "text",
  parentId: "text?",
  /** The number of tasks above the task; 0 without a parent. */
  depth: "integer",
  title: "text",
  body: "text",
  type: TASK_TYPES,
  status: TASK_STATUSES,
  priority: "integer",
  tags: "texts",
  dependsOn: "texts",
  /** The requested workflow, which subtasks inherit. */
  workflow: "text?",
  projectDir: "text?",
  /** The common git directory; null outside of a repository. */
  repository: "text?",
  claimedBy: "text?",
  /** The number of the claim (a fencing token); null while nobody holds the task. */
  claimToken: "integer?",
  claimedAtMs: "integer?",
  /** When the claim ends unless it is renewed. */
  leaseUntilMs: "integer?",
  reason: "text?",
  summary: "text?",
  /** When the task was handed to the scheduler; null when it was not. */
  queuedAtMs: "integer?",
  createdAtMs: "integer",
  updatedAtMs: "integer",
  closedAtMs: "integer?",
  deletedAtMs: "integer?",
} as const satisfies Fields;

export type Task = RowOf<typeof TASK_FIELDS>;

/** The changes of a task's status. Unless a person may simply set it, a verb makes the change, and `why` explains that. */
const TRANSITIONS: readonly (readonly [
  from: TaskStatus,
  to: TaskStatus,
  why?: string,
  verb?: string,
])[] = [
  ["open", "in_progress", "is taken up with a claim", "task claim ID"],
  [
    "in_progress",
    "pending_merge",
    "waits for a merge only when the merge step of a workflow asks for a review",
    "task show ID",
  ],
  [
    "in_progress",
    "blocked",
    "is blocked by whoever holds it, with a reason",
    "task block ID --reason 'why it cannot go on'",
  ],
  ["in_progress", "closed", "is completed by whoever holds it", "task complete ID"],
  ["in_progress", "open"],
  ["pending_merge", "closed", "is closed when its merge is approved", "workflow approve ID"],
  ["pending_merge", "blocked", "is blocked when its merge is rejected", "workflow reject ID"],
  ["blocked", "open"],
  ["blocked", "closed", "is completed as any other", "task complete ID"],
];

export function statusesAfter(status: TaskStatus): TaskStatus[] {
  return TRANSITIONS.filter(([from]) => from === status).map(([, to]) => to);
}

/** Names the command that gives a task a status; `undefined` when a person may simply set it, or nothing does. */
export function wayTo({ id, status }: Pick<Task, "id" | "status">, to: TaskStatus) {
  const [, , why, verb] = TRANSITIONS.find((one) => one[0] === status && one[1] === to) ?? [];
  if (why === undefined || verb === undefined) return undefined;
  return { why, next: `conclaude ${verb.replace("ID", id)}` };
}

/** Tells whether somebody works on a task with this status, or its work waits to be merged. */
export function isActive(status: TaskStatus): boolean {
  return status === "in_progress" || status === "pending_merge";
}

export function hasLapsed(
  task: Pick<Task, "status" | "claimedBy" | "leaseUntilMs">,
  nowMs: number,
): boolean {
  return task.status === "in_progress" && task.claimedBy !== null &&
    task.leaseUntilMs !== null && task.leaseUntilMs <= nowMs;
}

/** The end of a lease on another machine of a team (9999-12-31), since such a claim does not run out here. */
export const ELSEWHERE_MS = 253_402_300_799_000;

export function isElsewhere({ leaseUntilMs }: Pick<Task, "leaseUntilMs">): boolean {
  return leaseUntilMs !== null && leaseUntilMs >= ELSEWHERE_MS;
}

/** The fields of a task that workflows use. */
export type TaskFacts = Pick<Task, "id" | "title" | "body" | "priority" | "tags"> & {
  readonly type: string;
};

/** Returns a task as templates see it. Old workflows call tags `labels`. */
export function taskValue(task: TaskFacts): TemplateValue {
  const { id, title, body, type, tags } = task;
  return { id, title, body, type, priority: `P${task.priority}`, tags, labels: tags };
}
