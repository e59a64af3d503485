/** The outbox: which rows have changed since they were last sent. Triggers of the database fill it. */
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
  /** Counts its changes since it was last sent. */
  readonly rev: number;
  /** The number among the rows of this machine under which it is on its way; null when it is not. */
  readonly sentSeq: number | null;
  /** The number of the version on the server that this one follows; 0 when it is new there. */
  readonly base: number;
  /** 1 where a person has said that it holds no secret. */
  readonly cleared: number;
}

/** The most rows that one transaction numbers, since hooks wait for it. */
const LISTED_AT_ONCE = 1_000;

/** Names all rows of a project that the server has not, once. */
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
  const some: { readonly kind: RowKind; readonly uid: string }[] = [];
  const write = () =>
    transaction(db, () => some.splice(0).forEach(({ kind, uid }) => list.run(project, kind, uid)));
  for (const row of rows) if (some.push(row) === LISTED_AT_ONCE) write();
  write();
  statement(db, "UPDATE team_projects SET is_listed = 1 WHERE project = ?").run(project);
}

/** The most entries that are read at once. */
const PAGE_ROWS = 500;

/** The entries that are not held, the oldest first. */
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

/** How many rows of each kind wait. */
export function countKinds(
  db: DatabaseSync,
  project: string,
): { readonly kind: RowKind; readonly rows: number }[] {
  return statement(
    db,
    "SELECT kind, count(*) AS rows FROM team_outbox WHERE project = ? GROUP BY kind ORDER BY kind",
  ).all(project) as unknown as { kind: RowKind; rows: number }[];
}

/** The numbers that entries have or would get, in their order. */
export function numbersOf(
  db: DatabaseSync,
  project: string,
  entries: readonly OutboxEntry[],
): number[] {
  let last = lastNumber(db, project);
  return entries.map(({ sentSeq }) => sentSeq ?? ++last);
}

/**
 * Gives numbers to entries before they are sent: a batch whose answer is lost is sent again under the same ones, and the
 * server takes each number once. @returns {@linkcode numbersOf} them.
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
      // A change since the entry was read is not in what is sent.
      "UPDATE team_outbox SET sent_seq = ?, sent_rev = ? WHERE id = ? AND sent_seq IS NULL",
    );
    entries.forEach(({ id, rev }, i) => number.run(numbers[i]!, rev, id));
    statement(db, "UPDATE team_projects SET sent_seq = max(sent_seq, ?) WHERE project = ?")
      .run(Math.max(...numbers), project);
    return numbers;
  });
}

/** An entry that the server has: it goes, unless its row changed since it was numbered. */
export function settleEntry(db: DatabaseSync, project: string, sentSeq: number): void {
  const where = "WHERE project = ? AND sent_seq = ?";
  statement(db, `DELETE FROM team_outbox ${where} AND rev = sent_rev`).run(project, sentSeq);
  statement(db, `UPDATE team_outbox SET sent_seq = NULL ${where}`).run(project, sentSeq);
}

/** An entry that the server did not take gets another number next time. */
export function unnumberEntry(db: DatabaseSync, project: string, sentSeq: number): void {
  statement(db, "UPDATE team_outbox SET sent_seq = NULL WHERE project = ? AND sent_seq = ?")
    .run(project, sentSeq);
}

/** Whether a change of a row waits to be sent. */
export function hasEntry(db: DatabaseSync, project: string, uid: string): boolean {
  return statement(db, "SELECT 1 FROM team_outbox WHERE project = ? AND uid = ?").get(
    project,
    uid,
  ) !==
    undefined;
}

/** Takes a row out of the outbox. @returns Whether it was there. */
export function dropEntry(db: DatabaseSync, project: string, uid: string): boolean {
  const { changes } = statement(db, "DELETE FROM team_outbox WHERE project = ? AND uid = ?")
    .run(project, uid);
  return changes > 0;
}

/** Puts a row into the outbox that triggers did not put there. */
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
