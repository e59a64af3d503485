/** Writes rows of an export into their tables, in the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { statement } from "../../db/statement.ts";
import { resolveImported, writeImported } from "../../memory/store.ts";
import { FORGOTTEN_MARK } from "../../base/forget_mark.ts";
import { columnsOf } from "../../db/table_copy.ts";
import { isForgotten, sessionName } from "../forget/stay_away_table.ts";
import {
  fieldOf,
  type ImportedColumns,
  RowError,
  tableOf,
  type TableRow,
} from "./exported_tables.ts";

/**
 * The fate of a row. `known`: the same version is here. `outdated`: a newer version of the row or of its owner is here.
 * `unattached`: the task or workflow that owns it is not here.
 */
export type RowFate = "new" | "replaced" | "known" | "outdated" | "unattached";

/** Result codes of SQLite, see https://sqlite.org/rescode.html. */
const FOREIGN_KEY = 787;
const UNIQUE = 2067;
const CONSTRAINT = 19;
const MISMATCH = 20;

/** The import of rows into one database. */
export class RowImport {
  readonly #db: DatabaseSync;
  /** Rows (`type id`) with a newer version here, whose history is not imported either. */
  readonly #outdated = new Set<string>();
  /** The numbers of observations here, by their numbers in the export. */
  readonly #numbers = new Map<unknown, number>();
  /** The export's number of the fix of each failure, by the failure's number here. */
  readonly #toResolve = new Map<number, number>();
  /** For tables without a key: how many rows with the same `sameBy` are here and not yet matched by the export. */
  readonly #listed = new Map<string, Map<string, number>>();
  /** The columns of tables, read at first use. */
  readonly #columns = new Map<string, ReadonlySet<string>>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Decides the fate of a row, as far as possible without writing it. */
  fateOf({ type, columns }: TableRow): RowFate {
    const { key, owner } = tableOf(type);
    const [column = "", ownerType] = owner ?? [];
    const ownerName = `${ownerType ?? columns["entity_type"]} ${columns[column!]}`;
    if (this.#outdated.has(ownerName)) return "outdated";
    if (key === null) return this.#isListed(type, columns) ? "known" : "new";
    const here = findHere(this.#db, type, columns);
    if (here === undefined) return "new";
    const [theirs, ours] = [versionOf(type, columns), versionOf(type, here)];
    if (theirs === ours) return "known";
    if (theirs > ours && !isPartForgotten(this.#db, type, here)) return "replaced";
    this.#outdated.add(`${type} ${columns[key[0]!]}`);
    return "outdated";
  }

  /**
   * Writes a row if it is new or replaces an older one.
   *
   * @param fate The result of {@linkcode fateOf}. @throws {RowError} When the table refuses the row.
   */
  write({ type, columns }: TableRow, fate: RowFate): RowFate {
    const known = this.#columns.get(type) ??
      new Set([
        "observed_files",
        ...columnsOf(this.#db, tableOf(type).table).map(({ name }) => name),
      ]);
    this.#columns.set(type, known);
    const unknown = Object.keys(columns).find((name) => !known.has(name));
    if (unknown !== undefined) throw new RowError(`it has the unknown field "${unknown}"`);
    if (Object.keys(columns).length === 0) throw new RowError("it says nothing but its type");
    try {
      if (type === "observation") this.#writeObservation(columns, fate);
      else if (fate === "new" || fate === "replaced") {
        const { observation_id: old, ...others } = columns;
        const number = { observation_id: this.#numbers.get(old) ?? null };
        const row = old === undefined ? columns : { ...others, ...number };
        writeRow(this.#db, type, row, fate);
      }
      return fate;
    } catch (thrown) {
      const { errcode, message } = thrown as {
        readonly errcode?: unknown;
        readonly message: string;
      };
      if (errcode === FOREIGN_KEY) return "unattached";
      // The row is here under another key: it came from the same source before, or the task has a workflow.
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

  /** Resolves failures by their fixes, once all rows are written. */
  resolve(): void {
    resolveImported(this.#db, this.#toResolve, this.#numbers);
  }

  /** Writes an observation and notes its number here, since other rows refer to it by its number in the export. */
  #writeObservation(columns: ImportedColumns, fate: RowFate): void {
    const numbers = this.#numbers;
    const { id: old, resolved_by: target } = columns;
    const here = fate === "new" ? undefined : findHere(this.#db, "observation", columns)!;
    const isWritten = fate === "new" || fate === "replaced";
    const id = isWritten
      ? writeImported(this.#db, columns, { here, numbers })
      : Number(here!["id"]);
    if (typeof old === "number" && !numbers.has(old)) numbers.set(old, id);
    // The fix in an outdated version does not count.
    if (typeof target === "number" && fate !== "outdated") this.#toResolve.set(id, target);
  }

  /** Whether a table without a key has the row. Each row here matches only one of the export. */
  #isListed(type: string, columns: ImportedColumns): boolean {
    const { table, sameBy = [] } = tableOf(type);
    const nameOf = (row: ImportedColumns) => JSON.stringify(sameBy.map((name) => row[name]));
    const listed = this.#listed.get(type) ?? new Map<string, number>();
    const count = (name: string, n: number) => listed.set(name, (listed.get(name) ?? 0) + n);
    if (!this.#listed.has(type)) {
      this.#listed.set(type, listed);
      const rows = this.#db.prepare(`SELECT ${sameBy.join(", ")} FROM ${table}`).iterate();
      for (const row of rows) count(nameOf(row), 1);
    }
    const name = nameOf(columns);
    const isHere = (listed.get(name) ?? 0) > 0;
    if (isHere) count(name, -1);
    return isHere;
  }
}

/** Finds the row with the same key; for an observation also the row that counts its repeats. */
export function findHere(
  db: DatabaseSync,
  type: string,
  columns: ImportedColumns,
): ImportedColumns | undefined {
  const { table, key } = tableOf(type);
  const find = (names: readonly string[]) => {
    // Nothing equals NULL.
    const values = names.map((name) => columns[name] ?? null);
    const isSame = names.map((name) => `${name} = ?`).join(" AND ");
    return statement(db, `SELECT * FROM ${table} WHERE ${isSame}`)
      .get(...values) as ImportedColumns | undefined;
  };
  if (key === null) return undefined;
  return find(key) ?? (type === "observation" ? find(["same_as", "session_id"]) : undefined);
}

/** Returns when a row was last written, in epoch milliseconds; 0 if it never changes. */
function versionOf(type: string, columns: ImportedColumns): number {
  const { time = "id" } = tableOf(type);
  if (time === "id") return 0;
  const times = Object.keys(columns).filter((name) => /_at_ms$/.test(name) && time.includes(name));
  return Math.max(0, ...times.map((name) => Number(columns[name] ?? 0)));
}

/** Whether a part of a row or of its session was forgotten, which no other version may bring back. */
function isPartForgotten(db: DatabaseSync, type: string, here: ImportedColumns): boolean {
  const ofSession = sessionName(String(here["session_id"]));
  return type === "observation" && isForgotten(db, ofSession) ||
    Object.values(here).some((value) =>
      typeof value === "string" && value.includes(FORGOTTEN_MARK)
    );
}

/** Inserts a row, or replaces the one with its key. A claim token only grows, so that a lost claim stays lost. */
function writeRow(db: DatabaseSync, type: string, columns: ImportedColumns, fate: RowFate): void {
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
    // The export has the tags and dependencies of the newer version as separate rows.
    statement(db, "DELETE FROM task_tags WHERE task_id = ?").run(id!);
    statement(db, "DELETE FROM task_dependencies WHERE task_id = ?").run(id!);
  }
}
