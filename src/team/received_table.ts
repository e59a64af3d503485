/** Keeps what this machine knows of the server: versions of rows, sums of machines, and rows that wait for a person. */
import type { DatabaseSync } from "node:sqlite";
import { insertRow, statement } from "../db/statement.ts";
import { transaction } from "../db/transaction.ts";
import type { OriginSum, RowKind, RowVersion, SeenMachine, ServerRow } from "./types.ts";

/** The modulus of sums of digests. */
const MODULUS = 1n << 64n;

/** Records stored rows of the server: the newest version of each row, and each machine's count and sum. */
export function noteReceived(db: DatabaseSync, project: string, rows: readonly ServerRow[]): void {
  for (const row of rows) noteVersion(db, project, row);
  for (const [origin, ofOrigin] of Map.groupBy(rows, (row) => row.origin)) {
    const before = statement(db, "SELECT digest FROM team_origins WHERE project = ? AND origin = ?")
      .get(project, origin)?.["digest"] ?? "0";
    const sum = ofOrigin.reduce(
      (sum, { digest }) => sum + BigInt(`0x${digest.slice(0, 15)}`),
      BigInt(String(before)),
    );
    const lastSeq = ofOrigin.reduce((last, { originSeq }) => Math.max(last, originSeq), 0);
    statement(
      db,
      `INSERT INTO team_origins (project, origin, author, rows, digest, last_seq)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (project, origin) DO UPDATE SET rows = rows + excluded.rows, digest = excluded.digest,
           last_seq = max(last_seq, excluded.last_seq)`,
    ).run(project, origin, ofOrigin[0]!.author, ofOrigin.length, String(sum % MODULUS), lastSeq);
  }
}

/** Records the number that the server gave a version of a row. */
export function noteVersion(db: DatabaseSync, project: string, row: RowVersion): void {
  statement(
    db,
    `INSERT INTO team_rows (uid, project, kind, op, origin, author, seq, first_seq)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
     ON CONFLICT (uid) DO UPDATE SET op = excluded.op, origin = excluded.origin, author = excluded.author,
         seq = excluded.seq
      WHERE excluded.seq > seq`,
  ).run(row.uid, project, row.kind, row.op, row.origin, row.author, row.seq);
}

/** Records how far each machine has read. */
export function writeSeen(
  db: DatabaseSync,
  project: string,
  machines: readonly SeenMachine[],
): void {
  transaction(db, () => {
    statement(db, "DELETE FROM team_seen WHERE project = ?").run(project);
    for (const machine of machines) insertRow(db, "team_seen", { project, ...machine });
  });
}

/** A machine that has not read yet which rows it must forget. */
export interface LaggingMachine extends SeenMachine {
  /** The project's name on the server. */
  readonly name: string;
}

/** The machines that have not confirmed that they forgot a row. */
export interface LaggingMachines {
  /** The machines that forget at their next sync. */
  readonly notForgotten: readonly LaggingMachine[];
  /** The machines that left with a copy of the row, and do not sync any more. */
  readonly outOfReach: readonly LaggingMachine[];
}

/**
 * Lists the machines that, as far as this machine knows, still hold rows that somebody forgot.
 *
 * @param options `project`: null for all projects. `uids`: the rows to look at; null for all rows.
 */
export function laggingMachines(
  db: DatabaseSync,
  { project, uids }: { readonly project: string | null; readonly uids: readonly string[] | null },
): LaggingMachines {
  const all = statement(
    db,
    `SELECT p.name, s.origin, s.author, s.seq, s.at_ms AS atMs, s.left_seq AS leftSeq, s.heir
       FROM team_seen AS s
       JOIN team_projects AS p USING (project)
      WHERE s.project = coalesce(?1, s.project)
        AND s.origin <> p.origin
        AND EXISTS (SELECT 1
                      FROM team_rows AS r
                     WHERE r.project = s.project
                       AND r.op = 'forget'
                       AND r.seq > s.seq
                       AND (s.left_seq IS NULL OR r.first_seq <= s.left_seq)
                       AND (?2 IS NULL OR r.uid IN (SELECT value FROM json_each(?2))))
      ORDER BY p.name, s.author, s.origin`,
  ).all(project, uids === null ? null : JSON.stringify(uids)) as unknown as LaggingMachine[];
  const { present = [], left = [] } = Object.groupBy(
    all,
    ({ leftSeq }) => leftSeq === null ? "present" : "left",
  );
  return { notForgotten: present, outOfReach: left };
}

/** Lists the versions that this machine knows with a number above `seq`. */
export function versionsAfter(db: DatabaseSync, project: string, seq: number): RowVersion[] {
  return statement(
    db,
    "SELECT uid, kind, op, origin, author, seq FROM team_rows WHERE project = ? AND seq > ?",
  ).all(project, seq) as unknown as RowVersion[];
}

/** Records that a restored server has an older version of a row. @param version Null when the server has none. */
export function takeBackVersion(db: DatabaseSync, uid: string, version: RowVersion | null): void {
  if (version === null) {
    statement(db, "DELETE FROM team_rows WHERE uid = ?").run(uid);
    return;
  }
  const { op, origin, author, seq } = version;
  statement(
    db,
    `UPDATE team_rows SET op = ?1, origin = ?2, author = ?3, seq = ?4, first_seq = min(first_seq, ?4)
      WHERE uid = ?5`,
  ).run(op, origin, author, seq, uid);
}

/** Tells whether this machine knows a version of a row on the server. */
export function knowsRow(db: DatabaseSync, uid: string): boolean {
  return statement(db, "SELECT 1 FROM team_rows WHERE uid = ?").get(uid) !== undefined;
}

/** Counts by member and kind the rows whose newest version the member wrote. */
export function countWriters(
  db: DatabaseSync,
  project: string,
): { readonly author: string; readonly kind: RowKind; readonly rows: number }[] {
  return statement(
    db,
    "SELECT author, kind, count(*) AS rows FROM team_rows WHERE project = ? GROUP BY author, kind",
  ).all(project) as unknown as { author: string; kind: RowKind; rows: number }[];
}

/** Lists how much this machine has stored of each machine's rows. */
export function listOrigins(db: DatabaseSync, project: string): OriginSum[] {
  return statement(
    db,
    `SELECT origin, author, rows, digest, last_seq AS lastSeq
       FROM team_origins
      WHERE project = ?
      ORDER BY origin`,
  ).all(project) as unknown as OriginSum[];
}

/** Replaces the records of {@linkcode listOrigins}, in the caller's transaction. */
export function replaceOrigins(
  db: DatabaseSync,
  project: string,
  origins: readonly OriginSum[],
): void {
  statement(db, "DELETE FROM team_origins WHERE project = ?").run(project);
  for (const one of origins) insertRow(db, "team_origins", { project, ...one });
}

/** Why a row waits for a person. */
export type HeldReason = "secret" | "refused" | "conflict" | "claim" | "unreadable";

export interface HeldRow {
  readonly id: number;
  readonly project: string;
  readonly kind: RowKind;
  readonly uid: string;
  readonly reason: HeldReason;
  readonly detail: string;
  /** The row that was refused or could not be stored, as JSON; null when this machine has the row. */
  readonly body: string | null;
  readonly heldAtMs: number;
}

export function holdRow(db: DatabaseSync, row: Omit<HeldRow, "id">): void {
  statement(
    db,
    `INSERT INTO team_held (project, kind, uid, reason, detail, body, held_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project, uid, reason) DO UPDATE SET detail = excluded.detail, body = excluded.body,
         held_at_ms = excluded.held_at_ms`,
  ).run(row.project, row.kind, row.uid, row.reason, row.detail, row.body, row.heldAtMs);
}

export function listHeld(db: DatabaseSync, project: string | null = null): HeldRow[] {
  return statement(
    db,
    `SELECT id, project, kind, uid, reason, detail, body, held_at_ms AS heldAtMs
       FROM team_held
      WHERE ?1 IS NULL OR project = ?1
      ORDER BY id`,
  ).all(project) as unknown as HeldRow[];
}

/** Ends the holding of a row, so that it is tried again or forgotten. @param reasons Null for all reasons. */
export function releaseHeld(
  db: DatabaseSync,
  { uid, reasons }: { readonly uid: string; readonly reasons: readonly HeldReason[] | null },
): void {
  statement(
    db,
    `DELETE FROM team_held
      WHERE uid = ?1
        AND (?2 IS NULL OR reason IN (SELECT value FROM json_each(?2)))`,
  ).run(uid, reasons === null ? null : JSON.stringify(reasons));
}

/** Carries out a person's decision about a held row: sends it unchanged, or drops it. */
export function settleHeld(
  db: DatabaseSync,
  { project, uid, reason }: HeldRow,
  decision: "send" | "drop",
): void {
  transaction(db, () => {
    releaseHeld(db, { uid, reasons: [reason] });
    const where = "WHERE project = ? AND uid = ?";
    if (decision === "send") {
      statement(db, `UPDATE team_outbox SET cleared = 1 ${where}`).run(project, uid);
    } else if (reason === "secret") {
      statement(db, `DELETE FROM team_outbox ${where}`).run(project, uid);
    }
  });
}
