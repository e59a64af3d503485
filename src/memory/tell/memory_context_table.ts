/** What a new session is told of earlier ones. */
import { FACTS } from "../drain/observations_table.ts";
import type { DatabaseSync } from "node:sqlite";
import type { Tellable } from "./context_text.ts";
import { COMPACTION } from "../../claude/transcript/spoken.ts";
import { transaction } from "../../db/transaction.ts";
import { statement } from "../../db/statement.ts";
import { digestOf } from "../../base/fnv.ts";
import { CLAIM, incrementCounter } from "../../db/counters.ts";

/** An observation that may be told, as it is stored: files and facts are JSON. */
export type TellableRow = Omit<Tellable, "files" | "facts" | "stale"> & {
  readonly files: string;
  readonly facts: string;
};

const COLUMNS =
  `id, session_id AS sessionId, branch, kind, outcome, title, files, facts, repeats, resolved_by AS resolvedBy,
            updated_at_ms AS updatedAtMs`;

/** A branch of a project; null where there is none. */
export interface ProjectBranch {
  readonly project: string;
  readonly branch: string | null;
}

/** In SQL: whether a row still holds. What was taken back or replaced is not told. */
const STANDS = "(kind NOT IN ('commit', 'decision', 'note', 'fix', 'edit') OR resolved_by IS NULL)";
/** In SQL: the kinds that the index of a branch has. */
export const KINDS_OF_BRANCH =
  "kind IN ('summary', 'fix', 'failure', 'test', 'commit', 'decision', 'note', 'edit')";

function selectTellable(
  db: DatabaseSync,
  conditions: string,
  ...values: readonly (string | number | null)[]
): TellableRow[] {
  const sql = `SELECT ${COLUMNS}
       FROM observations
      WHERE ${STANDS}
        AND ${conditions}`;
  return statement(db, sql).all(...values) as unknown as TellableRow[];
}

/**
 * Of the `among` newest rows of a branch those that matter longer than the edits between them, the newest first: summaries,
 * fixes, commits, decisions, notes, and failures that nothing has mended.
 */
export function tellableOfBranch(
  db: DatabaseSync,
  { project, branch }: ProjectBranch,
  { among, limit }: { readonly among: number; readonly limit: number },
): TellableRow[] {
  const conditions = `id IN (SELECT id
                     FROM observations
                    WHERE project = ?
                      AND branch IS ?
                      AND ${KINDS_OF_BRANCH}
                    ORDER BY created_at_ms DESC
                    LIMIT ?)
        AND (kind IN ('summary', 'fix', 'commit', 'decision', 'note')
             OR outcome = 'failure' AND resolved_by IS NULL)
      ORDER BY id DESC
      LIMIT ?`;
  return selectTellable(db, conditions, project, branch, among, limit);
}

/** The newest edits on a branch that were not taken back, the newest first. */
export function editsOfBranch(
  db: DatabaseSync,
  { project, branch }: ProjectBranch,
  limit: number,
): TellableRow[] {
  const conditions = `project = ?
        AND branch IS ?
        AND ${KINDS_OF_BRANCH}
        AND kind = 'edit'
      ORDER BY created_at_ms DESC
      LIMIT ?`;
  return selectTellable(db, conditions, project, branch, limit);
}

/** What counts on every branch of a project, the newest first. The index has these kinds. */
export function tellableOfProject(
  db: DatabaseSync,
  project: string,
  limit: number,
): TellableRow[] {
  const conditions = `project = ?
        AND kind IN ('summary', 'decision', 'note')
      ORDER BY created_at_ms DESC
      LIMIT ?`;
  return selectTellable(db, conditions, project, limit);
}

/** How often each mended failure had happened in its session, by its number. */
export function triesOf(
  db: DatabaseSync,
  failures: readonly number[],
): ReadonlyMap<number, number> {
  const rows = statement(
    db,
    `WITH mended AS (SELECT id, session_id, ${FACTS} ->> '$.of' AS of
                       FROM observations
                      WHERE id IN (SELECT value FROM json_each(?))),
          failed AS (SELECT session_id, ${FACTS} ->> '$.of' AS of, sum(repeats) AS times
                       FROM observations
                      WHERE session_id IN (SELECT session_id FROM mended)
                        AND outcome = 'failure'
                      GROUP BY 1, 2)
     SELECT mended.id, failed.times
       FROM mended
       JOIN failed USING (session_id, of)`,
  ).all(JSON.stringify(failures));
  return new Map(rows.map(({ id, times }) => [Number(id), Number(times)]));
}

/** A command that is not known to have failed. */
export interface RanCommand {
  readonly sessionId: string;
  readonly command: string;
  /** Whether it passed as a run of tests. */
  readonly isPass: boolean;
  /** When it ran last, epoch milliseconds. */
  readonly atMs: number;
}

/** Commands of some sessions that did not fail, as far as it is known. */
export function ranIn(
  db: DatabaseSync,
  sessions: readonly string[],
): RanCommand[] {
  const rows = statement(
    db,
    `SELECT session_id AS sessionId, ${FACTS} ->> '$.command' AS command, updated_at_ms AS atMs,
            kind = 'test' AND outcome IS 'success' AS isPass
       FROM observations
      WHERE session_id IN (SELECT value FROM json_each(?))
        AND outcome IS NOT 'failure'
        AND kind IN ('command', 'test')
        AND ${FACTS} ->> '$.command' IS NOT NULL`,
  ).all(JSON.stringify(sessions));
  return rows.map((row) => ({ ...row, isPass: row["isPass"] === 1 }) as unknown as RanCommand);
}

export interface LastWords {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly updatedAtMs: number;
}

/** The last message or the last prompt of a session; null where there is none. */
export function lastWords(
  db: DatabaseSync,
  sessionId: string,
  kind: "message" | "prompt",
): LastWords | null {
  const row = statement(
    db,
    `SELECT id, title, text, updated_at_ms AS updatedAtMs
       FROM observations
      WHERE session_id = ?
        AND kind = ?
        AND ${FACTS} ->> '$.tool' IS NULL
        AND ${FACTS} ->> '$.isRelayed' IS NULL
        AND ${FACTS} ->> '$.stopped' IS NULL
        AND title NOT LIKE '${COMPACTION}%'
      ORDER BY updated_at_ms DESC, id DESC
      LIMIT 1`,
  ).get(sessionId, kind);
  return row === undefined ? null : row as unknown as LastWords;
}

/** The content that files had before some edits: a digest by path, for each edit. */
export function contentBefore(
  db: DatabaseSync,
  edits: readonly number[],
): { readonly id: number; readonly path: string; readonly before: string | null }[] {
  return statement(
    db,
    `SELECT id, files ->> '$[0]' AS path, ${FACTS} ->> '$.before' AS before
       FROM observations
      WHERE id IN (SELECT value FROM json_each(?))
        AND kind = 'edit'
      ORDER BY id`,
  ).all(JSON.stringify(edits)) as unknown as ReturnType<typeof contentBefore>;
}

/** The content that files had when some observations were made: digests by observation, then by path. */
export function digestsOf(
  db: DatabaseSync,
  ids: readonly number[],
): ReadonlyMap<number, ReadonlyMap<string, string>> {
  const rows = statement(
    db,
    `SELECT observation_id AS id, path, digest
       FROM observation_files
      WHERE observation_id IN (SELECT value FROM json_each(?))
        AND digest IS NOT NULL`,
  ).all(JSON.stringify(ids));
  const digests = new Map<number, Map<string, string>>();
  for (const row of rows) {
    const id = Number(row["id"]);
    const ofOne = digests.get(id) ?? new Map<string, string>();
    ofOne.set(String(row["path"]), String(row["digest"]));
    digests.set(id, ofOne);
  }
  return digests;
}

/** Renames a branch in all rows, also in the lists of branches of summaries. */
export function renameBranch(
  db: DatabaseSync,
  { project, branch }: ProjectBranch & { readonly branch: string },
  from: string,
): void {
  transaction(db, () => {
    statement(
      db,
      `UPDATE observations
          SET facts = json_set(
                facts,
                '$.branches',
                (SELECT json_group_array(iif(value = ?2, ?3, value))
                   FROM json_each(facts -> '$.branches'))
              )
        WHERE project = ?1
          AND kind = 'summary'
          AND instr(facts, '"branches"') > 0
          AND ?2 IN (SELECT value FROM json_each(${FACTS} -> '$.branches'))`,
    ).run(project, from, branch);
    statement(
      db,
      `UPDATE observations
          SET branch = ?2
        WHERE project = ?1
          AND branch = ?3
          AND ${KINDS_OF_BRANCH}`,
    ).run(project, branch, from);
  });
}

/** When a session showed life last; null when it is not known. */
export function lastSeenAtMs(db: DatabaseSync, sessionId: string): number | null {
  const row = db.prepare(
    `SELECT updated_at_ms AS atMs
       FROM sessions
      WHERE session_id = ?`,
  ).get(sessionId);
  return row === undefined ? null : Number(row["atMs"]);
}

/** What git said at a state of its branches, as it is kept; null where it was not asked. */
export function keptAnswer(db: DatabaseSync, project: string): string | null {
  const row = statement(db, "SELECT value FROM meta WHERE key = ?").get(answerKey(project));
  return typeof row?.["value"] === "string" ? row["value"] : null;
}

export function keepAnswer(db: DatabaseSync, project: string, answer: string): void {
  statement(
    db,
    `INSERT INTO meta (key, value)
     VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  ).run(answerKey(project), answer);
}

/** It names no folder, so that there is nothing to forget in it. */
function answerKey(project: string): string {
  return `commits_elsewhere:${digestOf(project)}`;
}

/** They are stored among the counters of the session, and are removed with it. */
const TOLD = `${CLAIM}told:`;

export function alreadyTold(db: DatabaseSync, sessionId: string): ReadonlySet<number> {
  const rows = db.prepare(
    `SELECT type
       FROM counters
      WHERE session_id = ?
        AND type GLOB ?`,
  ).all(sessionId, `${TOLD}*`);
  return new Set(rows.map((row) => Number(String(row["type"]).slice(TOLD.length))));
}

export function noteTold(
  db: DatabaseSync,
  sessionId: string,
  ids: readonly number[],
  atMs: number,
): void {
  if (ids.length === 0) return;
  transaction(db, () => {
    for (const id of ids) incrementCounter(db, { sessionId, type: `${TOLD}${id}`, atMs });
  });
}
