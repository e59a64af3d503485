/** Removes old rows and folders: a table tells what can be removed, one loop removes it in short transactions. */
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

/** How many items of each kind were removed, or would be. */
export type RetentionCounts = Readonly<Record<keyof typeof NOTHING, number>>;

export const NOTHING = {
  sessions: 0,
  executions: 0,
  captures: 0,
  counters: 0,
  observations: 0,
  tokenUse: 0,
  /** Closed tasks that were marked as deleted; they can be restored for some days. */
  deletedTasks: 0,
  /** Deleted tasks that were removed for good. */
  tasks: 0,
  agents: 0,
  questions: 0,
  workflows: 0,
  events: 0,
  /** Output folders of agents that are no longer in the database. */
  folders: 0,
};

export interface RetentionOptions {
  readonly nowMs: number;
  /** Absolute path, or `:memory:`: the output of agents lies beside it. */
  readonly database: string;
  /** How long each kind stays, in milliseconds; a kind with no time or 0 stays for ever. */
  readonly kept: KeptTimes;
  /** Which captures go: if captures are worked into memory, only `worked` ones and their sessions. */
  readonly captures: GoneCaptures;
  readonly batchRows: number;
}

type KeptTimes = Readonly<Partial<Record<keyof typeof KINDS, number>>>;
type FirstOptions = RetentionOptions & { readonly limit: number };
type FirstIds = Readonly<Partial<Record<keyof RetentionCounts, readonly string[]>>>;

type Step<Found = Partial<RetentionCounts>, Options = RetentionOptions> = (
  db: DatabaseSync,
  beforeMs: number,
  options: Options,
) => Found;

/** `count` counts all old items; `remove` removes a batch; `first` lists the first ids, for kinds with known ids. */
type Kind = Readonly<{ count: Step; remove: Step; first?: Step<FirstIds, FirstOptions> }>;

/** The most observations in one transaction, since each removes its words from the index. */
const OBSERVATIONS = 50;

/** How long a folder without an agent stays, in case somebody restores the database. */
const ORPHAN_DAYS = 1;

/** The kinds, in the order of removal. No kind includes anything that runs or waits for a person. */
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
  /** Rows of unknown sessions. There is no count, since it would read every row older than the limit. */
  orphans: {
    count: () => ({}),
    remove: (db, beforeMs, { captures, batchRows: limit }) =>
      removeOrphanRows(db, { beforeMs, captures, limit }),
  },
  /** Observations that were last seen before the limit, except notes. */
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

export function keptByHooks(config: HookConfig): KeptTimes {
  const sessions = daysMs(config.sessionRetentionDays);
  return { sessions, ...keptInMemory(config.memoryRetentionDays) };
}

export function keptInMemory(days: number): KeptTimes {
  return { observations: daysMs(days), tokenUse: daysMs(days) };
}

export function keptByDaemon(store: Config["store"]): KeptTimes {
  return {
    workflows: daysMs(store.workflowRetentionDays),
    deletedTasks: daysMs(store.taskSoftDeleteDays),
    closedTasks: daysMs(store.taskRetentionDays),
    events: store.eventRetentionHours * 3_600_000,
    folders: daysMs(ORPHAN_DAYS),
  };
}

/** Removes what is old enough, in short transactions; returns all counts so far after each. The caller may stop. */
export function* retentionSteps(
  db: DatabaseSync,
  options: RetentionOptions,
): Generator<RetentionCounts, void> {
  const removed = { ...NOTHING };
  for (const [{ remove }, beforeMs] of limitsOf(options)) {
    while (add(removed, remove(db, beforeMs, options)) > 0) yield removed;
  }
}

/** Counts what all {@linkcode retentionSteps} would remove. */
export function previewRetention(db: DatabaseSync, options: RetentionOptions): RetentionCounts {
  const counts = { ...NOTHING };
  for (const [{ count }, beforeMs] of limitsOf(options)) add(counts, count(db, beforeMs, options));
  return counts;
}

/** Lists the first ids that {@linkcode retentionSteps} would remove, for kinds that people know by id. */
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

/** Adds a step's counts to `sum`. @returns The step's total. */
function add(sum: Record<string, number>, step: Partial<RetentionCounts>): number {
  for (const [name, n] of Object.entries(step)) sum[name]! += n;
  return Object.values(step).reduce((all, n) => all + n, 0);
}
