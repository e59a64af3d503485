import type { DatabaseSync } from "node:sqlite";
import { fileMatch, WHOLE_PATH } from "./file_match.ts";

/** Whether anything here is of a project: the common git directory, or the folder where there is none. */
export function isKnownProject(db: DatabaseSync, project: string): boolean {
  const { isKnown } = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM sessions WHERE coalesce(repository, project_dir) = ?1)
            OR EXISTS (SELECT 1 FROM observations WHERE project = ?1) AS isKnown`,
  ).get(project)!;
  return isKnown === 1;
}

/** All projects of which anything is here, those with the newest observations first. */
export function knownProjects(db: DatabaseSync): string[] {
  return db.prepare(
    `SELECT project
       FROM (SELECT project, max(created_at_ms) AS atMs FROM observations GROUP BY project
              UNION ALL
             SELECT coalesce(repository, project_dir), 0 FROM sessions)
      WHERE project IS NOT NULL
      GROUP BY project
      ORDER BY max(atMs) DESC, project`,
  ).all().map(({ project }) => String(project));
}

/** The branches of what is remembered, the newest first. @param project Null: of all projects. */
export function knownBranches(db: DatabaseSync, project: string | null): string[] {
  return db.prepare(
    `SELECT branch
       FROM observations
      WHERE branch IS NOT NULL
        AND (?1 IS NULL OR project = ?1)
      GROUP BY branch
      ORDER BY max(created_at_ms) DESC, branch`,
  ).all(project).map(({ branch }) => String(branch));
}

/** The files of what is remembered, the newest first. @param project Null: of all projects. */
export function knownFiles(
  db: DatabaseSync,
  project: string | null,
  { limit, areWhole = false }: { readonly limit: number; readonly areWhole?: boolean },
): string[] {
  const path = areWhole ? `coalesce(${WHOLE_PATH}, t.path)` : "t.path";
  return db.prepare(
    `SELECT ${path} AS path
       FROM observation_files AS t
       JOIN observations AS o ON o.id = t.observation_id
      WHERE ?1 IS NULL OR o.project = ?1
      GROUP BY ${path}
      ORDER BY max(o.id) DESC
      LIMIT ?2`,
  ).all(project, limit).map(({ path }) => String(path));
}

/** Whether anything is remembered of a file, or of one below a folder. @param file As a filter has it. */
export function isKnownFile(db: DatabaseSync, file: string): boolean {
  const { sql, value } = fileMatch(file);
  return db.prepare(
    `SELECT 1
       FROM observation_files AS t
       JOIN observations AS o ON o.id = t.observation_id
      WHERE ${sql}
      LIMIT 1`,
  ).get(value) !== undefined;
}
