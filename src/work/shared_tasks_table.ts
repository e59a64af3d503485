/** Reads and stores tasks that a team shares: with tags, dependencies and history, without the data of one machine. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { columnOf, insertRow, statement, updateRow } from "../db/statement.ts";
import { ELSEWHERE_MS, TASK_FIELDS } from "./task.ts";
import { IS_FREE_TO_BEGIN, IS_READY } from "./tasks_table.ts";

/** A task for JSON. It names the holder of the claim, but no lease, which only the server knows. */
export interface SharedTask {
  readonly columns: Readonly<Record<string, SQLInputValue>>;
  readonly tags: readonly string[];
  readonly dependsOn: readonly string[];
  readonly history: readonly Readonly<Record<string, SQLInputValue>>[];
}

/** The fields of a task that belong to one machine, or to tables of their own. */
const LOCAL = [
  "depth",
  "tags",
  "dependsOn",
  "projectDir",
  "repository",
  "leaseUntilMs",
  "queuedAtMs",
];

const COLUMNS = Object.keys(TASK_FIELDS).filter((field) => !LOCAL.includes(field)).map(columnOf);

/** The columns of a claim and its end. */
const LIFE = [
  "status",
  "claimed_by",
  "claim_token",
  "claimed_at_ms",
  "reason",
  "summary",
  "closed_at_ms",
];
/** The order of statuses under one claim. Each claim of a task has a higher `claim_token` than the one before. */
const STAGES: Readonly<Record<string, number>> = {
  in_progress: 0,
  pending_merge: 0,
  blocked: 1,
  open: 2,
  closed: 3,
};

function stageOf({ claim_token, status }: Readonly<Record<string, unknown>>): number {
  return Number(claim_token ?? 0) * 4 + (STAGES[String(status)] ?? 0);
}

export function* listSharedTasks(
  db: DatabaseSync,
  project: string,
): Generator<{ readonly kind: "task"; readonly uid: string }> {
  const rows = db.prepare(
    "SELECT id FROM tasks WHERE coalesce(repository, project_dir) = ? ORDER BY created_at_ms, id",
  ).all(project);
  for (const { id } of rows) yield { kind: "task", uid: String(id) };
}

/** Reads a task for sharing; null when it is not here. */
export function readSharedTask(db: DatabaseSync, id: string): SharedTask | null {
  const columns = statement(db, `SELECT ${COLUMNS.join(", ")} FROM tasks WHERE id = ?`).get(id);
  if (columns === undefined) return null;
  const list = (rest: string) => statement(db, `SELECT ${rest}`).all(id);
  return {
    columns: columns as SharedTask["columns"],
    tags: list("tag FROM task_tags WHERE task_id = ? ORDER BY tag").map(({ tag }) => String(tag)),
    dependsOn: list("depends_on AS id FROM task_dependencies WHERE task_id = ? ORDER BY id")
      .map(({ id }) => String(id)),
    history: list(
      "changes, changed_by, changed_at_ms FROM task_history WHERE task_id = ? ORDER BY changed_at_ms, id",
    ) as SharedTask["history"],
  };
}

export type TakenTask = ReturnType<typeof takeSharedTask>;

/**
 * Stores a task of another machine, or its newer version, in the caller's transaction. It leaves out a parent or
 * dependency that is not here, and takes over the other machine's history. When the task here is further on than that
 * machine knew, the claim and end here stay, with their history.
 * @param home The place of the task's project on this machine.
 * @returns `isAhead`: whether the task here is further on than the others know, so that they must get it. `isWhole`:
 * whether the task was here before, and none of its changes is lost, except those of the claim.
 */
export function takeSharedTask(
  db: DatabaseSync,
  { columns, tags, dependsOn, history }: SharedTask,
  home: { readonly repository: string | null; readonly projectDir: string | null },
) {
  const id = String(columns["id"]);
  const incoming = Object.fromEntries(COLUMNS.map((name) => [name, columns[name] ?? null]));
  const parent = statement(db, "SELECT id, depth FROM tasks WHERE id = ?").get(
    incoming["parent_id"] ?? null,
  );
  const before = readSharedTask(db, id);
  const until = statement(db, "SELECT lease_until_ms AS until FROM tasks WHERE id = ?")
    .get(id)?.["until"] ?? null;
  const isClaimedHere = until !== null && Number(until) < ELSEWHERE_MS &&
    before?.columns["claimed_by"] === incoming["claimed_by"];
  const ahead = before === null ? -1 : stageOf(before.columns) - stageOf(incoming);
  const staysHere = ahead > 0 || ahead === 0 && isClaimedHere;
  const life = Object.fromEntries(LIFE.map((name) => [name, before?.columns[name] ?? null]));
  const row: Record<string, SQLInputValue> = {
    ...incoming,
    parent_id: parent?.["id"] ?? null,
    depth: parent === undefined ? 0 : Number(parent["depth"]) + 1,
    claim_token: incoming["claim_token"] ?? 0,
    lease_until_ms: incoming["claimed_by"] === null ? null : ELSEWHERE_MS,
    repository: home.repository,
    project_dir: home.projectDir,
    queued_at_ms: null,
    ...staysHere ? { ...life, lease_until_ms: until } : {},
  };
  if (before === null) insertRow(db, "tasks", row);
  else updateRow(db, "tasks", id, row);
  statement(db, "DELETE FROM task_tags WHERE task_id = ?").run(id);
  statement(db, "DELETE FROM task_dependencies WHERE task_id = ?").run(id);
  statement(db, "INSERT INTO task_tags (task_id, tag) SELECT ?, value FROM json_each(?)")
    .run(id, JSON.stringify(tags));
  statement(
    db,
    `INSERT INTO task_dependencies (task_id, depends_on)
     SELECT ?1, value FROM json_each(?2) WHERE value IN (SELECT id FROM tasks)`,
  ).run(id, JSON.stringify(dependsOn));
  const theirs = new Set(history.map(changeKey));
  const mine = (before?.history ?? []).filter((change) => !theirs.has(changeKey(change)));
  const isOfLife = ({ changes }: SharedTask["history"][number]) =>
    (JSON.parse(String(changes)) as readonly { readonly field: string }[])
      .every(({ field }) => LIFE.includes(field));
  // The history is that of the version that counts, without changes made here that were refused or are masked by now.
  const merged = [...history, ...staysHere ? mine.filter(isOfLife) : []];
  statement(db, "DELETE FROM task_history WHERE task_id = ?").run(id);
  statement(
    db,
    `INSERT INTO task_history (task_id, changes, changed_by, changed_at_ms)
     SELECT ?1, value ->> 'changes', value ->> 'changed_by', value ->> 'changed_at_ms'
       FROM json_each(?2)
      ORDER BY value ->> 'changed_at_ms', key`,
  ).run(id, JSON.stringify(merged));
  const isWhole = before !== null && mine.every(isOfLife);
  return { isAhead: staysHere && life["status"] !== incoming["status"] || ahead > 0, isWhole };
}

function changeKey(change: SharedTask["history"][number]): string {
  return JSON.stringify([change["changed_by"], change["changed_at_ms"], change["changes"]]);
}

/** What the server needs to give a claim on a task. */
export interface WantedTask {
  readonly task: string;
  /** How often the task was closed. */
  readonly round: number;
  /** The lowest number that the claim may get. */
  readonly least: number;
}

const WANTED = `task.id AS task, task.claim_token + 1 AS least,
            (SELECT count(*)
               FROM task_history AS history, json_each(history.changes) AS change
              WHERE history.task_id = task.id
                AND change.value ->> 'field' = 'status'
                AND change.value ->> 'new' = 'closed') AS round`;

/** Reads what the server needs for a claim; undefined when the task is not here. */
export function wantedTask(db: DatabaseSync, id: string): WantedTask | undefined {
  return statement(db, `SELECT ${WANTED} FROM tasks AS task WHERE id = ?`).get(id) as
    | WantedTask
    | undefined;
}

/**
 * Lists tasks of a project that may be free, the most urgent first: ready tasks, and tasks claimed on another machine,
 * whose lease only the server knows.
 */
export function listClaimable(db: DatabaseSync, project: string, limit: number): WantedTask[] {
  return statement(
    db,
    `SELECT ${WANTED}
       FROM tasks AS task
      WHERE coalesce(task.repository, task.project_dir) = ?1
        AND (${IS_READY}
             OR task.status = 'in_progress' AND task.lease_until_ms = ?2 AND ${IS_FREE_TO_BEGIN})
      ORDER BY task.priority, task.created_at_ms, task.id
      LIMIT ?3`,
  ).all(project, ELSEWHERE_MS, limit) as unknown as WantedTask[];
}

/** Lists the claims that were made here on a project's tasks. */
export function listClaimsHere(
  db: DatabaseSync,
  project: string,
): { readonly uid: string; readonly holder: string; readonly token: number }[] {
  return statement(
    db,
    `SELECT id AS uid, claimed_by AS holder, claim_token AS token
       FROM tasks
      WHERE coalesce(repository, project_dir) = ?
        AND status = 'in_progress'
        AND claimed_by IS NOT NULL
        AND lease_until_ms < ?`,
  ).all(project, ELSEWHERE_MS) as unknown as { uid: string; holder: string; token: number }[];
}

/** Removes the events of tasks, which quote their titles, in the caller's transaction. */
export function removeTaskEvents(db: DatabaseSync, ids: readonly string[]): void {
  statement(db, "DELETE FROM events WHERE entity_id IN (SELECT value FROM json_each(?))")
    .run(JSON.stringify(ids));
}

/** Removes tasks for good, in the caller's transaction. Tasks below them lose their parent. */
export function removeSharedTasks(db: DatabaseSync, ids: readonly string[]): void {
  const list = JSON.stringify(ids);
  statement(
    db,
    "UPDATE tasks SET parent_id = NULL WHERE parent_id IN (SELECT value FROM json_each(?))",
  ).run(list);
  statement(db, "DELETE FROM tasks WHERE id IN (SELECT value FROM json_each(?))").run(list);
}
