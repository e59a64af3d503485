/** Puts a database right into which rows were copied, and from which others are lost. */
import type { DatabaseSync } from "node:sqlite";
import { freeOrRemove } from "./dangling_rows.ts";
import { transaction } from "./database.ts";
import { forgottenCaptures } from "./stay_away.ts";
import { rebuildIndex } from "./memory_index.ts";
import { IS_PRUNED } from "./payload_pruning.ts";

/** Lets no new row have a number that an old one had. */
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

/** What was put right after rows were lost. */
export interface Settled {
  /** Captures that wait to be worked in once more: the observation that was made of them is lost. */
  readonly again: number;
  /** Rows that are gone since they were a part of what is lost. */
  readonly removed: number;
}

/** Takes away what was forgotten, mends references, lets captures wait again and makes the search index anew. */
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

/** Of a backup: what was forgotten after it was made. */
function removeForgotten(db: DatabaseSync): void {
  db.exec("DELETE FROM observations WHERE uid IN (SELECT name FROM forgotten)");
  const captures = db.prepare("SELECT 1 FROM forgotten LIMIT 1").get() === undefined
    ? []
    : forgottenCaptures(db, { among: null, receiptId: null });
  db.prepare("DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))")
    .run(JSON.stringify(captures));
}

/** Characters of a capture's id: the uid of what is made of it begins with that. */
const ID_CHARS = 36;

/**
 * Lets captures wait whose observation is lost. Of a session whose captures are all there, all of them wait: what is made of
 * one depends on the others. A failure whose fix is lost is open until that is made once more.
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

/** Runs `work` while the triggers are away: copied rows are not written for the first time. */
export function withoutTriggers<Result>(db: DatabaseSync, work: () => Result): Result {
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  try {
    return work();
  } finally {
    for (const { sql } of triggers) db.exec(String(sql));
  }
}
