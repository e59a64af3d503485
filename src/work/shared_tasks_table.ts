/** Tasks as other machines of a team get and give them: with tags, dependencies and history, without what only one machine knows. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { statement } from "../db/statement.ts";

/** A task as JSON. Its claim is the holder's to renew: others see who holds it, and the server says until when. */
export interface SharedTask {
  readonly columns: Readonly<Record<string, SQLInputValue>>;
  readonly tags: readonly string[];
  readonly dependsOn: readonly string[];
  readonly history: readonly Readonly<Record<string, SQLInputValue>>[];
}

const COLUMNS = [
  "id",
  "parent_id",
  "title",
  "body",
  "type",
  "status",
  "priority",
  "workflow",
  "claimed_by",
  "claim_token",
  "claimed_at_ms",
  "reason",
  "summary",
  "created_at_ms",
  "updated_at_ms",
  "closed_at_ms",
  "deleted_at_ms",
];

/** The claim of somebody on another machine does not run out here (9999-12-31). */
const NEVER_MS = 253_402_300_799_000;

/** The tasks of a project, the oldest first. */
export function* listSharedTasks(
  db: DatabaseSync,
  project: string,
): Generator<{ readonly kind: "task"; readonly uid: string }> {
  const rows = db.prepare(
    "SELECT id FROM tasks WHERE coalesce(repository, project_dir) = ? ORDER BY created_at_ms, id",
  ).all(project);
  for (const { id } of rows) yield { kind: "task", uid: String(id) };
}

/** Null when it is not here. */
export function readSharedTask(db: DatabaseSync, id: string): SharedTask | null {
  const columns = statement(db, `SELECT ${COLUMNS.join(", ")} FROM tasks WHERE id = ?`).get(id);
  if (columns === undefined) return null;
  const list = (sql: string) => statement(db, sql).all(id);
  return {
    columns: columns as SharedTask["columns"],
    tags: list("SELECT tag FROM task_tags WHERE task_id = ? ORDER BY tag").map(({ tag }) =>
      String(tag)
    ),
    dependsOn: list(
      "SELECT depends_on AS id FROM task_dependencies WHERE task_id = ? ORDER BY depends_on",
    )
      .map(({ id }) => String(id)),
    history: list(
      "SELECT changes, changed_by, changed_at_ms FROM task_history WHERE task_id = ? ORDER BY changed_at_ms, id",
    ) as SharedTask["history"],
  };
}

/**
 * Writes a task of another machine, or its newer version, in the caller's transaction. A parent or dependency that is not
 * here is left out.
 * @param home Where its project is here.
 */
export function takeSharedTask(
  db: DatabaseSync,
  { columns, tags, dependsOn, history }: SharedTask,
  home: { readonly repository: string | null; readonly projectDir: string | null },
): void {
  const id = String(columns["id"]);
  const given = Object.fromEntries(COLUMNS.map((name) => [name, columns[name] ?? null]));
  const parent = statement(db, "SELECT id, depth FROM tasks WHERE id = ?").get(
    given["parent_id"] ?? null,
  );
  const row: Record<string, SQLInputValue> = {
    ...given,
    parent_id: parent?.["id"] ?? null,
    depth: parent === undefined ? 0 : Number(parent["depth"]) + 1,
    claim_token: given["claim_token"] ?? 0,
    lease_until_ms: given["claimed_by"] === null ? null : NEVER_MS,
    repository: home.repository,
    project_dir: home.projectDir,
    queued_at_ms: null,
  };
  const names = Object.keys(row);
  statement(
    db,
    `INSERT INTO tasks (${names.join(", ")})
     VALUES (${names.map(() => "?").join(", ")})
     ON CONFLICT (id) DO UPDATE SET ${
      names.slice(1).map((name) => `${name} = excluded.${name}`).join(", ")
    }`,
  ).run(...Object.values(row));
  statement(db, "DELETE FROM task_tags WHERE task_id = ?").run(id);
  statement(db, "DELETE FROM task_dependencies WHERE task_id = ?").run(id);
  statement(db, "INSERT INTO task_tags (task_id, tag) SELECT ?, value FROM json_each(?)")
    .run(id, JSON.stringify(tags));
  statement(
    db,
    `INSERT INTO task_dependencies (task_id, depends_on)
     SELECT ?1, value FROM json_each(?2) WHERE value IN (SELECT id FROM tasks)`,
  ).run(id, JSON.stringify(dependsOn));
  statement(
    db,
    `INSERT INTO task_history (task_id, changes, changed_by, changed_at_ms)
     SELECT ?1, value ->> 'changes', value ->> 'changed_by', value ->> 'changed_at_ms'
       FROM json_each(?2) AS theirs
      WHERE NOT EXISTS (SELECT 1 FROM task_history
                         WHERE task_id = ?1
                           AND changed_by = theirs.value ->> 'changed_by'
                           AND changed_at_ms = theirs.value ->> 'changed_at_ms'
                           AND changes = theirs.value ->> 'changes')`,
  ).run(id, JSON.stringify(history));
}

/** Removes tasks for good, in the caller's transaction. Tasks below them have no parent afterwards. */
export function removeSharedTasks(db: DatabaseSync, ids: readonly string[]): void {
  const list = JSON.stringify(ids);
  statement(
    db,
    "UPDATE tasks SET parent_id = NULL WHERE parent_id IN (SELECT value FROM json_each(?))",
  ).run(list);
  statement(db, "DELETE FROM tasks WHERE id IN (SELECT value FROM json_each(?))").run(list);
}
