import type { DatabaseSync } from "node:sqlite";

/** Whether anything here is of a project: the common git directory, or the folder where there is none. */
export function isKnownProject(db: DatabaseSync, project: string): boolean {
  const { isKnown } = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM sessions WHERE coalesce(repository, project_dir) = ?1)
            OR EXISTS (SELECT 1 FROM observations WHERE project = ?1) AS isKnown`,
  ).get(project)!;
  return isKnown === 1;
}
