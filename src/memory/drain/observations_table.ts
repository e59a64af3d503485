/** Writes and reads observations. */
import {
  keptJson,
  type ObservationKind,
  type ObservedFacts,
  type ObservedFile,
} from "../observe/observation.ts";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { IS_PRUNED } from "../../db/payloads.ts";
import { askForSummary } from "../../db/queue_work.ts";
import { statement } from "../../db/statement.ts";
import { transaction } from "../../db/transaction.ts";

interface ObservationBase {
  /** The same in every database that it is copied to. */
  readonly uid: string;
  readonly sessionId: string;
  readonly project: string | null;
  readonly branch: string | null;
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly title: string;
  readonly text: string;
  readonly facts: ObservedFacts;
}

export interface NewObservation extends ObservationBase {
  /** The words of code, as the index has them. */
  readonly terms: string;
  readonly files: readonly ObservedFile[];
  /** The text that its repeats in the session share; null when it has none. */
  readonly sameAs: string | null;
  readonly atMs: number;
}

export interface Observation extends ObservationBase {
  readonly id: number;
  readonly files: readonly string[];
  /** How often it was seen in its session, 1 and up. */
  readonly repeats: number;
  /** The observation that mended this failure; 0 where that is gone. */
  readonly resolvedBy: number | null;
  /** When it was seen first, and last. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Files that an observation names, at most, however often it is seen. */
export const MAX_FILES = 50;

/** The columns of an {@linkcode Observation}, to be read with {@linkcode observationOf}. */
export const OBSERVATION_COLUMNS =
  `o.id, o.uid, o.session_id AS sessionId, o.project, o.branch, o.kind, o.outcome, o.title, o.text, o.files,
            o.facts, o.repeats,
            iif(o.resolved_by IS NULL, NULL,
                coalesce((SELECT id FROM observations WHERE id = o.resolved_by), 0)) AS resolvedBy,
            o.created_at_ms AS createdAtMs, o.updated_at_ms AS updatedAtMs`;

/** The observation in a row of {@linkcode OBSERVATION_COLUMNS}, or that part of it which a row has. */
export function observationOf(row: Readonly<Record<string, unknown>>): Observation {
  return {
    ...row,
    files: keptJson<string[]>(row["files"], []),
    facts: keptJson<ObservedFacts>(row["facts"], {}),
  } as unknown as Observation;
}

/** The uids of the observations of a session. One that a capture became has the id of that capture. */
export function observationUids(db: DatabaseSync, sessionId: string): string[] {
  return db.prepare("SELECT uid FROM observations WHERE session_id = ?").all(sessionId)
    .map(({ uid }) => String(uid));
}

/** An observation that was seen last before a moment; notes stay. */
const IS_OLD = "kind <> 'note' AND updated_at_ms < ?1";

/** How many observations were seen last before a moment. Notes always stay, so they do not count. */
export function countOldObservations(db: DatabaseSync, seenBeforeMs: number): number {
  const row = db.prepare(`SELECT count(*) AS n FROM observations WHERE ${IS_OLD}`)
    .get(seenBeforeMs);
  return Number(row!["n"]);
}

/** Removes at most `limit` old observations, the oldest first, in one transaction. @returns How many. */
export function removeOldObservations(
  db: DatabaseSync,
  seenBeforeMs: number,
  limit: number,
): number {
  const remove = db.prepare(
    `DELETE FROM observations
      WHERE id IN (SELECT id FROM observations WHERE ${IS_OLD} ORDER BY updated_at_ms LIMIT ?2)`,
  );
  return Number(transaction(db, () => remove.run(seenBeforeMs, limit)).changes);
}

/** Writes an observation, or counts it as a repeat of the same one; the newest text stays. @returns Its id. */
export function saveObservation(db: DatabaseSync, observation: NewObservation): number {
  const { uid, sessionId, files, facts, atMs } = observation;
  const { sameAs, known } = sameOnBranch(db, observation);
  if (known !== undefined) return repeatObservation(db, known, observation);
  const { lastInsertRowid } = statement(
    db,
    `INSERT INTO observations
       (uid, session_id, project, branch, kind, outcome, title, text, terms, files, facts, same_as, created_at_ms,
        updated_at_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13)`,
  ).run(
    uid,
    sessionId,
    observation.project,
    observation.branch,
    observation.kind,
    observation.outcome,
    observation.title,
    observation.text,
    observation.terms,
    JSON.stringify(files.map(({ path }) => path)),
    JSON.stringify(facts),
    sameAs,
    atMs,
  );
  const id = Number(lastInsertRowid);
  saveFiles(db, id, files);
  return id;
}

/** Writes an observation with a `sameAs` over the same one, and counts no repeat. @returns Its id. */
export function replaceObservation(db: DatabaseSync, observation: NewObservation): number {
  const known = findSame(db, observation.sessionId, observation.sameAs ?? "");
  if (known === undefined) return saveObservation(db, observation);
  if (known.text !== observation.text || known.title !== observation.title) {
    rewrite(db, known.id, observation);
  }
  statement(
    db,
    `UPDATE observations
        SET project = ?2, branch = ?3, files = ?4, facts = ?5, created_at_ms = ?6, updated_at_ms = ?6
      WHERE id = ?1`,
  ).run(
    known.id,
    observation.project,
    observation.branch,
    JSON.stringify(observation.files.map(({ path }) => path)),
    JSON.stringify(observation.facts),
    observation.atMs,
  );
  statement(
    db,
    "DELETE FROM observation_files WHERE observation_id = ? AND path NOT IN (SELECT value FROM json_each(?))",
  ).run(known.id, JSON.stringify(observation.files.map(({ path }) => path)));
  saveFiles(db, known.id, observation.files);
  return known.id;
}

interface Same {
  readonly id: number;
  readonly branch: string | null;
  readonly title: string;
  readonly text: string;
  /** Its paths, as they are stored. */
  readonly files: string;
  readonly updatedAtMs: number;
}

function findSame(db: DatabaseSync, sessionId: string, sameAs: string): Same | undefined {
  return statement(
    db,
    `SELECT id, branch, title, text, files, updated_at_ms AS updatedAtMs
       FROM observations
      WHERE same_as = ?
        AND session_id = ?`,
  ).get(sameAs, sessionId) as unknown as Same | undefined;
}

/** Kinds that tell the state of a branch: the same on another branch is no repeat. */
const OF_BRANCH: ReadonlySet<ObservationKind> = new Set(["command", "failure", "test"]);

/**
 * The observation that is repeated, and the text that repeats share. During a rebase HEAD is on no branch: what is
 * seen then belongs to any.
 */
function sameOnBranch(
  db: DatabaseSync,
  { sessionId, sameAs, kind, branch }: NewObservation,
): { readonly sameAs: string | null; readonly known?: Same | undefined } {
  if (sameAs === null) return { sameAs };
  const known = findSame(db, sessionId, sameAs);
  const isHere = known === undefined || known.branch === branch || known.branch === null ||
    branch === null;
  if (isHere || !OF_BRANCH.has(kind)) return { sameAs, known };
  const here = `${sameAs}/${branch}`;
  return { sameAs: here, known: findSame(db, sessionId, here) };
}

function repeatObservation(db: DatabaseSync, known: Same, observation: NewObservation): number {
  const { title, text, files, atMs } = observation;
  statement(
    db,
    `UPDATE observations
        SET repeats = repeats + 1, created_at_ms = min(created_at_ms, ?2), updated_at_ms = max(updated_at_ms, ?2)
      WHERE id = ?1`,
  ).run(known.id, atMs);
  addFiles(db, known, files);
  if (atMs < known.updatedAtMs) return known.id;
  if (text !== known.text || title !== known.title) {
    rewrite(db, known.id, observation);
  }
  saveFiles(db, known.id, files);
  return known.id;
}

function addFiles(db: DatabaseSync, known: Same, files: readonly ObservedFile[]): void {
  const before = keptJson<string[]>(known.files, []);
  const added = files.map(({ path }) => path).filter((path) => !before.includes(path));
  if (added.length === 0 || before.length >= MAX_FILES) return;
  statement(db, "UPDATE observations SET files = ?2 WHERE id = ?1").run(
    known.id,
    JSON.stringify([...before, ...added].slice(0, MAX_FILES)),
  );
}

function rewrite(db: DatabaseSync, id: number, observation: NewObservation): void {
  const { title, text, terms, facts, outcome } = observation;
  statement(
    db,
    `UPDATE observations
        SET title = ?2, text = ?3, terms = ?4, outcome = ?6, facts = ?5
      WHERE id = ?1`,
  ).run(id, title, text, terms, JSON.stringify(facts), outcome);
}

/** Stores the digests of an observation's files, as they were when it was seen last. */
export function saveFiles(db: DatabaseSync, id: number, files: readonly ObservedFile[]): void {
  for (const { path, digest } of files) {
    statement(
      db,
      `INSERT INTO observation_files (path, observation_id, digest)
       VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET digest = excluded.digest`,
    ).run(path, id, digest);
  }
}

/** The observations with these ids, in that order; those that are gone are left out. */
export function readObservations(db: DatabaseSync, ids: readonly number[]): Observation[] {
  if (ids.length === 0) return [];
  const rows = db.prepare(
    `SELECT ${OBSERVATION_COLUMNS}
       FROM json_each(?) AS wanted
       JOIN observations AS o ON o.id = wanted.value
      ORDER BY wanted.key`,
  ).all(JSON.stringify(ids));
  return rows.map(observationOf);
}

/** The uid of the summary of a session. An imported summary has another one, and cannot be made anew. */
export function summaryUid(sessionId: string): string {
  return `summary/${sessionId}`;
}

/** The facts of a row in SQL; an empty object where they are no JSON. */
export const FACTS = "iif(json_valid(facts), facts, '{}')";

/** An observation as its remaining captures make it, with how often and when they saw it. */
export interface Remade extends
  Pick<
    NewObservation,
    "uid" | "project" | "branch" | "outcome" | "title" | "text" | "terms" | "files" | "facts"
  > {
  readonly id: number;
  readonly repeats: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Makes an observation of its remaining captures, the oldest first; null where they are not enough. */
export type Remake = (
  id: number,
  captures: { readonly stay: readonly string[]; readonly go: ReadonlySet<string> },
) => Remade | null;

/** The columns of an observation that come from its captures. */
function columnsOf(one: Remade): Readonly<Record<string, SQLInputValue>> {
  const { files, facts, createdAtMs, updatedAtMs, ...same } = one;
  return {
    ...same,
    files: JSON.stringify(files.map(({ path }) => path)),
    facts: JSON.stringify(facts),
    created_at_ms: createdAtMs,
    updated_at_ms: updatedAtMs,
  };
}

/** Writes the observations in one transaction, as if the other captures had never been there. */
export function writeRemade(db: DatabaseSync, remade: readonly Remade[]): void {
  transaction(db, () => {
    for (const one of remade) {
      const { id, ...columns } = columnsOf(one);
      const set = Object.keys(columns).map((name) => `${name} = ?`).join(", ");
      statement(db, `UPDATE observations SET ${set} WHERE id = ?`)
        .run(...Object.values(columns), id!);
      statement(db, "DELETE FROM observation_files WHERE observation_id = ?").run(one.id);
      saveFiles(db, one.id, one.files);
    }
  });
}

/** Characters of a capture's id, with which the uid of its observation begins. */
const ID_CHARS = 36;

/**
 * Lets captures wait once more whose observation is lost. Where all captures of a session are there, all of them wait: the
 * observation of one depends on the others. A failure whose fix is lost is open until the fix is made once more.
 *
 * @returns How many wait.
 */
export function queueLostAgain(db: DatabaseSync): number {
  const there = "(SELECT id FROM observations)";
  db.exec(
    `DELETE FROM observations
      WHERE kind <> 'summary'
        AND session_id IN (
          SELECT session_id FROM pending_queue WHERE status = 'done' AND observation_id NOT IN ${there}
          EXCEPT
          SELECT session_id FROM pending_queue WHERE ${IS_PRUNED}
          EXCEPT
          SELECT session_id
            FROM observations
           WHERE kind <> 'summary'
             AND substr(uid, 1, ${ID_CHARS}) NOT IN (SELECT id FROM pending_queue));
     UPDATE observations
        SET resolved_by = iif(resolved_by IN (SELECT observation_id FROM pending_queue), NULL, 0)
      WHERE resolved_by > 0
        AND resolved_by NOT IN ${there}`,
  );
  const { changes } = db.prepare(
    `UPDATE pending_queue
        SET status = 'raw', attempts = 0, observation_id = NULL
      WHERE status = 'done'
        AND observation_id NOT IN ${there}`,
  ).run();
  db.exec(
    `INSERT OR IGNORE INTO sessions_to_summarize (session_id)
     SELECT DISTINCT session_id
       FROM observations
      WHERE session_id IN (SELECT session_id FROM pending_queue)
        AND 'summary/' || session_id NOT IN (SELECT uid FROM observations)`,
  );
  return Number(changes);
}

/** What observations say, with their uids, sessions and kinds. */
export function observedTexts(
  db: DatabaseSync,
  ids: readonly number[],
): Readonly<Record<string, unknown>>[] {
  return db.prepare(
    `SELECT uid, session_id AS sessionId, kind, title, text
       FROM observations
      WHERE id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(ids));
}

/**
 * Deletes observations with the summaries that were made here of some sessions, and asks for new summaries. A failure whose
 * fix is deleted stays closed.
 */
export function deleteObservations(
  db: DatabaseSync,
  ids: readonly number[],
  sessions: readonly string[],
): void {
  const gone = db.prepare(
    `DELETE FROM observations
      WHERE id IN (SELECT value FROM json_each(?1))
         OR uid IN (SELECT 'summary/' || value FROM json_each(?2))
     RETURNING uid, session_id AS sessionId`,
  ).all(JSON.stringify(ids), JSON.stringify(sessions));
  db.exec(
    `UPDATE observations
        SET resolved_by = 0
      WHERE resolved_by > 0
        AND resolved_by NOT IN (SELECT id FROM observations)`,
  );
  // An imported session without a summary of ours keeps its own summary.
  for (const { uid, sessionId } of gone) {
    if (uid === summaryUid(String(sessionId))) askForSummary(db, String(sessionId));
  }
}
