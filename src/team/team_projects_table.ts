/** Reads and writes the projects that this machine has joined. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { insertRow, statement, writeMeta } from "../db/statement.ts";
import { transaction } from "../db/transaction.ts";
import type { ForgottenRows, JoinedProject } from "./types.ts";

const COLUMNS =
  `project, name, way, origin, pulled_seq AS pulledSeq, head_seq AS headSeq, acked_seq AS ackedSeq, is_listed AS isListed,
       fault, forgot, told_seq AS toldSeq, joined_at_ms AS joinedAtMs, synced_at_ms AS syncedAtMs,
       (SELECT value FROM meta WHERE key = 'team_restored:' || origin) AS restoredAtMs`;

function projectOf(
  { way, isListed, forgot, restoredAtMs, ...row }: Record<string, SQLOutputValue>,
): JoinedProject {
  return {
    ...row,
    way: JSON.parse(String(way)),
    forgot: JSON.parse(String(forgot ?? "[]")),
    isListed: isListed === 1,
    restoredAtMs: restoredAtMs === null ? null : Number(restoredAtMs),
  } as unknown as JoinedProject;
}

/** Lists all joined projects by name. */
export function listJoined(db: DatabaseSync): JoinedProject[] {
  return statement(db, `SELECT ${COLUMNS} FROM team_projects ORDER BY name, project`).all()
    .map(projectOf);
}

export function readJoined(db: DatabaseSync, project: string): JoinedProject | null {
  const row = statement(db, `SELECT ${COLUMNS} FROM team_projects WHERE project = ?`).get(project);
  return row === undefined ? null : projectOf(row);
}

/** Joins a project. The first sync puts the project's rows into the outbox. */
export function writeJoined(
  db: DatabaseSync,
  { way, ...joined }: Pick<JoinedProject, "project" | "name" | "way" | "origin" | "joinedAtMs">,
): void {
  insertRow(db, "team_projects", { ...joined, way: JSON.stringify(way) });
}

const TABLES = [
  "team_requirements",
  "team_claims",
  "team_outbox",
  "team_held",
  "team_seen",
  "team_origins",
  "team_rows",
  "team_projects",
];

/** Leaves a project. What came from others stays on this machine. */
export function removeJoined(db: DatabaseSync, project: string): void {
  transaction(db, () => {
    for (const table of TABLES) {
      db.prepare(`DELETE FROM ${table} WHERE project = ?`).run(project);
    }
  });
}

/** Records how a sync ended. @param fault Null when it succeeded. */
export function noteSync(
  db: DatabaseSync,
  project: string,
  { fault, atMs }: { readonly fault: string | null; readonly atMs: number },
): void {
  statement(
    db,
    `UPDATE team_projects
        SET fault = ?2, synced_at_ms = CASE WHEN ?2 IS NULL THEN ?3 ELSE synced_at_ms END
      WHERE project = ?1`,
  ).run(project, fault, atMs);
}

/** Returns the last number that this machine gave to a row. */
export function lastNumber(db: DatabaseSync, project: string): number {
  const sql = "SELECT sent_seq AS last FROM team_projects WHERE project = ?";
  return Number(statement(db, sql).get(project)!["last"]);
}

/**
 * Gives this machine a new id, since its database is a copy or was restored, and its next numbers are taken. Rows that
 * this machine lost come back as if another machine had written them.
 */
export function renameMachine(db: DatabaseSync, project: string, origin: string): void {
  transaction(db, () => {
    statement(
      db,
      "UPDATE team_projects SET origin = ?, sent_seq = 0, acked_seq = 0, told_seq = 0 WHERE project = ?",
    )
      .run(origin, project);
    statement(db, "UPDATE team_outbox SET sent_seq = NULL WHERE project = ?").run(project);
  });
}

/** Records the highest number of this machine's rows that the server has taken. */
export function noteAcked(db: DatabaseSync, project: string, ackedSeq: number): void {
  statement(db, "UPDATE team_projects SET acked_seq = max(acked_seq, ?) WHERE project = ?")
    .run(ackedSeq, project);
}

/** Records that the server was restored, and the number up to which both are the same: the sync goes on from there. */
export function noteRestored(
  db: DatabaseSync,
  { project, origin }: Pick<JoinedProject, "project" | "origin">,
  { pulledSeq, headSeq, ackedSeq, atMs }:
    & Pick<JoinedProject, "pulledSeq" | "headSeq" | "ackedSeq">
    & { readonly atMs: number },
): void {
  writeMeta(db, `team_restored:${origin}`, String(atMs));
  statement(
    db,
    `UPDATE team_projects SET pulled_seq = ?, head_seq = ?, acked_seq = ?, told_seq = 0
      WHERE project = ?`,
  ).run(pulledSeq, headSeq, ackedSeq, project);
}

/** Removes the record that the server was restored: this machine and the server are the same again. */
export function noteSame(db: DatabaseSync, { origin }: Pick<JoinedProject, "origin">): void {
  statement(db, "DELETE FROM meta WHERE key = ?").run(`team_restored:${origin}`);
}

export function noteForgot(
  db: DatabaseSync,
  project: string,
  forgot: readonly ForgottenRows[],
): void {
  statement(db, "UPDATE team_projects SET forgot = ? WHERE project = ?")
    .run(JSON.stringify(forgot), project);
}

/** Returns the highest number of this machine's rows that the server has confirmed. */
export function ackedSeqOf(db: DatabaseSync, project: string): number {
  const sql = "SELECT acked_seq AS acked FROM team_projects WHERE project = ?";
  return Number(statement(db, sql).get(project)!["acked"]);
}

/** Records the number of the last row that this machine has reported to the server as read. */
export function noteTold(db: DatabaseSync, project: string, seq: number): void {
  statement(db, "UPDATE team_projects SET told_seq = ? WHERE project = ?").run(seq, project);
}

/** Keeps changes of shared rows out of the outbox until {@linkcode notePulled}, in the same transaction. */
export function beginApplying(db: DatabaseSync, project: string): void {
  statement(db, "UPDATE team_projects SET applying = 1 WHERE project = ?").run(project);
}

/** Records how far the server's rows are stored, and ends {@linkcode beginApplying}. */
export function notePulled(
  db: DatabaseSync,
  project: string,
  { pulledSeq, headSeq }: Pick<JoinedProject, "pulledSeq" | "headSeq">,
): void {
  statement(
    db,
    "UPDATE team_projects SET applying = 0, pulled_seq = ?, head_seq = ? WHERE project = ?",
  ).run(pulledSeq, headSeq, project);
}
