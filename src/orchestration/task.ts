/** What a task is, and how it may change: the rules of spec "Orchestration" §5, without any store. */

/** Where a task stands. */
export type TaskStatus = "open" | "in_progress" | "pending_merge" | "blocked" | "closed";

/** What sort of work it is. */
export type TaskType = "task" | "feature" | "bug";

/** Every status, in the order of a task's life. */
export const TASK_STATUSES: readonly TaskStatus[] = [
  "open",
  "in_progress",
  "pending_merge",
  "blocked",
  "closed",
];

/** Every type. */
export const TASK_TYPES: readonly TaskType[] = ["task", "feature", "bug"];

/** The most and the least urgent priority. */
export const PRIORITIES: readonly [min: number, max: number] = [0, 4];

/** What a task has when nothing is said. */
export const DEFAULT_PRIORITY = 2;

/** Deeper trees are allowed, but told of. */
export const DEEP = 10;

/** A task as people and programs see it. */
export interface Task {
  readonly id: string;
  readonly parentId: string | null;
  /** 0 for a task without a parent. */
  readonly depth: number;
  readonly title: string;
  readonly body: string;
  readonly type: TaskType;
  readonly status: TaskStatus;
  /** 0 (most urgent) to 4. */
  readonly priority: number;
  /** By name. */
  readonly tags: readonly string[];
  /** The tasks that have to be closed first. */
  readonly dependsOn: readonly string[];
  /** The workflow that was asked for; subtasks inherit it. */
  readonly workflow: string | null;
  readonly projectDir: string | null;
  /** The common git directory; null outside of a repository. */
  readonly repository: string | null;
  readonly claimedBy: string | null;
  /** The number of the claim (a fencing token); null while nobody has claimed it. */
  readonly claimToken: number | null;
  readonly claimedAtMs: number | null;
  /** Until when the claim counts without being renewed. */
  readonly leaseUntilMs: number | null;
  /** Why it is blocked. */
  readonly reason: string | null;
  /** What was said when it was completed. */
  readonly summary: string | null;
  /** When it was handed to the scheduler; null when it was not. */
  readonly queuedAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly closedAtMs: number | null;
  readonly deletedAtMs: number | null;
}

/** Which status may follow which. */
export const TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  open: ["in_progress"],
  in_progress: ["pending_merge", "blocked", "closed", "open"],
  pending_merge: ["closed", "blocked"],
  blocked: ["open", "closed"],
  closed: [],
};

/** Whether somebody is at work on it, or its work waits to be merged. */
export function isActive(status: TaskStatus): boolean {
  return status === "in_progress" || status === "pending_merge";
}

/** Whether the claim of a task has lapsed: its lease ran out and was not renewed. */
export function hasLapsed(
  task: Pick<Task, "status" | "claimedBy" | "leaseUntilMs">,
  nowMs: number,
): boolean {
  return task.status === "in_progress" && task.claimedBy !== null &&
    task.leaseUntilMs !== null && task.leaseUntilMs <= nowMs;
}
