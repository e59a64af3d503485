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
const BATCH_ROWS = 10_000;

/** SQL for the rows of the audit trail between two numbers, since a moment; this SQLite has no logarithm. */
const TIMED =
  `SELECT created_at_ms / ${MINUTE_MS} AS minute, hook_name, bucket_of(duration_ms) AS bucket, count(*) AS runs
                FROM hook_executions
               WHERE rowid > :after
                 AND rowid <= :upTo
                 AND created_at_ms >= :sinceMs
               GROUP BY minute, hook_name, bucket`;

/** Adds up the audit rows since the last time, and removes old minutes. */
export function addUpLatency(db: DatabaseSync, nowMs: number): void {
  const sinceMs = nowMs - KEPT_MS;
  db.function("bucket_of", bucketOf);
  const add = statement(db)`
    INSERT INTO hook_latency (minute, hook_name, bucket, runs)
    ${TIMED}
    ON CONFLICT (minute, hook_name, bucket) DO UPDATE SET runs = runs + excluded.runs`;
  for (let isDone = false; !isDone;) {
    isDone = transaction(db, () => {
      const { newest } = auditMark(db);
      if (readMeta(db, ADDED_UP) === String(newest)) return true;
      const after = addedUp(db, newest);
      const upTo = Math.min(newest, after + BATCH_ROWS);
      add.run({ after, upTo, sinceMs });
      writeMeta(db, ADDED_UP, String(upTo));
      return upTo === newest;
    });
  }
  db.prepare("DELETE FROM hook_latency WHERE minute < ?").run(Math.floor(sinceMs / MINUTE_MS));
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
export type HookLatency = Readonly<{ hookName: string; points: readonly LatencyPoint[] }>;

/** Returns how long hooks took in each step of time. @param stepMs The length of a step: whole minutes. */
export function latencyOverTime(
  db: DatabaseSync,
  { sinceMs, stepMs }: { readonly sinceMs: number; readonly stepMs: number },
): HookLatency[] {
  const { newest: upTo } = auditMark(db);
  db.function("bucket_of", bucketOf);
  db.function("ms_of", (bucket) => 2 ** ((Number(bucket) - 0.5) / BUCKETS));
  const percentile = (percent: number) =>
    `ms_of(min(bucket) FILTER (WHERE reached * 100 >= total * ${percent}))`;
  const rows = db.prepare(
    `WITH counted AS (
       SELECT hook_name, minute, bucket, runs FROM hook_latency WHERE minute >= CAST(:sinceMs AS INTEGER) / ${MINUTE_MS}
        UNION ALL
       SELECT hook_name, minute, bucket, runs FROM (${TIMED})),
     summed AS (
       SELECT hook_name, CAST(minute * ${MINUTE_MS} / :stepMs AS INTEGER) AS step, bucket, sum(runs) AS runs
         FROM counted
        GROUP BY hook_name, step, bucket),
     ranked AS (
       SELECT hook_name, step, bucket,
              sum(runs) OVER (PARTITION BY hook_name, step ORDER BY bucket) AS reached,
              sum(runs) OVER (PARTITION BY hook_name, step) AS total
         FROM summed)
     SELECT hook_name AS hookName, step * :stepMs AS atMs, max(total) AS runs, ${
      percentile(50)
    } AS p50Ms,
            ${percentile(95)} AS p95Ms, ${percentile(99)} AS p99Ms
       FROM ranked
      GROUP BY hook_name, step
      ORDER BY hook_name, step`,
  ).all({ after: addedUp(db, upTo), upTo, sinceMs, stepMs });
  const byHook = Map.groupBy(rows, ({ hookName }) => String(hookName));
  return [...byHook].map(([hookName, found]) => ({
    hookName,
    points: found.map(({ hookName: _, ...point }) => point as unknown as LatencyPoint),
  }));
}

/** Returns the number of the last audit row that is added up. SQLite reuses the numbers of removed newest rows. */
function addedUp(db: DatabaseSync, newest: number): number {
  return Math.min(Number(readMeta(db, ADDED_UP) ?? 0), newest);
}

function bucketOf(ms: unknown): number {
  return Math.ceil(Math.log2(Math.max(Number(ms), 0.01)) * BUCKETS);
}
