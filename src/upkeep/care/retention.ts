/** How long what is stored stays: a table of what can be removed, and one loop of short transactions. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../../config/hook_config.ts";
import type { Config } from "../../config/config_schema.ts";
import { agentFiles, agentsFolder, removeAgentFiles } from "../../work/engine/agent_files.ts";
import { firstIdAt, uuidOf } from "../../base/ids.ts";
import { joinPath } from "../../base/paths.ts";
import {
  countExpiring,
  countWithDeleted,
  deleteClosedTasks,
  removeDeletedTasks,
  removeExpired,
  withoutAgent,
} from "../../work/store.ts";
import {
  countExpired,
  countOldObservations,
  type GoneCaptures,
  oldestExpiredSession,
  removeOldObservations,
  removeOrphanRows,
  removeSessionRows,
} from "./retention_table.ts";
import { daysMs } from "../../base/time.ts";
import { readDirSync, statSync } from "../../system/files.ts";

/** How much was removed, or would be. */
export type RetentionCounts = Readonly<Record<keyof typeof NOTHING, number>>;

export const NOTHING = {
  sessions: 0,
  executions: 0,
  captures: 0,
  counters: 0,
  observations: 0,
  /** Closed tasks that were deleted; they can be restored for some days. */
  deletedTasks: 0,
  /** Deleted tasks that were removed for good. */
  tasks: 0,
  agents: 0,
  questions: 0,
  workflows: 0,
  events: 0,
  /** Folders with the output of agents that are in the database no more. */
  folders: 0,
};

export interface RetentionOptions {
  readonly nowMs: number;
  /** Absolute path, or `:memory:`: the output of agents lies beside it. */
  readonly database: string;
  /** How long each kind stays, in milliseconds; a kind with 0 or without a time stays for ever. */
  readonly kept: KeptTimes;
  /** Where captures are worked into memory, only `worked` ones go, and their sessions with them. */
  readonly captures: GoneCaptures;
  /** Rows in one transaction. */
  readonly batchRows: number;
}

export type KeptTimes = Readonly<Partial<Record<KindName, number>>>;

type KindName =
  | "sessions"
  | "orphans"
  | "observations"
  | "workflows"
  | "deletedTasks"
  | "closedTasks"
  | "events"
  | "folders";

interface Kind {
  readonly count: (
    db: DatabaseSync,
    beforeMs: number,
    options: RetentionOptions,
  ) => Partial<RetentionCounts>;
  /** Removes a batch. */
  readonly remove: (db: DatabaseSync, beforeMs: number, options: RetentionOptions) => Batch;
}

interface Batch {
  readonly removed: Partial<RetentionCounts>;
  /** Whether this was the last batch. */
  readonly isDone: boolean;
}

/** Observations in one transaction: each takes its words out of the index. */
const OBSERVATIONS = 50;

/** With a task go its history, tags and agents, about so many rows. */
const ROWS_OF_TASK = 10;

/** A folder without an agent stays so long, for whoever restores the database. */
const ORPHAN_DAYS = 1;

/** In the order in which they are removed. Nothing that runs, or waits for a person, is touched. */
const KINDS: Readonly<Record<KindName, Kind>> = {
  sessions: {
    count: (db, beforeMs) => countExpired(db, beforeMs, firstIdAt(beforeMs)),
    remove: (db, beforeMs, { captures, batchRows: limit }) => {
      const id = oldestExpiredSession(db, beforeMs, captures);
      if (id === undefined) return { removed: {}, isDone: true };
      const { done: _done, ...removed } = removeSessionRows(db, id, { limit, captures });
      return { removed, isDone: false };
    },
  },
  /** Rows of no known session; to find them, every row older than the limit is read. */
  orphans: {
    count: () => ({}),
    remove: (db, beforeMs, { captures, batchRows: limit }) => {
      const removed = removeOrphanRows(db, firstIdAt(beforeMs), { limit, captures });
      return { removed, isDone: Math.max(removed.captures, removed.executions) < limit };
    },
  },
  /** Those that were seen last before the limit; notes stay. */
  observations: {
    count: (db, beforeMs) => ({ observations: countOldObservations(db, beforeMs) }),
    remove: (db, beforeMs) =>
      batch("observations", OBSERVATIONS, removeOldObservations(db, beforeMs, OBSERVATIONS)),
  },
  workflows: {
    count: (db, beforeMs) => ({ workflows: countExpiring(db, "workflows", beforeMs) }),
    remove: (db, beforeMs, options) => {
      const limit = tasksOf(options);
      return batch("workflows", limit, removeExpired(db, "workflows", { beforeMs, limit }));
    },
  },
  deletedTasks: {
    count: (db, beforeMs) => ({
      tasks: countExpiring(db, "deleted", beforeMs),
      ...countWithDeleted(db, beforeMs),
    }),
    remove: (db, beforeMs, options) => {
      const limit = tasksOf(options);
      const { tasks, agents, questions } = removeDeletedTasks(db, {
        beforeMs,
        nowMs: options.nowMs,
        limit,
      });
      // Sub-agents of sessions have no files, and neither do agents whose id somebody else gave.
      for (const id of agents.filter((id) => uuidOf(id) !== null)) {
        removeAgentFiles(agentFiles(options.database, id));
      }
      return { removed: { tasks, agents: agents.length, questions }, isDone: tasks < limit };
    },
  },
  closedTasks: {
    count: (db, beforeMs) => ({ deletedTasks: countExpiring(db, "closed", beforeMs) }),
    remove: (db, beforeMs, options) => {
      const limit = tasksOf(options);
      const { nowMs } = options;
      return batch("deletedTasks", limit, deleteClosedTasks(db, { beforeMs, nowMs, limit }));
    },
  },
  events: {
    count: (db, beforeMs) => ({ events: countExpiring(db, "events", beforeMs) }),
    remove: (db, beforeMs, { batchRows: limit }) =>
      batch("events", limit, removeExpired(db, "events", { beforeMs, limit })),
  },
  folders: {
    count: (db, beforeMs, { database }) => ({
      folders: orphanFolders(db, database, beforeMs).length,
    }),
    remove: (db, beforeMs, { database }) => {
      const folders = orphanFolders(db, database, beforeMs);
      for (const id of folders) removeAgentFiles(agentFiles(database, id));
      return { removed: { folders: folders.length }, isDone: true };
    },
  },
};

function batch(name: keyof RetentionCounts, limit: number, removed: number): Batch {
  return { removed: { [name]: removed }, isDone: removed < limit };
}

function tasksOf({ batchRows }: RetentionOptions): number {
  return Math.ceil(batchRows / ROWS_OF_TASK);
}

/** How long sessions and observations stay. */
export function keptByHooks(
  { sessionRetentionDays, memoryRetentionDays }: Pick<
    HookConfig,
    "sessionRetentionDays" | "memoryRetentionDays"
  >,
): KeptTimes {
  return { sessions: daysMs(sessionRetentionDays), observations: daysMs(memoryRetentionDays) };
}

/** How long tasks, workflows and events stay. */
export function keptByDaemon(
  store: Pick<
    Config["store"],
    "taskRetentionDays" | "taskSoftDeleteDays" | "workflowRetentionDays" | "eventRetentionHours"
  >,
): KeptTimes {
  return {
    workflows: daysMs(store.workflowRetentionDays),
    deletedTasks: daysMs(store.taskSoftDeleteDays),
    closedTasks: daysMs(store.taskRetentionDays),
    events: store.eventRetentionHours * 3_600_000,
    folders: daysMs(ORPHAN_DAYS),
  };
}

/**
 * Removes what has stayed long enough. Each step is a short transaction; who takes no further step stops there.
 *
 * @returns After each step, all that was removed so far.
 */
export function* retentionSteps(
  db: DatabaseSync,
  options: RetentionOptions,
): Generator<RetentionCounts, void> {
  let removed: RetentionCounts = NOTHING;
  for (const [kind, beforeMs] of limitsOf(options)) {
    for (let isDone = false; !isDone;) {
      const step = kind.remove(db, beforeMs, options);
      isDone = step.isDone;
      yield removed = add(removed, step.removed);
    }
  }
}

/** What all {@linkcode retentionSteps} would remove. */
export function previewRetention(db: DatabaseSync, options: RetentionOptions): RetentionCounts {
  return limitsOf(options)
    .map(([kind, beforeMs]) => kind.count(db, beforeMs, options))
    .reduce(add, NOTHING);
}

function limitsOf({ kept, nowMs }: RetentionOptions): (readonly [Kind, beforeMs: number])[] {
  return (Object.keys(KINDS) as KindName[])
    .filter((name) => (kept[name] ?? 0) > 0)
    .map((name) => [KINDS[name], nowMs - kept[name]!]);
}

function add(sum: RetentionCounts, step: Partial<RetentionCounts>): RetentionCounts {
  const added = Object.entries(sum).map(([name, n]) =>
    [name, n + (step[name as keyof RetentionCounts] ?? 0)] as const
  );
  return Object.fromEntries(added) as RetentionCounts;
}

/** The database names an agent before its folder is made: so a folder that has no agent has lost it. */
function orphanFolders(db: DatabaseSync, database: string, beforeMs: number): readonly string[] {
  if (database === ":memory:") return [];
  const folder = agentsFolder(database);
  try {
    const old = Array.from(readDirSync(folder), ({ name }) => name).filter((name) =>
      uuidOf(name) === name && lastChangeMs(joinPath(folder, name)) < beforeMs
    );
    return withoutAgent(db, old);
  } catch {
    // No agent was ever started.
    return [];
  }
}

/** The last change in a folder: who writes into a file does not change its folder. */
function lastChangeMs(folder: string): number {
  const paths = Array.from(readDirSync(folder), ({ name }) => joinPath(folder, name));
  return Math.max(...[folder, ...paths].map((path) => statSync(path).mtime?.getTime() ?? 0));
}
