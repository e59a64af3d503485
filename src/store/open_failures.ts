/** Failures that nothing has mended yet. */
import { FACTS } from "./observations.ts";
import { keptJson, type ObservationKind, type ObservedFacts } from "../memory/observation.ts";
import type { DatabaseSync } from "node:sqlite";
import { statement } from "./statement.ts";

/** A failure that nothing has mended yet. */
export interface OpenFailure {
  readonly id: number;
  readonly sessionId: string;
  readonly title: string;
  readonly text: string;
  readonly facts: ObservedFacts;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** What is stored for the failures of a command that are one failure: what they are known by, and what is wrong. */
export function sameFailure(sameAs: string, wrong: string): string {
  return `${sameAs}/${wrong}`;
}

/**
 * Failures of what is known by a key that nothing has mended, on a branch of a project; the newest first.
 *
 * @param failure `before`: epoch milliseconds, only what failed before; `nowMs`: what is dated later than the present
 *   failed before a clock was set back.
 */
export function openFailures(
  db: DatabaseSync,
  failure: {
    readonly sameAs: string;
    /** The session whose failures count as well where HEAD was on no branch; null where none does. */
    readonly session: string | null;
    readonly project: string | null;
    readonly branch: string | null;
    readonly before: number;
    readonly nowMs: number;
  },
): OpenFailure[] {
  const rows = statement(
    db,
    `SELECT id, session_id AS sessionId, title, text, facts, created_at_ms AS createdAtMs,
            updated_at_ms AS updatedAtMs
       FROM observations
      WHERE same_as >= ?1
        AND same_as < ?1 || '0'
        AND project IS ?2
        AND (branch IS ?3 OR session_id = ?6 AND (branch IS NULL OR ?3 IS NULL))
        AND outcome = 'failure'
        AND resolved_by IS NULL
        AND (updated_at_ms <= ?4 OR updated_at_ms > ?5)
      ORDER BY updated_at_ms DESC, id DESC`,
  ).all(
    failure.sameAs,
    failure.project,
    failure.branch,
    failure.before,
    failure.nowMs,
    failure.session,
  );
  return rows.map(openFailureOf);
}

function openFailureOf(row: Readonly<Record<string, unknown>>): OpenFailure {
  return { ...row, facts: keptJson<ObservedFacts>(row["facts"], {}) } as unknown as OpenFailure;
}

/** A failure that nothing has mended, and what tells whether it is open. */
export interface UnmendedFailure {
  readonly id: number;
  readonly project: string | null;
  readonly branch: string | null;
  readonly kind: ObservationKind;
  readonly outcome: "failure";
  readonly resolvedBy: null;
  readonly facts: ObservedFacts;
  readonly updatedAtMs: number;
}

/** Failures that nothing has mended, the newest; of their facts what tells whether they are open. */
export function unmendedFailures(
  db: DatabaseSync,
  project: string | null,
  limit: number,
): UnmendedFailure[] {
  const rows = db.prepare(
    `SELECT id, project, branch, kind, updated_at_ms AS updatedAtMs, ${FACTS} ->> '$.of' AS of,
            ${FACTS} ->> '$.stopsEarly' AS stopsEarly, json_extract(${FACTS}, '$.openRank') AS rank, json_type(${FACTS}, '$.openRank') IS NOT NULL AS isRanked,
            iif(${FACTS} ->> '$.git.isStopped', ${FACTS} ->> '$.git.verb', NULL) AS stopped,
            ${FACTS} ->> '$.failsAt.place' AS place, ${FACTS} -> '$.failsAt.files' AS files,
            ${FACTS} -> '$.failing' AS failing
       FROM observations
      WHERE outcome = 'failure'
        AND resolved_by IS NULL
        AND (?1 IS NULL OR project = ?1)
      ORDER BY id DESC
      LIMIT ?2`,
  ).all(project, limit);
  return rows.map(({ of, stopsEarly, rank, isRanked, stopped, place, files, failing, ...row }) => ({
    ...row,
    outcome: "failure",
    resolvedBy: null,
    facts: {
      ...of === null ? {} : { of },
      ...stopsEarly === 1 ? { stopsEarly: true } : {},
      ...isRanked === 1 ? { openRank: rank } : {},
      ...stopped === null ? {} : { git: { verb: stopped, isStopped: true } },
      ...place === null
        ? {}
        : { failsAt: { place, files: keptJson(files, []) }, failing: keptJson(failing, []) },
    },
  } as unknown as UnmendedFailure));
}

/** Closes a failure by what has passed. When the same fails again, that is another failure. */
export function resolveObservation(db: DatabaseSync, id: number, by: number): void {
  statement(
    db,
    `UPDATE observations
        SET resolved_by = ?2, same_as = NULL
      WHERE id = ?1`,
  ).run(id, by);
}
