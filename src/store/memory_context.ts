/** What a new session is told of earlier ones. */
import { FACTS } from "./facts_column.ts";
import type { DatabaseSync } from "node:sqlite";
import type { ObservationKind } from "../memory/observation.ts";
import { statement } from "./statement.ts";

/** An observation as it may be told. */
export interface TellableRow {
  readonly id: number;
  readonly sessionId: string;
  readonly branch: string | null;
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly title: string;
  /** JSON: paths from the project's folder. */
  readonly files: string;
  /** JSON. */
  readonly facts: string;
  readonly repeats: number;
  readonly resolvedBy: number | null;
  readonly updatedAtMs: number;
}

const COLUMNS =
  `id, session_id AS sessionId, branch, kind, outcome, title, files, facts, repeats, resolved_by AS resolvedBy,
            updated_at_ms AS updatedAtMs`;

/** A branch of a project; null where there is none. */
export interface ProjectBranch {
  readonly project: string;
  readonly branch: string | null;
}

/** Sessions in which nothing was done would push out the others; what a person did, or did not want, in them is to be known. */
const IS_TELLING =
  `(kind <> 'summary' OR ${FACTS} ->> '$.trivial' IS NULL OR instr(facts, '"by":"dropped"') > 0 OR instr(facts, '"ran":') > 0)`;
/** A commit, a fix or an edit that was taken back is not there, and a rule that was does not hold. */
const STANDS = "(kind NOT IN ('commit', 'decision', 'note', 'fix', 'edit') OR resolved_by IS NULL)";
/** The kinds of the index of a branch. */
export const KINDS_OF_BRANCH =
  "kind IN ('summary', 'fix', 'failure', 'test', 'commit', 'decision', 'note', 'edit')";

/** What is worth telling of a branch, the newest first. */
export function tellableOfBranch(
  db: DatabaseSync,
  { project, branch }: ProjectBranch,
  limit: number,
): TellableRow[] {
  return statement(
    db,
    `SELECT ${COLUMNS}
       FROM observations
      WHERE project = ?
        AND branch IS ?
        AND ${KINDS_OF_BRANCH}
        AND ${IS_TELLING}
        AND ${STANDS}
      ORDER BY created_at_ms DESC
      LIMIT ?`,
  ).all(project, branch, limit) as unknown as TellableRow[];
}

/**
 * Of a branch's newest rows those that outlast the edits between them, the newest first: fixes, commits, decisions,
 * notes, and failures that nothing has mended.
 *
 * @param options `among`: so many of the branch's newest rows are looked at.
 */
export function weightyOfBranch(
  db: DatabaseSync,
  { project, branch }: ProjectBranch,
  { among, limit }: { readonly among: number; readonly limit: number },
): TellableRow[] {
  return db.prepare(
    `SELECT ${COLUMNS}
       FROM observations
      WHERE id IN (SELECT id
                     FROM observations
                    WHERE project = ?
                      AND branch IS ?
                      AND ${KINDS_OF_BRANCH}
                    ORDER BY created_at_ms DESC
                    LIMIT ?)
        AND ${STANDS}
        AND (kind IN ('fix', 'commit', 'decision', 'note') OR (outcome = 'failure' AND resolved_by IS NULL))
      ORDER BY id DESC
      LIMIT ?`,
  ).all(project, branch, among, limit) as unknown as TellableRow[];
}

/**
 * What counts on every branch of a project, the newest first. The kinds are those of its index.
 *
 * @param options `all`: those sessions too in which nothing was done.
 */
export function tellableOfProject(
  db: DatabaseSync,
  project: string,
  { limit, all = false }: { readonly limit: number; readonly all?: boolean },
): TellableRow[] {
  return db.prepare(
    `SELECT ${COLUMNS}
       FROM observations
      WHERE project = ?
        AND kind IN ('summary', 'decision', 'note')
        AND ${all ? "TRUE" : IS_TELLING}
        AND ${STANDS}
      ORDER BY created_at_ms DESC
      LIMIT ?`,
  ).all(project, limit) as unknown as TellableRow[];
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

/** The content that the last edit of a file in a session left: its digest; null where nobody knows. */
export function lastContent(
  db: DatabaseSync,
  { sessionId, path, untilMs }: {
    readonly sessionId: string;
    readonly path: string;
    readonly untilMs: number;
  },
): string | null {
  const row = statement(
    db,
    `SELECT f.digest
       FROM observation_files AS f
       JOIN observations AS o ON o.id = f.observation_id
      WHERE f.path = ?
        AND o.session_id = ?
        AND o.kind = 'edit'
        AND o.updated_at_ms <= ?
      ORDER BY o.updated_at_ms DESC, o.id DESC
      LIMIT 1`,
  ).get(path, sessionId, untilMs);
  return row?.["digest"] == null ? null : String(row["digest"]);
}

/** A task that waits for somebody. */
export interface OpenTask {
  readonly id: string;
  readonly title: string;
  /** Epoch milliseconds. */
  readonly createdAtMs: number;
}

/** Open tasks of a project that nobody has taken, the most urgent first. */
export function openTaskTitles(
  db: DatabaseSync,
  project: string,
  limit: number,
): OpenTask[] {
  return db.prepare(
    `SELECT id, title, created_at_ms AS createdAtMs
       FROM tasks
      WHERE status = 'open'
        AND deleted_at_ms IS NULL
        AND coalesce(repository, project_dir) = ?
      ORDER BY priority, created_at_ms
      LIMIT ?`,
  ).all(project, limit) as unknown as OpenTask[];
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
