/** Removes tasks, workflows and events that were kept long enough; each step is one short transaction. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { transaction } from "../db/transaction.ts";
import { markDeleted, removeTasks } from "./task_life_table.ts";
import { readTask } from "./tasks_table.ts";

/** The history names this actor. */
const BY = "system";

/**
 * Tasks that may go, unless somebody works on them, or a task below them stays.
 * @param goes A condition on a `task` with the limit as its parameter.
 */
function expiredTasks(goes: string): string {
  return `WITH RECURSIVE staying (id) AS (
       SELECT id
         FROM tasks AS task
        WHERE NOT coalesce(${goes}, 0)
           OR task.status IN ('in_progress', 'pending_merge')
           OR EXISTS (SELECT 1 FROM agents WHERE agents.task_id = task.id AND agents.ended_at_ms IS NULL)
           OR EXISTS (SELECT 1 FROM workflows
                       WHERE workflows.task_id = task.id AND workflows.status IN ('running', 'pending_merge'))
        UNION
       SELECT task.parent_id
         FROM staying
         JOIN tasks AS task ON task.id = staying.id
        WHERE task.parent_id IS NOT NULL)
     SELECT id
       FROM tasks AS task
      WHERE ${goes}
        AND id NOT IN (SELECT id FROM staying)`;
}

/** Closed tasks that nobody has changed since. A deleted task below does not keep them. */
const CLOSED = expiredTasks(
  "(task.deleted_at_ms IS NOT NULL OR (task.status = 'closed' AND max(task.closed_at_ms, task.updated_at_ms) < ?1))",
) + "\n        AND task.deleted_at_ms IS NULL";

const DELETED = expiredTasks("(task.deleted_at_ms < ?1)");

/** A completed workflow stays until its working tree is removed. */
const WORKFLOWS = `SELECT id
       FROM workflows
      WHERE ended_at_ms < ?1
        AND NOT (status = 'completed' AND worktree IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM agents
                         WHERE agents.workflow_id = workflows.id AND agents.ended_at_ms IS NULL)`;

const EVENTS = "SELECT id FROM events WHERE created_at_ms < ?1";

/** The ids of each kind that can be removed. */
const QUERIES = { closed: CLOSED, deleted: DELETED, workflows: WORKFLOWS, events: EVENTS };

function numberOf(db: DatabaseSync, sql: string, ...values: SQLInputValue[]): number {
  return Number(db.prepare(sql).get(...values)!["n"]);
}

/** How many of a kind are older than a moment. */
export function countExpiring(
  db: DatabaseSync,
  what: keyof typeof QUERIES,
  beforeMs: number,
): number {
  return numberOf(db, `SELECT count(*) AS n FROM (${QUERIES[what]})`, beforeMs);
}

/** How many agents and questions would go with tasks that were deleted before a moment. */
export function countWithDeleted(
  db: DatabaseSync,
  beforeMs: number,
): { readonly agents: number; readonly questions: number } {
  const count = (table: "agents" | "questions") =>
    numberOf(db, `SELECT count(*) AS n FROM ${table} WHERE task_id IN (${DELETED})`, beforeMs);
  return { agents: count("agents"), questions: count("questions") };
}

/** The limits of one step. */
export interface Step {
  readonly beforeMs: number;
  readonly nowMs: number;
  readonly limit: number;
}

/** Marks closed tasks as deleted; they can be restored. @returns How many. */
export function deleteClosedTasks(db: DatabaseSync, { beforeMs, nowMs, limit }: Step): number {
  return transaction(db, () => {
    const ids = expiring(db, "closed", { beforeMs, limit });
    for (const id of ids) markDeleted(db, readTask(db, id)!, { by: BY, atMs: nowMs });
    return ids.length;
  });
}

/** What was removed with tasks. */
interface RemovedTasks {
  readonly tasks: number;
  /** Their ids; their files are still there. */
  readonly agents: readonly string[];
  readonly questions: number;
}

/** Removes deleted tasks for good, with all that belongs to them. */
export function removeDeletedTasks(
  db: DatabaseSync,
  { beforeMs, nowMs, limit }: Step,
): RemovedTasks {
  return transaction(db, () => {
    const ids = expiring(db, "deleted", { beforeMs, limit });
    const tasks = ids.map((id) => readTask(db, id)!).sort((a, b) => a.depth - b.depth);
    const list = JSON.stringify(ids);
    const ofTasks = "WHERE task_id IN (SELECT value FROM json_each(?))";
    const agents = idsOf(db, `SELECT id FROM agents ${ofTasks}`, list);
    const questions = numberOf(db, `SELECT count(*) AS n FROM questions ${ofTasks}`, list);
    removeTasks(db, tasks, { by: BY, atMs: nowMs });
    return { tasks: ids.length, agents, questions };
  });
}

/** Removes workflows with their steps, or events. @returns How many. */
export function removeExpired(
  db: DatabaseSync,
  what: "workflows" | "events",
  { beforeMs, limit }: Omit<Step, "nowMs">,
): number {
  return transaction(db, () =>
    Number(
      db.prepare(`DELETE FROM ${what} WHERE id IN (${QUERIES[what]} LIMIT ?2)`)
        .run(beforeMs, limit).changes,
    ));
}

/** Removes sub-agents and questions of sessions, in the transaction of the caller. Those of the daemon go with their task. */
export function removeSessionAgents(db: DatabaseSync, sessionIds: readonly string[]): void {
  const rows = [
    "agents WHERE kind = 'subagent'",
    "questions WHERE source IN ('notification', 'elicitation')",
  ];
  for (const some of rows) {
    db.prepare(`DELETE FROM ${some} AND session_id IN (SELECT value FROM json_each(?))`)
      .run(JSON.stringify(sessionIds));
  }
}

/** The ids that no agent has. */
export function withoutAgent(db: DatabaseSync, ids: readonly string[]): string[] {
  const sql = "SELECT value AS id FROM json_each(?) WHERE value NOT IN (SELECT id FROM agents)";
  return idsOf(db, sql, JSON.stringify(ids));
}

/** The deepest first: a batch never leaves a task below one that is gone. */
function expiring(
  db: DatabaseSync,
  what: "closed" | "deleted",
  { beforeMs, limit }: Omit<Step, "nowMs">,
): string[] {
  return idsOf(db, `${QUERIES[what]} ORDER BY depth DESC, id LIMIT ?2`, beforeMs, limit);
}

function idsOf(db: DatabaseSync, sql: string, ...values: SQLInputValue[]): string[] {
  return db.prepare(sql).all(...values).map((row) => String(row["id"]));
}
