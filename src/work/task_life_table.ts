/**
 * Creates, closes, blocks, moves, deletes and restores tasks, in the caller's transaction. Claims are in
 * `task_claims_table.ts`.
 */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { newId } from "../base/ids.ts";
import { refusal } from "./refusal.ts";
import { isActive, statusesAfter, type Task, type TaskStatus, wayTo } from "./task.ts";
import { insertRow, statement } from "../db/statement.ts";
import {
  addDependencies,
  type Author,
  changeTask,
  needTask,
  recordTaskEvent,
  type TaskChanges,
} from "./task_changes_table.ts";
import { needClaim, UNCLAIMED } from "./task_claims_table.ts";
import { readTask, selectTasks, TASK_COLUMNS, taskOf } from "./tasks_table.ts";
import { changeWorkflow, readWorkflowOfTask } from "./workflows_table.ts";

/** A task to create. The caller has checked its title, type, priority and tags. */
export interface NewTask extends
  Pick<
    Task,
    | ("title" | "body" | "type" | "priority" | "parentId" | "tags" | "dependsOn")
    | ("projectDir" | "repository")
  > {
  /** The name; null for the parent's workflow. */
  readonly workflow: string | null;
  readonly isQueued: boolean;
}

/**
 * Creates a task, open and unclaimed.
 * @throws {UserError} PARENT_NOT_FOUND, DEPENDENCY_NOT_FOUND; the caller's transaction then undoes the rest.
 */
export function createTask(db: DatabaseSync, task: NewTask, author: Author): Task {
  const { atMs } = author;
  const parent = task.parentId === null ? null : needTask(db, task.parentId, "parent");
  // A subtask belongs to the project of its parent, wherever it is created.
  const { projectDir, repository } =
    parent !== null && (parent.repository ?? parent.projectDir) !== null ? parent : task;
  const { title, body, type, priority, parentId } = task;
  const id = newId(atMs);
  insertRow(db, "tasks", {
    id,
    parentId,
    title,
    body,
    type,
    priority,
    projectDir,
    repository,
    depth: parent === null ? 0 : parent.depth + 1,
    status: "open",
    workflow: task.workflow ?? parent?.workflow ?? null,
    queuedAtMs: task.isQueued ? atMs : null,
    createdAtMs: atMs,
    updatedAtMs: atMs,
  });
  const addTag = statement(db, "INSERT OR IGNORE INTO task_tags (task_id, tag) VALUES (?, ?)");
  for (const tag of task.tags) addTag.run(id, tag);
  addDependencies(db, id, task.dependsOn);
  const made = readTask(db, id)!;
  recordTaskEvent(db, "task.created", made, author);
  return made;
}

/**
 * Closes a task in work for the holder of its claim, and a blocked task for anybody. `withChildren` closes open tasks
 * below it too, `force` leaves them open; without either, they are an obstacle.
 * @throws {UserError} HAS_OPEN_CHILDREN; HAS_ACTIVE_CHILDREN when they are to be closed and others work on them.
 */
export function completeTask(
  db: DatabaseSync,
  id: string,
  { by, atMs, token, summary, withChildren, force }: Author & {
    readonly token: number | null;
    readonly summary: string | null;
    readonly withChildren?: boolean | undefined;
    readonly force?: boolean | undefined;
  },
): Task {
  const found = needTask(db, id);
  const task = found.status === "blocked"
    ? found
    : needClaim(db, id, { by, token, atMs, wants: "complete", to: "closed" });
  const open = listSubtree(db, id).filter((one) => one.id !== id && one.status !== "closed");
  if (withChildren) {
    refuseActive(open.filter(({ claimedBy }) => claimedBy !== by), task, "complete");
    for (const below of open.toReversed()) close(db, below, { by, atMs }, {});
  } else if (open.length > 0 && !force) {
    throw refusal("HAS_OPEN_CHILDREN", {
      what: `Cannot complete task ${id}`,
      why: `${count(open.length, "task")} below it ${
        open.length === 1 ? "is" : "are"
      } not closed: ${idList(open)}; nothing was changed`,
      next: `conclaude task complete ${id} --with-children; --force closes it alone`,
      details: { openChildren: open.map(({ id }) => id) },
    });
  }
  return close(db, task, { by, atMs }, summary === null ? {} : { summary });
}

/** Closes a task, and ends its stopped workflow. */
function close(db: DatabaseSync, task: Task, author: Author, changes: TaskChanges): Task {
  const { by, atMs } = author;
  const workflow = readWorkflowOfTask(db, task.id);
  if (workflow?.endedAtMs === null) {
    const end = { status: "cancelled", reason: "its task was closed", endedAtMs: atMs } as const;
    changeWorkflow(db, workflow.id, end, { event: "workflow.cancelled", atMs, data: { by } });
  }
  const closed = { ...UNCLAIMED, status: "closed", reason: null, closedAtMs: atMs } as const;
  return changeTask(db, task, { ...closed, ...changes }, author);
}

const MAX_LISTED = 5;

function idList(tasks: readonly Task[]): string {
  const rest = tasks.length - MAX_LISTED;
  const ids = tasks.slice(0, MAX_LISTED).map(({ id }) => id).join(", ");
  return rest > 0 ? `${ids}, and ${rest} more` : ids;
}

/** Checks the tasks below another. @throws {UserError} HAS_ACTIVE_CHILDREN when one of them is in work. */
function refuseActive(below: readonly Task[], { id }: Task, wanted: "complete" | "delete"): void {
  const active = below.filter(({ status }) => isActive(status));
  if (active.length === 0) return;
  throw refusal("HAS_ACTIVE_CHILDREN", {
    what: `Cannot ${wanted} task ${id}`,
    why: `below it there is work going on: ${idList(active)}; nothing was changed`,
    next: `conclaude task subtree ${id}`,
    details: { activeChildren: active.map(({ id }) => id) },
  });
}

export function blockTask(
  db: DatabaseSync,
  id: string,
  { by, atMs, token, reason }: Author & { readonly token: number | null; readonly reason: string },
): Task {
  const task = needClaim(db, id, { by, token, atMs, wants: "block", to: "blocked" });
  return changeTask(db, task, { ...UNCLAIMED, status: "blocked", reason }, { by, atMs });
}

export function unblockTask(db: DatabaseSync, id: string, author: Author): Task {
  const task = needTask(db, id);
  if (task.status !== "blocked") throw badTransition(task, "open");
  return changeTask(db, task, { status: "open", reason: null }, author);
}

/** Hands a task to the scheduler, which starts it when it is ready. A task in work stays unchanged. */
export function queueTask(db: DatabaseSync, id: string, author: Author): Task {
  const task = needTask(db, id);
  if (task.status === "in_progress") return task;
  if (task.status === "blocked") return queueTask(db, unblockTask(db, id, author).id, author);
  if (task.status !== "open") throw badTransition(task, "in_progress");
  return task.queuedAtMs === null
    ? changeTask(db, task, { queuedAtMs: author.atMs }, author)
    : task;
}

/** Makes the refusal of a status that cannot follow, or that another command sets. */
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

type TreeTask = Task & {
  /** The depth below the top of the subtree; 0 for the top itself. */
  readonly relativeDepth: number;
};

/** Lists a task and all tasks below it, each after its parent, siblings by age, without deleted tasks. */
export function listSubtree(db: DatabaseSync, id: string): TreeTask[] {
  return readSubtree(db, id, { withDeleted: false });
}

function readSubtree(
  db: DatabaseSync,
  id: string,
  { withDeleted }: { readonly withDeleted: boolean },
): TreeTask[] {
  return db.prepare(
    `WITH RECURSIVE below (id, relative_depth, path) AS (
       SELECT id, 0, printf('%020d%s', created_at_ms, id) FROM tasks WHERE id = ?1
        UNION ALL
       SELECT child.id, below.relative_depth + 1, below.path || '/' || printf('%020d%s', child.created_at_ms, child.id)
         FROM tasks AS child
         JOIN below ON child.parent_id = below.id
        WHERE ?2 OR child.deleted_at_ms IS NULL)
     SELECT ${TASK_COLUMNS}, below.relative_depth AS relativeDepth
       FROM below
       JOIN tasks AS task ON task.id = below.id
      ORDER BY below.path`,
  ).all(id, withDeleted ? 1 : 0)
    .map((row) => ({ ...taskOf(row), relativeDepth: Number(row["relativeDepth"]) }));
}

/** Lists the tasks above a task, the nearest first. */
export function listAncestors(db: DatabaseSync, id: string): Task[] {
  return selectTasks(
    db,
    `JOIN (
       WITH RECURSIVE above (id, distance) AS (
         SELECT parent_id, 1 FROM tasks WHERE id = ?
          UNION ALL
         SELECT parent_id, distance + 1 FROM tasks JOIN above USING (id))
       SELECT * FROM above) AS above USING (id)
      ORDER BY above.distance`,
    id,
  );
}

/** Lists the tasks directly below a task, the oldest first, without deleted tasks. */
export function listChildren(db: DatabaseSync, id: string): Task[] {
  const order = "ORDER BY task.created_at_ms, task.id";
  return selectTasks(db, `WHERE task.parent_id = ? AND task.deleted_at_ms IS NULL ${order}`, id);
}

/**
 * Moves a task, with all tasks below it, under another one. @param parentId Null for no parent.
 * @throws {UserError} PARENT_NOT_FOUND; WOULD_CREATE_CYCLE when the new parent is the task itself, or below it.
 */
export function reparentTask(
  db: DatabaseSync,
  id: string,
  parentId: string | null,
  author: Author,
): Task {
  const task = needTask(db, id);
  const parent = parentId === null ? null : needTask(db, parentId, "parent");
  // Deleted tasks below it move too, since they may be restored.
  const subtree = readSubtree(db, id, { withDeleted: true });
  if (parent !== null && subtree.some(({ id }) => id === parent.id)) {
    throw refusal("WOULD_CREATE_CYCLE", {
      what: `Task ${id} cannot be moved under ${parent.id}`,
      why: parent.id === id
        ? "a task cannot be its own parent; nothing was changed"
        : "that one is below it; nothing was changed",
      next: `conclaude task subtree ${id}`,
      details: { taskId: id, parentId: parent.id },
    });
  }
  const depth = parent === null ? 0 : parent.depth + 1;
  const setDepth = db.prepare("UPDATE tasks SET depth = ? WHERE id = ?");
  for (const below of subtree) setDepth.run(depth + below.relativeDepth, below.id);
  return changeTask(db, { ...task, depth }, { parentId }, author);
}

/**
 * Deletes a task and all tasks below it. They can be restored until retention removes them; `hard` removes them now.
 * @throws {UserError} TASK_ACTIVE, HAS_ACTIVE_CHILDREN.
 * @returns The deleted tasks.
 */
export function deleteTask(
  db: DatabaseSync,
  id: string,
  { hard, ...author }: Author & { readonly hard: boolean },
): Task[] {
  const task = hard ? readTask(db, id) ?? needTask(db, id) : needTask(db, id);
  if (isActive(task.status)) {
    throw refusal("TASK_ACTIVE", {
      what: `Cannot delete task ${id}`,
      why: `it is ${task.status}; nothing was changed`,
      next: task.status === "in_progress"
        ? `conclaude task release ${id} --force`
        : `conclaude workflow reject ${id}`,
      details: { currentStatus: task.status },
    });
  }
  const subtree = hard ? readSubtree(db, id, { withDeleted: true }) : listSubtree(db, id);
  refuseActive(subtree, task, "delete");
  if (hard) removeTasks(db, subtree, author);
  else for (const below of subtree) markDeleted(db, below, author);
  return subtree;
}

/** Marks a task as deleted; it can be restored. The caller handles the tasks below it. */
export function markDeleted(db: DatabaseSync, task: Task, author: Author): void {
  changeTask(db, task, { deletedAtMs: author.atMs, queuedAtMs: null }, author);
  recordTaskEvent(db, "task.deleted", task, { hard: false, ...author });
}

/** Removes tasks for good, with their tags, history, agents, workflows and questions. Children first. */
export function removeTasks(db: DatabaseSync, tasks: readonly Task[], author: Author): void {
  const statements = [
    "DELETE FROM questions WHERE task_id = ?",
    "DELETE FROM agents WHERE task_id = ?",
    "DELETE FROM workflows WHERE task_id = ?",
    "UPDATE tasks SET parent_id = NULL WHERE parent_id = ?",
    "DELETE FROM tasks WHERE id = ?",
  ].map((sql) => db.prepare(sql));
  for (const task of tasks.toReversed()) {
    for (const statement of statements) statement.run(task.id);
    recordTaskEvent(db, "task.deleted", task, { hard: true, ...author });
  }
}

/** Restores a task and the tasks below it that were deleted with it. @returns All of them, the task itself first. */
export function restoreTask(db: DatabaseSync, id: string, author: Author): [Task, ...Task[]] {
  const task = readTask(db, id);
  if (task === undefined || task.deletedAtMs === null) return [needTask(db, id)];
  const parent = task.parentId === null ? undefined : readTask(db, task.parentId);
  if (parent !== undefined && parent.deletedAtMs !== null) {
    throw refusal("PARENT_NOT_FOUND", {
      what: `Cannot restore task ${id}`,
      why: "the task above it is deleted as well; nothing was changed",
      next: `conclaude task restore ${parent.id}`,
      details: { parentId: parent.id },
    });
  }
  const together = readSubtree(db, id, { withDeleted: true }).filter((below) =>
    below.deletedAtMs === task.deletedAtMs
  );
  for (const below of together) changeTask(db, below, { deletedAtMs: null }, author);
  return together.map((below) => readTask(db, below.id)!) as [Task, ...Task[]];
}
