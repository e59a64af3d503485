/** Notes what the next sync tells a team's server: rows that were forgotten here, and claims that changed. */
import type { DatabaseSync } from "node:sqlite";
import { putRow, statement } from "./statement.ts";

/** Tells whether any project of this machine is shared. */
export function hasTeams(db: DatabaseSync): boolean {
  // Forgetting also changes backups of an older program, which have no tables of teams.
  const knowsTeams = "SELECT 1 FROM sqlite_schema WHERE name = 'team_projects'";
  return statement(db, knowsTeams).get() !== undefined &&
    statement(db, "SELECT 1 FROM team_projects LIMIT 1").get() !== undefined;
}

/**
 * Queues rows to be forgotten, in the transaction that removes them. Rows that the server never had leave the outbox.
 * @param uids Of observations or tasks.
 */
export function queueForgotten(db: DatabaseSync, uids: readonly string[]): void {
  if (!hasTeams(db)) return;
  const list = JSON.stringify(uids);
  statement(db)`
    DELETE FROM team_outbox
     WHERE uid IN (SELECT value FROM json_each(?))
       AND sent_seq IS NULL
       AND uid NOT IN (SELECT uid FROM team_rows)`.run(list);
  queueForgetting(db, list);
  statement(db, "DELETE FROM team_held WHERE uid IN (SELECT value FROM json_each(?))").run(list);
}

/** Queues rows that lost parts: the other machines forget the rows as they were, and get them as they are now. */
export function queueReplaced(db: DatabaseSync, uids: readonly string[]): void {
  if (hasTeams(db)) queueForgetting(db, JSON.stringify(uids));
}

/** Queues rows that the server knows. @param list A JSON list of uids. */
function queueForgetting(db: DatabaseSync, list: string): void {
  statement(db)`
    UPDATE team_outbox SET op = 'forget', rev = rev + 1
     WHERE uid IN (SELECT value FROM json_each(?))
       AND (sent_seq IS NOT NULL OR uid IN (SELECT uid FROM team_rows))`.run(list);
  statement(db)`
    INSERT INTO team_outbox (project, kind, uid, op, queued_at_ms)
    SELECT project, kind, uid, 'forget', unixepoch('subsec') * 1000
      FROM team_rows
     WHERE uid IN (SELECT value FROM json_each(?))
    ON CONFLICT (project, uid) DO NOTHING`.run(list);
}

/** Drops what is queued about rows that other machines have forgotten, and queues nothing. Call it in a transaction. */
export function dropShared(db: DatabaseSync, uids: readonly string[]): void {
  const list = JSON.stringify(uids);
  for (const table of ["team_outbox", "team_held", "team_requirements", "team_claims"]) {
    statement(db, `DELETE FROM ${table} WHERE uid IN (SELECT value FROM json_each(?))`).run(list);
  }
}

export function isJoined(db: DatabaseSync, project: string | null): boolean {
  const sql = "SELECT 1 FROM team_projects WHERE project = ?";
  return project !== null && statement(db, sql).get(project) !== undefined;
}

/** Returns the project of a task, if it is shared with other machines. */
export function sharedProjectOf(db: DatabaseSync, taskId: string): string | null {
  const row = statement(db)`
    SELECT joined.project
      FROM tasks AS task
      JOIN team_projects AS joined ON joined.project = coalesce(task.repository, task.project_dir)
     WHERE task.id = ?`.get(taskId);
  return row === undefined ? null : String(row["project"]);
}

/** A claim that changed here and that the server does not know yet. */
export interface UntoldClaim {
  /** The id of the task. */
  readonly uid: string;
  readonly project: string;
  readonly step: "claim" | "renew" | "release" | "complete";
  readonly holder: string;
  readonly token: number;
}

/** Lists the claims that the server does not know yet. @param filter Restricts them to a project or a task. */
export function listUntoldClaims(
  db: DatabaseSync,
  filter: { readonly project?: string; readonly uid?: string } = {},
): UntoldClaim[] {
  return statement(db)`
    SELECT uid, project, step, holder, token
      FROM team_claims
     WHERE (?1 IS NULL OR project = ?1)
       AND (?2 IS NULL OR uid = ?2)
     ORDER BY uid`.all(filter.project ?? null, filter.uid ?? null) as unknown as UntoldClaim[];
}

export function noteUntold(db: DatabaseSync, claim: UntoldClaim, atMs: number): void {
  const { uid, project, step, holder, token } = claim;
  putRow(db, "team_claims", { uid, project, step, holder, token, notedAtMs: atMs });
}

/**
 * Notes that the server knows a claim. @param claim Only this state of the claim: one that has changed meanwhile stays
 * untold.
 */
export function noteClaimTold(
  db: DatabaseSync,
  { uid, step = null, token = null }: {
    readonly uid: string;
    readonly step?: UntoldClaim["step"] | null;
    readonly token?: number | null;
  },
): void {
  statement(db)`
    DELETE FROM team_claims WHERE uid = ?1 AND (?2 IS NULL OR step = ?2) AND (?3 IS NULL OR token = ?3)`
    .run(uid, step, token);
}

/** Tells whether a team's server lacks anything that waits for no person. */
export function hasToTell(db: DatabaseSync): boolean {
  const lacking = statement(db)`
    SELECT 1
     WHERE EXISTS (SELECT 1 FROM team_claims)
        OR EXISTS (SELECT 1
                     FROM team_outbox AS entry
                    WHERE NOT EXISTS (SELECT 1
                                        FROM team_held AS held
                                       WHERE held.project = entry.project
                                         AND held.uid = entry.uid
                                         AND held.reason IN ('secret', 'refused')))`.get();
  return lacking !== undefined;
}
