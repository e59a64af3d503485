/** Captures that no hook has written: made of transcripts, once, whoever makes them. */
import type { DatabaseSync } from "node:sqlite";
import { shortSessionId } from "../ids.ts";
import { keysOfCapture, titleKey, useKeyOfCapture } from "../memory/capture_keys.ts";
import { type Capture, insertCapture } from "./captures.ts";
import { transaction } from "./database.ts";
import { payloadText, type StoredPayload } from "./payloads.ts";
import { statement } from "./statement.ts";
import { type Arrival, type StayAway, stayAway } from "./stay_away.ts";

/** What is known of a session that no hook has told of. */
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

/** A capture of something past. */
export interface PastCapture {
  /** The same for the same thing, always. */
  readonly id: string;
  readonly atMs: number;
  readonly branch: string | null;
  readonly capture: Capture;
}

/** What is kept of a session. */
export interface KeptOfSession {
  /** False when neither a hook nor a backfill has told of it, or retention has removed it. */
  readonly isKnown: boolean;
  readonly toolUseIds: ReadonlySet<string>;
  /** The ids of captures, also of those that only their observations are left of. */
  readonly ids: ReadonlySet<string>;
  /** Captures that are there. */
  readonly captures: number;
  /** How many observations there are. */
  readonly observations: number;
  /** Words: captures without a tool. A payload that is damaged is left out. */
  readonly words: readonly { readonly toolName: string; readonly payload: string }[];
}

/** Everything that is kept of a session and can be compared with its transcript. @param wordNames Names of captures of words. */
export function keptOfSession(
  db: DatabaseSync,
  sessionId: string,
  wordNames: readonly string[],
): KeptOfSession {
  const captures = db.prepare(
    "SELECT id, tool_use_id AS toolUseId FROM pending_queue WHERE session_id = ?",
  ).all(sessionId) as unknown as { readonly id: string; readonly toolUseId: string | null }[];
  const uids = db.prepare("SELECT uid FROM observations WHERE session_id = ?").all(sessionId);
  const said = db.prepare(
    `SELECT id, tool_name AS toolName, encoding, payload, raw_bytes AS rawBytes
       FROM pending_queue
      WHERE session_id = ?
        AND tool_name IN (SELECT value FROM json_each(?))`,
  ).all(sessionId, JSON.stringify(wordNames)) as unknown as (StoredPayload & {
    readonly toolName: string;
  })[];
  return {
    isKnown: db.prepare("SELECT 1 FROM sessions WHERE session_id = ?").get(sessionId) !== undefined,
    toolUseIds: new Set(captures.flatMap(({ toolUseId }) => toolUseId ?? [])),
    ids: new Set([...captures.map(({ id }) => id), ...uids.map(({ uid }) => String(uid))]),
    captures: captures.length,
    observations: uids.length,
    words: said.flatMap((row) => {
      try {
        return [{ toolName: row.toolName, payload: payloadText(row) }];
      } catch {
        return [];
      }
    }),
  };
}

/** How many captures there are of each session. */
export function countCaptures(db: DatabaseSync): ReadonlyMap<string, number> {
  const rows = db.prepare(
    "SELECT session_id AS id, count(*) AS n FROM pending_queue GROUP BY session_id",
  ).all();
  return new Map(rows.map(({ id, n }) => [String(id), Number(n)]));
}

/**
 * What writes captures of a session, and the session where it is not known: each call in one transaction. What is there
 * already stays as it is: the session, a capture with the same id, one of the same tool use, and what was worked into
 * memory. What was forgotten is not written.
 *
 * @returns A function that says how many were written.
 */
export function pastWriter(
  db: DatabaseSync,
  session: PastSession,
): (captures: readonly PastCapture[]) => number {
  const { sessionId } = session;
  const kept = new Set<string>();
  let place = -1;
  // No index serves a look for one tool use: what hooks or others have added since the last look is read.
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
  return (captures) =>
    transaction(db, () => {
      const away = stayAway(db);
      const wanted = captures.filter((past) => !isForgotten(past, session, away));
      if (wanted.length === 0) return 0;
      insertSession(db, session, away);
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

/** Whether a capture waits in the queue, or was worked into memory and has left the queue since. */
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

function isForgotten(
  { id, atMs, capture }: PastCapture,
  { sessionId, repository, projectDir }: PastSession,
  away: StayAway,
): boolean {
  return away.has({
    sessionId,
    project: repository ?? projectDir,
    atMs,
    names: [id],
    use: useOf(capture),
    keys: keysOfCapture(capture.toolName, capture.payload),
  });
}

function useOf({ toolUseId, toolName, payload }: Capture): Arrival["use"] {
  if (toolUseId === null) return undefined;
  return { toolUseId, key: () => useKeyOfCapture({ toolUseId, toolName, payload }) };
}

function insertSession(db: DatabaseSync, session: PastSession, away: StayAway): void {
  const { title, sessionId, startedAtMs } = session;
  // It is called after its first prompt, which may have been forgotten.
  const isTitleForgotten = title !== null && away.has({
    sessionId,
    atMs: startedAtMs,
    names: [],
    keys: [titleKey(title)],
  });
  db.prepare(
    `INSERT INTO sessions
       (session_id, short_id, status, title, project_dir, repository, branch, cwd, transcript_path, started_at_ms,
        updated_at_ms, ended_at_ms)
     VALUES (?, ?, 'ended', ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (session_id) DO NOTHING`,
  ).run(
    session.sessionId,
    shortSessionId(session.sessionId),
    isTitleForgotten ? null : title,
    session.projectDir,
    session.repository,
    session.branch,
    session.cwd,
    session.transcriptPath,
    session.startedAtMs,
    session.updatedAtMs,
    session.endedAtMs,
  );
}
