/** Rows that refer to rows that are not there any more: a table was lost, and others went on naming what was in it. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import { quotedName } from "./table_copy.ts";

/** What was corrected. */
export interface CorrectedRows {
  /** Rows that name nothing any more. */
  readonly freed: number;
  /** Rows that were a part of what is gone. */
  readonly removed: number;
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

/** The receipt of what was forgotten is lost, and not that it was: it stays away. */
const LOST_RECEIPTS = `
  INSERT INTO forget_receipts (id, chosen, salt, remains, created_at_ms, finished_at_ms)
  SELECT DISTINCT receipt_id, '{}', '', '[]', 0, 0
    FROM forgotten
   WHERE receipt_id NOT IN (SELECT id FROM forget_receipts)`;

/** Corrects them, in one transaction. */
export function correctReferences(db: DatabaseSync): CorrectedRows {
  return transaction(db, () => freeOrRemove(db));
}

/** The same within a transaction of the caller. */
export function freeOrRemove(db: DatabaseSync): CorrectedRows {
  const corrected = { freed: 0, removed: 0 };
  // What is removed may be what others refer to.
  for (let broken = brokenReferences(db); broken.length > 0; broken = brokenReferences(db)) {
    for (const reference of broken) {
      const { table, isOptional } = reference;
      if (table === "forgotten") db.exec(LOST_RECEIPTS);
      else if (isOptional) corrected.freed += changed(db, reference, freeing);
      else corrected.removed += changed(db, reference, removing);
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

function freeing({ table, from }: Reference): string {
  return `UPDATE ${quotedName(table)} SET ${quotedName(from)} = NULL`;
}

function removing({ table }: Reference): string {
  return `DELETE FROM ${quotedName(table)}`;
}

function changed(db: DatabaseSync, reference: Reference, how: typeof freeing): number {
  const { parent, from, to } = reference;
  const { changes } = db.prepare(
    `${how(reference)}
      WHERE ${quotedName(from)} IS NOT NULL
        AND ${quotedName(from)} NOT IN (SELECT ${quotedName(to)} FROM ${quotedName(parent)})`,
  ).run();
  return Number(changes);
}
