/** What was undone on a branch, and is there again. */
import type { DatabaseSync } from "node:sqlite";
import { keptJson } from "../memory/kept_json.ts";
import { FACTS } from "./facts_column.ts";
import { KINDS_OF_BRANCH } from "./memory_context.ts";
import { statement } from "./statement.ts";
import type { Here } from "./undone_work.ts";

/** Commits and fixes that an observation has undone. */
export interface UndoneRow {
  readonly id: number;
  readonly uid: string;
  readonly sessionId: string;
  readonly kind: "commit" | "fix";
  /** As git prints it, of a commit; null where it is not known. */
  readonly hash: string | null;
  /** Of a fix, the observations of what has mended it. */
  readonly by: readonly number[];
  readonly createdAtMs: number;
}

/** The commits and fixes of a branch that an observation has undone, the oldest first. */
export function undoneBy(
  db: DatabaseSync,
  { project, branch, by }: Omit<Here, "untilMs"> & { readonly by: number },
): UndoneRow[] {
  return statement(
    db,
    `SELECT id, uid, session_id AS sessionId, kind, ${FACTS} ->> '$.commit.hash' AS hash,
            ${FACTS} -> '$.by' AS by, created_at_ms AS createdAtMs
       FROM observations
      WHERE project IS ?
        AND branch IS ?
        AND ${KINDS_OF_BRANCH}
        AND kind IN ('commit', 'fix')
        AND resolved_by = ?
      ORDER BY created_at_ms, id`,
  ).all(project, branch, by).map((row) =>
    ({ ...row, by: keptJson<number[]>(row["by"], []) }) as unknown as UndoneRow
  );
}

/** The command of a session that has undone commits last; undefined where none has. */
export function lastUndoing(
  db: DatabaseSync,
  { project, branch, untilMs, sessionId }: Here & { readonly sessionId: string },
): { readonly id: number; readonly command: string; readonly atMs: number } | undefined {
  return statement(
    db,
    `SELECT id, ${FACTS} ->> '$.command' AS command, updated_at_ms AS atMs
       FROM observations
      WHERE id IN (SELECT resolved_by
                     FROM observations
                    WHERE project IS ?1
                      AND branch IS ?2
                      AND ${KINDS_OF_BRANCH}
                      AND kind IN ('commit', 'fix')
                      AND resolved_by IS NOT NULL)
        AND session_id = ?3
        AND kind = 'command'
        AND updated_at_ms < ?4
      ORDER BY updated_at_ms DESC, id DESC
      LIMIT 1`,
  ).get(project, branch, sessionId, untilMs) as unknown as ReturnType<typeof lastUndoing>;
}

/** Whether anything, or one file, was edited on a branch between two moments, both left out, but for one edit. */
export function isEditedBetween(
  db: DatabaseSync,
  { project, branch, fromMs, untilMs, but = 0, path = null }: Here & {
    readonly fromMs: number;
    readonly but?: number;
    readonly path?: string | null;
  },
): boolean {
  return statement(
    db,
    `SELECT 1
       FROM observations
      WHERE project IS ?1
        AND branch IS ?2
        AND ${KINDS_OF_BRANCH}
        AND kind = 'edit'
        AND updated_at_ms > ?3
        AND created_at_ms < ?4
        AND id <> ?5
        AND (?6 IS NULL OR EXISTS (SELECT 1 FROM json_each(files) WHERE value = ?6))
      LIMIT 1`,
  ).get(project, branch, fromMs, untilMs, but, path) !== undefined;
}

/** A commit or a fix that was undone is there again. */
export function standAgain(db: DatabaseSync, id: number): void {
  statement(db, "UPDATE observations SET resolved_by = NULL WHERE id = ?").run(id);
}
