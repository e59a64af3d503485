/** Rows of an export put back into their tables, in the caller's transaction. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { FORGOTTEN_MARK } from "../memory/forget_mark.ts";
import { type ExportType, keyOf } from "./exported_tables.ts";
import { insertObservation, takenOver } from "./import_observations.ts";
import { statement } from "./statement.ts";

/** A row by the columns of its table. */
export type ImportedColumns = Readonly<Record<string, SQLInputValue>>;

/** What became of a row: `unattached` when the task or workflow that it belongs to is not there. */
export type RowFate = "new" | "known" | "unattached";

/** A row that its table does not take: it is none of this program's. */
export class RowError extends Error {
  override readonly name = "RowError";
}

/** SQLite's extended codes: https://sqlite.org/rescode.html */
const FOREIGN_KEY = 787;
const UNIQUE = 2067;
const CONSTRAINT = 19;
const MISMATCH = 20;

/**
 * Puts a row into its table; one that is there by its key is left alone. Of an observation, `observed_files` is put into
 * the table of files, and what refers to others by their numbers follows those that get another one.
 *
 * @throws {RowError} When the table does not take it.
 */
export function importRow(db: DatabaseSync, type: ExportType, columns: ImportedColumns): RowFate {
  const unknown = Object.keys(columns).find((name) =>
    name !== "observed_files" && !columnsOf(db, type).has(name)
  );
  if (unknown !== undefined) throw new RowError(`it has the unknown field "${unknown}"`);
  if (Object.keys(columns).length === 0) throw new RowError("it says nothing but its type");
  try {
    if (type === "observation") return insertObservation(db, columns);
    if (type === "taskChange" || type === "event") return insertNumbered(db, type, columns);
    if (type !== "capture") return insertByKey(db, type, columns);
    const { observation_id = null, ...others } = columns;
    return insertByKey(db, type, { ...others, observation_id: takenOver(db, observation_id) });
  } catch (thrown) {
    const { errcode } = thrown as { readonly errcode?: unknown };
    if (errcode === FOREIGN_KEY) return "unattached";
    // It is there under another key: brought over from the same place, or a second workflow of a task.
    if (errcode === UNIQUE) return "known";
    if (typeof errcode !== "number" || ![CONSTRAINT, MISMATCH].includes(errcode & 0xff)) {
      throw thrown;
    }
    throw new RowError(reasonIn(thrown instanceof Error ? thrown.message : String(thrown), type));
  }
}

/** Why a table does not take a row, as people read about it: a column by the name of its field. */
function reasonIn(message: string, type: ExportType): string {
  const [, column] = /^NOT NULL constraint failed: \w+\.(\w+)$/.exec(message) ?? [];
  if (column === undefined) return message;
  const field = column.replace(/_(.)/g, (_line, letter: string) => letter.toUpperCase());
  return `it has no field "${field === "type" ? `${type}Type` : field}"`;
}

/** Whether a row is there already; what cannot be told without putting it in counts as new. */
export function isKnownRow(db: DatabaseSync, type: ExportType, columns: ImportedColumns): boolean {
  const { table, key } = keyOf(type);
  const names = key ?? NUMBERED[type as "event" | "taskChange"];
  if (names.some((name) => columns[name] === undefined)) return false;
  return statement(
    db,
    `SELECT 1
       FROM ${table}
      WHERE ${
      [...names, ...key === null ? ["id"] : []].map((name) => `${name} IS ?`).join(" AND ")
    }`,
  ).get(
    ...[...names, ...key === null ? ["id"] : []].map((name) => columns[name] ?? null),
  ) !== undefined;
}

function insertByKey(db: DatabaseSync, type: ExportType, columns: ImportedColumns): RowFate {
  const { table, key } = keyOf(type);
  const names = Object.keys(columns);
  const { changes } = statement(
    db,
    `INSERT INTO ${table} (${names.join(", ")})
     VALUES (${names.map(() => "?").join(", ")})
     ON CONFLICT (${key!.join(", ")}) DO NOTHING`,
  ).run(...Object.values(columns));
  return changes === 0 ? "known" : "new";
}

/** What makes two rows the same whose number means nothing elsewhere. */
const NUMBERED = {
  taskChange: ["task_id", "changed_at_ms", "changed_by", "changes"],
  event: ["created_at_ms", "entity_id", "type", "entity_type", "data"],
} as const;

/** Keeps the number of a row where it is free; otherwise the row gets another one, unless it is there already. */
function insertNumbered(
  db: DatabaseSync,
  type: keyof typeof NUMBERED,
  { id = null, ...columns }: ImportedColumns,
): RowFate {
  const { table } = keyOf(type);
  const isTaken = id !== null &&
    statement(db, `SELECT 1 FROM ${table} WHERE id = ?`).get(id) !== undefined;
  if (isTaken) {
    if (isKnownRow(db, type, { id, ...columns }) || isListed(db, type, columns)) return "known";
    if (isForgottenIn(db, type, { id, ...columns })) return "known";
  }
  const names = Object.keys(columns);
  const { lastInsertRowid } = statement(
    db,
    `INSERT INTO ${table} (id, ${names.join(", ")})
     VALUES (?, ${names.map(() => "?").join(", ")})`,
  ).run(isTaken ? null : id, ...Object.values(columns));
  if (type === "event" && isTaken) remember(db, Number(lastInsertRowid));
  return "new";
}

/** Whether the row of this number is the same one, but for what was forgotten of it. */
function isForgottenIn(
  db: DatabaseSync,
  type: keyof typeof NUMBERED,
  columns: ImportedColumns,
): boolean {
  const { table } = keyOf(type);
  const told = type === "event" ? "data" : "changes";
  const names = ["id", ...NUMBERED[type].filter((name) => name !== told)];
  return statement(
    db,
    `SELECT 1
       FROM ${table}
      WHERE ${names.map((name) => `${name} IS ?`).join(" AND ")}
        AND (${told} = '{}' OR instr(${told}, '${FORGOTTEN_MARK}') > 0)`,
  ).get(...names.map((name) => columns[name] ?? null)) !== undefined;
}

/** Whether the table has a row that says the same, under whatever number. */
function isListed(
  db: DatabaseSync,
  type: keyof typeof NUMBERED,
  columns: ImportedColumns,
): boolean {
  const names = NUMBERED[type];
  const same = names.map((name) => `row.${name} IS ?`).join(" AND ");
  // The table of events has no index that finds one by what it says: every write would pay for it.
  if (type === "event") {
    db.exec(
      `CREATE TEMP TABLE IF NOT EXISTS known_events (created_at_ms INTEGER, id INTEGER, PRIMARY KEY (created_at_ms, id))
       WITHOUT ROWID`,
    );
    if (statement(db, "SELECT 1 FROM known_events LIMIT 1").get() === undefined) {
      db.exec("INSERT INTO known_events SELECT created_at_ms, id FROM events");
    }
  }
  const from = type === "event"
    ? "temp.known_events AS known CROSS JOIN events AS row ON row.id = known.id"
    : "task_history AS row";
  return statement(
    db,
    `SELECT 1
       FROM ${from}
      WHERE ${type === "event" ? "known.created_at_ms = ?1 AND " : ""}${same.replace("?", "?1")}`,
  ).get(...names.map((name) => columns[name] ?? null)) !== undefined;
}

function remember(db: DatabaseSync, eventId: number): void {
  statement(
    db,
    "INSERT OR IGNORE INTO temp.known_events SELECT created_at_ms, id FROM events WHERE id = ?",
  ).run(eventId);
}

/** Lets rows of `tasks` come before those that they belong to, up to the end of the transaction. */
export function deferTaskParents(db: DatabaseSync): void {
  db.exec("PRAGMA defer_foreign_keys = ON");
}

/**
 * Makes tasks whose parent did not come to the top of a tree, with what is below them.
 *
 * @returns How many.
 */
export function detachOrphanTasks(db: DatabaseSync): number {
  const orphans = db.prepare(
    `SELECT id
       FROM tasks AS task
      WHERE parent_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM tasks AS parent WHERE parent.id = task.parent_id)`,
  ).all().map((row) => String(row["id"]));
  if (orphans.length === 0) return 0;
  const ids = JSON.stringify(orphans);
  db.prepare(
    `UPDATE tasks
        SET parent_id = NULL
      WHERE id IN (SELECT value FROM json_each(?))`,
  ).run(ids);
  db.prepare(
    `WITH RECURSIVE below (id, depth) AS (
       SELECT value, 0 FROM json_each(?)
        UNION
       SELECT task.id, below.depth + 1 FROM below JOIN tasks AS task ON task.parent_id = below.id
     )
     UPDATE tasks
        SET depth = below.depth
       FROM below
      WHERE tasks.id = below.id`,
  ).run(ids);
  return orphans.length;
}

const COLUMNS = new WeakMap<DatabaseSync, Map<ExportType, ReadonlySet<string>>>();

function columnsOf(db: DatabaseSync, type: ExportType): ReadonlySet<string> {
  let known = COLUMNS.get(db);
  if (known === undefined) COLUMNS.set(db, known = new Map());
  let columns = known.get(type);
  if (columns === undefined) {
    const rows = db.prepare("SELECT name FROM pragma_table_info(?)").all(keyOf(type).table);
    known.set(type, columns = new Set(rows.map((row) => String(row["name"]))));
  }
  return columns;
}
