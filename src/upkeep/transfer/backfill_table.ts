/** Captures that no hook wrote: they are made of transcripts, each once. */
import type { DatabaseSync } from "node:sqlite";
import { shortSessionId } from "../../base/ids.ts";
import {
  keysOfCapture,
  titleKey,
  useKeyOfCapture,
  WORDS,
} from "../../memory/observe/capture_keys.ts";
import { type Capture, insertCapture } from "../../db/captures.ts";
import { transaction } from "../../db/transaction.ts";
import { payloadText, type StoredPayload } from "../../db/payloads.ts";
import { statement } from "../../db/statement.ts";
import { type StayAway, stayAway } from "../forget/stay_away_table.ts";

/** A session that no hook told of. */
export interface PastSession {
  readonly sessionId: string;
  readonly title: string | null;
  readonly projectDir: string | null;
  readonly repository: string | null;
  readonly branch: string | null;
  readonly cwd: string | null;
  readonly transcriptPath: string | null;
  /** Epoch milliseconds, as the others. */
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs: number;
}

/** A capture that is made of a transcript. */
export interface PastCapture {
  /** Always the same for the same item. */
  readonly id: string;
  readonly atMs: number;
  readonly branch: string | null;
  readonly capture: Capture;
}

/** What the database has of a session. */
export interface KeptOfSession {
  /** False when no hook and no backfill told of it, or retention removed it. */
  readonly isKnown: boolean;
  readonly toolUseIds: ReadonlySet<string>;
  /** The ids of captures, also of those that only observations are left of. */
  readonly ids: ReadonlySet<string>;
  readonly captures: number;
  readonly observations: number;
  /** The keys of captures of words, without those whose payload is damaged. */
  readonly wordsKeys: readonly string[];
}

/** Reads what a transcript of a session is compared with. */
export function keptOfSession(db: DatabaseSync, sessionId: string): KeptOfSession {
  const wordNames = Object.values(WORDS).map(({ event }) => event);
  const captures = db.prepare(
    `SELECT id, tool_use_id AS toolUseId, tool_name AS toolName, encoding, raw_bytes AS rawBytes,
            iif(tool_name IN (SELECT value FROM json_each(?2)), payload, NULL) AS payload
       FROM pending_queue
      WHERE session_id = ?1`,
  ).all(sessionId, JSON.stringify(wordNames)) as unknown as (StoredPayload & {
    readonly toolUseId: string | null;
    readonly toolName: string;
  })[];
  const uids = db.prepare("SELECT uid FROM observations WHERE session_id = ?").all(sessionId);
  return {
    isKnown: db.prepare("SELECT 1 FROM sessions WHERE session_id = ?").get(sessionId) !== undefined,
    toolUseIds: new Set(captures.flatMap(({ toolUseId }) => toolUseId ?? [])),
    ids: new Set([...captures.map(({ id }) => id), ...uids.map(({ uid }) => String(uid))]),
    captures: captures.length,
    observations: uids.length,
    wordsKeys: captures.filter(({ payload }) => payload !== null).flatMap((row) => {
      try {
        return keysOfCapture(row.toolName, payloadText(row));
      } catch {
        return [];
      }
    }),
  };
}

/** How many captures there are of all sessions but these. */
export function countCapturesExcept(db: DatabaseSync, sessionIds: Iterable<string>): number {
  const row = db.prepare(
    "SELECT count(*) AS n FROM pending_queue WHERE session_id NOT IN (SELECT value FROM json_each(?))",
  ).get(JSON.stringify([...sessionIds]));
  return Number(row!["n"]);
}

/**
 * Makes a function that writes captures of a session, and the session if it is not known: each call in one transaction.
 * What is there stays as it is: a session that hooks told of, a capture with the same id or tool use, and a capture that
 * became an observation. What was forgotten is not written.
 *
 * @returns A function that returns how many captures it wrote.
 */
export function pastWriter(
  db: DatabaseSync,
  sessionId: string,
): (session: PastSession, captures: readonly PastCapture[]) => number {
  const kept = new Set<string>();
  let isOurs = false;
  let place = -1;
  // Reads the rows that anybody added since the last look: no index finds a single tool use.
  const look = () => {
    const rows = db.prepare(
      `SELECT rowid AS place, tool_use_id AS id
         FROM pending_queue
        WHERE rowid > ?
          AND +session_id = ?
        ORDER BY rowid`,
    ).all(place, sessionId);
    for (const row of rows) {
      place = Number(row["place"]);
      if (row["id"] !== null) kept.add(String(row["id"]));
    }
  };
  return (session, captures) =>
    transaction(db, () => {
      const away = stayAway(db);
      const wanted = captures.filter((past) => !isForgottenCapture(past, session, away));
      if (wanted.length === 0) return 0;
      isOurs = saveSession(db, session, { away, isOurs });
      look();
      let written = 0;
      for (const past of wanted) {
        if (kept.has(past.capture.toolUseId ?? "") || isKnown(db, past.id)) continue;
        insertCapture(db, { ...past, sessionId, session: past }, past.capture);
        written++;
      }
      return written;
    });
}

/** Whether a capture is in the queue, or became an observation and left the queue since. */
function isKnown(db: DatabaseSync, id: string): boolean {
  return statement(
    db,
    `SELECT 1
       FROM pending_queue
      WHERE id = ?1
      UNION ALL
     SELECT 1
       FROM observations
      WHERE uid = ?1`,
  ).get(id) !== undefined;
}

/** Whether a capture was forgotten, by itself or with its session, project or time. */
export function isForgottenCapture(
  { id, atMs, capture: { toolUseId, toolName, payload } }: PastCapture,
  { sessionId, repository, projectDir }: Pick<
    PastSession,
    "sessionId" | "repository" | "projectDir"
  >,
  away: StayAway,
): boolean {
  return away.has({
    ...{ sessionId, project: repository ?? projectDir, atMs, names: [id] },
    use: toolUseId === null
      ? undefined
      : { toolUseId, key: () => useKeyOfCapture({ toolUseId, toolName, payload }) },
    keys: keysOfCapture(toolName, payload),
  });
}

/**
 * Adds a session that is not known. One that this run has added gets what later transcripts tell of it.
 *
 * @returns Whether this run has added it.
 */
function saveSession(
  db: DatabaseSync,
  session: PastSession,
  { away, isOurs }: { readonly away: StayAway; readonly isOurs: boolean },
): boolean {
  const { title, sessionId, startedAtMs } = session;
  // The title is the first prompt, which may have been forgotten.
  const isTitleForgotten = title !== null &&
    away.has({ sessionId, atMs: startedAtMs, names: [], keys: [titleKey(title)] });
  const { changes } = db.prepare(
    `INSERT INTO sessions
       (session_id, short_id, status, title, project_dir, repository, branch, cwd, transcript_path, started_at_ms,
        updated_at_ms, ended_at_ms)
     VALUES (:sessionId, :shortId, 'ended', :title, :projectDir, :repository, :branch, :cwd, :transcriptPath,
             :startedAtMs, :updatedAtMs, :endedAtMs)
     ON CONFLICT (session_id) DO ${isOurs ? UPDATE_SESSION : "NOTHING"}`,
  ).run({
    ...session,
    title: isTitleForgotten ? null : title,
    shortId: shortSessionId(sessionId),
  });
  return isOurs || changes > 0;
}

const UPDATE_SESSION = `UPDATE
        SET title = excluded.title, branch = excluded.branch, cwd = excluded.cwd, started_at_ms = excluded.started_at_ms,
            updated_at_ms = excluded.updated_at_ms, ended_at_ms = excluded.ended_at_ms
      WHERE status = 'ended'`;
