/** Puts rows of an export into their tables, in the caller's transaction. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { FORGOTTEN_MARK } from "../memory/forget_mark.ts";
import { type ExportType, fieldOf, tableOf } from "./exported_tables.ts";
import {
  insertObservation,
  noteNumbers,
  replaceObservation,
  takenOver,
} from "./import_observations.ts";
import { isForgotten, sessionName } from "./forgotten_names.ts";
import { statement } from "./statement.ts";

/** A row by the columns of its table. */
export type ImportedColumns = Readonly<Record<string, SQLInputValue>>;

/**
 * What becomes of a row. `known`: it is here in this version. `outdated`: a newer version is here, of itself or of the
 * row that it belongs to. `unattached`: the task or workflow that it belongs to is not here.
 */
export type RowFate = "new" | "replaced" | "known" | "outdated" | "unattached";

/** A row that its table does not take: this program has not written it. */
export class RowError extends Error {
  override readonly name = "RowError";
}

/** SQLite's extended codes: https://sqlite.org/rescode.html */
const FOREIGN_KEY = 787;
const UNIQUE = 2067;
const CONSTRAINT = 19;
const MISMATCH = 20;

/** What is known of an import that is under way. */
export interface ImportRun {
  /** Rows whose version here is newer than the one that came, by type and id: their history does not come either. */
  readonly outdated: Set<string>;
  readonly isDryRun: boolean;
}

/** What is to become of a row, as far as that can be told without putting it in. */
export function fateOf(
  db: DatabaseSync,
  type: ExportType,
  columns: ImportedColumns,
  { outdated, isDryRun }: ImportRun,
): RowFate {
  const { key, owner, isReplaced } = tableOf(type);
  if (owner !== undefined) {
    const [column, ownerType] = owner;
    const of = ownerType === "" ? columns["entity_type"] : ownerType;
    if (outdated.has(`${of} ${columns[column]}`)) return "outdated";
  }
  if (key === null) return isListed(db, type, { columns, isDryRun }) ? "known" : "new";
  const here = findHere(db, type, columns);
  if (here === undefined) return "new";
  if (!isReplaced || versionOf(columns) === versionOf(here)) return "known";
  if (versionOf(columns) > versionOf(here) && !isPartForgotten(db, type, here)) return "replaced";
  outdated.add(`${type} ${columns[key[0]!]}`);
  return "outdated";
}

/**
 * Puts a row into its table. One that is here by its key is replaced where it is older, else left alone. What refers to
 * an observation by its number follows where that gets another number.
 *
 * @param how `fate`: that of {@linkcode fateOf}. @throws {RowError} When the table does not take it.
 */
export function importRow(
  db: DatabaseSync,
  type: ExportType,
  { columns, fate }: { readonly columns: ImportedColumns; readonly fate: RowFate },
): RowFate {
  const unknown = Object.keys(columns).find((name) =>
    name !== "observed_files" && !columnsOf(db, type).has(name)
  );
  if (unknown !== undefined) throw new RowError(`it has the unknown field "${unknown}"`);
  if (Object.keys(columns).length === 0) throw new RowError("it says nothing but its type");
  try {
    if (type === "observation") importObservation(db, columns, fate);
    else if (fate === "new") insert(db, type, columns);
    else if (fate === "replaced") replace(db, type, columns);
    return fate;
  } catch (thrown) {
    const { errcode } = thrown as { readonly errcode?: unknown };
    if (errcode === FOREIGN_KEY) return "unattached";
    // It is here under another key: brought over from the same place, or a second workflow of a task.
    if (errcode === UNIQUE) return "known";
    if (typeof errcode !== "number" || ![CONSTRAINT, MISMATCH].includes(errcode & 0xff)) {
      throw thrown;
    }
    throw new RowError(reasonIn(thrown instanceof Error ? thrown.message : String(thrown), type));
  }
}

/** The number of an observation that is here counts as well: others refer to it by the number that it had. */
function importObservation(db: DatabaseSync, columns: ImportedColumns, fate: RowFate): void {
  if (fate === "new") return insertObservation(db, columns);
  const id = Number(findHere(db, "observation", columns)!["id"]);
  if (fate === "replaced") replaceObservation(db, columns, id);
  // What an older version says of its fix does not count.
  else noteNumbers(db, fate === "known" ? columns : { id: columns["id"] ?? null }, id);
}

/** The row with the same key; undefined where there is none. An observation is also the one that counts its repeats. */
export function findHere(
  db: DatabaseSync,
  type: ExportType,
  columns: ImportedColumns,
): ImportedColumns | undefined {
  const { table, key } = tableOf(type);
  const find = (names: readonly string[]) =>
    names.some((name) => columns[name] == null) ? undefined : statement(
      db,
      `SELECT *
         FROM ${table}
        WHERE ${names.map((name) => `${name} = ?`).join(" AND ")}`,
    ).get(...names.map((name) => columns[name]!)) as ImportedColumns | undefined;
  if (key === null) return undefined;
  return find(key) ?? (type === "observation" ? find(["same_as", "session_id"]) : undefined);
}

/** When a row was written last, in epoch milliseconds. */
function versionOf(columns: ImportedColumns): number {
  const {
    updated_at_ms,
    resolved_at_ms,
    answered_at_ms,
    ended_at_ms,
    started_at_ms,
    created_at_ms,
  } = columns;
  if (updated_at_ms != null) return Number(updated_at_ms);
  const times = [resolved_at_ms, answered_at_ms, ended_at_ms, started_at_ms, created_at_ms];
  return Math.max(...times.map((time) => Number(time ?? 0)));
}

/** Whether something of a row was forgotten, or of its session: no other version may bring that back. */
function isPartForgotten(db: DatabaseSync, type: ExportType, here: ImportedColumns): boolean {
  if (type === "observation" && isForgotten(db, sessionName(String(here["session_id"])))) {
    return true;
  }
  return Object.values(here).some((value) =>
    typeof value === "string" && value.includes(FORGOTTEN_MARK)
  );
}

/** Why a table does not take a row, as people read about it: a column by the name of its field. */
function reasonIn(message: string, type: ExportType): string {
  const [, column] = /^NOT NULL constraint failed: \w+\.(\w+)$/.exec(message) ?? [];
  return column === undefined ? message : `it has no field "${fieldOf(type, column)}"`;
}

/** A row without a key keeps its number where that is free. */
function insert(db: DatabaseSync, type: ExportType, columns: ImportedColumns): void {
  const { table, key } = tableOf(type);
  const { id = null, observation_id, ...others } = columns;
  const isTaken = key === null && id !== null &&
    statement(db, `SELECT 1 FROM ${table} WHERE id = ?`).get(id) !== undefined;
  const row = {
    ...(id === null || isTaken ? {} : { id }),
    ...(observation_id === undefined ? {} : { observation_id: takenOver(db, observation_id) }),
    ...others,
  };
  const names = Object.keys(row);
  statement(
    db,
    `INSERT INTO ${table} (${names.join(", ")})
     VALUES (${names.map(() => "?").join(", ")})`,
  ).run(...Object.values(row));
}

/** The number of a claim only grows, so that nobody who lost a claim takes himself for its holder. */
function replace(db: DatabaseSync, type: ExportType, columns: ImportedColumns): void {
  const { table, key } = tableOf(type);
  const names = Object.keys(columns).filter((name) => !key!.includes(name));
  statement(
    db,
    `UPDATE ${table}
        SET ${
      names.map((name) => name === "claim_token" ? `${name} = max(${name}, ?)` : `${name} = ?`)
        .join(", ")
    }
      WHERE ${key!.map((name) => `${name} = ?`).join(" AND ")}`,
  ).run(...names.map((name) => columns[name]!), ...key!.map((name) => columns[name]!));
  if (type !== "task") return;
  // Those of the newer version come as rows of their own.
  statement(db, "DELETE FROM task_tags WHERE task_id = ?").run(columns["id"]!);
  statement(db, "DELETE FROM task_dependencies WHERE task_id = ?").run(columns["id"]!);
}

/** Whether a table without a key has a row that says the same, or did so before something of it was forgotten. */
function isListed(
  db: DatabaseSync,
  type: ExportType,
  { columns, isDryRun }: { readonly columns: ImportedColumns; readonly isDryRun: boolean },
): boolean {
  const { table, sameBy } = tableOf(type);
  const [time, ...others] = sameBy!;
  const told = others.pop()!;
  const same = `${time} = ?1
        AND ${others.map((name, i) => `${name} IS ?${i + 2}`).join(" AND ")}
        AND (${told} IS ?${
    others.length + 2
  } OR ${told} = '{}' OR instr(${told}, '${FORGOTTEN_MARK}') > 0)`;
  const find = (place: string, ...more: readonly SQLInputValue[]) =>
    statement(db, `SELECT 1 FROM ${table} WHERE ${same} AND ${place}`)
      .get(...sameBy!.map((name) => columns[name] ?? null), ...more) !== undefined;
  if (find(`id = ?${others.length + 3}`, columns["id"] ?? null)) return true;
  if (type !== "event") return find("TRUE");
  // Events are found by what they say only through a list: an index would cost every write of one.
  if (isDryRun) return false;
  listEvents(db);
  return find("id IN (SELECT id FROM temp.known_events WHERE created_at_ms = ?1)");
}

function listEvents(db: DatabaseSync): void {
  const isMade = db.prepare("SELECT 1 FROM temp.sqlite_schema WHERE name = 'known_events'").get();
  if (isMade !== undefined) return;
  db.exec(
    `CREATE TEMP TABLE known_events (created_at_ms INTEGER, id INTEGER, PRIMARY KEY (created_at_ms, id)) WITHOUT ROWID;
     INSERT INTO known_events SELECT created_at_ms, id FROM events`,
  );
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
  const { changes } = db.prepare(
    `UPDATE tasks
        SET parent_id = NULL
      WHERE parent_id NOT IN (SELECT id FROM tasks)`,
  ).run();
  if (changes === 0) return 0;
  db.exec(
    `WITH RECURSIVE below (id, depth) AS (
       SELECT id, 0 FROM tasks WHERE parent_id IS NULL
        UNION
       SELECT task.id, below.depth + 1 FROM below JOIN tasks AS task ON task.parent_id = below.id
     )
     UPDATE tasks
        SET depth = below.depth
       FROM below
      WHERE tasks.id = below.id
        AND tasks.depth <> below.depth`,
  );
  return Number(changes);
}

const COLUMNS = new WeakMap<DatabaseSync, Map<ExportType, ReadonlySet<string>>>();

function columnsOf(db: DatabaseSync, type: ExportType): ReadonlySet<string> {
  let known = COLUMNS.get(db);
  if (known === undefined) COLUMNS.set(db, known = new Map());
  let columns = known.get(type);
  if (columns === undefined) {
    const rows = db.prepare("SELECT name FROM pragma_table_info(?)").all(tableOf(type).table);
    known.set(type, columns = new Set(rows.map((row) => String(row["name"]))));
  }
  return columns;
}
