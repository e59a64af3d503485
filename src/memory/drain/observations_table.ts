/** Writes and reads observations. */
import {
  keptJson,
  type Observed,
  type ObservedFacts,
  type ObservedFile,
} from "../observe/observation.ts";
import type { DatabaseSync } from "node:sqlite";
import { IS_PRUNED } from "../../db/payloads.ts";
import { askForSummary } from "../../db/queue_work.ts";
import { insertRow, statement, updateRow } from "../../db/statement.ts";
import { transaction } from "../../db/transaction.ts";

interface ObservationBase extends Pick<Observed, "kind" | "outcome" | "title" | "text" | "facts"> {
  /** The lasting identity of the observation, also in exports and imports. */
  readonly uid: string;
  readonly sessionId: string;
  readonly project: string | null;
  readonly branch: string | null;
}

export interface NewObservation extends ObservationBase, Pick<Observed, "files" | "sameAs"> {
  readonly terms: string;
  readonly atMs: number;
}

export interface Observation extends ObservationBase {
  readonly id: number;
  readonly files: readonly string[];
  /** How often the observation was seen in its session, 1 and up. */
  readonly repeats: number;
  /** The number of the observation that mended this failure; 0 when that observation was deleted. */
  readonly resolvedBy: number | null;
  /** The team member whose machine made the observation; null for this machine. */
  readonly author: string | null;
  /** When the observation was seen first and last, in epoch milliseconds. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The most files that are stored for an observation, repeats included. */
export const MAX_FILES = 50;

/** The columns of an {@linkcode Observation}. {@linkcode observationOf} reads them. */
export const OBSERVATION_COLUMNS =
  `o.id, o.uid, o.session_id AS sessionId, o.project, o.branch, o.kind, o.outcome, o.title, o.text, o.files,
            o.facts, o.repeats, o.author,
            iif(o.resolved_by IS NULL, NULL,
                coalesce((SELECT id FROM observations WHERE id = o.resolved_by), 0)) AS resolvedBy,
            o.created_at_ms AS createdAtMs, o.updated_at_ms AS updatedAtMs`;

/** Makes an observation of a row with all or some of {@linkcode OBSERVATION_COLUMNS}. */
export function observationOf(row: Readonly<Record<string, unknown>>): Observation {
  return {
    ...row,
    files: keptJson<string[]>(row["files"], []),
    facts: keptJson<ObservedFacts>(row["facts"], {}),
  } as unknown as Observation;
}

/** Returns the uids of a session's observations. The uid of a capture's observation begins with the capture's id. */
export function observationUids(db: DatabaseSync, sessionId: string): string[] {
  return db.prepare("SELECT uid FROM observations WHERE session_id = ?").all(sessionId)
    .map(({ uid }) => String(uid));
}

/** SQL condition: an observation is not a note, and was last seen before a moment. */
const IS_OLD = "kind <> 'note' AND updated_at_ms < ?1";

/** Counts the observations that were last seen before a moment. Notes do not count, since they always stay. */
export function countOldObservations(db: DatabaseSync, seenBeforeMs: number): number {
  const row = db.prepare(`SELECT count(*) AS n FROM observations WHERE ${IS_OLD}`)
    .get(seenBeforeMs);
  return Number(row!["n"]);
}

/** Returns the ids of old observations, the oldest first. */
export function oldObservations(db: DatabaseSync, seenBeforeMs: number, limit: number): number[] {
  return db.prepare(`SELECT id FROM observations WHERE ${IS_OLD} ORDER BY updated_at_ms LIMIT ?2`)
    .all(seenBeforeMs, limit).map(({ id }) => Number(id));
}

/** Removes at most `limit` old observations, the oldest first, in one transaction. @returns How many it removed. */
export function removeOldObservations(
  db: DatabaseSync,
  seenBeforeMs: number,
  limit: number,
): number {
  const remove = statement(db)`
    DELETE FROM observations
     WHERE id IN (SELECT id FROM observations WHERE ${IS_OLD} ORDER BY updated_at_ms LIMIT ?2)`;
  return Number(transaction(db, () => remove.run(seenBeforeMs, limit)).changes);
}

/** Saves an observation. A repeat raises the count of the first one and updates its text. @returns The row's id. */
export function saveObservation(db: DatabaseSync, observation: NewObservation): number {
  const { uid, sessionId, project, branch, kind, outcome, title, text, terms, files, atMs } =
    observation;
  const taken = takeOverLost(db, observation);
  if (taken !== null) return taken;
  const { sameAs, known } = sameOnBranch(db, observation);
  if (known !== undefined) return repeatObservation(db, known, observation);
  const id = insertRow(db, "observations", {
    uid,
    sessionId,
    project,
    branch,
    kind,
    outcome,
    title,
    text,
    terms,
    sameAs,
    files: pathsOf(files),
    facts: JSON.stringify(observation.facts),
    createdAtMs: atMs,
    updatedAtMs: atMs,
  });
  saveFiles(db, id, files);
  return id;
}

/** The length of a capture's id, with which the uid of its observation begins. */
const ID_CHARS = 36;

/** The largest difference between the times that a hook and a transcript give for one tool use, in milliseconds. */
const SAME_USE_MS = 60_000;

/**
 * Finds an observation whose capture a repair has lost, when a transcript brings that capture back under another id, and
 * gives it the new id. Its repeats are counted anew, since their captures come back as well.
 * @returns The id of the observation; null when no observation was left without its capture.
 */
function takeOverLost(db: DatabaseSync, observation: NewObservation): number | null {
  const { uid, sessionId, kind, title, atMs } = observation;
  const row = statement(db)`
    UPDATE observations
       SET uid = ?1, repeats = 1
     WHERE EXISTS (SELECT 1 FROM pending_queue WHERE id = substr(?1, 1, ${ID_CHARS}))
       AND id = (
         SELECT id
           FROM observations AS o
          WHERE session_id = ?2
            AND created_at_ms BETWEEN ?5 - ${SAME_USE_MS} AND ?5 + ${SAME_USE_MS}
            AND kind = ?3
            AND title = ?4
            AND NOT EXISTS (SELECT 1 FROM pending_queue WHERE id = substr(o.uid, 1, ${ID_CHARS}))
          ORDER BY abs(created_at_ms - ?5)
          LIMIT 1)
    RETURNING id`.get(uid, sessionId, kind, title, atMs);
  return row === undefined ? null : Number(row["id"]);
}

/** Returns the paths of files in the form that the table stores. */
function pathsOf(files: readonly ObservedFile[]): string {
  return JSON.stringify(files.map(({ path }) => path));
}

/** Saves an observation in place of an earlier one with the same `sameAs`, and counts no repeat. @returns Its id. */
export function replaceObservation(db: DatabaseSync, observation: NewObservation): number {
  const known = findSame(db, observation.sessionId, observation.sameAs ?? "");
  if (known === undefined) return saveObservation(db, observation);
  rewrite(db, known, observation);
  const { project, branch, files, facts, atMs } = observation;
  updateRow(db, "observations", known.id, {
    project,
    branch,
    files: pathsOf(files),
    facts: JSON.stringify(facts),
    createdAtMs: atMs,
    updatedAtMs: atMs,
  });
  statement(db)`
    DELETE FROM observation_files WHERE observation_id = ? AND path NOT IN (SELECT value FROM json_each(?))`
    .run(known.id, pathsOf(files));
  saveFiles(db, known.id, files);
  return known.id;
}

interface Same extends Pick<Observation, "id" | "branch" | "title" | "text" | "updatedAtMs"> {
  /** The observation's paths in the form that the table stores. */
  readonly files: string;
}

function findSame(db: DatabaseSync, sessionId: string, sameAs: string): Same | undefined {
  return statement(db)`
    SELECT id, branch, title, text, files, updated_at_ms AS updatedAtMs
      FROM observations
     WHERE same_as = ?
       AND session_id = ?`.get(sameAs, sessionId) as unknown as Same | undefined;
}

/** Kinds that depend on the branch: an equal observation on another branch is not a repeat. */
const OF_BRANCH: ReadonlySet<string> = new Set(["command", "failure", "test"]);

/**
 * Returns the observation that a new one repeats, and the key that both share. During a rebase HEAD is on no branch, so
 * an observation without a branch repeats those of any branch.
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
  const { files, atMs } = observation;
  statement(db)`
    UPDATE observations
       SET repeats = repeats + 1, created_at_ms = min(created_at_ms, ?2), updated_at_ms = max(updated_at_ms, ?2)
     WHERE id = ?1`.run(known.id, atMs);
  addFiles(db, known, files);
  if (atMs < known.updatedAtMs) return known.id;
  rewrite(db, known, observation);
  saveFiles(db, known.id, files);
  return known.id;
}

function addFiles(db: DatabaseSync, known: Same, files: readonly ObservedFile[]): void {
  const before = keptJson<string[]>(known.files, []);
  const all = new Set([...before, ...files.map(({ path }) => path)]);
  if (all.size === before.length || before.length >= MAX_FILES) return;
  const paths = JSON.stringify([...all].slice(0, MAX_FILES));
  updateRow(db, "observations", known.id, { files: paths });
}

/** Writes the new texts of an observation, if they differ: the index is then written anew. */
function rewrite(db: DatabaseSync, known: Same, observation: NewObservation): void {
  const { title, text, terms, outcome, facts } = observation;
  if (text === known.text && title === known.title) return;
  const fields = { title, text, terms, outcome, facts: JSON.stringify(facts) };
  updateRow(db, "observations", known.id, fields);
}

/** Stores the digests of an observation's files. They hold for the time when it was last seen. */
export function saveFiles(db: DatabaseSync, id: number, files: readonly ObservedFile[]): void {
  for (const { path, digest } of files) {
    statement(db)`
      INSERT INTO observation_files (path, observation_id, digest)
      VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET digest = excluded.digest`.run(path, id, digest);
  }
}

/** Reads the observations with these ids, in the order of the ids. Missing ones are left out. */
export function readObservations(db: DatabaseSync, ids: readonly number[]): Observation[] {
  if (ids.length === 0) return [];
  const rows = statement(db)`
    SELECT ${OBSERVATION_COLUMNS}
      FROM json_each(?) AS wanted
      JOIN observations AS o ON o.id = wanted.value
     ORDER BY wanted.key`.all(JSON.stringify(ids));
  return rows.map(observationOf);
}

/** Returns the uid of our own summary of a session. Imported summaries have other uids, and cannot be written again. */
export function summaryUid(sessionId: string): string {
  return `summary/${sessionId}`;
}

/** SQL: the facts of a row; an empty object when they are not valid JSON. */
export const FACTS = "iif(json_valid(facts), facts, '{}')";

/** An observation that was made again from its remaining captures. */
export type Remade =
  & Omit<NewObservation, "sessionId" | "kind" | "sameAs" | "atMs">
  & Pick<Observation, "id" | "repeats" | "createdAtMs" | "updatedAtMs">;

/** Makes an observation again from its remaining captures, oldest first; null when these do not suffice. */
export type Remake = (
  id: number,
  captures: { readonly stay: readonly string[]; readonly go: ReadonlySet<string> },
) => Remade | null;

/** Replaces observations by versions that were made from their remaining captures, in one transaction. */
export function writeRemade(db: DatabaseSync, remade: readonly Remade[]): void {
  transaction(db, () => {
    for (const { id, files, facts, ...fields } of remade) {
      const texts = { files: pathsOf(files), facts: JSON.stringify(facts) };
      updateRow(db, "observations", id, { ...fields, ...texts });
      statement(db, "DELETE FROM observation_files WHERE observation_id = ?").run(id);
      saveFiles(db, id, files);
    }
  });
}

/**
 * Queues captures again whose observation is lost. When all captures of a session still exist, all are queued, since
 * their observations depend on each other. A failure whose fix is lost is open until the fix is made again.
 * @returns The number of queued captures.
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
  const { changes } = statement(db)`
    UPDATE pending_queue
       SET status = 'raw', attempts = 0, observation_id = NULL
     WHERE status = 'done'
       AND observation_id NOT IN ${there}`.run();
  db.exec(
    `INSERT OR IGNORE INTO sessions_to_summarize (session_id)
     SELECT DISTINCT session_id
       FROM observations
      WHERE session_id IN (SELECT session_id FROM pending_queue)
        AND 'summary/' || session_id NOT IN (SELECT uid FROM observations)`,
  );
  return Number(changes);
}

export function observedTexts(
  db: DatabaseSync,
  ids: readonly number[],
): Readonly<Record<string, unknown>>[] {
  return statement(db)`
    SELECT uid, session_id AS sessionId, kind, title, text
      FROM observations
     WHERE id IN (SELECT value FROM json_each(?))`.all(JSON.stringify(ids));
}

/**
 * Deletes observations, and our own summaries of some sessions, and asks for new summaries. A failure whose fix is
 * deleted stays closed.
 */
export function deleteObservations(
  db: DatabaseSync,
  ids: readonly number[],
  sessions: readonly string[],
): void {
  const deleted = statement(db)`
    DELETE FROM observations
     WHERE id IN (SELECT value FROM json_each(?1))
        OR uid IN (SELECT 'summary/' || value FROM json_each(?2))
    RETURNING uid, session_id AS sessionId`.all(JSON.stringify(ids), JSON.stringify(sessions));
  db.exec(
    `UPDATE observations
        SET resolved_by = 0
      WHERE resolved_by > 0
        AND resolved_by NOT IN (SELECT id FROM observations)`,
  );
  // An imported session without our own summary keeps its imported summary.
  for (const { uid, sessionId } of deleted) {
    if (uid === summaryUid(String(sessionId))) askForSummary(db, String(sessionId));
  }
}
