/** Removes what of tasks, workflows, agents and events is older than it is to be kept (seed 002). */
import type { DatabaseSync } from "node:sqlite";
import type { Config } from "../config/config_schema.ts";
import { agentFiles, agentsFolder, removeAgentFiles } from "../engine/agent_files.ts";
import { uuidOf } from "../ids.ts";
import { joinPath } from "../paths.ts";
import {
  countExpiring,
  countWithDeleted,
  deleteClosedTasks,
  removeDeletedTasks,
  removeExpired,
  withoutAgent,
} from "../store/orchestration_retention.ts";
import { daysMs } from "../time.ts";

/** How much was removed, or would be. */
export interface OrchestrationCounts {
  /** Closed tasks that were deleted; they can be restored for some days. */
  readonly deletedTasks: number;
  /** Deleted tasks that were removed for good. */
  readonly tasks: number;
  readonly agents: number;
  readonly questions: number;
  readonly workflows: number;
  readonly events: number;
  /** Folders with the output of agents that nobody knows any more. */
  readonly folders: number;
}

/** What counts. */
export interface OrchestrationRetention {
  /** Absolute path, or `:memory:`: the output of agents lies beside it. */
  readonly database: string;
  readonly store: Pick<
    Config["store"],
    | "taskRetentionDays"
    | "taskSoftDeleteDays"
    | "workflowRetentionDays"
    | "eventRetentionHours"
    | "retentionBatchRows"
  >;
  readonly nowMs: number;
  /** Aborted when it is to end after the step that it is at. */
  readonly signal?: AbortSignal;
}

/** With a task go its history, tags, agents: so many rows are thought to belong to one. */
const ROWS_OF_TASK = 10;

/** A folder without an agent stays so long, for whoever restores the database. */
const ORPHAN_MS = daysMs(1);

const HOUR_MS = 3_600_000;

/** Before which moment things may go; null: never. */
function limitsOf({ store, nowMs }: OrchestrationRetention) {
  const before = (kept: number, unitMs: number) => kept === 0 ? null : nowMs - kept * unitMs;
  return {
    closed: before(store.taskRetentionDays, daysMs(1)),
    deleted: before(store.taskSoftDeleteDays, daysMs(1)),
    workflows: before(store.workflowRetentionDays, daysMs(1)),
    events: before(store.eventRetentionHours, HOUR_MS),
  };
}

/**
 * Removes in small transactions, with a pause after each, so that others can write. Nothing that runs, or waits for a
 * person, is touched, nor what has such a thing below it.
 */
export async function runOrchestrationRetention(
  db: DatabaseSync,
  options: OrchestrationRetention,
): Promise<OrchestrationCounts> {
  const { database, store, nowMs, signal } = options;
  const limits = limitsOf(options);
  const rows = store.retentionBatchRows;
  const tasks = Math.ceil(rows / ROWS_OF_TASK);
  const removed = { agents: 0, questions: 0, folders: 0 };
  const rounds = async (limit: number, beforeMs: number | null, step: (ms: number) => number) => {
    let sum = 0;
    for (let done = limit; beforeMs !== null && done >= limit && !signal?.aborted;) {
      sum += done = step(beforeMs);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return sum;
  };
  const workflows = await rounds(
    tasks,
    limits.workflows,
    (beforeMs) => removeExpired(db, "workflows", { beforeMs, limit: tasks }),
  );
  const gone = await rounds(tasks, limits.deleted, (beforeMs) => {
    const step = removeDeletedTasks(db, { beforeMs, nowMs, limit: tasks });
    removed.agents += step.agents.length;
    removed.questions += step.questions;
    // Sub-agents of sessions have none, and ids that others have given.
    const ours = step.agents.filter((id) => uuidOf(id) !== null);
    for (const id of ours) removeAgentFiles(agentFiles(database, id));
    return step.tasks;
  });
  const deletedTasks = await rounds(
    tasks,
    limits.closed,
    (beforeMs) => deleteClosedTasks(db, { beforeMs, nowMs, limit: tasks }),
  );
  const events = await rounds(
    rows,
    limits.events,
    (beforeMs) => removeExpired(db, "events", { beforeMs, limit: rows }),
  );
  for (const id of orphanFolders(db, options)) {
    if (signal?.aborted) break;
    removeAgentFiles(agentFiles(database, id));
    removed.folders++;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return { deletedTasks, tasks: gone, ...removed, workflows, events };
}

/** What {@linkcode runOrchestrationRetention} would remove. */
export function previewOrchestrationRetention(
  db: DatabaseSync,
  options: OrchestrationRetention,
): OrchestrationCounts {
  const { closed, deleted, workflows, events } = limitsOf(options);
  return {
    deletedTasks: closed === null ? 0 : countExpiring(db, "closed", closed),
    tasks: deleted === null ? 0 : countExpiring(db, "deleted", deleted),
    ...deleted === null ? { agents: 0, questions: 0 } : countWithDeleted(db, deleted),
    workflows: workflows === null ? 0 : countExpiring(db, "workflows", workflows),
    events: events === null ? 0 : countExpiring(db, "events", events),
    folders: orphanFolders(db, options).length,
  };
}

/** An agent is written down before its folder is made: so a folder that is seen first and has no agent has lost it. */
function orphanFolders(
  db: DatabaseSync,
  { database, nowMs }: OrchestrationRetention,
): readonly string[] {
  if (database === ":memory:") return [];
  const folder = agentsFolder(database);
  try {
    const old = Array.from(Deno.readDirSync(folder), ({ name }) => name).filter((name) =>
      uuidOf(name) === name && nowMs - lastChangeMs(joinPath(folder, name)) > ORPHAN_MS
    );
    return withoutAgent(db, old);
  } catch {
    // No agent was ever started.
    return [];
  }
}

/** When something in a folder was changed last: who writes into a file does not change its folder. */
function lastChangeMs(folder: string): number {
  const paths = Array.from(Deno.readDirSync(folder), ({ name }) => joinPath(folder, name));
  return Math.max(...[folder, ...paths].map((path) => Deno.statSync(path).mtime?.getTime() ?? 0));
}
