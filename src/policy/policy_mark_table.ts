import type { DatabaseSync } from "node:sqlite";
import { statement } from "../db/statement.ts";

/** Returns a number that differs once a requirement, a pause or a violation has changed. */
export function policyMark(db: DatabaseSync): number {
  const row = statement(
    db,
    `SELECT (SELECT count(*) + coalesce(max(updated_at_ms), 0) FROM requirements) +
            (SELECT count(*) + coalesce(max(ends_at_ms), 0) FROM pauses) +
            (SELECT count(*) + count(settled_at_ms) FROM violations) AS mark`,
  ).get();
  return Number(row!["mark"]);
}
