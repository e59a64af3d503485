/** What git said of a project, kept until its branches move. */
import type { DatabaseSync } from "node:sqlite";
import { digestOf } from "../../base/fnv.ts";
import { statement } from "../../db/statement.ts";

/** What git said at a state of its branches, as it is kept; null where it was not asked. */
export function keptAnswer(db: DatabaseSync, project: string): string | null {
  const row = statement(db, "SELECT value FROM meta WHERE key = ?").get(answerKey(project));
  return typeof row?.["value"] === "string" ? row["value"] : null;
}

/** Keeps what git said. */
export function keepAnswer(db: DatabaseSync, project: string, answer: string): void {
  statement(
    db,
    `INSERT INTO meta (key, value)
     VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  ).run(answerKey(project), answer);
}

/** It names no folder, so that there is nothing to forget in it. */
function answerKey(project: string): string {
  return `commits_elsewhere:${digestOf(project)}`;
}
