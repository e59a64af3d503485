/** What was imported from the folder of an older program, and what was decided about it. */
import type { DatabaseSync } from "node:sqlite";

/** What was decided about the state of an older program in a folder. */
export type ImportMark = "imported" | "fresh";

/** Keys of `meta` that hold an {@linkcode ImportMark}. */
const MARK_PREFIX = "import:";

/** What was decided about a place; null when nothing was. @param place `coven:` and the folder. */
export function readImportMark(db: DatabaseSync, place: string): ImportMark | null {
  const row = db.prepare("SELECT value FROM meta WHERE key = ?").get(MARK_PREFIX + place);
  return row === undefined ? null : String(row["value"]) as ImportMark;
}

/** Keeps what was decided about a place. */
export function writeImportMark(db: DatabaseSync, place: string, mark: ImportMark): void {
  db.prepare(
    `INSERT INTO meta (key, value)
     VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  ).run(MARK_PREFIX + place, mark);
}

/** The ids of the tasks that came from a place, by origin. @param origin How their origins begin. */
export function readOrigins(db: DatabaseSync, origin: string): ReadonlyMap<string, string> {
  const rows = db.prepare(
    `SELECT origin, id
       FROM tasks
      WHERE substr(origin, 1, length(?1)) = ?1`,
  ).all(origin);
  return new Map(rows.map((row) => [String(row["origin"]), String(row["id"])]));
}
