/** Makes a database consistent after rows were copied into it and other rows were lost. */
import type { DatabaseSync } from "node:sqlite";
import { freeOrRemove } from "./dangling_rows.ts";
import { transaction } from "./database.ts";
import { forgottenCaptures } from "./stay_away.ts";
import { rebuildIndex } from "./memory_index.ts";
import { IS_PRUNED } from "./payload_pruning.ts";

/** Reserves the numbers that rows had, so that no new row gets one of them. */
export function keepGivenNumbers(db: DatabaseSync, given: ReadonlyMap<string, number>): void {
  const highest = db.prepare("SELECT max(observation_id) AS id FROM pending_queue").get()!["id"];
  const all = new Map(given);
  all.set("observations", Math.max(Number(highest ?? 0), given.get("observations") ?? 0));
  for (const [table, number] of all) {
    if (number > Number.MAX_SAFE_INTEGER / 2) continue;
    db.prepare(
      `INSERT INTO sqlite_sequence (name, seq)
       SELECT ?1, 0
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)`,
    ).run(table);
    db.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1").run(table, number);
  }
}

/** What changed after rows were lost. */
export interface Settled {
  /** Captures that wait again, because the observation that was made of them is lost. */
  readonly again: number;
  /** Rows that were removed because their owner is lost. */
  readonly removed: number;
}

/** Removes what was forgotten, mends references, lets captures wait again, and rebuilds the search index. */
export function settleRows(db: DatabaseSync): Settled {
  // The search index has none of the rows yet.
  const settled = withoutTriggers(db, () =>
    transaction(db, () => {
      removeForgotten(db);
      const again = workInAgain(db);
      return { again, removed: freeOrRemove(db).removed };
    }));
  rebuildIndex(db);
  return settled;
}

/** A backup may hold what was forgotten after it was made. */
function removeForgotten(db: DatabaseSync): void {
  db.exec("DELETE FROM observations WHERE uid IN (SELECT name FROM forgotten)");
  const captures = db.prepare("SELECT 1 FROM forgotten LIMIT 1").get() === undefined
    ? []
    : forgottenCaptures(db, { among: null, receiptId: null });
  db.prepare("DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))")
    .run(JSON.stringify(captures));
}

/** Length of a capture's id. The uid of an observation begins with the id of its capture. */
const ID_CHARS = 36;

/**
 * Lets captures wait whose observation is lost. If all captures of such a session are there, all of them wait: the
 * observation of one depends on the others. A failure whose fix is lost is open until the fix is observed again.
 */
function workInAgain(db: DatabaseSync): number {
  const there = "(SELECT id FROM observations)";
  db.exec(
    `DELETE FROM observations
      WHERE kind <> 'summary'
        AND session_id IN (
          SELECT session_id FROM pending_queue WHERE status = 'done' AND observation_id NOT IN ${there}
          EXCEPT
          SELECT session_id FROM pending_queue WHERE ${IS_PRUNED}
          EXCEPT
          SELECT session_id
            FROM observations
           WHERE kind <> 'summary'
             AND substr(uid, 1, ${ID_CHARS}) NOT IN (SELECT id FROM pending_queue))`,
  );
  db.exec(
    `UPDATE observations
        SET resolved_by = iif(resolved_by IN (SELECT observation_id FROM pending_queue), NULL, 0)
      WHERE resolved_by > 0
        AND resolved_by NOT IN ${there}`,
  );
  const { changes } = db.prepare(
    `UPDATE pending_queue
        SET status = 'raw', attempts = 0, observation_id = NULL
      WHERE status = 'done'
        AND observation_id NOT IN ${there}`,
  ).run();
  db.exec(
    `INSERT OR IGNORE INTO sessions_to_summarize (session_id)
     SELECT DISTINCT session_id
       FROM observations
      WHERE session_id IN (SELECT session_id FROM pending_queue)
        AND 'summary/' || session_id NOT IN (SELECT uid FROM observations)`,
  );
  return Number(changes);
}

/** Runs `work` without triggers: they are meant for new rows, not for copies. */
export function withoutTriggers<Result>(db: DatabaseSync, work: () => Result): Result {
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  try {
    return work();
  } finally {
    for (const { sql } of triggers) db.exec(String(sql));
  }
}
