/** Reads and closes open failures. */
import type { DatabaseSync } from "node:sqlite";
import { FACTS, type Observation, observationOf } from "../drain/observations_table.ts";
import { statement } from "../../db/statement.ts";

export type OpenFailure = Pick<
  Observation,
  "id" | "sessionId" | "title" | "text" | "facts" | "createdAtMs" | "updatedAtMs"
>;

/** Returns the stored `same_as` of a failure, from the digest of its key and the digest of its error. */
export function sameFailure(sameAs: string, wrong: string): string {
  return `${sameAs}/${wrong}`;
}

/** Selects failures by their key, or by a whole command whose exit code the shell reported. */
type FailuresOf = { readonly sameAs: string } | { readonly line: string };

/**
 * Returns the open failures of one key or command on a branch of a project, newest first.
 * @param failure `nowMs`: failures with a later date count as well, since the clock was set back after them.
 */
export function openFailures(
  db: DatabaseSync,
  of: FailuresOf,
  failure: {
    /** The session whose failures without a branch count as well; null for no session. */
    readonly session: string | null;
    readonly project: string | null;
    readonly branch: string | null;
    readonly before: number;
    readonly nowMs: number;
  },
): OpenFailure[] {
  return statement(
    db,
    `SELECT id, session_id AS sessionId, title, text, facts, created_at_ms AS createdAtMs,
            updated_at_ms AS updatedAtMs
       FROM observations
      WHERE ${
      "line" in of
        ? `${FACTS} ->> '$.command' = ?1 AND ${FACTS} ->> '$.exitCode' > 0 AND author IS NULL`
        : "same_as >= ?1 AND same_as < ?1 || '0'"
    }
        AND project IS ?2
        AND (branch IS ?3 OR session_id = ?6 AND (branch IS NULL OR ?3 IS NULL))
        AND outcome = 'failure'
        AND resolved_by IS NULL
        AND (updated_at_ms <= ?4 OR updated_at_ms > ?5)
      ORDER BY updated_at_ms DESC, id DESC`,
  ).all(
    "line" in of ? of.line : of.sameAs,
    failure.project,
    failure.branch,
    failure.before,
    failure.nowMs,
    failure.session,
  ).map(observationOf);
}

/** Closes an observation with the one that resolves it. When the same command fails again, that is a new failure. */
export function resolveObservation(db: DatabaseSync, id: number, by: number): void {
  statement(db)`
    UPDATE observations
       SET resolved_by = ?2, same_as = NULL
     WHERE id = ?1`.run(id, by);
}
