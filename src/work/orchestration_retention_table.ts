/** Removes tasks, workflows and events that are old enough; each step is one short transaction. */
import { quietly } from "../base/errors.ts";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { transaction } from "../db/transaction.ts";
import { markDeleted, removeTasks } from "./task_life_table.ts";
import { readTask } from "./tasks_table.ts";
import { agentsFolder, filesOfAgent, removeAgentFiles } from "./engine/agent_files.ts";
import { uuidOf } from "../base/ids.ts";
import { joinPath } from "../base/paths.ts";
import { readDirSync, statSync } from "../system/files.ts";

const BY = "system";

/**
 * Returns a query for the tasks that may go: nobody works on them, and no task below them stays.
 * @param condition The condition for an old `task`, with the limit of time as `?1`.
 */
function expiredTasks(condition: string): string {
  return `WITH RECURSIVE staying (id) AS (
       SELECT id
         FROM tasks AS task
        WHERE NOT coalesce(${condition}, 0)
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
      WHERE ${condition}
        AND id NOT IN (SELECT id FROM staying)`;
}

/** Selects closed tasks that nobody has changed since. A deleted task below does not keep them. */
const CLOSED = expiredTasks(
  "(task.deleted_at_ms IS NOT NULL OR (task.status = 'closed' AND max(task.closed_at_ms, task.updated_at_ms) < ?1))",
) + "\n        AND task.deleted_at_ms IS NULL";

const DELETED = expiredTasks("(task.deleted_at_ms < ?1)");

/** Selects ended workflows. A completed one stays until its working tree is removed. */
const WORKFLOWS = `SELECT id
       FROM workflows
      WHERE ended_at_ms < ?1
        AND NOT (status = 'completed' AND worktree IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM agents
                         WHERE agents.workflow_id = workflows.id AND agents.ended_at_ms IS NULL)`;

/** How many rows of each kind were removed, or would be. */
type Counts = Readonly<Record<string, number>>;

interface RemoveOptions {
  readonly nowMs: number;
  /** The absolute path, or `:memory:`. The output of agents lies beside the file. */
  readonly database: string;
  /** The most rows for one transaction. */
  readonly batchRows: number;
}

type OldStep = (db: DatabaseSync, beforeMs: number, options: RemoveOptions) => Counts;

/** About how many rows (history, tags, agents) go with one task or workflow. */
const ROWS_OF_TASK = 10;

/** The steps that count and remove this room's old rows, in their order. Each call of `remove` handles one batch. */
export const OLD_WORK = {
  workflows: {
    first: firstOf("workflows", WORKFLOWS),
    ...rowsOf("workflows", WORKFLOWS, tasksInBatch),
  },
  /** Removes deleted tasks for good, with all that belongs to them. */
  deletedTasks: {
    first: firstOf("tasks", DELETED),
    count: (db, beforeMs) => ({
      tasks: numberOf(db, `(${DELETED})`, beforeMs),
      agents: numberOf(db, `agents WHERE task_id IN (${DELETED})`, beforeMs),
      questions: numberOf(db, `questions WHERE task_id IN (${DELETED})`, beforeMs),
    }),
    remove: removeDeletedTasks,
  },
  /** Marks closed tasks as deleted; they can be restored. */
  closedTasks: {
    first: firstOf("deletedTasks", CLOSED),
    count: (db, beforeMs) => ({
      deletedTasks: numberOf(db, `(${CLOSED})`, beforeMs),
    }),
    remove: (db, beforeMs, options) =>
      transaction(db, () => {
        const ids = deepestOf(db, CLOSED, [beforeMs, tasksInBatch(options)]);
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
      for (const id of folders) removeAgentFiles(filesOfAgent(database, id));
      return { folders: folders.length };
    },
  },
} satisfies Record<
  string,
  { readonly count: OldStep; readonly remove: OldStep; readonly first?: ReturnType<typeof firstOf> }
>;

/** Makes the steps of a table whose rows need nothing else removed. @param old SQL with the limit of time as `?1`. */
function rowsOf(
  table: string,
  old: string,
  maxRows = ({ batchRows }: RemoveOptions) => batchRows,
): { readonly count: OldStep; readonly remove: OldStep } {
  return {
    count: (db, beforeMs) => ({ [table]: numberOf(db, `(${old})`, beforeMs) }),
    remove: (db, beforeMs, options) =>
      transaction(db, () => {
        const remove = db.prepare(`DELETE FROM ${table} WHERE id IN (${old} LIMIT ?2)`);
        return { [table]: Number(remove.run(beforeMs, maxRows(options)).changes) };
      }),
  };
}

/** Makes the step that lists the first ids, under the name of their count. @param sql Has the limit of time as `?1`. */
function firstOf(name: "workflows" | "tasks" | "deletedTasks", sql: string) {
  return (db: DatabaseSync, beforeMs: number, { limit }: { readonly limit: number }) => ({
    [name]: idsOf(db, `${sql} LIMIT ?2`, [beforeMs, limit]),
  });
}

function tasksInBatch({ batchRows }: RemoveOptions): number {
  return Math.ceil(batchRows / ROWS_OF_TASK);
}

function removeDeletedTasks(db: DatabaseSync, beforeMs: number, options: RemoveOptions): Counts {
  const { ids, agents, questions } = transaction(db, () => {
    const ids = deepestOf(db, DELETED, [beforeMs, tasksInBatch(options)]);
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
    removeAgentFiles(filesOfAgent(options.database, id));
  }
  return { tasks: ids.length, agents: agents.length, questions };
}

/** Lists old folders without an agent. A new agent's row is older than its folder, so no living agent owns them. */
function orphanFolders(db: DatabaseSync, database: string, beforeMs: number): readonly string[] {
  if (database === ":memory:") return [];
  const folder = agentsFolder(database);
  // The folder is missing until the first agent starts.
  return quietly(() => {
    const old = Array.from(readDirSync(folder), ({ name }) => name).filter((name) =>
      uuidOf(name) === name && lastChangeMs(joinPath(folder, name)) < beforeMs
    );
    const sql = "SELECT value AS id FROM json_each(?) WHERE value NOT IN (SELECT id FROM agents)";
    return idsOf(db, sql, [JSON.stringify(old)]);
  }) ?? [];
}

/** Returns the last change in a folder or its files, since writing into a file does not change the folder. */
function lastChangeMs(folder: string): number {
  const paths = Array.from(readDirSync(folder), ({ name }) => joinPath(folder, name));
  return Math.max(...[folder, ...paths].map((path) => statSync(path).mtime?.getTime() ?? 0));
}

/** Removes sub-agents and questions of sessions, in the caller's transaction. Other agents go with their task. */
export function removeSessionAgents(db: DatabaseSync, sessionIds: readonly string[]): void {
  const sources = [
    "agents WHERE kind = 'subagent'",
    "questions WHERE source IN ('notification', 'elicitation')",
  ];
  for (const source of sources) {
    db.prepare(`DELETE FROM ${source} AND session_id IN (SELECT value FROM json_each(?))`)
      .run(JSON.stringify(sessionIds));
  }
}

function numberOf(db: DatabaseSync, rows: string, value: SQLInputValue): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${rows}`).get(value)!["n"]);
}

/** Lists ids of tasks, the deepest first, so that a batch leaves no task below a removed one. */
function deepestOf(db: DatabaseSync, tasks: string, values: SQLInputValue[]): string[] {
  return idsOf(db, `${tasks} ORDER BY depth DESC, id LIMIT ?2`, values);
}

function idsOf(db: DatabaseSync, sql: string, values: SQLInputValue[]): string[] {
  return db.prepare(sql).all(...values).map((row) => String(row["id"]));
}
