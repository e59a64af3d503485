/**
 * Writes every row of a database again, so that its pages hold no byte of removed rows. `secure_delete` overwrites what
 * SQLite frees, but not the gaps between rows that move, nor what an older program freed without it. The runtime allows
 * `VACUUM` only to a program with all permissions.
 */
import type { DatabaseSync } from "node:sqlite";
import { checkpoint, hasLog } from "../../db/database.ts";
import { transaction } from "../../db/transaction.ts";
import { rebuildIndex } from "../../memory/store.ts";
import { releasePages, spaceUse } from "./space_table.ts";
import { ordinaryTables, quotedName } from "./table_copy_table.ts";
import { waitMs } from "../../system/wait.ts";
import { realPathSync } from "../../system/files.ts";
import { connect } from "../../db/connect.ts";

/** The longest wait until nobody reads from the log, and for each lock, in milliseconds. */
const MAX_WAIT_MS = 5_000;
const LOCK_WAIT_MS = 3_000;
const PAUSE_MS = 20;

/** Free pages that one transaction releases. */
const STEP_PAGES = 512;

/**
 * Rewrites all tables, each in one transaction, and the search index; then releases free pages and empties the log. Rows
 * keep their numbers. A hook that runs at the same time waits for a table, or spools its record.
 *
 * @returns False when somebody reads from the log for too long: then the log may hold removed rows.
 * @throws {Error} What SQLite says; tables that were rewritten stay so.
 */
export function rewriteRows(
  database: string,
  onProgress: (table: number, tables: number) => void = () => {},
): boolean {
  const db = connect(database, { timeout: LOCK_WAIT_MS });
  try {
    db.exec("PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL");
    const tables = ordinaryTables(db);
    tables.forEach((table, n) => {
      onProgress(n + 1, tables.length);
      rewriteTable(db, table);
    });
    rebuildIndex(db);
    releaseFree(db);
    return emptyLog(db, database);
  } finally {
    db.close();
  }
}

function rewriteTable(db: DatabaseSync, table: string): void {
  const infos = db.prepare("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)").all(table);
  const columns = infos.filter(({ hidden }) => Number(hidden) === 0)
    .map(({ name }) => quotedName(String(name)));
  const { sql } = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .get(table)!;
  const keyed = infos.filter(({ pk }) => Number(pk) > 0);
  const hasNumbers = !/\bWITHOUT ROWID\b/i.test(String(sql)) &&
    !(keyed.length === 1 && keyed[0]!["type"] === "INTEGER");
  const read = hasNumbers ? ["rowid AS rewritten_number", ...columns] : columns;
  const write = hasNumbers ? ["rowid", ...columns] : columns;
  const name = quotedName(table);
  transaction(db, () => {
    const triggers = db.prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?",
    ).all(table);
    for (const trigger of triggers) db.exec(`DROP TRIGGER ${trigger["name"]}`);
    db.exec(`CREATE TEMP TABLE rewritten AS SELECT ${read.join(", ")} FROM ${name}`);
    db.exec(`DELETE FROM ${name}`);
    db.exec(
      `INSERT INTO ${name} (${write.join(", ")})
       SELECT * FROM temp.rewritten ORDER BY rowid`,
    );
    db.exec("DROP TABLE temp.rewritten");
    for (const trigger of triggers) db.exec(String(trigger["sql"]));
  });
}

/** Releases free pages. A file without `auto_vacuum` cannot shrink: its free pages are filled with zeros. */
function releaseFree(db: DatabaseSync): void {
  const { canShrink, freeBytes } = spaceUse(db);
  if (canShrink) { while (spaceUse(db).freeBytes > 0) releasePages(db, STEP_PAGES); }
  else {
    transaction(db, () => {
      db.exec("CREATE TABLE filling (zeros BLOB)");
      db.prepare("INSERT INTO filling VALUES (zeroblob(?))").run(freeBytes);
      db.exec("DROP TABLE filling");
    });
  }
}

function emptyLog(db: DatabaseSync, database: string): boolean {
  const path = realPathSync(database);
  for (
    const untilMs = performance.now() + MAX_WAIT_MS;
    performance.now() < untilMs;
    waitMs(PAUSE_MS)
  ) {
    if (!checkpoint(db, "TRUNCATE").busy && !hasLog(path)) return true;
  }
  return false;
}
