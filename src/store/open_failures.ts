/** Failures that nothing has mended yet. */
import { FACTS } from "./facts_column.ts";
import { keptJson } from "../memory/kept_json.ts";
import type { DatabaseSync } from "node:sqlite";
import type { ObservationKind, ObservedFacts } from "../memory/observation.ts";
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

/**
 * What is written for failures of a command that are one: what they are of, and what is wrong. Older ones have only the
 * first.
 */
export function sameFailure(sameAs: string, wrong: string): string {
  return `${sameAs}/${wrong}`;
}

/**
 * Failures of a command in a project that nothing has mended, the newest first; of the same branch alone, for what is
 * mended on another one is not mended here.
 *
 * @param failure `before`: epoch milliseconds, only what failed before; `nowMs`: what is dated later than the present
 *   failed before a clock was set back.
 */
export function openFailures(
  db: DatabaseSync,
  failure: {
    readonly sameAs: string;
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
        AND branch IS ?3
        AND outcome = 'failure'
        AND resolved_by IS NULL
        AND (updated_at_ms <= ?4 OR updated_at_ms > ?5)
      ORDER BY updated_at_ms DESC, id DESC`,
  ).all(failure.sameAs, failure.project, failure.branch, failure.before, failure.nowMs);
  return rows.map(openFailureOf);
}

function openFailureOf(row: Readonly<Record<string, unknown>>): OpenFailure {
  return { ...row, facts: keptJson<ObservedFacts>(row["facts"], {}) } as unknown as OpenFailure;
}

/** Failures of a command in a session on a branch that nothing has mended, the newest first, each with what makes it one. */
export function openFailuresOfSession(
  db: DatabaseSync,
  { sessionId, branch }: { readonly sessionId: string; readonly branch: string | null },
  sameAs: string,
): { readonly sameAs: string; readonly facts: ObservedFacts }[] {
  return statement(
    db,
    `SELECT same_as AS sameAs, facts
       FROM observations
      WHERE same_as >= ?1
        AND same_as < ?1 || '0'
        AND session_id = ?2
        AND (branch = ?3 OR branch IS NULL OR ?3 IS NULL)
        AND outcome = 'failure'
      ORDER BY updated_at_ms DESC, id DESC`,
  ).all(sameAs, sessionId, branch).map(({ sameAs, facts }) => ({
    sameAs: String(sameAs),
    facts: keptJson<ObservedFacts>(facts, {}),
  }));
}

/** The failures of a command that a session came upon between two moments, the first left out; oldest first. */
export function failuresOfCommand(
  db: DatabaseSync,
  failure: {
    readonly sessionId: string;
    /** As the facts have it. */
    readonly of: string;
    readonly fromMs: number;
    readonly untilMs: number;
  },
): Pick<OpenFailure, "text" | "facts" | "createdAtMs">[] {
  return statement(
    db,
    `SELECT text, facts, created_at_ms AS createdAtMs
       FROM observations
      WHERE session_id = ?
        AND created_at_ms > ?
        AND created_at_ms <= ?
        AND outcome = 'failure'
        AND ${FACTS} ->> '$.of' = ?
      ORDER BY created_at_ms, id`,
  ).all(failure.sessionId, failure.fromMs, failure.untilMs, failure.of).map(openFailureOf);
}

/** The failures of a command that a session came upon before a moment, and that were over without a fix. */
export function failuresWithoutFix(
  db: DatabaseSync,
  failure: {
    readonly sessionId: string;
    /** As the facts have it. */
    readonly of: string;
    readonly beforeMs: number;
  },
): Pick<OpenFailure, "facts">[] {
  return statement(
    db,
    `SELECT facts
       FROM observations AS failure
      WHERE session_id = ?
        AND created_at_ms < ?
        AND outcome = 'failure'
        AND ${FACTS} ->> '$.of' = ?
        AND (SELECT kind FROM observations WHERE id = failure.resolved_by) <> 'fix'`,
  ).all(failure.sessionId, failure.beforeMs, failure.of).map(openFailureOf);
}

/** Of which failures something is asked: those of tests, of other commands, or of an operation of git. */
const OF_KIND = {
  any: "o.kind IN ('failure', 'test')",
  test: "o.kind = 'test'",
  command: "o.kind = 'failure'",
  git: `instr(o.facts, '"git":')`,
} as const;

/** So many failures are looked at, of all projects, kinds and times: 1 µs each. */
const MAX_COMPARED = 500;

/** Failures on a branch of a project that nothing has mended, of one of these kinds; the newest first. */
export function openFailuresOfKind(
  db: DatabaseSync,
  failure: {
    readonly kind: keyof typeof OF_KIND;
    readonly project: string | null;
    readonly branch: string | null;
    readonly before: number;
    readonly nowMs: number;
  },
): OpenFailure[] {
  const rows = statement(
    db,
    `SELECT o.id, o.session_id AS sessionId, o.title, o.text, o.facts, o.created_at_ms AS createdAtMs,
            o.updated_at_ms AS updatedAtMs
       FROM (SELECT id
               FROM observations
              WHERE outcome = 'failure'
                AND resolved_by IS NULL
              ORDER BY id DESC
              LIMIT ${MAX_COMPARED}) AS newest
       JOIN observations AS o ON o.id = newest.id
      WHERE o.project IS ?
        AND o.branch IS ?
        AND ${OF_KIND[failure.kind]}
        AND (o.updated_at_ms <= ? OR o.updated_at_ms > ?)
      ORDER BY o.updated_at_ms DESC, o.id DESC`,
  ).all(
    failure.project,
    failure.branch,
    failure.before,
    failure.nowMs,
  );
  return rows.map(openFailureOf);
}

/** A call that was wrong itself, and is not mended. */
export interface OpenSlip {
  readonly id: number;
  /** What was called so. */
  readonly program: string;
  readonly command: string;
  readonly updatedAtMs: number;
}

/** The calls of a session that were wrong themselves, and are not mended. */
export function openSlips(
  db: DatabaseSync,
  sessionId: string,
): OpenSlip[] {
  const rows = statement(
    db,
    `SELECT id, ${FACTS} ->> '$.slip' AS program, ${FACTS} ->> '$.command' AS command,
            updated_at_ms AS updatedAtMs
       FROM observations INDEXED BY observations_by_session
      WHERE session_id = ?
        AND kind = 'failure'
        AND outcome = 'failure'
        AND resolved_by IS NULL
        AND instr(facts, '"slip":')`,
  ).all(sessionId);
  return rows.map(({ id, program, command, updatedAtMs }) => ({
    id: Number(id),
    program: String(program ?? ""),
    command: String(command ?? ""),
    updatedAtMs: Number(updatedAtMs),
  }));
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

/**
 * Since when work of a session is put aside (`git stash`) and not back, in epoch milliseconds: what failed before that is
 * not mended by what passes now. Null where all of it is there.
 *
 * @param atMs When the command began its work that passes: what it put aside itself, it did behind that.
 */
export function asideSince(db: DatabaseSync, sessionId: string, atMs: number): number | null {
  const rows = statement(
    db,
    `SELECT json_extract(${FACTS}, '$.aside.what') AS what, json_extract(${FACTS}, '$.aside.isAway') AS isAway,
            updated_at_ms AS atMs
       FROM observations
      WHERE session_id = ?
        AND facts LIKE '%"aside":%'
        AND updated_at_ms <= ?
      ORDER BY updated_at_ms, id`,
  ).all(sessionId, atMs);
  const away = new Map<unknown, number>();
  for (const { what, isAway, atMs: asideAtMs } of rows) {
    if (isAway !== 1) away.delete(what);
    else if (asideAtMs !== atMs && !away.has(what)) away.set(what, Number(asideAtMs));
  }
  return away.size === 0 ? null : Math.min(...away.values());
}

/** What it tells is over: a failure mended, a commit, a rule or an edit taken back. When the same comes again, that is another one. */
export function resolveObservation(db: DatabaseSync, id: number, by: number): void {
  statement(
    db,
    `UPDATE observations
        SET resolved_by = ?2, same_as = NULL
      WHERE id = ?1`,
  ).run(id, by);
}
