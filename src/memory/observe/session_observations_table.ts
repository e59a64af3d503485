/** Reads the observations of a session: between two moments, or for its summary. */
import type { DatabaseSync } from "node:sqlite";
import {
  type Observation,
  OBSERVATION_COLUMNS,
  observationOf,
} from "../drain/observations_table.ts";
import { statement } from "../../db/statement.ts";
import type { Span } from "../../db/queue.ts";

/** A change that may have mended something. */
export type Change = Pick<
  Observation,
  "id" | "kind" | "title" | "text" | "files" | "facts"
>;

/** The columns of a {@linkcode Change}, which {@linkcode observationOf} reads as well. */
const CHANGE_COLUMNS = "id, kind, title, text, files, facts";

/** SQL: whether an observation is the main one of its capture. One in `besides` repeats the command of the main one. */
const IS_WHOLE = "instr(uid, '/') = 0";

/**
 * The newest edits of a session between two moments, and its commands that passed, or may have (the shell hides it, or
 * they run in the background); oldest first.
 */
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
        AND created_at_ms <= ?
        AND iif(kind = 'edit', created_at_ms, updated_at_ms) BETWEEN ? AND ?
        AND (kind = 'edit'
             OR kind IN ('command', 'test', 'commit')
                AND (outcome = 'success'
                     OR kind = 'command' AND (facts ->> 'isUntold' OR facts ->> 'isStarted'))
                AND ${IS_WHOLE})
      ORDER BY updated_at_ms DESC, id DESC
      LIMIT ?`,
  ).all(sessionId, between.untilMs, between.fromMs, between.untilMs, between.limit);
  return rows.map(observationOf).reverse();
}

/** Whether a session ran, searched or fetched anything; summaries leave that out. */
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

/** What a session did: its observations of some numbers, and those of a time, without those that only follow from others. */
export function stepsOfSession(
  db: DatabaseSync,
  sessionId: string,
  { ids, span }: { readonly ids: readonly number[]; readonly span: Span | null },
): Pick<Observation, "id" | "kind" | "outcome" | "title" | "repeats" | "createdAtMs">[] {
  const columns = "id, kind, outcome, title, repeats, created_at_ms AS createdAtMs";
  const isStep = `kind NOT IN ('summary', 'fix') AND ${IS_WHOLE}`;
  return statement(
    db,
    `SELECT ${columns}
       FROM observations
      WHERE id IN (SELECT value FROM json_each(?1))
        AND ${isStep}
     UNION
     SELECT ${columns}
       FROM observations
      WHERE session_id = ?2
        AND created_at_ms >= ?3
        AND created_at_ms < ?4
        AND ${isStep}`,
  ).all(
    JSON.stringify(ids),
    sessionId,
    span?.sinceMs ?? 0,
    span?.untilMs ?? 0,
  ) as unknown as ReturnType<typeof stepsOfSession>;
}

/** The observations of a session whose text holds some words, in letters of either case. */
export function saidInSession(db: DatabaseSync, sessionId: string, words: string): number[] {
  const wanted = words.toLowerCase();
  return statement(db, "SELECT id, text FROM observations WHERE session_id = ?").all(sessionId)
    .filter(({ text }) => String(text).toLowerCase().includes(wanted))
    .map(({ id }) => Number(id));
}

/**
 * The observations that a summary is made of, oldest first: all but reads, searches and plain commands. A long session
 * gives the newest, with the first and the last prompt before them.
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

/** The first and the last prompt of a session before an observation. */
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
