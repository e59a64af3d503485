/** Finds the ids that a person may mean. */
import type { DatabaseSync } from "node:sqlite";

/** The shortest part of an id that is looked up, in characters without dashes. */
export const MIN_ID_PART = 4;

/** Returns the ids that a person may mean: the whole id, or ids that begin or end with the text; newest first. */
export function findIds(
  db: DatabaseSync,
  table: "tasks" | "agents" | "workflows" | "questions",
  { text, limit = 6 }: { readonly text: string; readonly limit?: number },
): string[] {
  const part = text.replaceAll("-", "").toLowerCase();
  const whole = db.prepare(`SELECT id FROM ${table} WHERE id IN (?, ?)`)
    .all(text, text.toLowerCase());
  if (whole.length > 0) return whole.map((row) => String(row["id"]));
  if (part.length < MIN_ID_PART || !/^[\da-z]+$/.test(part)) return [];
  return db.prepare(
    `SELECT id
       FROM ${table}
      WHERE replace(id, '-', '') GLOB ?1 || '*'
         OR replace(id, '-', '') GLOB '*' || ?1
      ORDER BY created_at_ms DESC, id DESC
      LIMIT ?2`,
  ).all(part, limit).map((row) => String(row["id"]));
}
