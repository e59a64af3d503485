/** Adds up in `hook_latency` how long hooks took, and reads it over time; rows not added up yet count, too. */
import type { DatabaseSync } from "node:sqlite";
import { auditMark } from "./executions.ts";
import { readMeta, statement, writeMeta } from "./statement.ts";
import { transaction } from "./transaction.ts";

const MINUTE_MS = 60_000;
/** How long minutes are kept, in milliseconds. */
const KEPT_MS = 31 * 86_400_000;
/** Buckets per doubling: each is 9 % wide. */
const BUCKETS = 8;
/** The key in `meta` of the newest audit row that is added up. */
const ADDED_UP = "latency_mark";
/** How many rows of the audit trail one transaction adds up. */
const BATCH_ROWS = 10_000;

interface Timed {
  readonly hookName: string;
  readonly atMs: number;
  readonly ms: number;
}

/** Adds up the audit rows since the last time, and removes old minutes. */
export function addUpLatency(db: DatabaseSync, nowMs: number): void {
  for (let isDone = false; !isDone;) {
    isDone = transaction(db, () => {
      const { newest } = auditMark(db);
      const after = addedUp(db, newest);
      if (after === newest && readMeta(db, ADDED_UP) === String(newest)) return true;
      const upTo = Math.min(newest, after + BATCH_ROWS);
      const add = statement(
        db,
        `INSERT INTO hook_latency (minute, hook_name, bucket, runs)
         VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (minute, hook_name, bucket) DO UPDATE SET runs = runs + ?4`,
      );
      const counts = new Map<string, { timed: Timed; runs: number }>();
      for (const timed of timedBetween(db, { after, upTo, sinceMs: nowMs - KEPT_MS })) {
        const key = `${minuteOf(timed.atMs)} ${bucketOf(timed.ms)} ${timed.hookName}`;
        const count = counts.get(key);
        if (count === undefined) counts.set(key, { timed, runs: 1 });
        else count.runs++;
      }
      for (const { timed: { atMs, hookName, ms }, runs } of counts.values()) {
        add.run(minuteOf(atMs), hookName, bucketOf(ms), runs);
      }
      writeMeta(db, ADDED_UP, String(upTo));
      return upTo === newest;
    });
  }
  const oldest = minuteOf(nowMs - KEPT_MS);
  statement(db, "DELETE FROM hook_latency WHERE minute < ?").run(oldest);
}

/** How long hooks took in one step of time; percentiles in milliseconds, within 5 %. */
export interface LatencyPoint {
  readonly atMs: number;
  readonly runs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** How long the hooks of one kind took; steps in which none ran are left out. */
export interface HookLatency {
  readonly hookName: string;
  readonly points: readonly LatencyPoint[];
}

/** Returns how long hooks took in each step of time. @param stepMs The length of a step: whole minutes. */
export function latencyOverTime(
  db: DatabaseSync,
  { sinceMs, stepMs }: { readonly sinceMs: number; readonly stepMs: number },
): HookLatency[] {
  const steps = new Map<string, Map<number, Map<number, number>>>();
  const count = (hookName: string, at: { slot: number; bucket: number; runs: number }) => {
    const slots = madeIn(steps, hookName, () => new Map());
    const buckets = madeIn(slots, at.slot, () => new Map<number, number>());
    buckets.set(at.bucket, (buckets.get(at.bucket) ?? 0) + at.runs);
  };
  const summed = statement(
    db,
    `SELECT hook_name AS hookName, minute / CAST(?2 AS INTEGER) AS slot, bucket, sum(runs) AS runs
       FROM hook_latency
      WHERE minute >= ?1
      GROUP BY hook_name, slot, bucket`,
  ).all(minuteOf(sinceMs), stepMs / MINUTE_MS);
  for (const { hookName, slot, bucket, runs } of summed) {
    count(String(hookName), { slot: Number(slot), bucket: Number(bucket), runs: Number(runs) });
  }
  const { newest } = auditMark(db);
  for (const timed of timedBetween(db, { after: addedUp(db, newest), upTo: newest, sinceMs })) {
    const slot = Math.floor(timed.atMs / stepMs);
    count(timed.hookName, { slot, bucket: bucketOf(timed.ms), runs: 1 });
  }
  return [...steps].map(([hookName, slots]) => ({
    hookName,
    points: [...slots].toSorted(([a], [b]) => a - b)
      .map(([slot, buckets]) => pointOf(slot * stepMs, buckets)),
  }));
}

function timedBetween(
  db: DatabaseSync,
  { after, upTo, sinceMs }: {
    readonly after: number;
    readonly upTo: number;
    readonly sinceMs: number;
  },
): readonly Timed[] {
  return statement(
    db,
    `SELECT hook_name AS hookName, created_at_ms AS atMs, duration_ms AS ms
       FROM hook_executions
      WHERE rowid > ?
        AND rowid <= ?
        AND created_at_ms >= ?`,
  ).all(after, upTo, sinceMs) as unknown as readonly Timed[];
}

/** Returns the number of the last audit row that is added up. SQLite reuses the numbers of removed newest rows. */
function addedUp(db: DatabaseSync, newest: number): number {
  return Math.min(Number(readMeta(db, ADDED_UP) ?? 0), newest);
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

function bucketOf(ms: number): number {
  return Math.ceil(Math.log2(Math.max(ms, 0.01)) * BUCKETS);
}

function pointOf(atMs: number, buckets: ReadonlyMap<number, number>): LatencyPoint {
  const sorted = [...buckets].toSorted(([a], [b]) => a - b);
  const runs = sorted.reduce((sum, [, n]) => sum + n, 0);
  const percentile = (percent: number) => {
    let left = Math.ceil(runs * percent / 100);
    const [bucket] = sorted.find(([, n]) => (left -= n) <= 0)!;
    return 2 ** ((bucket - 0.5) / BUCKETS);
  };
  return { atMs, runs, p50Ms: percentile(50), p95Ms: percentile(95), p99Ms: percentile(99) };
}

function madeIn<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let found = map.get(key);
  if (found === undefined) map.set(key, found = make());
  return found;
}
