/** What a session did: between two moments, or all that its summary is made of. */
import type { DatabaseSync } from "node:sqlite";
import { FACTS } from "./facts_column.ts";
import { type Observation, OBSERVATION_COLUMNS, observationOf } from "./observations.ts";
import { statement } from "./statement.ts";

/** What was done in a session between two moments, both included, that may have mended something; oldest first. */
export function changesBetween(
  db: DatabaseSync,
  sessionId: string,
  between: { readonly fromMs: number; readonly untilMs: number; readonly limit: number },
): Observation[] {
  const rows = statement(
    db,
    `SELECT ${OBSERVATION_COLUMNS}
       FROM observations AS o
      WHERE o.session_id = ?
        AND o.created_at_ms BETWEEN ? AND ?
        AND o.kind = 'edit'
      ORDER BY o.created_at_ms, o.id
      LIMIT ?`,
  ).all(sessionId, between.fromMs, between.untilMs, between.limit);
  return rows.map(observationOf);
}

/**
 * What a session ran between two moments, both included, that went well, or may have where the shell hides it; the newest,
 * oldest first.
 */
export function commandsBetween(
  db: DatabaseSync,
  sessionId: string,
  between: { readonly fromMs: number; readonly untilMs: number; readonly limit: number },
): Observation[] {
  const rows = statement(
    db,
    `SELECT ${OBSERVATION_COLUMNS}
       FROM observations AS o
      WHERE o.session_id = ?
        AND o.created_at_ms <= ?
        AND o.updated_at_ms BETWEEN ? AND ?
        AND o.kind IN ('command', 'test')
        AND (o.outcome = 'success' OR o.kind = 'command' AND o.facts ->> 'isUntold')
      ORDER BY o.updated_at_ms DESC, o.id DESC
      LIMIT ?`,
  ).all(sessionId, between.untilMs, between.fromMs, between.untilMs, between.limit);
  return rows.map(observationOf).reverse();
}

/** A command that passed. */
export interface Pass {
  readonly id: number;
  readonly command: string;
  /** When it last did. */
  readonly updatedAtMs: number;
}

const PASS_COLUMNS = `id, ${FACTS} ->> '$.command' AS command, updated_at_ms AS updatedAtMs`;

function passOf({ id, command, updatedAtMs }: Readonly<Record<string, unknown>>): Pass {
  return { id: Number(id), command: String(command ?? ""), updatedAtMs: Number(updatedAtMs) };
}

/** The scripts with a text in them that went well in a session between two moments, both included. */
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
        AND kind IN ('command', 'test')
        AND outcome = 'success'
        AND instr(facts, ?)`,
  ).all(sessionId, between.untilMs, between.fromMs, between.untilMs, between.holding)
    .map(passOf);
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

/** What a summary is made of: the observations of a session but for what was only looked at, the newest, oldest first. */
export function observationsToSummarize(
  db: DatabaseSync,
  sessionId: string,
  limit: number,
): Observation[] {
  return statement(
    db,
    `SELECT ${OBSERVATION_COLUMNS}
       FROM observations AS o
      WHERE o.session_id = ?
        AND o.kind NOT IN ('search', 'fetch', 'command', 'summary')
      ORDER BY o.created_at_ms DESC, o.id DESC
      LIMIT ?`,
  ).all(sessionId, limit).map(observationOf).reverse();
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

/** The commands and tests that passed in a session on a branch, with the work that is there; the oldest first. */
export function passesOn(
  db: DatabaseSync,
  { sessionId, project, branch, untilMs }: {
    readonly sessionId: string;
    readonly project: string | null;
    readonly branch: string;
    readonly untilMs: number;
  },
): Pass[] {
  return statement(
    db,
    `SELECT ${PASS_COLUMNS}
       FROM observations
      WHERE session_id = ?
        AND created_at_ms <= ?
        AND project IS ?
        AND branch = ?
        AND kind IN ('command', 'test')
        AND outcome = 'success'
        AND ${FACTS} ->> '$.isElsewhere' IS NULL
        AND ${FACTS} ->> '$.isUntold' IS NULL
        AND ${FACTS} ->> '$.command' IS NOT NULL
      ORDER BY updated_at_ms, id`,
  ).all(sessionId, untilMs, project, branch)
    .map(passOf);
}

/** The commands of a session that went well, or may have where the shell hides it, the last that were seen, oldest first. */
export function commandsToSummarize(
  db: DatabaseSync,
  sessionId: string,
  limit: number,
): Observation[] {
  return statement(
    db,
    `SELECT ${OBSERVATION_COLUMNS}
       FROM observations AS o
      WHERE o.session_id = ?
        AND o.kind = 'command'
        AND (o.outcome = 'success' OR ${FACTS} ->> 'isUntold')
      ORDER BY o.updated_at_ms DESC, o.id DESC
      LIMIT ?`,
  ).all(sessionId, limit).map(observationOf).reverse();
}
