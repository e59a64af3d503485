/** Removes tasks, workflows and events that were kept long enough; each step is one short transaction. */
import { quietly } from "../base/errors.ts";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { transaction } from "../db/transaction.ts";
import { markDeleted, removeTasks } from "./task_life_table.ts";
import { readTask } from "./tasks_table.ts";
import { agentFiles, agentsFolder, removeAgentFiles } from "./engine/agent_files.ts";
import { uuidOf } from "../base/ids.ts";
import { joinPath } from "../base/paths.ts";
import { readDirSync, statSync } from "../system/files.ts";

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

/** How much was removed, or would be. */
type Counts = Readonly<Record<string, number>>;

interface RemoveOptions {
  readonly nowMs: number;
  /** Absolute path, or `:memory:`: the output of agents lies beside it. */
  readonly database: string;
  /** Rows in one transaction. */
  readonly batchRows: number;
}

type OldStep = (db: DatabaseSync, beforeMs: number, options: RemoveOptions) => Counts;

/** About how many rows (history, tags, agents) go with one task or workflow. */
const ROWS_OF_TASK = 10;

/** What of this room goes when it is old, in the order in which it is removed. Each removal is a batch. */
export const OLD_WORK = {
  workflows: {
    first: firstOf("workflows", WORKFLOWS),
    ...rowsOf("workflows", WORKFLOWS, tasksOf),
  },
  /** Deleted tasks go for good, with all that belongs to them. */
  deletedTasks: {
    first: firstOf("tasks", DELETED),
    count: (db, beforeMs) => ({
      tasks: numberOf(db, `(${DELETED})`, beforeMs),
      agents: numberOf(db, `agents WHERE task_id IN (${DELETED})`, beforeMs),
      questions: numberOf(db, `questions WHERE task_id IN (${DELETED})`, beforeMs),
    }),
    remove: removeDeletedTasks,
  },
  /** Closed tasks are marked as deleted; they can be restored. */
  closedTasks: {
    first: firstOf("deletedTasks", CLOSED),
    count: (db, beforeMs) => ({
      deletedTasks: numberOf(db, `(${CLOSED})`, beforeMs),
    }),
    remove: (db, beforeMs, options) =>
      transaction(db, () => {
        const ids = deepestOf(db, CLOSED, [beforeMs, tasksOf(options)]);
        const deletion = { by: BY, atMs: options.nowMs };
        for (const id of ids) markDeleted(db, readTask(db, id)!, deletion);
        return { deletedTasks: ids.length };
      }),
  },
  events: rowsOf("events", "SELECT id FROM events WHERE created_at_ms < ?1"),
  folders: {
    count: (db, beforeMs, { database }) => ({
      folders: orphanFolders(db, database, beforeMs).length,
    }),
    remove: (db, beforeMs, { database }) => {
      const folders = orphanFolders(db, database, beforeMs);
      for (const id of folders) removeAgentFiles(agentFiles(database, id));
      return { folders: folders.length };
    },
  },
} satisfies Record<
  string,
  { readonly count: OldStep; readonly remove: OldStep; readonly first?: ReturnType<typeof firstOf> }
>;

/** The steps of a table whose rows go without anything else. @param old SQL with the limit of time as `?1`. */
function rowsOf(
  table: string,
  old: string,
  most = ({ batchRows }: RemoveOptions) => batchRows,
): { readonly count: OldStep; readonly remove: OldStep } {
  return {
    count: (db, beforeMs) => ({ [table]: numberOf(db, `(${old})`, beforeMs) }),
    remove: (db, beforeMs, options) =>
      transaction(db, () => {
        const remove = db.prepare(`DELETE FROM ${table} WHERE id IN (${old} LIMIT ?2)`);
        return { [table]: Number(remove.run(beforeMs, most(options)).changes) };
      }),
  };
}

/** Makes the step that has the first ids, under the name that counts them. @param sql Has the limit of time as `?1`. */
function firstOf(name: "workflows" | "tasks" | "deletedTasks", sql: string) {
  return (db: DatabaseSync, beforeMs: number, { limit }: { readonly limit: number }) => ({
    [name]: idsOf(db, `${sql} LIMIT ?2`, [beforeMs, limit]),
  });
}

function tasksOf({ batchRows }: RemoveOptions): number {
  return Math.ceil(batchRows / ROWS_OF_TASK);
}

function removeDeletedTasks(db: DatabaseSync, beforeMs: number, options: RemoveOptions): Counts {
  const { ids, agents, questions } = transaction(db, () => {
    const ids = deepestOf(db, DELETED, [beforeMs, tasksOf(options)]);
    const tasks = ids.map((id) => readTask(db, id)!).sort((a, b) => a.depth - b.depth);
    const list = JSON.stringify(ids);
    const ofTasks = "WHERE task_id IN (SELECT value FROM json_each(?))";
    const agents = idsOf(db, `SELECT id FROM agents ${ofTasks}`, [list]);
    const questions = numberOf(db, `questions ${ofTasks}`, list);
    removeTasks(db, tasks, { by: BY, atMs: options.nowMs });
    return { ids, agents, questions };
  });
  // Sub-agents of sessions have no files, and neither do agents whose id somebody else gave.
  for (const id of agents.filter((id) => uuidOf(id) !== null)) {
    removeAgentFiles(agentFiles(options.database, id));
  }
  return { tasks: ids.length, agents: agents.length, questions };
}

/** The database names an agent before its folder is made: so a folder that has no agent has lost it. */
function orphanFolders(db: DatabaseSync, database: string, beforeMs: number): readonly string[] {
  if (database === ":memory:") return [];
  const folder = agentsFolder(database);
  // Without the folder no agent was ever started.
  return quietly(() => {
    const old = Array.from(readDirSync(folder), ({ name }) => name).filter((name) =>
      uuidOf(name) === name && lastChangeMs(joinPath(folder, name)) < beforeMs
    );
    const sql = "SELECT value AS id FROM json_each(?) WHERE value NOT IN (SELECT id FROM agents)";
    return idsOf(db, sql, [JSON.stringify(old)]);
  }) ?? [];
}

/** The last change in a folder: who writes into a file does not change its folder. */
function lastChangeMs(folder: string): number {
  const paths = Array.from(readDirSync(folder), ({ name }) => joinPath(folder, name));
  return Math.max(...[folder, ...paths].map((path) => statSync(path).mtime?.getTime() ?? 0));
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

function numberOf(db: DatabaseSync, rows: string, value: SQLInputValue): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${rows}`).get(value)!["n"]);
}

/** The deepest first: a batch never leaves a task below one that is gone. */
function deepestOf(db: DatabaseSync, tasks: string, values: SQLInputValue[]): string[] {
  return idsOf(db, `${tasks} ORDER BY depth DESC, id LIMIT ?2`, values);
}

function idsOf(db: DatabaseSync, sql: string, values: SQLInputValue[]): string[] {
  return db.prepare(sql).all(...values).map((row) => String(row["id"]));
}
