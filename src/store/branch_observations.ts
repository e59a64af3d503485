/** What passed on a branch of a project, and what was mended there, in whichever session. */
import { FACTS } from "./facts_column.ts";
import { keptJson } from "../memory/kept_json.ts";
import type { DatabaseSync } from "node:sqlite";
import type { ObservedFacts } from "../memory/observation.ts";
import { KINDS_OF_BRANCH } from "./memory_context.ts";
import { type Pass, PASS_COLUMNS } from "./session_observations.ts";
import { statement } from "./statement.ts";

/** A branch of a project, and until when it is looked at, epoch milliseconds. */
interface OnBranch {
  readonly project: string | null;
  readonly branch: string;
  readonly untilMs: number;
}

/** A pass with the session that saw it. */
export interface PassOnBranch extends Pass {
  readonly sessionId: string;
}

/** The commands and tests that passed on a branch, with the work that is there; the oldest first. */
export function passesOn(
  db: DatabaseSync,
  { project, branch, untilMs, sessionId }: OnBranch & {
    /** It may have done nothing else there than to run commands. */
    readonly sessionId: string;
  },
): PassOnBranch[] {
  return statement(
    db,
    `SELECT ${PASS_COLUMNS}, session_id AS sessionId
       FROM observations
      WHERE session_id IN (SELECT ?1
                            UNION
                           SELECT session_id
                             FROM observations
                            WHERE project IS ?2
                              AND branch = ?3
                              AND ${KINDS_OF_BRANCH})
        AND created_at_ms <= ?4
        AND project IS ?2
        AND branch = ?3
        AND kind IN ('command', 'test')
        AND outcome = 'success'
        AND ${FACTS} ->> '$.isElsewhere' IS NULL
        AND ${FACTS} ->> '$.isUntold' IS NULL
        AND ${FACTS} ->> '$.command' IS NOT NULL
      ORDER BY updated_at_ms, id`,
  ).all(sessionId, project, branch, untilMs) as unknown as PassOnBranch[];
}

/** A failure that was mended: by which observation, and when. */
export interface MendedFailure {
  readonly facts: ObservedFacts;
  readonly by: number;
  readonly mendedAtMs: number;
}

/** What failed on a branch and was mended there; the last mended first. */
export function mendedOn(
  db: DatabaseSync,
  { project, branch, untilMs }: OnBranch,
): MendedFailure[] {
  return statement(
    db,
    `SELECT failed.facts, failed.by, mended.updated_at_ms AS mendedAtMs
       FROM (SELECT facts, resolved_by AS by
               FROM observations
              WHERE project IS ?
                AND branch = ?
                AND ${KINDS_OF_BRANCH}
                AND outcome = 'failure'
                AND resolved_by IS NOT NULL) AS failed
       JOIN observations AS mended ON mended.id = failed.by
      WHERE mended.branch = ?
        AND mended.created_at_ms <= ?
      ORDER BY mended.updated_at_ms DESC`,
  ).all(project, branch, branch, untilMs)
    .map(({ facts, by, mendedAtMs }) => ({
      facts: keptJson<ObservedFacts>(facts, {}),
      by: Number(by),
      mendedAtMs: Number(mendedAtMs),
    }));
}

/** A commit that nothing has taken back. */
export interface StandingCommit {
  readonly id: number;
  /** The beginning of its id in git. */
  readonly hash: string;
  /** When it was made, epoch milliseconds. */
  readonly atMs: number;
}

/** So many commits of a branch may be taken back. */
const MAX_COMMITS = 200;

/** The newest commits on a branch that nothing has taken back, of whichever session. */
export function standingCommitsOn(
  db: DatabaseSync,
  { project, branch }: Omit<OnBranch, "untilMs">,
): StandingCommit[] {
  return statement(
    db,
    `SELECT id, ${FACTS} ->> '$.commit.hash' AS hash, created_at_ms AS atMs
       FROM observations
      WHERE project IS ?
        AND branch = ?
        AND ${KINDS_OF_BRANCH}
        AND kind = 'commit'
        AND resolved_by IS NULL
        AND ${FACTS} ->> '$.commit.hash' <> ''
      ORDER BY created_at_ms DESC, id DESC
      LIMIT ${MAX_COMMITS}`,
  ).all(project, branch) as unknown as StandingCommit[];
}
