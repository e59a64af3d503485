/** How long what is stored stays: a table of what can be removed, and one loop of short transactions. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../../config/hook_config.ts";
import type { Config } from "../../config/config_schema.ts";
import { OLD_WORK, removeSessionAgents } from "../../work/store.ts";
import {
  countOldRows,
  type GoneCaptures,
  oldSessions,
  removeOldSessions,
  removeOrphanRows,
} from "../../db/old_rows.ts";
import {
  countOldObservations,
  countOldTokenUse,
  oldObservations,
  removeOldObservations,
  removeOldTokenUse,
} from "../../memory/store.ts";
import { removeGateState } from "../../policy/store.ts";
import { daysMs } from "../../base/time.ts";

/** How much was removed, or would be. */
export type RetentionCounts = Readonly<Record<keyof typeof NOTHING, number>>;

export const NOTHING = {
  sessions: 0,
  executions: 0,
  captures: 0,
  counters: 0,
  observations: 0,
  tokenUse: 0,
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

type KeptTimes = Readonly<Partial<Record<keyof typeof KINDS, number>>>;

type Step = (
  db: DatabaseSync,
  beforeMs: number,
  options: RetentionOptions,
) => Partial<RetentionCounts>;

type FirstOptions = RetentionOptions & { readonly limit: number };
type FirstIds = Readonly<Partial<Record<keyof RetentionCounts, readonly string[]>>>;

/** `count` counts all, `remove` removes a batch: nothing when all is removed. `first` has the first ids, where people know them. */
type Kind = Readonly<Record<"count" | "remove", Step>> & {
  readonly first?: (db: DatabaseSync, beforeMs: number, options: FirstOptions) => FirstIds;
};

/** Observations in one transaction: each takes its words out of the index. */
const OBSERVATIONS = 50;

/** A folder without an agent stays for this long, in case somebody restores the database. */
const ORPHAN_DAYS = 1;

/** In the order in which they are removed. Nothing that runs, or waits for a person, is touched. */
const KINDS = {
  sessions: {
    first: (db, beforeMs, { captures, limit }) => ({
      sessions: oldSessions(db, { beforeMs, captures, limit }),
    }),
    count: countOldRows,
    remove: (db, beforeMs, { captures, batchRows: limit }) =>
      removeOldSessions(db, { beforeMs, captures, limit }, (ids) => {
        removeGateState(db, ids);
        removeSessionAgents(db, ids);
      }),
  },
  /** Rows of no known session; to find them, every row older than the limit is read. */
  orphans: {
    count: () => ({}),
    remove: (db, beforeMs, { captures, batchRows: limit }) =>
      removeOrphanRows(db, { beforeMs, captures, limit }),
  },
  /** Those that were seen last before the limit; notes stay. */
  observations: {
    first: (db, beforeMs, { limit }) => ({
      observations: oldObservations(db, beforeMs, limit).map(String),
    }),
    count: (db, beforeMs) => ({ observations: countOldObservations(db, beforeMs) }),
    remove: (db, beforeMs) => ({ observations: removeOldObservations(db, beforeMs, OBSERVATIONS) }),
  },
  tokenUse: {
    count: (db, beforeMs) => ({ tokenUse: countOldTokenUse(db, beforeMs) }),
    remove: (db, beforeMs, { batchRows }) => ({
      tokenUse: removeOldTokenUse(db, beforeMs, batchRows),
    }),
  },
  ...OLD_WORK,
} satisfies Record<string, Kind>;

/** How long sessions, and what memory has of them, stay. */
export function keptByHooks(config: HookConfig): KeptTimes {
  return {
    sessions: daysMs(config.sessionRetentionDays),
    ...keptInMemory(config.memoryRetentionDays),
  };
}

export function keptInMemory(days: number): KeptTimes {
  return { observations: daysMs(days), tokenUse: daysMs(days) };
}

/** How long tasks, workflows and events stay. */
export function keptByDaemon(store: Config["store"]): KeptTimes {
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
  const removed = { ...NOTHING };
  for (const [{ remove }, beforeMs] of limitsOf(options)) {
    while (add(removed, remove(db, beforeMs, options)) > 0) yield removed;
  }
}

/** What all {@linkcode retentionSteps} would remove. */
export function previewRetention(db: DatabaseSync, options: RetentionOptions): RetentionCounts {
  const counts = { ...NOTHING };
  for (const [{ count }, beforeMs] of limitsOf(options)) add(counts, count(db, beforeMs, options));
  return counts;
}

/** The first ids of what {@linkcode retentionSteps} would remove, by what counts them; only of what people know by a name. */
export function firstToGo(db: DatabaseSync, options: FirstOptions): FirstIds {
  return Object.assign(
    {},
    ...limitsOf(options).map(([{ first }, beforeMs]) => first?.(db, beforeMs, options)),
  );
}

function limitsOf({ kept, nowMs }: RetentionOptions): (readonly [Kind, beforeMs: number])[] {
  return Object.entries(KINDS).flatMap(([name, kind]) => {
    const keptMs = kept[name as keyof typeof KINDS] ?? 0;
    return keptMs > 0 ? [[kind, nowMs - keptMs] as const] : [];
  });
}

/** @returns The sum of what was added. */
function add(sum: Record<string, number>, step: Partial<RetentionCounts>): number {
  for (const [name, n] of Object.entries(step)) sum[name]! += n;
  return Object.values(step).reduce((all, n) => all + n, 0);
}
