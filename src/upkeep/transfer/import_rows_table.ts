/** Puts rows of an export into their tables, in the caller's transaction. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { statement } from "../../db/statement.ts";
import { writeImported } from "../../memory/store.ts";
import { FORGOTTEN_MARK } from "../../base/forget_mark.ts";
import { columnsOf } from "../../db/table_copy.ts";
import { isForgotten, sessionName } from "../forget/forgotten_names_table.ts";
import { type ExportType, fieldOf, tableOf } from "./exported_tables.ts";

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
type ImportRun = ReturnType<typeof beginImport>;

export function beginImport() {
  return {
    /** Rows whose version here is newer, by type and id: the history of such a row is not imported either. */
    outdated: new Set<string>(),
    /** The numbers that observations have here, by those that they had in the export. */
    numbers: new Map<unknown, number>(),
    /** Failures, by number here, and the number in the export of what fixed them. */
    toResolve: new Map<number, number>(),
    /** Of tables without a key: how many rows are here with the same `sameBy`, of which the export had none yet. */
    listed: new Map<ExportType, Map<string, number>>(),
    /** The columns of tables, once they were asked for. */
    columns: new Map<ExportType, ReadonlySet<string>>(),
  };
}

/** Decides what becomes of a row, as far as that shows without writing it. */
export function decideFate(
  db: DatabaseSync,
  type: ExportType,
  columns: ImportedColumns,
  run: ImportRun,
): RowFate {
  const { key, owner } = tableOf(type);
  if (owner !== undefined) {
    const [column, ownerType] = owner;
    if (run.outdated.has(`${ownerType ?? columns["entity_type"]} ${columns[column!]}`)) {
      return "outdated";
    }
  }
  if (key === null) return isListed(db, type, { columns, run }) ? "known" : "new";
  const here = findHere(db, type, columns);
  if (here === undefined) return "new";
  const [theirs, ours] = [versionOf(type, columns), versionOf(type, here)];
  if (theirs === ours) return "known";
  if (theirs > ours && !isPartForgotten(db, type, here)) return "replaced";
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
  const { table } = tableOf(type);
  const known = run.columns.get(type) ??
    new Set(["observed_files", ...columnsOf(db, table).map(({ name }) => name)]);
  run.columns.set(type, known);
  const unknown = Object.keys(columns).find((name) => !known.has(name));
  if (unknown !== undefined) throw new RowError(`it has the unknown field "${unknown}"`);
  if (Object.keys(columns).length === 0) throw new RowError("it says nothing but its type");
  try {
    if (type === "observation") importObservation(db, { columns, fate, run });
    else if (fate === "new" || fate === "replaced") {
      const { observation_id: old, ...others } = columns;
      const number = { observation_id: run.numbers.get(old) ?? null };
      put(db, type, old === undefined ? columns : { ...others, ...number }, fate);
    }
    return fate;
  } catch (thrown) {
    const { errcode, message } = thrown as { readonly errcode?: unknown; readonly message: string };
    if (errcode === FOREIGN_KEY) return "unattached";
    // The row is here under another key: it came from the same place before, or the task has a workflow.
    if (errcode === UNIQUE) return "known";
    if (typeof errcode !== "number" || ![CONSTRAINT, MISMATCH].includes(errcode & 0xff)) {
      throw thrown;
    }
    const [, column] = /^NOT NULL constraint failed: \w+\.(\w+)$/.exec(message) ?? [];
    throw new RowError(
      column === undefined ? message : `it has no field "${fieldOf(type, column)}"`,
    );
  }
}

/** Also notes the number that an observation has here: rows refer to it by the number that it had in the export. */
function importObservation(
  db: DatabaseSync,
  { columns, fate, run }: Parameters<typeof importRow>[2],
): void {
  const { id: old, resolved_by: target } = columns;
  const here = fate === "new" ? undefined : findHere(db, "observation", columns)!;
  const id = fate === "new" || fate === "replaced"
    ? writeImported(db, columns, { here, numbers: run.numbers })
    : Number(here!["id"]);
  if (typeof old === "number" && !run.numbers.has(old)) run.numbers.set(old, id);
  // The fix that an older version names does not count.
  if (typeof target === "number" && fate !== "outdated") run.toResolve.set(id, target);
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

/** When a row was last written, in epoch milliseconds; 0 where it never changes. */
function versionOf(type: ExportType, columns: ImportedColumns): number {
  const { time = "id" } = tableOf(type);
  if (time === "id") return 0;
  const times = Object.keys(columns).filter((name) => /_at_ms$/.test(name) && time.includes(name));
  return Math.max(0, ...times.map((name) => Number(columns[name] ?? 0)));
}

/** Whether a part of a row was forgotten, or of its session: then no other version may bring that part back. */
function isPartForgotten(db: DatabaseSync, type: ExportType, here: ImportedColumns): boolean {
  const ofSession = sessionName(String(here["session_id"]));
  return type === "observation" && isForgotten(db, ofSession) ||
    Object.values(here).some((value) =>
      typeof value === "string" && value.includes(FORGOTTEN_MARK)
    );
}

/** Inserts a row, or replaces the one with its key. A claim token only grows, so that nobody holds a claim that he lost. */
function put(
  db: DatabaseSync,
  type: ExportType,
  columns: ImportedColumns,
  fate: RowFate,
): void {
  const { table, key } = tableOf(type);
  const { id, ...others } = columns;
  const isTaken = key === null && id !== undefined &&
    statement(db, `SELECT 1 FROM ${table} WHERE id = ?`).get(id) !== undefined;
  const row = isTaken ? others : columns;
  const names = Object.keys(row);
  const settings = names.filter((name) => name !== "id" && !key?.includes(name)).map((name) =>
    `${name} = ${name === "claim_token" ? `max(${name}, excluded.${name})` : `excluded.${name}`}`
  );
  statement(
    db,
    `INSERT INTO ${table} (${names.join(", ")})
     VALUES (${names.map(() => "?").join(", ")})
     ${fate === "new" ? "" : `ON CONFLICT (${key}) DO UPDATE SET ${settings.join(", ")}`}`,
  ).run(...Object.values(row));
  if (type === "task" && fate === "replaced") {
    // The tags and dependencies of the newer version come as rows of their own.
    statement(db, "DELETE FROM task_tags WHERE task_id = ?").run(id!);
    statement(db, "DELETE FROM task_dependencies WHERE task_id = ?").run(id!);
  }
}

/** Whether a table without a key has the row. Each row here stands for one of the export. */
function isListed(
  db: DatabaseSync,
  type: ExportType,
  { columns, run }: { readonly columns: ImportedColumns; readonly run: ImportRun },
): boolean {
  const { table, sameBy = [] } = tableOf(type);
  const nameOf = (row: ImportedColumns) => JSON.stringify(sameBy.map((name) => row[name]));
  let listed = run.listed.get(type);
  if (listed === undefined) {
    run.listed.set(type, listed = new Map());
    for (const row of db.prepare(`SELECT ${sameBy.join(", ")} FROM ${table}`).iterate()) {
      const name = nameOf(row);
      listed.set(name, (listed.get(name) ?? 0) + 1);
    }
  }
  const name = nameOf(columns);
  const left = listed.get(name) ?? 0;
  if (left > 0) listed.set(name, left - 1);
  return left > 0;
}
