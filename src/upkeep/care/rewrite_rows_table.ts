/**
 * Writes every row of a database again, so that its pages hold no byte of removed rows. `secure_delete` overwrites
 * freed rows, but not the gaps between rows that move, nor rows that an older program freed without it. `VACUUM` needs
 * to attach a second database, which the runtime forbids to programs without every permission, and `backup()` copies
 * pages unchanged.
 */
import type { DatabaseSync } from "node:sqlite";
import { checkpoint } from "../../db/database.ts";
import { transaction } from "../../db/transaction.ts";
import { rebuildIndex } from "../../memory/store.ts";
import { giveBackSpace, spaceUse } from "../../db/disk_space.ts";
import { columnsOf, namesOf, ordinaryTables, quotedName } from "../../db/table_copy.ts";
import { connect } from "../../db/connect.ts";
import { withoutTriggers } from "./settle_rows_table.ts";

/** How long the rewrite waits for a lock and for readers of the log, in milliseconds. */
const LOCK_WAIT_MS = 5_000;

/**
 * Rewrites all tables, each in one transaction, and the search index; then releases free pages and empties the log.
 * Meanwhile a hook waits for a table, or spools its record.
 * @returns False when somebody reads from the log for too long, so that the log may hold removed rows.
 */
export function rewriteRows(
  database: string,
  onProgress: (table: number, tables: number) => void = () => {},
): boolean {
  using db = connect(database, { timeout: LOCK_WAIT_MS });
  db.exec("PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL");
  const tables = ordinaryTables(db);
  tables.forEach((table, n) => {
    onProgress(n + 1, tables.length);
    transaction(db, () => withoutTriggers(db, () => rewriteTable(db, table)));
  });
  rebuildIndex(db);
  releaseFree(db);
  return !checkpoint(db, "TRUNCATE").busy;
}

function rewriteTable(db: DatabaseSync, table: string): void {
  const [name, columns] = [quotedName(table), namesOf(columnsOf(db, table))];
  db.exec(
    `CREATE TEMP TABLE rewritten AS SELECT ${columns} FROM ${name};
     DELETE FROM ${name};
     INSERT INTO ${name} (${columns}) SELECT * FROM temp.rewritten ORDER BY rowid;
     DROP TABLE temp.rewritten`,
  );
}

/** Releases free pages. A file without `auto_vacuum` cannot shrink: its free pages are filled with zeros. */
function releaseFree(db: DatabaseSync): void {
  const { canShrink, freeBytes } = spaceUse(db);
  if (canShrink === 1) return void giveBackSpace(db, { minFreeShare: 0 });
  transaction(db, () => {
    db.exec("CREATE TABLE filling (zeros BLOB)");
    db.prepare("INSERT INTO filling VALUES (zeroblob(?))").run(freeBytes);
    db.exec("DROP TABLE filling");
  });
}
