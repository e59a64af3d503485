/** Reads the observations that a new session may be told, and notes which ones it was told. */
import { FACTS, type Observation, observationOf } from "../drain/observations_table.ts";
import type { DatabaseSync } from "node:sqlite";
import { COMPACTION } from "../../claude/transcript/spoken.ts";
import { transaction } from "../../db/transaction.ts";
import { statement } from "../../db/statement.ts";
import { CLAIM, incrementCounter } from "../../db/counters.ts";

/** An observation without the parts that take long to read, and are not told. */
export type Tellable = Omit<Observation, "uid" | "text" | "createdAtMs">;

const COLUMNS =
  `id, session_id AS sessionId, project, branch, kind, outcome, title, files, facts, repeats, resolved_by AS resolvedBy,
            author, updated_at_ms AS updatedAtMs`;

/** A branch of a project. The branch is null for a detached HEAD, or a project without git. */
export type ProjectBranch = Readonly<{ project: string; branch: string | null }>;

/** SQL condition: an observation still holds, since it was not taken back or replaced. */
const STANDS = "(kind NOT IN ('commit', 'decision', 'note', 'fix', 'edit') OR resolved_by IS NULL)";
/** SQL: the condition of the index by branch. SQLite uses the index only if a query repeats it word for word. */
export const KINDS_OF_BRANCH =
  "kind IN ('summary', 'fix', 'failure', 'test', 'commit', 'decision', 'note', 'edit')";

function selectTellable(
  db: DatabaseSync,
  conditions: string,
  ...values: readonly (string | number | null)[]
): Tellable[] {
  const sql = `SELECT ${COLUMNS}
       FROM observations
      WHERE ${STANDS}
        AND ${conditions}`;
  return statement(db, sql).all(...values).map(observationOf);
}

/**
 * Returns summaries, fixes, commits, decisions, notes and open failures from the newest rows of a branch, newest first.
 * @param options `among`: how many rows are searched.
 */
export function tellableOfBranch(
  db: DatabaseSync,
  { project, branch }: ProjectBranch,
  { among, limit }: { readonly among: number; readonly limit: number },
): Tellable[] {
  const conditions = `id IN (SELECT id
                     FROM observations
                    WHERE project = ?
                      AND branch IS ?
                      AND ${KINDS_OF_BRANCH}
                    ORDER BY created_at_ms DESC
                    LIMIT ?)
        AND (kind IN ('summary', 'fix', 'commit', 'decision', 'note')
             OR outcome = 'failure' AND resolved_by IS NULL AND author IS NULL)
      ORDER BY id DESC
      LIMIT ?`;
  return selectTellable(db, conditions, project, branch, among, limit);
}

/** Returns the newest edits on a branch that were not taken back, newest first. */
export function editsOfBranch(
  db: DatabaseSync,
  { project, branch }: ProjectBranch,
  limit: number,
): Tellable[] {
  const conditions = `project = ?
        AND branch IS ?
        AND ${KINDS_OF_BRANCH}
        AND kind = 'edit'
      ORDER BY created_at_ms DESC
      LIMIT ?`;
  return selectTellable(db, conditions, project, branch, limit);
}

/** Returns summaries, decisions and notes from all branches of a project, newest first. They have their own index. */
export function tellableOfProject(db: DatabaseSync, project: string, limit: number): Tellable[] {
  const conditions = `project = ?
        AND kind IN ('summary', 'decision', 'note')
      ORDER BY created_at_ms DESC
      LIMIT ?`;
  return selectTellable(db, conditions, project, limit);
}

/** Returns this machine's newest failures that nothing has mended. @param project Null for all projects. */
export function unmendedFailures(
  db: DatabaseSync,
  project: string | null,
  limit: number,
): Tellable[] {
  const conditions = `outcome = 'failure'
        AND resolved_by IS NULL
        AND author IS NULL
        ${project === null ? "" : "AND project = ?"}
      ORDER BY id DESC
      LIMIT ?`;
  return selectTellable(db, conditions, ...(project === null ? [] : [project]), limit);
}

/** Returns, by the number of each mended failure, how often that command failed in its session. */
export function triesOf(
  db: DatabaseSync,
  failures: readonly number[],
): ReadonlyMap<number, number> {
  const rows = statement(db)`
    WITH mended AS (SELECT id, session_id, ${FACTS} ->> '$.of' AS of
                      FROM observations
                     WHERE id IN (SELECT value FROM json_each(?))),
         failed AS (SELECT session_id, ${FACTS} ->> '$.of' AS of, sum(repeats) AS times
                      FROM observations
                     WHERE session_id IN (SELECT session_id FROM mended)
                       AND outcome = 'failure'
                     GROUP BY 1, 2)
    SELECT mended.id, failed.times
      FROM mended
      JOIN failed USING (session_id, of)`.all(JSON.stringify(failures));
  return new Map(rows.map(({ id, times }) => [Number(id), Number(times)]));
}

/** A command that is not known to have failed. */
interface RanCommand {
  readonly sessionId: string;
  readonly command: string;
  /** Whether the command was a passing run of tests. */
  readonly isPass: boolean;
  /** The time of its last run, in epoch milliseconds. */
  readonly atMs: number;
}

/** Returns commands of some sessions that are not known to have failed. */
export function ranIn(db: DatabaseSync, sessions: readonly string[]): RanCommand[] {
  const rows = statement(db)`
    SELECT session_id AS sessionId, ${FACTS} ->> '$.command' AS command, updated_at_ms AS atMs,
           kind = 'test' AND outcome IS 'success' AS isPass
      FROM observations
     WHERE session_id IN (SELECT value FROM json_each(?))
       AND outcome IS NOT 'failure'
       AND kind IN ('command', 'test')
       AND ${FACTS} ->> '$.command' IS NOT NULL`.all(JSON.stringify(sessions));
  return rows.map((row) => ({ ...row, isPass: row["isPass"] === 1 }) as unknown as RanCommand);
}

/** Returns the last message or the last prompt of a session, or null. */
export function lastWords(
  db: DatabaseSync,
  sessionId: string,
  kind: "message" | "prompt",
): Pick<Observation, "id" | "title" | "text" | "updatedAtMs"> | null {
  const row = statement(db)`
    SELECT id, title, text, updated_at_ms AS updatedAtMs
      FROM observations
     WHERE session_id = ?
       AND kind = ?
       AND ${FACTS} ->> '$.tool' IS NULL
       AND ${FACTS} ->> '$.isRelayed' IS NULL
       AND ${FACTS} ->> '$.stopped' IS NULL
       AND title NOT LIKE '${COMPACTION}%'
     ORDER BY updated_at_ms DESC, id DESC
     LIMIT 1`.get(sessionId, kind);
  return row === undefined ? null : observationOf(row);
}

/** Returns the file of each edit, with the digest of the content that the file had before. */
export function contentBefore(
  db: DatabaseSync,
  edits: readonly number[],
): { readonly id: number; readonly path: string; readonly before: string | null }[] {
  return statement(db)`
    SELECT id, files ->> '$[0]' AS path, ${FACTS} ->> '$.before' AS before
      FROM observations
     WHERE id IN (SELECT value FROM json_each(?))
       AND kind = 'edit'
     ORDER BY id`.all(JSON.stringify(edits)) as unknown as ReturnType<typeof contentBefore>;
}

/** Returns the digests that files had when some observations were made, by observation. */
export function digestsOf(
  db: DatabaseSync,
  ids: readonly number[],
): ReadonlyMap<number, readonly FileDigest[]> {
  const rows = statement(db)`
    SELECT observation_id AS id, path, digest
      FROM observation_files
     WHERE observation_id IN (SELECT value FROM json_each(?))
       AND digest IS NOT NULL`.all(JSON.stringify(ids)) as unknown as readonly FileDigest[];
  return Map.groupBy(rows, ({ id }) => id);
}

type FileDigest = Readonly<{ id: number; path: string; digest: string }>;

/** Renames a branch in the rows of {@linkcode KINDS_OF_BRANCH}, and in the lists of branches in summaries. */
export function renameBranch(
  db: DatabaseSync,
  { project, branch }: ProjectBranch & { readonly branch: string },
  from: string,
): void {
  transaction(db, () => {
    statement(db)`
      UPDATE observations
         SET facts = json_set(
               facts,
               '$.branches',
               (SELECT json_group_array(iif(value = ?2, ?3, value))
                  FROM json_each(facts -> '$.branches'))
             )
       WHERE project = ?1
         AND kind = 'summary'
         AND instr(facts, '"branches"') > 0
         AND ?2 IN (SELECT value FROM json_each(${FACTS} -> '$.branches'))
    `.run(project, from, branch);
    statement(db)`
      UPDATE observations
         SET branch = ?2
       WHERE project = ?1
         AND branch = ?3
         AND ${KINDS_OF_BRANCH}`.run(project, branch, from);
  });
}

/** Returns when a session had its last event, in epoch milliseconds; null for an unknown session. */
export function lastSeenAtMs(db: DatabaseSync, sessionId: string): number | null {
  const row = statement(db)`
    SELECT updated_at_ms AS atMs
      FROM sessions
     WHERE session_id = ?`.get(sessionId);
  return row === undefined ? null : Number(row["atMs"]);
}

/** Begins the type of a counter that notes one told observation. Such counters are removed with their session. */
const TOLD = `${CLAIM}told:`;

export function alreadyTold(db: DatabaseSync, sessionId: string): ReadonlySet<number> {
  const rows = statement(db)`
    SELECT substr(type, ${TOLD.length + 1}) AS id
      FROM counters
     WHERE session_id = ?
       AND type GLOB ?`.all(sessionId, `${TOLD}*`);
  return new Set(rows.map(({ id }) => Number(id)));
}

export function noteClaimTold(
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
