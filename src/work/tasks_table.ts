/** Reads tasks, and holds the SQL of tasks that other files share. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { columnsOf, rowOf } from "./row_fields.ts";
import { type Task, TASK_FIELDS } from "./task.ts";
import { among, filterOf, statement } from "../db/statement.ts";

/** The columns of a task in a table or alias `task`; see {@linkcode taskOf}. */
export const TASK_COLUMNS = columnsOf(TASK_FIELDS, {
  prefix: "task.",
  special: {
    claimToken: "iif(task.claimed_by IS NULL, NULL, task.claim_token)",
    tags:
      "(SELECT json_group_array(tag) FROM (SELECT tag FROM task_tags WHERE task_id = task.id ORDER BY tag))",
    dependsOn: `(SELECT json_group_array(depends_on)
       FROM (SELECT depends_on FROM task_dependencies WHERE task_id = task.id ORDER BY depends_on))`,
  },
});

/** A condition for a task that need not wait: no child is in work, and every dependency is closed. */
export const IS_FREE_TO_BEGIN = `task.deleted_at_ms IS NULL
        AND NOT EXISTS (
              SELECT 1
                FROM tasks AS child
               WHERE child.parent_id = task.id
                 AND child.status IN ('in_progress', 'pending_merge')
                 AND child.deleted_at_ms IS NULL)
        AND NOT EXISTS (
              SELECT 1
                FROM task_dependencies AS needed
                JOIN tasks AS other ON other.id = needed.depends_on
               WHERE needed.task_id = task.id
                 AND other.status <> 'closed'
                 AND other.deleted_at_ms IS NULL)`;

/** A condition for a task that can be done now: open, unclaimed, and free to begin. */
export const IS_READY = `task.status = 'open'
        AND task.claimed_by IS NULL
        AND ${IS_FREE_TO_BEGIN}`;

/** Selects tasks. A filter that is missing or null lets all tasks through. */
interface TaskFilter {
  /** The common git directory, or the project directory when there is none. */
  readonly project?: string | null | undefined;
  readonly statuses?: readonly string[] | null;
  readonly priorities?: readonly number[] | null;
  readonly types?: readonly string[] | null;
  readonly tag?: string | null | undefined;
  readonly anyTag?: readonly string[] | null;
  /** The parent; the empty text selects tasks without a parent. */
  readonly parentId?: string | null;
  /** The holder; the empty text selects tasks that nobody has claimed. */
  readonly claimedBy?: string | null;
  readonly includeDeleted?: boolean;
  readonly limit: number;
  readonly offset?: number | undefined;
}

export function isReady(db: DatabaseSync, id: string): boolean {
  const sql = `SELECT 1 FROM tasks AS task WHERE task.id = ? AND ${IS_READY}`;
  return statement(db, sql).get(id) !== undefined;
}

/** Reads the task with this id, even a deleted one. */
export function readTask(db: DatabaseSync, id: string | null): Task | undefined {
  return selectTasks(db, "WHERE task.id = ?", id)[0];
}

/** Reads tasks. @param rest What follows `FROM tasks AS task`. */
export function selectTasks(db: DatabaseSync, rest: string, ...values: SQLInputValue[]): Task[] {
  return statement(db, `SELECT ${TASK_COLUMNS} FROM tasks AS task ${rest}`)
    .all(...values).map(taskOf);
}

/** Lists tasks, the newest first. */
export function listTasks(db: DatabaseSync, filter: TaskFilter): Task[] {
  const ofTask = "SELECT 1 FROM task_tags WHERE task_id = task.id";
  const { sql, values } = filterOf([
    ["coalesce(task.repository, task.project_dir) = ?", filter.project],
    [among("task.status"), filter.statuses],
    [among("task.priority"), filter.priorities],
    [among("task.type"), filter.types],
    [`EXISTS (${ofTask} AND tag = ?)`, filter.tag],
    [`EXISTS (${ofTask} AND ${among("tag")})`, filter.anyTag],
    ["coalesce(task.parent_id, '') = ?", filter.parentId],
    ["coalesce(task.claimed_by, '') = ?", filter.claimedBy],
    ["? AND task.deleted_at_ms IS NULL", filter.includeDeleted ? null : 1],
  ]);
  // The inner query selects ids, so that SQLite builds the columns of selected tasks only.
  const order = "ORDER BY task.created_at_ms DESC, task.id DESC";
  const found = `SELECT task.id FROM tasks AS task ${sql} ${order} LIMIT ? OFFSET ?`;
  const page = [...values, filter.limit, filter.offset ?? 0];
  return selectTasks(db, `WHERE task.id IN (${found}) ${order}`, ...page);
}

/** Lists ready tasks by priority, then age. @param isQueued Lists only tasks for the scheduler. */
export function listReady(
  db: DatabaseSync,
  { project, limit, isQueued = false }: Pick<TaskFilter, "project" | "limit"> & {
    readonly isQueued?: boolean;
  },
): Task[] {
  return selectTasks(
    db,
    `WHERE ${IS_READY}
        AND (?1 IS NULL OR coalesce(task.repository, task.project_dir) = ?1)
        AND (NOT ?2 OR task.queued_at_ms IS NOT NULL)
      ORDER BY task.priority, task.created_at_ms, task.id
      LIMIT ?3`,
    ...[project ?? null, isQueued ? 1 : 0, limit],
  );
}

export function listTags(db: DatabaseSync): string[] {
  return statement(db, "SELECT DISTINCT tag FROM task_tags ORDER BY tag").all()
    .map((row) => String(row["tag"]));
}

export function taskOf(row: Readonly<Record<string, SQLOutputValue>>): Task {
  return rowOf(TASK_FIELDS, row);
}

/** Turns each task whose parent does not exist into the top of its own tree. @returns How many tasks. */
export function detachOrphanTasks(db: DatabaseSync): number {
  const { changes } = db.prepare(
    `UPDATE tasks
        SET parent_id = NULL
      WHERE parent_id NOT IN (SELECT id FROM tasks)`,
  ).run();
  if (changes === 0) return 0;
  db.exec(
    `WITH RECURSIVE below (id, depth) AS (
       SELECT id, 0 FROM tasks WHERE parent_id IS NULL
        UNION
       SELECT task.id, below.depth + 1 FROM below JOIN tasks AS task ON task.parent_id = below.id
     )
     UPDATE tasks
        SET depth = below.depth
       FROM below
      WHERE tasks.id = below.id
        AND tasks.depth <> below.depth`,
  );
  return Number(changes);
}

/** Reads the ids of tasks imported from another program, by origin. @param origin The prefix of their origins. */
export function readOrigins(db: DatabaseSync, origin: string): ReadonlyMap<string, string> {
  const rows = db.prepare(
    `SELECT origin, id
       FROM tasks
      WHERE substr(origin, 1, length(?1)) = ?1`,
  ).all(origin);
  return new Map(rows.map((row) => [String(row["origin"]), String(row["id"])]));
}
