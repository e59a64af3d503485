/** What followed on prompts, and what was known before: by it memory is measured on its own history. */
import { keptJson } from "../memory/observation.ts";
import type { DatabaseSync } from "node:sqlite";

/** A prompt, and the files that were edited before the next one. */
export interface PromptWithEdits {
  readonly id: number;
  readonly sessionId: string;
  readonly project: string | null;
  readonly text: string;
  readonly atMs: number;
  readonly files: readonly string[];
}

/** The newest prompts after which files were edited, the newest first. */
export function editedAfterPrompts(db: DatabaseSync, limit: number): PromptWithEdits[] {
  const rows = db.prepare(
    `SELECT p.id, p.session_id AS sessionId, p.project, p.text, p.created_at_ms AS atMs,
            (SELECT json_group_array(DISTINCT f.path)
               FROM observations AS e
               JOIN observation_files AS f ON f.observation_id = e.id
              WHERE e.session_id = p.session_id
                AND e.kind = 'edit'
                AND e.created_at_ms > p.created_at_ms
                AND e.created_at_ms < coalesce(
                  (SELECT min(n.created_at_ms)
                     FROM observations AS n
                    WHERE n.session_id = p.session_id
                      AND n.kind = 'prompt'
                      AND n.created_at_ms > p.created_at_ms), 9e15)) AS files
       FROM observations AS p
      WHERE p.kind = 'prompt'
      ORDER BY p.created_at_ms DESC
      LIMIT ?`,
  ).all(limit);
  return rows.map((row) => ({ ...row, files: keptJson<string[]>(row["files"], []) }))
    .filter(({ files }) => files.length > 0) as unknown as PromptWithEdits[];
}

/** Numbers of what earlier sessions of the project left about the files, oldest first. */
export function knownOfFiles(db: DatabaseSync, prompt: PromptWithEdits): number[] {
  return db.prepare(
    `SELECT DISTINCT o.id
       FROM observation_files AS f
       JOIN observations AS o ON o.id = f.observation_id
      WHERE f.path IN (SELECT value FROM json_each(?1))
        AND o.project IS ?2
        AND o.session_id <> ?3
        AND o.created_at_ms < ?4
        AND o.kind IN ('edit', 'fix', 'commit', 'decision', 'note')
      ORDER BY o.id`,
  ).all(JSON.stringify(prompt.files), prompt.project, prompt.sessionId, prompt.atMs)
    .map((row) => Number(row["id"]));
}
