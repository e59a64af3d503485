/** Notices that are given once in the life of a database. */
import type { DatabaseSync } from "node:sqlite";

/** Notes that something is told. @returns False when it was told before. @throws {Error} What SQLite says. */
export function isFirstTelling(db: DatabaseSync, what: string): boolean {
  const key = `told:${what}`;
  if (db.prepare("SELECT 1 FROM meta WHERE key = ?").get(key) !== undefined) return false;
  return db.prepare("INSERT OR IGNORE INTO meta (key, value) VALUES (?, '')").run(key).changes > 0;
}
