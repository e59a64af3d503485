/** What a session did: between two moments, or all that its summary is made of. */
import type { DatabaseSync } from "node:sqlite";
import { keptJson } from "../memory/kept_json.ts";
import type { ObservedFacts } from "../memory/observation.ts";
import { FACTS } from "./facts_column.ts";
import { KINDS_OF_BRANCH } from "./memory_context.ts";
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

/** The newest failures of other commands than tests that a session came upon until a moment, with when each was over. */
export function failuresUntil(
  db: DatabaseSync,
  sessionId: string,
  { untilMs, limit }: { readonly untilMs: number; readonly limit: number },
): (Pick<Observation, "id" | "title" | "text" | "facts"> & Lasting)[] {
  return statement(
    db,
    `SELECT id, title, text, facts, created_at_ms AS fromMs,
            (SELECT created_at_ms FROM observations WHERE id = failed.resolved_by) AS untilMs
       FROM observations AS failed
      WHERE session_id = ?
        AND created_at_ms <= ?
        AND kind = 'failure'
        AND outcome = 'failure'
      ORDER BY created_at_ms DESC, id DESC
      LIMIT ?`,
  ).all(sessionId, untilMs, limit).map((row) => ({
    id: Number(row["id"]),
    title: String(row["title"]),
    text: String(row["text"]),
    facts: keptJson<ObservedFacts>(row["facts"], {}),
    fromMs: Number(row["fromMs"]),
    untilMs: row["untilMs"] === null ? null : Number(row["untilMs"]),
  }));
}

interface Lasting {
  /** Epoch milliseconds. */
  readonly fromMs: number;
  /** The same; null while it is open. */
  readonly untilMs: number | null;
}

/** A command that passed. */
export interface Pass {
  readonly id: number;
  readonly command: string;
  /** When it last did. */
  readonly updatedAtMs: number;
}

/** The columns of {@linkcode Pass}. */
export const PASS_COLUMNS = `id, ${FACTS} ->> '$.command' AS command, updated_at_ms AS updatedAtMs`;

function passOf({ id, command, updatedAtMs }: Readonly<Record<string, unknown>>): Pass {
  return { id: Number(id), command: String(command ?? ""), updatedAtMs: Number(updatedAtMs) };
}

/** The scripts with a text in them that went well, or may have where the shell hides it, in a session between two moments, both included. */
export function scriptsBetween(
  db: DatabaseSync,
  sessionId: string,
  between: { readonly fromMs: number; readonly untilMs: number; readonly holding: string },
): Pass[] {
  return statement(
    db,
    `SELECT ${PASS_COLUMNS}
       FROM observations
      WHERE session_id = ?
        AND created_at_ms <= ?
        AND updated_at_ms BETWEEN ? AND ?
        AND kind IN ('command', 'test', 'commit')
        AND ${IS_WHOLE}
        AND instr(facts, ?)
        AND (outcome = 'success' OR kind = 'command' AND ${FACTS} ->> '$.isUntold')`,
  ).all(sessionId, between.untilMs, between.fromMs, between.untilMs, between.holding)
    .map(passOf);
}

/** The files of each edit on a branch of a project by other sessions, between two moments, both included. */
export function editsOfOthers(
  db: DatabaseSync,
  edits: {
    readonly project: string | null;
    readonly branch: string | null;
    /** The session of which none is told. */
    readonly sessionId: string;
    readonly fromMs: number;
    readonly untilMs: number;
  },
): { readonly files: readonly string[] }[] {
  return statement(
    db,
    `SELECT files
       FROM observations
      WHERE project IS ?
        AND branch IS ?
        AND created_at_ms BETWEEN ? AND ?
        AND kind = 'edit'
        AND ${KINDS_OF_BRANCH}
        AND session_id <> ?`,
  ).all(edits.project, edits.branch, edits.fromMs, edits.untilMs, edits.sessionId)
    .map(({ files }) => ({ files: keptJson<string[]>(files, []) }));
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

/** Commits of a session on a branch that nothing has taken back, the newest first. */
export function standingCommits(
  db: DatabaseSync,
  { sessionId, project, branch, untilMs, but }: {
    readonly sessionId: string;
    readonly project: string | null;
    readonly branch: string | null;
    readonly untilMs: number;
    /** The number of one that is left out; where it is no new one but a repeat, there is none before it. */
    readonly but: number;
  },
): { readonly id: number; readonly hash: string | null }[] {
  return statement(
    db,
    `SELECT id, ${FACTS} ->> '$.commit.hash' AS hash
       FROM observations
      WHERE session_id = ?1
        AND project IS ?2
        AND branch IS ?3
        AND kind = 'commit'
        AND resolved_by IS NULL
        AND updated_at_ms <= ?4
        AND id <> ?5
        AND (SELECT repeats FROM observations WHERE id = ?5) = 1
      ORDER BY updated_at_ms DESC, id DESC`,
  ).all(sessionId, project, branch, untilMs, but)
    .map(({ id, hash }) => ({ id: Number(id), hash: hash === null ? null : String(hash) }));
}
