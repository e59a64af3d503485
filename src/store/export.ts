import type { DatabaseSync } from "node:sqlite";
import { firstIdAt } from "../ids.ts";
import { isDamage, reachableCounters, reachablePlaces, withCondition } from "./export_salvage.ts";
import { type Filter, filterOf } from "./filter.ts";

/** Which rows are exported; null lets everything through. */
export interface ExportFilter {
  readonly sessionId: string | null;
  /** Epoch milliseconds: what changed since then, of events and captures those from then on. */
  readonly sinceMs: number | null;
}

/** What a row is. */
export type ExportType = Table["type"] | "counter" | SmallTable["type"];

/** A row of a table with all its columns, by their names in the database. */
export interface ExportRow {
  readonly type: ExportType;
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
  { type: "task", table: "tasks", key: "id", order: "created_at_ms, id", time: "updated_at_ms" },
  { type: "taskChange", table: "task_history", key: null, order: "id", time: "changed_at_ms" },
  { type: "agent", table: "agents", key: "id", order: "created_at_ms, id", time: "updated_at_ms" },
  {
    type: "workflow",
    table: "workflows",
    key: "id",
    order: "created_at_ms, id",
    time: "updated_at_ms",
  },
  {
    type: "question",
    table: "questions",
    key: "id",
    order: "created_at_ms, id",
    time: "max(created_at_ms, coalesce(answered_at_ms, 0), coalesce(resolved_at_ms, 0))",
  },
  { type: "event", table: "events", key: null, order: "id", time: "created_at_ms" },
] as const;

type Table = typeof TABLES[number];

/** Tables without row numbers. They are read in one go, so a damaged page costs what cannot be read so. */
const SMALL_TABLES = [
  {
    type: "requirement",
    table: "requirements",
    order: "repository, branch, requirement, session_id",
    time: "updated_at_ms",
  },
  { type: "taskTag", table: "task_tags", order: "task_id, tag", time: null },
  { type: "taskDependency", table: "task_dependencies", order: "task_id, depends_on", time: null },
  {
    type: "workflowStep",
    table: "workflow_steps",
    order: "workflow_id, started_at_ms, key, attempt",
    time: "max(started_at_ms, coalesce(ended_at_ms, 0))",
  },
] as const;

type SmallTable = typeof SMALL_TABLES[number];

/** Tables whose rows belong to a session; of the others nothing is in the export of one. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
  "sessions",
  "hook_executions",
  "pending_queue",
  "counters",
  "requirements",
  "agents",
  "questions",
]);

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
  filter: ExportFilter,
): Generator<ExportRow, number> {
  const where = whereOf(table, time, filter);
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

function* smallRowsOf(
  db: DatabaseSync,
  { type, table, order, time }: SmallTable,
  filter: ExportFilter,
): Generator<ExportRow, number> {
  const where = whereOf(table, time, filter);
  const rows = orDamaged(
    () => db.prepare(`SELECT * FROM ${table} ${where.sql} ORDER BY ${order}`).all(...where.values),
    () => null,
  );
  for (const columns of rows ?? []) yield { type, columns: columns as ExportRow["columns"] };
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

/** @param time The column that is a moment, or a UUIDv7; null where rows do not tell when they were written. */
function whereOf(table: string, time: string | null, { sessionId, sinceMs }: ExportFilter): Filter {
  if (sessionId !== null && !OF_SESSIONS.has(table)) return { sql: "WHERE 0", values: [] };
  const since = sinceMs === null ? null : time === "id" ? firstIdAt(sinceMs) : sinceMs;
  return filterOf([
    ["session_id = ?", sessionId],
    [`${time} >= ?`, time === null ? null : since],
  ]);
}
