/** Makes a database consistent after some of its rows were copied from a damaged one and others were lost. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "../../db/transaction.ts";
import { forgottenCaptures } from "../forget/stay_away_table.ts";
import { rebuildIndex } from "../../memory/store.ts";
import { IS_PRUNED } from "../../db/payloads.ts";
import { quotedName } from "./table_copy_table.ts";

/** Raises the counters of row numbers, so that no new row gets the number of a row that is lost. */
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

/**
 * Removes what was forgotten, corrects references, lets captures wait again and makes the search index anew.
 *
 * @returns How many captures wait again: the observation that was made of them is lost.
 */
export function settleRows(db: DatabaseSync): number {
  // The search index has none of the rows yet.
  const again = withoutTriggers(db, () =>
    transaction(db, () => {
      removeForgotten(db);
      const waiting = workInAgain(db);
      correctReferences(db);
      return waiting;
    }));
  rebuildIndex(db);
  return again;
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

/** Characters of a capture's id, with which the uid of its observation begins. */
const ID_CHARS = 36;

/**
 * Lets captures wait whose observation is lost. Where all captures of a session are there, all of them wait: the
 * observation of one depends on the others. A failure whose fix is lost is open until the fix is made once more.
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

/** Runs `work` without triggers, which would treat copied rows as new ones, and makes the triggers again. */
export function withoutTriggers<Result>(db: DatabaseSync, work: () => Result): Result {
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  try {
    return work();
  } finally {
    for (const { sql } of triggers) db.exec(String(sql));
  }
}

/** A reference that some rows of a table cannot keep. */
interface Reference {
  readonly table: string;
  readonly parent: string;
  readonly from: string;
  readonly to: string;
  /** Whether a row may be without it. */
  readonly isOptional: boolean;
}

/** A lost receipt is replaced by an empty one, so that what was forgotten stays away. */
const LOST_RECEIPTS = `
  INSERT INTO forget_receipts (id, chosen, salt, remains, created_at_ms, finished_at_ms)
  SELECT DISTINCT receipt_id, '{}', '', '[]', 0, 0
    FROM forgotten
   WHERE receipt_id NOT IN (SELECT id FROM forget_receipts)`;

/**
 * Corrects rows that refer to lost ones, in a transaction of the caller.
 *
 * @returns `freed`: rows that refer to nothing any more. `removed`: rows that were a part of what is lost.
 */
export function correctReferences(db: DatabaseSync): { freed: number; removed: number } {
  const corrected = { freed: 0, removed: 0 };
  // Other rows may refer to the removed ones.
  for (let broken = brokenReferences(db); broken.length > 0; broken = brokenReferences(db)) {
    for (const { table, parent, from, to, isOptional } of broken) {
      if (table === "forgotten") {
        db.exec(LOST_RECEIPTS);
        continue;
      }
      const [child, column] = [quotedName(table), quotedName(from)];
      const { changes } = db.prepare(
        `${isOptional ? `UPDATE ${child} SET ${column} = NULL` : `DELETE FROM ${child}`}
          WHERE ${column} IS NOT NULL
            AND ${column} NOT IN (SELECT ${quotedName(to)} FROM ${quotedName(parent)})`,
      ).run();
      corrected[isOptional ? "freed" : "removed"] += Number(changes);
    }
  }
  return corrected;
}

function brokenReferences(db: DatabaseSync): Reference[] {
  return db.prepare(
    `SELECT DISTINCT broken."table", broken.parent, reference."from", coalesce(reference."to", 'id') AS "to",
            NOT column."notnull" AND NOT column.pk AS isOptional
       FROM pragma_foreign_key_check AS broken
       JOIN pragma_foreign_key_list(broken."table") AS reference ON reference.id = broken.fkid
       JOIN pragma_table_info(broken."table") AS column ON column.name = reference."from"`,
  ).all() as unknown as Reference[];
}
