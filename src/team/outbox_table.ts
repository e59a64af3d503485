/** Reads and writes the outbox: rows that have changed since they were last sent. Triggers of the database fill it. */
import type { DatabaseSync } from "node:sqlite";
import { statement } from "../db/statement.ts";
import { transaction } from "../db/transaction.ts";
import { lastNumber } from "./team_projects_table.ts";
import type { Operation, RowKind } from "./types.ts";

/** A row that waits to be sent. */
export interface OutboxEntry {
  readonly id: number;
  readonly kind: RowKind;
  readonly uid: string;
  readonly op: Operation;
  /** The number of changes since the row was last sent. */
  readonly rev: number;
  /** The number among this machine's rows under which the row is being sent; null when it is not. */
  readonly sentSeq: number | null;
  /** The number of the server's version that this version follows; 0 when the row is new to the server. */
  readonly base: number;
  /** 1 when a person has said that the row holds no secret. */
  readonly cleared: number;
}

/** The most rows that one transaction puts into the outbox, since hooks wait for it. */
const LISTED_AT_ONCE = 1_000;

/** Puts all rows of a project that the server lacks into the outbox, once after the project was joined. */
export function listAll(
  db: DatabaseSync,
  project: string,
  rows: Iterable<{ readonly kind: RowKind; readonly uid: string }>,
): void {
  const list = statement(
    db,
    `INSERT INTO team_outbox (project, kind, uid, op, queued_at_ms)
     SELECT ?1, ?2, ?3, 'put', unixepoch('subsec') * 1000
      WHERE NOT EXISTS (SELECT 1 FROM team_rows WHERE uid = ?3)
     ON CONFLICT (project, uid) DO NOTHING`,
  );
  const batch: { readonly kind: RowKind; readonly uid: string }[] = [];
  const write = () =>
    transaction(db, () => batch.splice(0).forEach(({ kind, uid }) => list.run(project, kind, uid)));
  for (const row of rows) if (batch.push(row) === LISTED_AT_ONCE) write();
  write();
  statement(db, "UPDATE team_projects SET is_listed = 1 WHERE project = ?").run(project);
}

/** The most entries that one query reads. */
const PAGE_ROWS = 500;

/** Reads the entries that wait for no person, the oldest first. */
export function* nextEntries(db: DatabaseSync, project: string): Generator<OutboxEntry> {
  for (let after = 0;;) {
    const page = statement(
      db,
      `SELECT id, kind, uid, op, rev, cleared, sent_seq AS sentSeq,
              coalesce((SELECT seq FROM team_rows WHERE uid = entry.uid), 0) AS base
         FROM team_outbox AS entry
        WHERE project = ?1
          AND id > ?2
          AND uid NOT IN (SELECT uid FROM team_held WHERE project = ?1 AND reason IN ('secret', 'refused'))
        ORDER BY id
        LIMIT ${PAGE_ROWS}`,
    ).all(project, after) as unknown as OutboxEntry[];
    yield* page;
    if (page.length < PAGE_ROWS) return;
    after = page.at(-1)!.id;
  }
}

export function countWaiting(db: DatabaseSync, project: string): number {
  const sql = "SELECT count(*) AS n FROM team_outbox WHERE project = ?";
  return Number(statement(db, sql).get(project)!["n"]);
}

/** Counts the waiting rows of each kind. */
export function countKinds(
  db: DatabaseSync,
  project: string,
): { readonly kind: RowKind; readonly rows: number }[] {
  return statement(
    db,
    "SELECT kind, count(*) AS rows FROM team_outbox WHERE project = ? GROUP BY kind ORDER BY kind",
  ).all(project) as unknown as { kind: RowKind; rows: number }[];
}

/** Returns the numbers that entries have or would get, in the order of the entries. */
export function numbersOf(
  db: DatabaseSync,
  project: string,
  entries: readonly OutboxEntry[],
): number[] {
  let last = lastNumber(db, project);
  return entries.map(({ sentSeq }) => sentSeq ?? ++last);
}

/**
 * Numbers entries before they are sent: when an answer is lost, the batch is sent again with the same numbers, and the
 * server takes each number once. @returns The numbers, as {@linkcode numbersOf} does.
 */
export function numberEntries(
  db: DatabaseSync,
  project: string,
  entries: readonly OutboxEntry[],
): number[] {
  return transaction(db, () => {
    const numbers = numbersOf(db, project, entries);
    const number = statement(
      db,
      // `rev` is that of the version that was read, so a later change of the row is sent afterwards.
      "UPDATE team_outbox SET sent_seq = ?, sent_rev = ? WHERE id = ? AND sent_seq IS NULL",
    );
    entries.forEach(({ id, rev }, i) => number.run(numbers[i]!, rev, id));
    statement(db, "UPDATE team_projects SET sent_seq = max(sent_seq, ?) WHERE project = ?")
      .run(Math.max(...numbers), project);
    return numbers;
  });
}

/** Removes an entry that the server has taken, unless its row changed since the entry was numbered. */
export function settleEntry(db: DatabaseSync, project: string, sentSeq: number): void {
  const where = "WHERE project = ? AND sent_seq = ?";
  statement(db, `DELETE FROM team_outbox ${where} AND rev = sent_rev`).run(project, sentSeq);
  statement(db, `UPDATE team_outbox SET sent_seq = NULL ${where}`).run(project, sentSeq);
}

/** Takes the number from an entry that the server refused; it gets another one next time. */
export function unnumberEntry(db: DatabaseSync, project: string, sentSeq: number): void {
  statement(db, "UPDATE team_outbox SET sent_seq = NULL WHERE project = ? AND sent_seq = ?")
    .run(project, sentSeq);
}

/** Tells whether a change of a row waits to be sent. */
export function hasEntry(db: DatabaseSync, project: string, uid: string): boolean {
  return statement(db, "SELECT 1 FROM team_outbox WHERE project = ? AND uid = ?").get(
    project,
    uid,
  ) !==
    undefined;
}

/** Removes a row from the outbox. @returns Whether the row was there. */
export function dropEntry(db: DatabaseSync, project: string, uid: string): boolean {
  const { changes } = statement(db, "DELETE FROM team_outbox WHERE project = ? AND uid = ?")
    .run(project, uid);
  return changes > 0;
}

/** Puts a row into the outbox when no trigger does. */
export function queueAgain(
  db: DatabaseSync,
  project: string,
  { uid, kind, op, nowMs }: Pick<OutboxEntry, "uid" | "kind" | "op"> & { readonly nowMs: number },
): void {
  statement(
    db,
    `INSERT INTO team_outbox (project, kind, uid, op, queued_at_ms)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (project, uid) DO UPDATE SET rev = rev + 1, op = excluded.op`,
  ).run(project, kind, uid, op, nowMs);
}
