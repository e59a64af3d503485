import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../errors.ts";
import { firstIdAt } from "../ids.ts";
import { orDamaged, reachablePlaces, withCondition } from "./export_salvage.ts";
import {
  type ExportType,
  OF_SESSIONS,
  SMALL_TABLES,
  type SmallTable,
  type Table,
  TABLES,
} from "./exported_tables.ts";
import { type Filter, filterOf } from "./filter.ts";
import { observedFiles } from "./observed_files.ts";
import { wholeColumns } from "./whole_text.ts";

/** Which rows are exported; null lets everything through. */
export interface ExportFilter {
  readonly sessionId: string | null;
  /** Epoch milliseconds: what changed since then, of events and captures those from then on. */
  readonly sinceMs: number | null;
}

/**
 * A row of a table with all its columns, by their names in the database. An observation has one more, `observed_files`:
 * its rows of `observation_files` as JSON.
 */
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

/**
 * Every row of {@linkcode TABLES} and {@linkcode SMALL_TABLES}, table by table, one at a time. All come from one moment: what others write meanwhile is
 * not in it. The connection is in a read transaction until the last row is taken or the loop is left.
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
    for (const table of TABLES) unreadable += yield* rowsOf(db, table, { filter, onLost });
    unreadable += yield* countersOf(db, whereOf("counters", "updated_at_ms", filter));
    for (const table of SMALL_TABLES) unreadable += yield* smallRowsOf(db, table, filter);
    return unreadable;
  } finally {
    // Nothing was written. A COMMIT would throw once more what a damaged page has thrown.
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

/** Row by row and not by one statement: the runtime's iterator ends at an error as if that were the last row. */
function* rowsOf(
  db: DatabaseSync,
  { type, table, key, order, time }: Table,
  { filter, onLost }: { readonly filter: ExportFilter; readonly onLost: (row: LostRow) => void },
): Generator<ExportRow, number> {
  const where = whereOf(table, time, filter);
  const { values } = where;
  const { places, isWhole } = orDamaged(
    () => ({ places: placesIn(db, `${table} ${where.sql}`, { order, values }), isWhole: true }),
    () => reachablePlaces(db, { table, key }),
  );
  // All columns, so that one of a later migration cannot be forgotten.
  const { columns: read, decode } = wholeColumns(db, table);
  const row = db.prepare(
    `SELECT ${read}
       FROM ${table}
       ${withCondition(where, "rowid = ?")}`,
  );
  const filesOf = observedFiles(db);
  let unreadable = 0;
  for (const place of places) {
    const columns = orDamaged(() => row.get(...values, place), (thrown) => {
      // Of a table whose rows have ids the number of a row says nothing to anybody.
      const named = type === "observation" || key === null
        ? place
        : orDamaged(() => nameOf(db, { table, key, place }), () => null);
      if (named != null) onLost({ type, id: String(named), why: messageOf(thrown) });
      return null;
    });
    // One that is there when all are gone through, but not by its number.
    const isMissing = columns === undefined && (isWhole || where.sql === "");
    if (columns === null || isMissing) unreadable++;
    else if (columns !== undefined) {
      const whole = decode(columns as ExportRow["columns"]);
      if (type !== "observation") yield { type, columns: whole };
      else {
        const observed = filesOf(place);
        if (!observed.isWhole) unreadable++;
        yield { type, columns: { ...whole, observed_files: observed.files } };
      }
    }
  }
  return isWhole ? unreadable : Math.max(1, unreadable);
}

function nameOf(
  db: DatabaseSync,
  { table, key, place }: {
    readonly table: string;
    readonly key: string;
    readonly place: number;
  },
): unknown {
  return db.prepare(`SELECT ${key} AS name FROM ${table} WHERE rowid = ?`).get(place)?.["name"];
}

/** The row numbers in order, as one text: an object for each would take ten times the memory. */
function placesIn(
  db: DatabaseSync,
  from: string,
  { order, values }: { readonly order: string; readonly values: Filter["values"] },
): readonly number[] {
  const row = db.prepare(`SELECT json_group_array(rowid ORDER BY ${order}) AS places FROM ${from}`)
    .get(...values);
  return JSON.parse(String(row!["places"]));
}

function* countersOf(db: DatabaseSync, where: Filter): Generator<ExportRow, number> {
  const { columns: read, decode } = wholeColumns(db, "counters");
  const all = () =>
    db.prepare(
      `SELECT ${read}
         FROM counters
         ${where.sql}
        ORDER BY session_id, type`,
    ).all(...where.values);
  const { rows, isWhole } = orDamaged(
    () => ({ rows: all(), isWhole: true }),
    () => ({ rows: [], isWhole: false }),
  );
  for (const columns of rows) {
    yield { type: "counter", columns: decode(columns as ExportRow["columns"]) };
  }
  return isWhole ? 0 : 1;
}

function* smallRowsOf(
  db: DatabaseSync,
  { type, table, order, time }: SmallTable,
  filter: ExportFilter,
): Generator<ExportRow, number> {
  const where = whereOf(table, time, filter);
  const { columns: read, decode } = wholeColumns(db, table);
  const rows = orDamaged(
    () =>
      db.prepare(`SELECT ${read} FROM ${table} ${where.sql} ORDER BY ${order}`)
        .all(...where.values),
    () => null,
  );
  for (const columns of rows ?? []) {
    yield { type, columns: decode(columns as ExportRow["columns"]) };
  }
  return rows === null ? 1 : 0;
}

/** @param time The column that is a moment, or a UUIDv7; null where rows do not tell when they were written. */
function whereOf(table: string, time: string | null, { sessionId, sinceMs }: ExportFilter): Filter {
  if (sessionId !== null && !OF_SESSIONS.has(table)) return { sql: "WHERE 0", values: [] };
  const since = sinceMs === null ? null : time === "id" ? firstIdAt(sinceMs) : sinceMs;
  return filterOf([
    ["session_id = ?", sessionId],
    [`${time} >= ?`, time === null ? null : since],
  ]);
}
