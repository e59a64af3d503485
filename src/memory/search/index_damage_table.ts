/** Tells a damaged search index from a damaged database. */
import type { DatabaseSync } from "node:sqlite";
import { statement } from "../../db/statement.ts";

/** SQLite's codes for a damaged database, and for a virtual table whose inner tables contradict each other. */
const CORRUPT = 11;
const CORRUPT_VTAB = 267;

/** The inner tables of the index. */
export const OWN_TABLES = ["data", "idx", "docsize", "config"].map((name) =>
  `memory_index_${name}`
);

/** A fault of the index that SQLite does not notice. */
export class IndexDamage extends Error {
  override readonly name = "IndexDamage";
}

/** Whether the error of a search or a change means that the index is damaged, and not the database. */
export function isIndexDamage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof IndexDamage) return true;
  const code: unknown = Reflect.get(thrown, "errcode");
  return code === CORRUPT_VTAB ||
    /fts5: (?:corrupt|missing row)|fts5: error creating|invalid fts5 file format|vtable constructor failed: memory_index|no such table: (?:main\.)?memory_index/i
      .test(thrown.message) ||
    (code === undefined && /disk image is malformed/i.test(thrown.message));
}

/** The same with the database at hand: SQLite reports an index that lacks an inner table as a damaged database. */
export function isIndexDamageOf(db: DatabaseSync, thrown: unknown): boolean {
  if (isIndexDamage(thrown)) return true;
  if (!(thrown instanceof Error) || Reflect.get(thrown, "errcode") !== CORRUPT) return false;
  try {
    return missingTables(db).length > 0;
  } catch {
    return false;
  }
}

/** The missing inner tables of the index. */
export function missingTables(db: DatabaseSync): string[] {
  const names = namesIn(db);
  return ["memory_index", ...OWN_TABLES].filter((name) => !names.has(name));
}

/** The tables and triggers of a database. */
export function namesIn(db: DatabaseSync): ReadonlySet<string> {
  const rows = statement(
    db,
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'trigger')",
  ).all();
  return new Set(rows.map(({ name }) => String(name)));
}
