/** What was done in a time, whatever it says. */
import type { DatabaseSync } from "node:sqlite";
import { conditionsOf, HIT_COLUMNS, type IndexHit, type MemoryFilter } from "./memory_search.ts";
import { statement } from "./statement.ts";

/** So many observations are looked at first, from the newest on: a time that goes on until now is among them. */
const LAST_LOOKED_AT = 2_000;

/**
 * The newest observations of a time, whatever they say: what a question without words can be answered with. Where the last
 * that were taken in are enough, those; else the times of all are looked through, 0.1 µs each, in an index that holds little
 * else. The rows themselves would take ten times as long.
 */
export function newestObservations(
  db: DatabaseSync,
  { filter, fromMs, untilMs, limit }: {
    readonly filter: MemoryFilter;
    readonly fromMs: number;
    readonly untilMs: number;
    readonly limit: number;
  },
): IndexHit[] {
  const { sql, values } = conditionsOf({ ...filter, sinceMs: fromMs, untilMs });
  const last = statement(
    db,
    `SELECT ${HIT_COLUMNS}, 1.0 AS textScore
       FROM (SELECT id FROM observations ORDER BY id DESC LIMIT ${LAST_LOOKED_AT}) AS newest
       JOIN observations AS o ON o.id = newest.id
      ${sql}
      ORDER BY o.created_at_ms DESC, o.id DESC
      LIMIT ?`,
  ).all(...values, limit);
  if (last.length >= limit) return last as unknown as IndexHit[];
  const rows = statement(
    db,
    `SELECT ${HIT_COLUMNS}, 1.0 AS textScore
       FROM (SELECT id
               FROM observations INDEXED BY observations_by_session
              WHERE created_at_ms >= ? AND created_at_ms < ?
              ORDER BY created_at_ms DESC, id DESC
              -- Without a limit SQLite leaves out the order of what is joined.
              LIMIT -1) AS within
       CROSS JOIN observations AS o ON o.id = within.id
      ${sql}
      LIMIT ?`,
  ).all(fromMs, untilMs, ...values, limit);
  return rows as unknown as IndexHit[];
}
