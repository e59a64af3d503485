import type { DatabaseSync } from "node:sqlite";
import { firstIdAt } from "../ids.ts";
import { isDamage, reachableCounters, reachablePlaces, withCondition } from "./export_salvage.ts";
import { type Filter, filterOf } from "./filter.ts";

/** Which rows are exported; null lets everything through. */
export interface ExportFilter {
  readonly sessionId: string | null;
  /** Epoch milliseconds: sessions and counters that changed since then, events and captures from then on. */
  readonly sinceMs: number | null;
}

/** A row of a table with all its columns, by their names in the database. */
export interface ExportRow {
  readonly type: "session" | "execution" | "capture" | "counter" | "requirement";
  readonly columns: Readonly<Record<string, string | number | null | Uint8Array>>;
}

/** A table, its key, the order of its rows, and the column that says when one of them was written. */
const TABLES = [
  {
    type: "session",
    table: "sessions",
    key: "session_id",
    order: "started_at_ms, session_id",
    time: "updated_at_ms",
  },
  { type: "execution", table: "hook_executions", key: "id", order: "id", time: "id" },
  { type: "capture", table: "pending_queue", key: "id", order: "id", time: "id" },
] as const;

type Table = typeof TABLES[number];

/**
 * Every row that hooks wrote, table by table, one at a time. All come from one moment: what others write meanwhile is
 * not in it. The connection is in a read transaction until the last row is taken or the loop is left.
 *
 * A damaged page costs the rows that lie on it and no others.
 *
 * @returns How many rows cannot be read, as far as that can be told: at least one when any are lost.
 */
export function* exportRows(db: DatabaseSync, filter: ExportFilter): Generator<ExportRow, number> {
  db.exec("BEGIN");
  try {
    let unreadable = 0;
    for (const table of TABLES) unreadable += yield* rowsOf(db, table, filter);
    const where = whereOf("updated_at_ms", filter);
    return unreadable + (yield* countersOf(db, where)) + (yield* requirementsOf(db, where));
  } finally {
    // Nothing was written. A COMMIT would throw once more what a damaged page has thrown.
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

/** Row by row and not by one statement: the runtime's iterator ends at an error as if that were the last row. */
function* rowsOf(
  db: DatabaseSync,
  { type, table, key, order, time }: Table,
  filter: ExportFilter,
): Generator<ExportRow, number> {
  const where = whereOf(time, filter);
  const { values } = where;
  const { places, isWhole } = orDamaged(
    () => ({ places: placesIn(db, `${table} ${where.sql}`, { order, values }), isWhole: true }),
    () => reachablePlaces(db, { table, key }),
  );
  // All columns, so that one of a later migration cannot be forgotten.
  const statement = db.prepare(
    `SELECT *
       FROM ${table}
       ${withCondition(where, "rowid = ?")}`,
  );
  let unreadable = 0;
  for (const place of places) {
    const columns = orDamaged(() => statement.get(...values, place), () => null);
    if (columns === null) unreadable++;
    else if (columns !== undefined) yield { type, columns: columns as ExportRow["columns"] };
  }
  return isWhole ? unreadable : Math.max(1, unreadable);
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
  const all = () =>
    db.prepare(
      `SELECT *
         FROM counters
         ${where.sql}
        ORDER BY session_id, type`,
    ).all(...where.values);
  const { rows, isWhole } = orDamaged(
    () => ({ rows: all(), isWhole: true }),
    () => reachableCounters(db, where),
  );
  for (const columns of rows) {
    yield { type: "counter", columns: columns as ExportRow["columns"] };
  }
  return isWhole ? 0 : 1;
}

/** Few rows in all: a damaged page among them costs what cannot be read in one go. */
function* requirementsOf(db: DatabaseSync, where: Filter): Generator<ExportRow, number> {
  const rows = orDamaged(
    () =>
      db.prepare(
        `SELECT *
           FROM requirements
           ${where.sql}
          ORDER BY repository, branch, requirement, session_id`,
      ).all(...where.values),
    () => null,
  );
  for (const columns of rows ?? []) {
    yield { type: "requirement", columns: columns as ExportRow["columns"] };
  }
  return rows === null ? 1 : 0;
}

/** What `look` finds, or `otherwise` when a damaged page is in its way. */
function orDamaged<Found, Other>(look: () => Found, otherwise: () => Other): Found | Other {
  try {
    return look();
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return otherwise();
  }
}

function whereOf(time: "id" | "updated_at_ms", { sessionId, sinceMs }: ExportFilter): Filter {
  const since = sinceMs === null ? null : time === "id" ? firstIdAt(sinceMs) : sinceMs;
  return filterOf([["session_id = ?", sessionId], [`${time} >= ?`, since]]);
}
