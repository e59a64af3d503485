/** Corrects rows that refer to lost rows: damage took a table, and rows of other tables still name what was in it. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import { quotedName } from "./table_copy.ts";

/** How many rows were corrected. */
export interface CorrectedRows {
  /** Rows that stay without the reference. */
  readonly freed: number;
  /** Rows that are removed since they mean nothing without it. */
  readonly removed: number;
}

/** A reference of a table that leads nowhere in some rows. */
interface Reference {
  readonly table: string;
  readonly parent: string;
  readonly from: string;
  readonly to: string;
  /** Whether a row may stay without the reference. */
  readonly isOptional: boolean;
}

/** Makes an empty receipt where the receipt is lost: what it named must stay away. */
const LOST_RECEIPTS = `
  INSERT INTO forget_receipts (id, chosen, salt, remains, created_at_ms, finished_at_ms)
  SELECT DISTINCT receipt_id, '{}', '', '[]', 0, 0
    FROM forgotten
   WHERE receipt_id NOT IN (SELECT id FROM forget_receipts)`;

/** Corrects all references that lead nowhere, in one transaction. */
export function correctReferences(db: DatabaseSync): CorrectedRows {
  return transaction(db, () => freeOrRemove(db));
}

/** The same within a transaction of the caller. */
export function freeOrRemove(db: DatabaseSync): CorrectedRows {
  const corrected = { freed: 0, removed: 0 };
  // Other rows may refer to the rows that are removed.
  for (let broken = brokenReferences(db); broken.length > 0; broken = brokenReferences(db)) {
    for (const reference of broken) {
      if (reference.table === "forgotten") db.exec(LOST_RECEIPTS);
      else corrected[reference.isOptional ? "freed" : "removed"] += correct(db, reference);
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

function correct(db: DatabaseSync, { table, parent, from, to, isOptional }: Reference): number {
  const { changes } = db.prepare(
    `${
      isOptional
        ? `UPDATE ${quotedName(table)} SET ${quotedName(from)} = NULL`
        : `DELETE FROM ${quotedName(table)}`
    }
      WHERE ${quotedName(from)} IS NOT NULL
        AND ${quotedName(from)} NOT IN (SELECT ${quotedName(to)} FROM ${quotedName(parent)})`,
  ).run();
  return Number(changes);
}
