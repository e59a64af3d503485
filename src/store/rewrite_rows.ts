/**
 * Writes every row of a database anew, so that no byte of an older one is left in its pages. `secure_delete` overwrites
 * what SQLite frees, but not what is left between rows that move, nor what an older program freed without it. `VACUUM`
 * would do the same: the runtime forbids it to a program without every permission.
 */
import { DatabaseSync } from "node:sqlite";
import { checkpoint, hasLog, transaction } from "./database.ts";
import { rebuildIndex } from "./memory_index.ts";
import { releasePages, spaceUse } from "./space.ts";
import { ordinaryTables, quotedName } from "./table_copy.ts";
import { waitMs } from "./wait.ts";

/** So long it is waited until nobody reads from the log, and for each single lock, in milliseconds. */
const MAX_WAIT_MS = 5_000;
const LOCK_WAIT_MS = 3_000;
const PAUSE_MS = 20;

/** Free pages that one transaction gives back. */
const STEP_PAGES = 512;

/**
 * Rewrites all tables, each in one transaction, and the search index; then gives free pages back and empties the log. Rows
 * keep their numbers. Hooks may work beside it; they wait for a table, or keep their record in the spool.
 *
 * @returns False when somebody reads from the log for too long: it may hold older rows then.
 * @throws {Error} What SQLite says; what was done before stays done.
 */
export function rewriteRows(
  database: string,
  onProgress: (table: number, tables: number) => void = () => {},
): boolean {
  const db = new DatabaseSync(database, { timeout: LOCK_WAIT_MS });
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

/** A file that was made without `auto_vacuum` keeps its free pages: they are filled with zeros instead. */
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
  const path = Deno.realPathSync(database);
  for (
    const untilMs = performance.now() + MAX_WAIT_MS;
    performance.now() < untilMs;
    waitMs(PAUSE_MS)
  ) {
    if (!checkpoint(db, "TRUNCATE").busy && !hasLog(path)) return true;
  }
  return false;
}
