/** A database whose search index is damaged so that SQLite cannot even take it away: all else is copied. */
import { DatabaseSync } from "node:sqlite";
import { integrityFaults, keepLog } from "./care.ts";
import { APPLICATION_ID, schemaVersion, transaction } from "./database.ts";
import { isDamage, orDamaged } from "./export_salvage.ts";
import { FORGET_KEY } from "./forgotten_names.ts";
import { OWN_TABLES } from "./index_damage.ts";
import { INDEX_DEFINITIONS, makeIndex } from "./index_made.ts";
import { checkIndex } from "./memory_index.ts";
import { copyTable } from "./table_copy.ts";

/** A trigger that keeps from a database what a hook still holds open that it is being replaced. */
const FENCED_TABLES = ["sessions", "hook_executions", "pending_queue", "observations"];

/** Tables of the database itself; SQLite makes them with the others. */
const NUMBERS = "sqlite_sequence";

/**
 * Whether damage lies in nothing but the pages of the search index, in entries that other indexes lack, or in pages that
 * belong to no table: every row of every other table can be read.
 */
export function isIndexAlone(db: DatabaseSync): boolean {
  try {
    return ordinaryTables(db).every((table) =>
      lacksEntriesAlone(
        db.prepare(`PRAGMA integrity_check("${table}")`).all().map((row) =>
          String(Object.values(row)[0])
        ),
      )
    );
  } catch {
    return false;
  }
}

const LACKING = /^row \d+ missing from index (.+)$/;
const MISCOUNTED = /^wrong # of entries in index (.+)$/;

/** Whether nothing is wrong with a table but that indexes lack entries: too many would be those of rows that are lost. */
function lacksEntriesAlone(faults: readonly string[]): boolean {
  const lacking = new Set(faults.map((fault) => LACKING.exec(fault)?.[1]));
  return faults.every((fault) =>
    fault === "ok" || LACKING.test(fault) || lacking.has(MISCOUNTED.exec(fault)?.[1] ?? "")
  );
}

/**
 * Copies a database into a new file, its search index made anew, and puts a fence around it: nothing is written to it any
 * more that is not in the copy.
 *
 * @returns How many rows were copied. @throws {Error} What SQLite says of either; the database is as it was then.
 */
export function copyWhole(
  database: string,
  { copy, busyTimeoutMs }: { readonly copy: string; readonly busyTimeoutMs: number },
): number {
  Deno.openSync(copy, { write: true, createNew: true, mode: 0o600 }).close();
  const hasNumbers = canReadNumbers(database);
  const from = new DatabaseSync(database, { timeout: busyTimeoutMs });
  try {
    from.exec("BEGIN IMMEDIATE");
    const rows = fillCopy(from, { copy, hasNumbers });
    keepLog(copy);
    fence(from);
    from.exec("COMMIT");
    return rows;
  } finally {
    if (from.isTransaction) from.exec("ROLLBACK");
    from.close();
  }
}

function fillCopy(
  from: DatabaseSync,
  { copy, hasNumbers }: { readonly copy: string; readonly hasNumbers: boolean },
): number {
  const to = new DatabaseSync(copy);
  try {
    const rows = copyWithoutIndex(from, to, hasNumbers);
    const [fault] = [...integrityFaults(to, "full"), ...checkIndex(to)];
    if (fault !== undefined) throw new Error(`the copy is not sound: ${fault}`);
    return rows;
  } finally {
    to.close();
  }
}

/**
 * Makes in an empty database what another one holds, its search index anew.
 *
 * @param hasNumbers Whether it can be read which numbers were given to rows.
 * @returns How many rows were copied. @throws {Error} What SQLite says of either.
 */
function copyWithoutIndex(from: DatabaseSync, to: DatabaseSync, hasNumbers: boolean): number {
  to.exec("PRAGMA auto_vacuum = INCREMENTAL");
  to.exec("PRAGMA foreign_keys = OFF");
  return transaction(to, () => {
    const made = (type: string) => madeBy(from, type);
    for (const { sql } of made("table")) to.exec(sql);
    let rows = 0;
    for (const table of ordinaryTables(from)) rows += copyTable(from, to, { table });
    // Without them those of the rows that are there count, as their copies say.
    if (hasNumbers) {
      to.exec(`DELETE FROM ${NUMBERS}`);
      copyTable(from, to, { table: NUMBERS });
    }
    for (const type of ["index", "view", "trigger"]) {
      for (const { sql } of made(type)) to.exec(sql);
    }
    makeIndex(to);
    to.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    to.exec(`PRAGMA user_version = ${schemaVersion(from)}`);
    return rows;
  });
}

/** Whether it can be read which numbers were given. By a connection of its own: one that met damage cannot write any more. */
function canReadNumbers(database: string): boolean {
  const db = new DatabaseSync(database, { readOnly: true });
  try {
    return orDamaged(() => db.prepare(`SELECT * FROM ${NUMBERS}`).all(), () => null) !== null;
  } finally {
    db.close();
  }
}

/**
 * Lets nothing more be written to a database that is about to be replaced: a process that has it open already fails, and
 * keeps what it has to write elsewhere. In the transaction of the caller.
 */
function fence(db: DatabaseSync): void {
  for (const table of FENCED_TABLES) {
    for (const change of ["INSERT", "UPDATE", "DELETE"]) {
      db.exec(
        `CREATE TRIGGER IF NOT EXISTS replaced_${table}_${change} BEFORE ${change} ON ${table}
         BEGIN SELECT RAISE(ABORT, 'the database is being replaced'); END`,
      );
    }
  }
}

/** Takes over what says what was forgotten, as far as it can be read, so that it stays away from the other one, too. */
export function copyForgotten(from: DatabaseSync, to: DatabaseSync): void {
  for (const table of ["forget_receipts", "forgotten"]) {
    try {
      copyTable(from, to, { table, orIgnore: true });
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
    }
  }
  try {
    const key = from.prepare("SELECT value FROM meta WHERE key = ?").get(FORGET_KEY);
    if (key === undefined) return;
    to.prepare("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)").run(
      FORGET_KEY,
      String(key["value"]),
    );
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
  }
}

/** All but those of the index. */
function ordinaryTables(db: DatabaseSync): string[] {
  return madeBy(db, "table").map(({ name }) => name);
}

function madeBy(
  db: DatabaseSync,
  type: string,
): { readonly name: string; readonly sql: string }[] {
  return db.prepare(
    `SELECT name, sql
       FROM sqlite_schema
      WHERE type = ?1
        AND sql IS NOT NULL
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY rowid`,
  ).all(type).map(({ name, sql }) => ({ name: String(name), sql: String(sql) }))
    .filter(({ name }) => !INDEX_DEFINITIONS.has(name) && !OWN_TABLES.includes(name));
}
