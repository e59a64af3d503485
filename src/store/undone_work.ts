/** Fixes and commits of a branch that may be undone, and what undoing them leaves. */
import type { DatabaseSync } from "node:sqlite";
import { keptJson } from "../memory/kept_json.ts";
import type { MendedTests, ObservedFacts } from "../memory/observation.ts";
import type { OnceMended } from "../memory/observe/mended_tests.ts";
import { FACTS } from "./facts_column.ts";
import { KINDS_OF_BRANCH } from "./memory_context.ts";
import { statement } from "./statement.ts";

/** A branch of a project, and until when it is looked at, epoch milliseconds. */
export interface Here {
  readonly project: string | null;
  readonly branch: string | null;
  readonly untilMs: number;
}

/** A fix that nothing has undone. */
export interface StandingFix {
  readonly id: number;
  readonly uid: string;
  readonly sessionId: string;
  /** The observations of what has mended it. */
  readonly by: readonly number[];
}

const NO_CHANGES: ReadonlySet<number> = new Set();
/** So many fixes of a branch may be undone, the newest. */
const MAX_FIXES = 50;

/** The fixes of a branch that nothing has undone, the newest first. */
export function standingFixes(db: DatabaseSync, { project, branch, untilMs }: Here): StandingFix[] {
  return statement(
    db,
    `SELECT id, uid, session_id AS sessionId, ${FACTS} -> '$.by' AS by
       FROM observations
      WHERE project IS ?
        AND branch IS ?
        AND ${KINDS_OF_BRANCH}
        AND kind = 'fix'
        AND resolved_by IS NULL
        AND created_at_ms <= ?
      ORDER BY created_at_ms DESC
      LIMIT ${MAX_FIXES}`,
  ).all(project, branch, untilMs).map(({ id, uid, sessionId, by }) => ({
    id: Number(id),
    uid: String(uid),
    sessionId: String(sessionId),
    by: keptJson<number[]>(by, []),
  }));
}

/** A commit, and the one before it on its branch that was not taken back by then: what that has held is in this one. */
export interface CommitSpan {
  readonly id: number;
  readonly sessionId: string;
  /** Null where it is not known. */
  readonly subject: string | null;
  readonly atMs: number;
  /** When the one before it was made, epoch milliseconds; 0 where none is known. */
  readonly afterMs: number;
}

/** Whether a commit was taken back as if it had not been made: amended, or reset; one that is reverted stays in the history. */
const IS_REPLACED = `EXISTS (
  SELECT 1
    FROM observations AS back
   WHERE back.id = observations.resolved_by
     AND (${FACTS} ->> '$.commit.amended' OR ${FACTS} ->> '$.command' LIKE '% reset %')
     AND ${FACTS} ->> '$.command' NOT LIKE '%revert%')`;

const SPAN_COLUMNS =
  `o.id, o.session_id AS sessionId, ${FACTS} ->> '$.commit.subject' AS subject, o.created_at_ms AS atMs,
            coalesce((SELECT max(created_at_ms)
                        FROM observations
                       WHERE project IS o.project
                         AND branch IS o.branch
                         AND ${KINDS_OF_BRANCH}
                         AND kind = 'commit'
                         AND created_at_ms < o.created_at_ms
                         AND NOT (${IS_REPLACED} AND resolved_by <= o.id)), 0) AS afterMs`;

/** The newest commit of a branch that nothing has taken back, or of those with a subject; undefined when there is none. */
export function standingCommit(
  db: DatabaseSync,
  { project, branch, untilMs, subject = null, but }: Here & {
    readonly subject?: string | null;
    /** The number of one that is left out. */
    readonly but: number;
  },
): CommitSpan | undefined {
  return statement(
    db,
    `SELECT ${SPAN_COLUMNS}
       FROM observations AS o
      WHERE o.project IS ?1
        AND o.branch IS ?2
        AND ${KINDS_OF_BRANCH}
        AND o.kind = 'commit'
        AND o.resolved_by IS NULL
        AND o.created_at_ms <= ?3
        AND o.id <> ?4
        AND (?5 IS NULL OR ${FACTS} ->> '$.commit.subject' = ?5)
      ORDER BY o.created_at_ms DESC, o.id DESC
      LIMIT 1`,
  ).get(project, branch, untilMs, but, subject) as unknown as CommitSpan | undefined;
}

/** The commits with these ids. */
export function commitSpans(db: DatabaseSync, ids: readonly number[]): CommitSpan[] {
  return statement(
    db,
    `SELECT ${SPAN_COLUMNS}
       FROM observations AS o
      WHERE o.id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(ids)) as unknown as CommitSpan[];
}

/** How many commits in the history of a branch are known that were made between two moments, the first left out, but for one. */
export function commitsBetween(
  db: DatabaseSync,
  { project, branch, fromMs, untilMs, but }: Here & {
    readonly fromMs: number;
    readonly but: number;
  },
): number {
  const row = statement(
    db,
    `SELECT count(*) AS many
       FROM observations
      WHERE project IS ?
        AND branch IS ?
        AND ${KINDS_OF_BRANCH}
        AND kind = 'commit'
        AND created_at_ms > ?
        AND created_at_ms <= ?
        AND id <> ?
        AND NOT ${IS_REPLACED}`,
  ).get(project, branch, fromMs, untilMs, but);
  return Number(row?.["many"]);
}

/** The `uid` of a fix; null where an observation is none. */
export function fixUid(db: DatabaseSync, id: number): string | null {
  const row = statement(db, "SELECT uid FROM observations WHERE id = ? AND kind = 'fix'").get(id);
  return row === undefined ? null : String(row["uid"]);
}

/** The changes that fixes were credited with, by which some tests of a failure pass. */
export function changesOfFixes(
  db: DatabaseSync,
  mended: readonly Pick<MendedTests, "by">[],
): ReadonlySet<number> {
  if (mended.length === 0) return NO_CHANGES;
  const rows = statement(
    db,
    `SELECT DISTINCT change.value AS id
       FROM json_each(?) AS fix
       JOIN observations AS o ON o.uid = fix.value
       JOIN json_each(${FACTS}, '$.by') AS change`,
  ).all(JSON.stringify(mended.map(({ by }) => by)));
  return new Set(rows.map(({ id }) => Number(id)));
}

/** A failure that was mended, or some of its tests. */
export interface MendedFailure extends OnceMended {
  readonly id: number;
  readonly sessionId: string;
}

/** The failures that a fix has mended, or some tests of them, but for those whose command has passed after a moment. */
export function failuresMendedBy(
  db: DatabaseSync,
  { fix, untilMs }: { readonly fix: Pick<StandingFix, "id" | "uid">; readonly untilMs: number },
): MendedFailure[] {
  return statement(
    db,
    `SELECT o.id, o.session_id AS sessionId, o.title, o.text, o.facts, o.resolved_by IS NULL AS isOpen,
            (SELECT uid FROM observations WHERE id = o.resolved_by AND kind = 'fix') AS closedBy
       FROM observations AS o
      WHERE o.project IS (SELECT project FROM observations WHERE id = ?1)
        AND ${KINDS_OF_BRANCH}
        AND o.outcome = 'failure'
        AND (o.resolved_by = ?1 OR instr(o.facts, ?3))
        AND NOT EXISTS (
          SELECT 1
            FROM observations AS pass
           WHERE pass.session_id = o.session_id
             AND pass.kind IN ('command', 'test')
             AND pass.outcome = 'success'
             AND pass.updated_at_ms > ?2
             AND pass.facts ->> '$.command' = o.facts ->> '$.command')`,
  ).all(fix.id, untilMs, JSON.stringify(fix.uid)).map((row) => ({
    id: Number(row["id"]),
    sessionId: String(row["sessionId"]),
    title: String(row["title"]),
    text: String(row["text"]),
    facts: keptJson<ObservedFacts>(row["facts"], {}),
    isOpen: row["isOpen"] === 1,
    closedBy: row["closedBy"] === null ? null : String(row["closedBy"]),
  }));
}

/**
 * Opens a failure again, as if it had failed at that moment once more. Where the same is open in its session by now, that
 * one stays the only one.
 *
 * @param again `sameAs`: what its repeats have in common, as it is stored. @returns Whether it is open.
 */
export function reopenFailure(
  db: DatabaseSync,
  id: number,
  again: { readonly sameAs: string | null; readonly atMs: number },
): boolean {
  return statement(
    db,
    `UPDATE OR IGNORE observations
        SET resolved_by = NULL, same_as = ?2, updated_at_ms = max(updated_at_ms, ?3)
      WHERE id = ?1`,
  ).run(id, again.sameAs, again.atMs).changes > 0;
}
