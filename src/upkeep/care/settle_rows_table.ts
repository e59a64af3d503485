/** Makes a database consistent after some of its rows were copied from a damaged one and others were lost. */
import type { DatabaseSync } from "node:sqlite";
import { orDamaged, quotedName } from "../../db/table_copy.ts";
import { statement } from "../../db/statement.ts";
import { transaction } from "../../db/transaction.ts";
import { queueLostAgain, rebuildIndex } from "../../memory/store.ts";
import { forgottenCaptures } from "../forget/stay_away_table.ts";

/** Raises the counters of row numbers, so that no new row gets the number of a lost row of `db` or `from`. */
export function keepGivenNumbers(db: DatabaseSync, from: DatabaseSync): void {
  const given = orDamaged(
    () => from.prepare("SELECT name, seq FROM sqlite_sequence").all(),
    () => [],
  );
  const named = statement(db)`
    SELECT 'observations' AS name, max(observation_id) AS seq FROM pending_queue`.all();
  for (const { name, seq } of [...given, ...named]) {
    const number = Number(seq ?? 0);
    if (number > Number.MAX_SAFE_INTEGER / 2) continue;
    db.prepare("DELETE FROM sqlite_sequence WHERE name = ? AND seq < ?").run(name!, number);
    statement(db)`
      INSERT INTO sqlite_sequence (name, seq)
      SELECT ?1, ?2
       WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)`.run(name!, number);
  }
}

/**
 * Removes forgotten rows that came back from a backup, corrects references, and rebuilds the search index. Captures
 * whose observation is lost are queued again. @returns How many.
 */
export function settleRows(db: DatabaseSync): number {
  // The triggers would update a search index that does not have the rows yet.
  const again = withoutTriggers(db, () =>
    transaction(db, () => {
      db.exec("DELETE FROM observations WHERE uid IN (SELECT name FROM forgotten)");
      db.prepare("DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))")
        .run(JSON.stringify(forgottenCaptures(db, { among: null, receiptId: null })));
      const waiting = queueLostAgain(db);
      correctReferences(db);
      return waiting;
    }));
  rebuildIndex(db);
  return again;
}

/** Removes the triggers, which would treat copied rows as new ones, runs `work`, and restores the triggers. */
export function withoutTriggers<Result>(db: DatabaseSync, work: () => Result): Result {
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  try {
    return work();
  } finally {
    for (const { sql } of triggers) db.exec(String(sql));
  }
}

/** Corrects rows that refer to lost ones, in the caller's transaction. `freed`: how many only lost their reference. */
export function correctReferences(db: DatabaseSync): { freed: number; removed: number } {
  // An empty receipt replaces a lost one, so that forgotten things stay away.
  db.exec(
    `INSERT INTO forget_receipts (id, chosen, salt, remains, created_at_ms, finished_at_ms)
     SELECT DISTINCT receipt_id, '{}', '', '[]', 0, 0
       FROM forgotten
      WHERE receipt_id NOT IN (SELECT id FROM forget_receipts)`,
  );
  const corrected = { freed: 0, removed: 0 };
  // Other rows may refer to the removed ones.
  for (let broken = brokenReferences(db); broken.length > 0; broken = brokenReferences(db)) {
    for (const { isOptional, ...names } of broken) {
      const [child, column, parent, key] = Object.values(names).map((name) =>
        quotedName(String(name))
      );
      const { changes } = db.prepare(
        `${isOptional ? `UPDATE ${child} SET ${column} = NULL` : `DELETE FROM ${child}`}
          WHERE ${column} IS NOT NULL
            AND ${column} NOT IN (SELECT ${key} FROM ${parent})`,
      ).run();
      corrected[isOptional ? "freed" : "removed"] += Number(changes);
    }
  }
  return corrected;
}

/** Finds the columns with broken references; `isOptional`: the column may be NULL. */
function brokenReferences(db: DatabaseSync) {
  return statement(db)`
    SELECT DISTINCT broken."table", reference."from", broken.parent, coalesce(reference."to", 'id') AS "to",
           NOT column."notnull" AND NOT column.pk AS isOptional
      FROM pragma_foreign_key_check AS broken
      JOIN pragma_foreign_key_list(broken."table") AS reference ON reference.id = broken.fkid
      JOIN pragma_table_info(broken."table") AS column ON column.name = reference."from"`.all();
}
