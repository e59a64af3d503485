/** What a session did: between two moments, or all that its summary is made of. */
import type { DatabaseSync } from "node:sqlite";
import { type Observation, OBSERVATION_COLUMNS, observationOf } from "./observations.ts";
import { statement } from "./statement.ts";

/** What changed something, as far as it matters to what it may have mended. */
export type Change = Pick<
  Observation,
  "id" | "title" | "text" | "files" | "facts" | "createdAtMs" | "updatedAtMs"
>;

/** The columns of a {@linkcode Change}, which {@linkcode observationOf} reads as well. */
const CHANGE_COLUMNS =
  "id, title, text, files, facts, created_at_ms AS createdAtMs, updated_at_ms AS updatedAtMs";

/** What was done in a session between two moments, both included, that may have mended something; oldest first. */
export function changesBetween(
  db: DatabaseSync,
  sessionId: string,
  between: { readonly fromMs: number; readonly untilMs: number; readonly limit: number },
): Change[] {
  const rows = statement(
    db,
    `SELECT ${CHANGE_COLUMNS}
       FROM observations
      WHERE session_id = ?
        AND created_at_ms BETWEEN ? AND ?
        AND kind = 'edit'
      ORDER BY created_at_ms, id
      LIMIT ?`,
  ).all(sessionId, between.fromMs, between.untilMs, between.limit);
  return rows.map(observationOf);
}

/** What tells of all of a capture: a commit beside a failure has the script of that, which did not go well. */
const IS_WHOLE = "instr(uid, '/') = 0";

/**
 * What a session ran between two moments, both included, that went well, or may have where the shell hides it or it runs in
 * the background; the newest, oldest first.
 */
export function commandsBetween(
  db: DatabaseSync,
  sessionId: string,
  between: { readonly fromMs: number; readonly untilMs: number; readonly limit: number },
): Change[] {
  const rows = statement(
    db,
    `SELECT ${CHANGE_COLUMNS}
       FROM observations
      WHERE session_id = ?
        AND created_at_ms <= ?
        AND updated_at_ms BETWEEN ? AND ?
        AND kind IN ('command', 'test', 'commit')
        AND (outcome = 'success'
             OR kind = 'command' AND (facts ->> 'isUntold' OR facts ->> 'isStarted'))
        AND ${IS_WHOLE}
      ORDER BY updated_at_ms DESC, id DESC
      LIMIT ?`,
  ).all(sessionId, between.untilMs, between.fromMs, between.untilMs, between.limit);
  return rows.map(observationOf).reverse();
}

/** Whether a session ran, looked for or fetched anything, which its summary does not tell. */
export function usedTools(db: DatabaseSync, sessionId: string): boolean {
  return statement(
    db,
    `SELECT 1
       FROM observations
      WHERE session_id = ?
        AND kind IN ('command', 'search', 'fetch')
      LIMIT 1`,
  ).get(sessionId) !== undefined;
}

/**
 * What a summary is made of: the observations of a session but for what was only looked at, oldest first. Of a long session
 * the newest, and what it was asked before them: first, and last.
 */
export function observationsToSummarize(
  db: DatabaseSync,
  sessionId: string,
  limit: number,
): Observation[] {
  const newest = statement(
    db,
    `SELECT ${OBSERVATION_COLUMNS}
       FROM observations AS o
      WHERE o.session_id = ?
        AND o.kind NOT IN ('search', 'fetch', 'command', 'summary')
      ORDER BY o.created_at_ms DESC, o.id DESC
      LIMIT ?`,
  ).all(sessionId, limit).map(observationOf).reverse();
  return newest.length < limit ? newest : [...promptsBefore(db, newest[0]!), ...newest];
}

/** What the session of an observation was asked before it: first, and last, oldest first. */
function promptsBefore(
  db: DatabaseSync,
  { sessionId, createdAtMs, id }: Observation,
): Observation[] {
  const asked = (order: "ASC" | "DESC") =>
    statement(
      db,
      `SELECT ${OBSERVATION_COLUMNS}
         FROM observations AS o
        WHERE o.session_id = ?
          AND o.kind = 'prompt'
          AND (o.created_at_ms, o.id) < (?, ?)
        ORDER BY o.created_at_ms ${order}, o.id ${order}
        LIMIT 1`,
    ).all(sessionId, createdAtMs, id).map(observationOf);
  const [first, last] = [asked("ASC"), asked("DESC")];
  return first[0]?.id === last[0]?.id ? first : [...first, ...last];
}
