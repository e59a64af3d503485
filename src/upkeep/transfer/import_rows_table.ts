/**
 * Puts rows of an export into their tables, in the caller's transaction. An observation is known by its `uid` and keeps its
 * number where that is free; otherwise it gets a new number, and the rows that refer to it follow.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { FORGOTTEN_MARK } from "../../memory/observe/forget_mark.ts";
import { type ExportType, fieldOf, tableOf } from "./exported_tables.ts";
import { isForgotten, sessionName } from "../forget/forgotten_names_table.ts";
import { statement } from "../../db/statement.ts";

/** A row by the columns of its table. */
export type ImportedColumns = Readonly<Record<string, SQLInputValue>>;

/**
 * What becomes of a row. `known`: this version is here. `outdated`: a newer version is here, of the row or of its owner.
 * `unattached`: the task or workflow that it belongs to is not here.
 */
export type RowFate = "new" | "replaced" | "known" | "outdated" | "unattached";

/** A row that its table refuses: this program did not write it. */
export class RowError extends Error {
  override readonly name = "RowError";
}

/** SQLite's extended codes: https://sqlite.org/rescode.html */
const FOREIGN_KEY = 787;
const UNIQUE = 2067;
const CONSTRAINT = 19;
const MISMATCH = 20;

/** An import under way. */
export interface ImportRun {
  readonly isDryRun: boolean;
  /** Rows whose version here is newer, by type and id: the history of such a row is not imported either. */
  readonly outdated: Set<string>;
  /** The numbers that observations have here, by those that they had in the export. */
  readonly numbers: Map<number, number>;
  /** Failures, by number here, and the number in the export of what fixed them. */
  readonly toResolve: Map<number, number>;
  /** The numbers of events that were here before, by time; null until the first event. */
  events: ReadonlyMap<number, ReadonlySet<number>> | null;
  /** The columns of tables, once they were asked for. */
  readonly columns: Map<ExportType, ReadonlySet<string>>;
}

/** Begins an import. */
export function beginImport(isDryRun: boolean): ImportRun {
  const maps = { numbers: new Map(), toResolve: new Map(), columns: new Map() };
  return { isDryRun, outdated: new Set(), ...maps, events: null };
}

/**
 * Puts down for failures which observation fixed them, if that came by now. For the end of each batch.
 *
 * @param isLast Whether nothing more comes. Then a number that no observation has is kept and reserved; where another
 * observation has the number, the failure stays fixed, by nobody.
 */
export function resolveFailures(db: DatabaseSync, run: ImportRun, isLast: boolean): void {
  const resolve = statement(
    db,
    "UPDATE observations SET resolved_by = ? WHERE id = ? AND resolved_by IS NULL",
  );
  for (const [id, target] of run.toResolve) {
    if (!isLast && !run.numbers.has(target)) continue;
    resolve.run(numberHere(db, run, target) ?? 0, id);
    run.toResolve.delete(id);
  }
}

/** Decides what becomes of a row, as far as that shows without writing it. */
export function decideFate(
  db: DatabaseSync,
  type: ExportType,
  columns: ImportedColumns,
  run: ImportRun,
): RowFate {
  const { key, owner, isReplaced } = tableOf(type);
  if (owner !== undefined) {
    const [column, ownerType] = owner;
    const name = `${ownerType || columns["entity_type"]} ${columns[column]}`;
    if (run.outdated.has(name)) return "outdated";
  }
  if (key === null) return isListed(db, type, { columns, run }) ? "known" : "new";
  const here = findHere(db, type, columns);
  if (here === undefined) return "new";
  if (!isReplaced || versionOf(columns) === versionOf(here)) return "known";
  if (versionOf(columns) > versionOf(here) && !isPartForgotten(db, type, here)) return "replaced";
  run.outdated.add(`${type} ${columns[key[0]!]}`);
  return "outdated";
}

/**
 * Writes a row: a new one is inserted, an older one replaced; any other row stays as it is.
 *
 * @param how `fate`: that of {@linkcode decideFate}. @throws {RowError} When the table refuses the row.
 */
export function importRow(
  db: DatabaseSync,
  type: ExportType,
  { columns, fate, run }: {
    readonly columns: ImportedColumns;
    readonly fate: RowFate;
    readonly run: ImportRun;
  },
): RowFate {
  const unknown = Object.keys(columns).find((name) =>
    name !== "observed_files" && !columnsOf(db, type, run).has(name)
  );
  if (unknown !== undefined) throw new RowError(`it has the unknown field "${unknown}"`);
  if (Object.keys(columns).length === 0) throw new RowError("it says nothing but its type");
  try {
    if (type === "observation") importObservation(db, { columns, fate, run });
    else if (fate === "new") insert(db, type, rowHere(db, run, { type, columns }));
    else if (fate === "replaced") {
      replace(db, type, { row: rowHere(db, run, { type, columns }), here: columns });
    }
    return fate;
  } catch (thrown) {
    const { errcode } = thrown as { readonly errcode?: unknown };
    if (errcode === FOREIGN_KEY) return "unattached";
    // The row is here under another key: it came from the same place before, or the task has a workflow.
    if (errcode === UNIQUE) return "known";
    if (typeof errcode !== "number" || ![CONSTRAINT, MISMATCH].includes(errcode & 0xff)) {
      throw thrown;
    }
    throw new RowError(reasonIn(thrown instanceof Error ? thrown.message : String(thrown), type));
  }
}

/** Also notes the number that an observation has here: rows refer to it by the number that it had in the export. */
function importObservation(
  db: DatabaseSync,
  { columns, fate, run }: Parameters<typeof importRow>[2],
): void {
  const { id: old, resolved_by: target, observed_files: files = "[]" } = columns;
  const here = fate === "new" ? undefined : findHere(db, "observation", columns)!;
  const row = rowHere(db, run, { type: "observation", columns });
  const id = here === undefined ? insert(db, "observation", row) : Number(here["id"]);
  if (typeof old === "number" && !run.numbers.has(old)) run.numbers.set(old, id);
  if (fate === "replaced") {
    replace(db, "observation", { row, here: here! });
    statement(db, "DELETE FROM observation_files WHERE observation_id = ?").run(id);
  }
  // The fix that an older version names does not count.
  if (typeof target === "number" && fate !== "outdated") run.toResolve.set(id, target);
  if (fate !== "new" && fate !== "replaced") return;
  statement(
    db,
    `INSERT OR IGNORE INTO observation_files (path, observation_id, digest)
     SELECT value ->> 'path', ?2, value ->> 'digest'
       FROM json_each(?1)`,
  ).run(files, id);
}

/** Finds the row with the same key. An observation is also the one that counts its repeats. */
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

/** When a row was last written, in epoch milliseconds. */
function versionOf(columns: ImportedColumns): number {
  const times = ["resolved", "answered", "ended", "started", "created"];
  return Number(
    columns["updated_at_ms"] ??
      Math.max(...times.map((name) => Number(columns[`${name}_at_ms`] ?? 0))),
  );
}

/** Whether a part of a row was forgotten, or of its session: then no other version may bring that part back. */
function isPartForgotten(db: DatabaseSync, type: ExportType, here: ImportedColumns): boolean {
  if (type === "observation" && isForgotten(db, sessionName(String(here["session_id"])))) {
    return true;
  }
  return Object.values(here).some((value) =>
    typeof value === "string" && value.includes(FORGOTTEN_MARK)
  );
}

/** Says why a table refuses a row; a column is named as its field. */
function reasonIn(message: string, type: ExportType): string {
  const [, column] = /^NOT NULL constraint failed: \w+\.(\w+)$/.exec(message) ?? [];
  return column === undefined ? message : `it has no field "${fieldOf(type, column)}"`;
}

/** Inserts a row. A number that is only a number is kept where it is free. @returns The number of the new row. */
function insert(db: DatabaseSync, type: ExportType, columns: ImportedColumns): number {
  const { table, key } = tableOf(type);
  const { id = null, ...others } = columns;
  const isNumber = key === null || type === "observation";
  const row = id === null || isNumber && isTaken(db, table, id) ? others : { id, ...others };
  const names = Object.keys(row);
  const { lastInsertRowid } = statement(
    db,
    `INSERT INTO ${table} (${names.join(", ")})
     VALUES (${names.map(() => "?").join(", ")})`,
  ).run(...Object.values(row));
  return Number(lastInsertRowid);
}

/** Replaces the row `here`, except for its key. A claim token only grows, so that nobody holds a claim that he lost. */
function replace(
  db: DatabaseSync,
  type: ExportType,
  { row, here }: { readonly row: ImportedColumns; readonly here: ImportedColumns },
): void {
  const { table, key } = tableOf(type);
  const place = type === "observation" ? ["id"] : key!;
  const changed = Object.entries(row).filter(([name]) => name !== "id" && !key!.includes(name));
  const settings = changed.map(([name]) =>
    name === "claim_token" ? `${name} = max(${name}, ?)` : `${name} = ?`
  );
  statement(
    db,
    `UPDATE ${table}
        SET ${settings.join(", ")}
      WHERE ${place.map((name) => `${name} = ?`).join(" AND ")}`,
  ).run(...changed.map(([, value]) => value), ...place.map((name) => here[name]!));
  if (type !== "task") return;
  // The tags and dependencies of the newer version come as rows of their own.
  statement(db, "DELETE FROM task_tags WHERE task_id = ?").run(here["id"]!);
  statement(db, "DELETE FROM task_dependencies WHERE task_id = ?").run(here["id"]!);
}

/** A row with the numbers that observations have here. */
function rowHere(
  db: DatabaseSync,
  run: ImportRun,
  { type, columns }: { readonly type: ExportType; readonly columns: ImportedColumns },
): ImportedColumns {
  const { observation_id: number, ...row } = columns;
  if (type !== "observation") {
    return number === undefined ? row : { ...row, observation_id: numberHere(db, run, number) };
  }
  const { observed_files: _files, facts, ...others } = row;
  const here = facts === undefined ? {} : { facts: factsHere(db, run, String(facts)) };
  return { ...others, ...here, resolved_by: null };
}

/** The number that an observation has here; null if it did not come and another observation has its number. */
function numberHere(db: DatabaseSync, run: ImportRun, old: SQLInputValue): SQLInputValue {
  if (typeof old !== "number") return old;
  const known = run.numbers.get(old);
  if (known !== undefined) return known;
  if (isTaken(db, "observations", old)) return null;
  // No new observation may get a number that something refers to.
  const { changes } = statement(
    db,
    "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'observations'",
  ).run(old);
  if (changes === 0) {
    statement(db, "INSERT INTO sqlite_sequence (name, seq) VALUES ('observations', ?)").run(old);
  }
  return old;
}

/** The facts of a fix name the failure and the steps to the fix by number; both came before it. */
function factsHere(db: DatabaseSync, run: ImportRun, text: string): string {
  const facts = JSON.parse(text);
  const { mended, by } = Object(facts);
  if (mended === undefined && by === undefined) return text;
  const here = (old: number) => numberHere(db, run, old) ?? undefined;
  return JSON.stringify({
    ...facts,
    ...(typeof mended === "number" ? { mended: here(mended) } : {}),
    ...(Array.isArray(by) ? { by: by.flatMap((id) => here(Number(id)) ?? []) } : {}),
  });
}

function isTaken(db: DatabaseSync, table: string, id: SQLInputValue): boolean {
  return statement(db, `SELECT 1 FROM ${table} WHERE id = ?`).get(id) !== undefined;
}

/** Whether a table without a key has the same row, or had it before a part of it was forgotten. */
function isListed(
  db: DatabaseSync,
  type: ExportType,
  { columns, run }: { readonly columns: ImportedColumns; readonly run: ImportRun },
): boolean {
  const { table, sameBy } = tableOf(type);
  const [told, ...others] = sameBy!.toReversed();
  const find = (place: string, ...values: readonly SQLInputValue[]) =>
    statement(
      db,
      `SELECT 1
         FROM ${table}
        WHERE ${place}
          AND ${others.map((name) => `${name} IS ?`).join(" AND ")}
          AND (${told} IS ? OR ${told} = '{}' OR instr(${told}, '${FORGOTTEN_MARK}') > 0)`,
    ).get(...values, ...[...others, told!].map((name) => columns[name] ?? null)) !== undefined;
  if (find("id = ?", columns["id"] ?? null)) return true;
  if (type !== "event") return find("TRUE");
  // The list is made once, for the import: an index would slow down every write of an event.
  if (run.isDryRun) return false;
  run.events ??= eventsHere(db);
  const alike = run.events.get(Number(columns["created_at_ms"])) ?? [];
  return [...alike].some((id) => find("id = ?", id));
}

function eventsHere(db: DatabaseSync): ReadonlyMap<number, ReadonlySet<number>> {
  const events = new Map<number, Set<number>>();
  for (const { atMs, id } of db.prepare("SELECT created_at_ms AS atMs, id FROM events").all()) {
    const alike = events.get(Number(atMs)) ?? new Set();
    events.set(Number(atMs), alike.add(Number(id)));
  }
  return events;
}

/** Lets a task come before its parent, until the transaction ends. */
export function deferTaskParents(db: DatabaseSync): void {
  db.exec("PRAGMA defer_foreign_keys = ON");
}

/** Makes each task whose parent did not come the top of its own tree. @returns How many tasks. */
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

function columnsOf(
  db: DatabaseSync,
  type: ExportType,
  { columns }: ImportRun,
): ReadonlySet<string> {
  const known = columns.get(type) ?? new Set(
    db.prepare("SELECT name FROM pragma_table_info(?)").all(tableOf(type).table)
      .map(({ name }) => String(name)),
  );
  columns.set(type, known);
  return known;
}
