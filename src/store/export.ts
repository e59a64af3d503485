import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../errors.ts";
import { firstIdAt } from "../ids.ts";
import { orDamaged, reachablePlaces, withCondition } from "./export_salvage.ts";
import { EXPORTED_TABLES, type ExportType, tableOf } from "./exported_tables.ts";
import { type Filter, filterOf } from "./filter.ts";
import { observedFiles } from "./observed_files.ts";
import { wholeColumns } from "./whole_text.ts";

/** Which rows are exported; null lets everything through. */
export interface ExportFilter {
  readonly sessionId: string | null;
  /** Epoch milliseconds: what changed since then; of events and captures those from then on. */
  readonly sinceMs: number | null;
}

/** A row with all columns of its table, by their names there; an observation has `observed_files` as well. */
export interface ExportRow {
  readonly type: ExportType;
  readonly columns: Readonly<Record<string, string | number | null | Uint8Array>>;
}

/** A row that cannot be read. */
export interface LostRow {
  readonly type: ExportType;
  /** Its number, or its id. */
  readonly id: string;
  readonly why: string;
}

type Table = ReturnType<typeof tableOf>;

/**
 * Every row of every exported table, table by table, one at a time. All come from one moment: what others write
 * meanwhile is not in it. The connection is in a read transaction until the last row is taken or the loop is left.
 *
 * A damaged page costs the rows that lie on it and no others.
 *
 * @param onLost Takes each row that cannot be read, as far as it can be named.
 * @returns How many rows cannot be read, as far as that can be told: at least one when any are lost.
 */
export function* exportRows(
  db: DatabaseSync,
  filter: ExportFilter,
  onLost: (row: LostRow) => void = () => {},
): Generator<ExportRow, number> {
  db.exec("BEGIN");
  try {
    let unreadable = 0;
    for (const { type } of EXPORTED_TABLES) {
      const table = tableOf(type);
      const where = whereOf(table, filter);
      unreadable += table.hasNumbers
        ? yield* numberedRows(db, { type, table, where }, onLost)
        : yield* allRows(db, { type, table, where });
    }
    return unreadable;
  } finally {
    // Nothing was written. A COMMIT would throw once more what a damaged page has thrown.
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

interface Source {
  readonly type: ExportType;
  readonly table: Table;
  readonly where: Filter;
}

/** Row by row and not by one statement: the runtime's iterator ends at an error as if that were the last row. */
function* numberedRows(
  db: DatabaseSync,
  { type, table: { table, key, order = "id" }, where }: Source,
  onLost: (row: LostRow) => void,
): Generator<ExportRow, number> {
  const name = key?.[0] ?? null;
  const { places, isWhole } = orDamaged(
    () => ({ places: placesIn(db, `${table} ${where.sql}`, { order, where }), isWhole: true }),
    () => reachablePlaces(db, { table, key: name }),
  );
  // All columns, so that one of a later migration cannot be forgotten.
  const { columns: read, decode } = wholeColumns(db, table);
  const row = db.prepare(`SELECT ${read} FROM ${table} ${withCondition(where, "rowid = ?")}`);
  const filesOf = observedFiles(db);
  let unreadable = 0;
  for (const place of places) {
    const columns = orDamaged(() => row.get(...where.values, place), (thrown) => {
      // People know an observation by its number, other rows by their ids.
      const id = type === "observation" || name === null ? place : orDamaged(
        () => db.prepare(`SELECT ${name} AS name FROM ${table} WHERE rowid = ?`).get(place)?.name,
        () => null,
      );
      if (id != null) onLost({ type, id: String(id), why: messageOf(thrown) });
      return null;
    });
    // The list of numbers names a row that its number does not find.
    const isMissing = columns === undefined && (isWhole || where.sql === "");
    if (columns === null || isMissing) unreadable++;
    if (columns == null) continue;
    const whole = decode(columns as ExportRow["columns"]);
    if (type !== "observation") yield { type, columns: whole };
    else {
      const observed = filesOf(place);
      if (!observed.isWhole) unreadable++;
      yield { type, columns: { ...whole, observed_files: observed.files } };
    }
  }
  return isWhole ? unreadable : Math.max(1, unreadable);
}

/** The row numbers in order, as one text: an object for each would take ten times the memory. */
function placesIn(
  db: DatabaseSync,
  from: string,
  { order, where }: { readonly order: string; readonly where: Filter },
): readonly number[] {
  const row = db.prepare(`SELECT json_group_array(rowid ORDER BY ${order}) AS places FROM ${from}`)
    .get(...where.values);
  return JSON.parse(String(row!["places"]));
}

/** A table without row numbers, in one go. */
function* allRows(
  db: DatabaseSync,
  { type, table: { table, key, order = key!.join(", ") }, where }: Source,
): Generator<ExportRow, number> {
  const { columns, decode } = wholeColumns(db, table);
  const rows = orDamaged(
    () =>
      db.prepare(`SELECT ${columns} FROM ${table} ${where.sql} ORDER BY ${order}`)
        .all(...where.values),
    () => null,
  );
  for (const row of rows ?? []) yield { type, columns: decode(row as ExportRow["columns"]) };
  return rows === null ? 1 : 0;
}

function whereOf({ ofSession, time }: Table, { sessionId, sinceMs }: ExportFilter): Filter {
  if (sessionId !== null && !ofSession) return { sql: "WHERE 0", values: [] };
  const since = sinceMs === null ? null : time === "id" ? firstIdAt(sinceMs) : sinceMs;
  return filterOf([
    ["session_id = ?", sessionId],
    [`${time} >= ?`, time === null ? null : since],
  ]);
}
