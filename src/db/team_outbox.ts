/** Names in the outbox of a team what was forgotten here, so that the others forget it as well. */
import type { DatabaseSync } from "node:sqlite";
import { statement } from "./statement.ts";

/**
 * To be called in the transaction that removes the rows. What the server never had is only taken out of the outbox.
 *
 * @param uids Of observations or tasks.
 */
export function queueForgotten(db: DatabaseSync, uids: readonly string[]): void {
  if (!hasTeams(db)) return;
  const list = JSON.stringify(uids);
  statement(
    db,
    `DELETE FROM team_outbox
      WHERE uid IN (SELECT value FROM json_each(?))
        AND sent_seq IS NULL
        AND uid NOT IN (SELECT uid FROM team_rows)`,
  ).run(list);
  queueForgetting(db, list);
  statement(db, "DELETE FROM team_held WHERE uid IN (SELECT value FROM json_each(?))").run(list);
}

/** Something was taken out of rows that stay: the others forget what these were, and get them as they are now. */
export function queueReplaced(db: DatabaseSync, uids: readonly string[]): void {
  if (hasTeams(db)) queueForgetting(db, JSON.stringify(uids));
}

/** Backups of an older program, in which the same is forgotten, know no teams. */
function hasTeams(db: DatabaseSync): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE name = 'team_projects'";
  return statement(db, sql).get() !== undefined;
}

/** @param list Of uids, JSON. */
function queueForgetting(db: DatabaseSync, list: string): void {
  statement(
    db,
    `UPDATE team_outbox SET op = 'forget', rev = rev + 1
      WHERE uid IN (SELECT value FROM json_each(?))
        AND (sent_seq IS NOT NULL OR uid IN (SELECT uid FROM team_rows))`,
  ).run(list);
  statement(
    db,
    `INSERT INTO team_outbox (project, kind, uid, op, queued_at_ms)
     SELECT project, kind, uid, 'forget', unixepoch('subsec') * 1000
       FROM team_rows
      WHERE uid IN (SELECT value FROM json_each(?))
     ON CONFLICT (project, uid) DO NOTHING`,
  ).run(list);
}

/** The rows are forgotten because others have forgotten them: nothing is told back. In the caller's transaction. */
export function dropShared(db: DatabaseSync, uids: readonly string[]): void {
  const list = JSON.stringify(uids);
  for (const table of ["team_outbox", "team_held", "team_rows"]) {
    statement(db, `DELETE FROM ${table} WHERE uid IN (SELECT value FROM json_each(?))`).run(list);
  }
}
