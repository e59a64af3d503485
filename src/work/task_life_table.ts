/** Makes a task and brings it from open to closed, in the caller's transaction. Claims are in `task_claims_table.ts`. */
import type { DatabaseSync } from "node:sqlite";
import { newId } from "../base/ids.ts";
import { notFound, refusal } from "./refusal.ts";
import { statusesAfter, type Task, type TaskStatus, type TaskType, wayTo } from "./task.ts";
import { recordEvent } from "./events_table.ts";
import { insertRow, statement } from "../db/statement.ts";
import {
  addDependencies,
  type Author,
  changeTask,
  needTask,
  withoutBody,
} from "./task_changes_table.ts";
import { needClaim, UNCLAIMED } from "./task_claims_table.ts";
import { readTask } from "./tasks_table.ts";
import { changeWorkflow, readWorkflowOfTask } from "./workflows_table.ts";

/** A task that is to be made. The caller has checked its title, type, priority and tags. */
export interface NewTask {
  readonly title: string;
  readonly body: string;
  readonly type: TaskType;
  readonly priority: number;
  readonly parentId: string | null;
  readonly tags: readonly string[];
  readonly dependsOn: readonly string[];
  /** Null takes the parent's. */
  readonly workflow: string | null;
  readonly projectDir: string | null;
  readonly repository: string | null;
  readonly isQueued: boolean;
}

/**
 * Makes a task, open and unclaimed.
 *
 * @throws {UserError} PARENT_NOT_FOUND, DEPENDENCY_NOT_FOUND; nothing is made then.
 */
export function createTask(db: DatabaseSync, task: NewTask, { by, atMs }: Author): Task {
  const parent = task.parentId === null ? undefined : readTask(db, task.parentId);
  if (task.parentId !== null && (parent === undefined || parent.deletedAtMs !== null)) {
    throw notFound("parent", task.parentId, { isDeleted: parent !== undefined });
  }
  // A subtask belongs to the project of its parent, wherever it is made.
  const home = parent !== undefined && (parent.repository ?? parent.projectDir) !== null
    ? parent
    : task;
  const id = newId(atMs);
  insertRow(db, "tasks", {
    id,
    parentId: task.parentId,
    depth: parent === undefined ? 0 : parent.depth + 1,
    title: task.title,
    body: task.body,
    type: task.type,
    status: "open",
    priority: task.priority,
    workflow: task.workflow ?? parent?.workflow ?? null,
    projectDir: home.projectDir,
    repository: home.repository,
    queuedAtMs: task.isQueued ? atMs : null,
    createdAtMs: atMs,
    updatedAtMs: atMs,
  });
  const addTag = statement(db, "INSERT OR IGNORE INTO task_tags (task_id, tag) VALUES (?, ?)");
  for (const tag of task.tags) addTag.run(id, tag);
  addDependencies(db, id, task.dependsOn);
  const made = readTask(db, id)!;
  recordEvent(db, {
    type: "task.created",
    entityType: "task",
    entityId: id,
    data: { task: withoutBody(made), by },
    atMs,
  });
  return made;
}

/** Closes a task in work for the one who holds its claim, and a blocked task for anybody. */
export function completeTask(
  db: DatabaseSync,
  id: string,
  { by, atMs, token, summary }: Author & {
    readonly token: number | null;
    readonly summary: string | null;
  },
): Task {
  const found = needTask(db, id);
  const task = found.status === "blocked"
    ? found
    : needClaim(db, id, { agentId: by, token, atMs, wants: "completed", to: "closed" });
  cancelWorkflow(db, id, { by, atMs });
  return changeTask(db, task, {
    ...UNCLAIMED,
    status: "closed",
    reason: null,
    closedAtMs: atMs,
    ...(summary === null ? {} : { summary }),
  }, { by, atMs });
}

/** Ends the stopped workflow of a task that a person closes. */
function cancelWorkflow(db: DatabaseSync, taskId: string, { by, atMs }: Author): void {
  const workflow = readWorkflowOfTask(db, taskId);
  if (workflow === undefined || workflow.endedAtMs !== null) return;
  changeWorkflow(db, workflow.id, {
    status: "cancelled",
    reason: "its task was closed",
    endedAtMs: atMs,
  }, { event: "workflow.cancelled", atMs, data: { by } });
}

/** Marks a task as one that cannot go on, and gives up its claim. */
export function blockTask(
  db: DatabaseSync,
  id: string,
  { by, atMs, token, reason }: Author & { readonly token: number | null; readonly reason: string },
): Task {
  const task = needClaim(db, id, { agentId: by, token, atMs, wants: "blocked", to: "blocked" });
  return changeTask(db, task, { ...UNCLAIMED, status: "blocked", reason }, { by, atMs });
}

/** Lets a blocked task be claimed again. */
export function unblockTask(db: DatabaseSync, id: string, author: Author): Task {
  const task = needTask(db, id);
  if (task.status !== "blocked") throw badTransition(task, "open");
  return changeTask(db, task, { status: "open", reason: null }, author);
}

/** Hands a task to the scheduler, which takes it when it is ready. A task in work stays as it is. */
export function queueTask(db: DatabaseSync, id: string, author: Author): Task {
  const task = needTask(db, id);
  if (task.status === "in_progress") return task;
  if (task.status === "blocked") return queueTask(db, unblockTask(db, id, author).id, author);
  if (task.status !== "open") throw badTransition(task, "in_progress");
  return task.queuedAtMs === null
    ? changeTask(db, task, { queuedAtMs: author.atMs }, author)
    : task;
}

/** The refusal of a status that cannot follow, or that another verb leads to. */
export function badTransition(task: Task, to: TaskStatus) {
  const way = wayTo(task, to);
  const valid = statusesAfter(task.status);
  const others = valid.length === 0 ? "is the end" : `may become ${valid.join(", ")}`;
  return refusal("INVALID_TRANSITION", {
    what: `Task ${task.id} cannot become ${to}`,
    why: `it is ${task.status}, which ${way?.why ?? others}; nothing was changed`,
    next: way?.next ?? `conclaude task show ${task.id}`,
    details: { currentStatus: task.status, requestedStatus: to, validTransitions: valid },
  });
}
