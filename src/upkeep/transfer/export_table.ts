/** Exports a database as JSON Lines. A damaged page costs only its own rows. */
import type { DatabaseSync } from "node:sqlite";
import { isUserError, messageOf, quietly } from "../../base/errors.ts";
import { firstIdAt } from "../../base/ids.ts";
import { VERSION } from "../../base/version.ts";
import { payloadText, type StoredPayload } from "../../db/payloads.ts";
import { type Filter, filterOf } from "../../db/statement.ts";
import { schemaVersion } from "../../db/transaction.ts";
import { columnsOf, keysOf, orDamaged, reachablePlaces } from "../../db/table_copy.ts";
import { receiptIds } from "../forget/forget_receipts_table.ts";
import {
  type CountName,
  EXPORT_FORMAT,
  EXPORTED_TABLES,
  type ExportedTable,
  fieldOf,
  type ImportedColumns,
  noCounts,
  tableOf,
  type TableRow,
} from "./exported_tables.ts";

/** Limits the exported rows; null sets no limit. */
export interface ExportFilter {
  readonly sessionId: string | null;
  /** The earliest time at which a row was last written, in epoch milliseconds. */
  readonly sinceMs: number | null;
}

export interface LostRow {
  readonly type: string;
  /** The row's number or id; null if neither can be read. */
  readonly id: string | null;
  readonly why: string;
}

/** The numbers of rows that an export wrote or could not read. */
export type ExportCounts = Readonly<Record<CountName, number>> & {
  /** Captures with an unreadable payload; their lines hold the stored bytes in base 64. */
  readonly damaged: number;
  /** Rows on damaged pages, which have no line; if they cannot be counted, at least 1. */
  readonly unreadable: number;
};

/**
 * Makes the lines of an export: `meta`, a line for each row with its `type` and all columns in camelCase, and `end`
 * with the counts, which shows that the export is complete. The `payload` of a capture is its JSON, even if it is
 * stored compressed. `meta` has the ids of forget receipts; the forgotten names themselves are not exported.
 *
 * @param options `onLost`: called for each unreadable row whose number or id is known.
 */
export function* exportLines(
  db: DatabaseSync,
  { atMs, onLost = () => {}, ...filter }: ExportFilter & {
    readonly atMs: number;
    readonly onLost?: (row: LostRow) => void;
  },
): Generator<string, ExportCounts> {
  const counts = { ...noCounts(), damaged: 0, unreadable: 0 };
  const receipts = orDamaged(() => receiptIds(db), () => []);
  const schema = schemaVersion(db);
  const { sessionId, sinceMs } = filter;
  const about = { version: VERSION, schema, exportedAtMs: atMs, sessionId, sinceMs, receipts };
  yield JSON.stringify({ type: "meta", format: EXPORT_FORMAT, ...about });
  const lose = (row: LostRow) => {
    counts.unreadable++;
    if (row.id !== null) onLost(row);
  };
  for (const row of exportRows(db, filter, lose)) {
    const { line, isDamaged } = lineOf(row);
    counts[tableOf(row.type).count]++;
    counts.damaged += Number(isDamaged);
    yield line;
  }
  yield JSON.stringify({ type: "end", ...counts });
  return counts;
}

/** Makes the line of a row. A payload's JSON stays as it is stored, since parsing and writing could change it. */
function lineOf(
  { type, columns }: TableRow,
): { readonly line: string; readonly isDamaged: boolean } {
  if (type !== "capture") {
    return { line: JSON.stringify(fieldsOf(type, columns)), isDamaged: false };
  }
  const { encoding, payload, ...others } = columns;
  const stored = { id: others["id"], encoding, payload, rawBytes: others["raw_bytes"] };
  const fields = fieldsOf(type, others);
  try {
    // JSON escapes line breaks in strings; elsewhere a line break is only white space.
    const text = payloadText(stored as unknown as StoredPayload).replace(/[\r\n]/g, " ");
    return { line: `${JSON.stringify(fields).slice(0, -1)},"payload":${text}}`, isDamaged: false };
  } catch (thrown) {
    const bytes = payload instanceof Uint8Array ? payload : new TextEncoder().encode(`${payload}`);
    const why = isUserError(thrown) ? thrown.why : messageOf(thrown);
    const damage = { why, encoding, stored: bytes.toBase64() };
    return { line: JSON.stringify({ ...fields, payload: null, damage }), isDamaged: true };
  }
}

function fieldsOf(type: string, columns: ImportedColumns): Readonly<Record<string, unknown>> {
  const { json = [] } = tableOf(type);
  const entries = Object.entries(columns).map(([column, value]) => [
    fieldOf(type, column),
    json.includes(column) && value !== null ? valueOf(String(value)) : value,
  ]);
  return { type, ...Object.fromEntries(entries) };
}

/** Returns the value of a JSON text, or the text itself if it is not JSON. */
export function valueOf(text: string): unknown {
  const value: unknown = quietly(() => JSON.parse(text));
  return value === undefined ? text : value;
}

/**
 * Reads every row of every exported table, one at a time, in one read transaction, which lasts until the caller takes
 * the last row or leaves the loop.
 *
 * @param onLost Called for each unreadable row; at least once if they cannot be counted.
 */
export function* exportRows(
  db: DatabaseSync,
  filter: ExportFilter,
  onLost: (row: LostRow) => void = () => {},
): Generator<TableRow> {
  db.exec("BEGIN");
  try {
    for (const table of EXPORTED_TABLES) yield* rowsOf(db, table, { filter, onLost });
  } finally {
    // A COMMIT would repeat the error of a damaged page.
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

/**
 * Reads row by row, since the runtime's iterator ends at an error as if that were the last row. Reads a table without
 * row numbers at once. Rows with UUIDv7 ids come in the order of these, which is the order of time.
 */
function* rowsOf(db: DatabaseSync, table: ExportedTable, { filter, onLost }: {
  readonly filter: ExportFilter;
  readonly onLost: (row: LostRow) => void;
}): Generator<TableRow> {
  const { type, key } = table;
  const columns = columnsOf(db, table.table);
  const where = whereOf(table, columns.some(({ name }) => name === "session_id"), filter);
  // The runtime cuts a text at a NUL, so a text with a NUL is read as bytes.
  const selected = columns.map(({ name, isText }) =>
    isText ? `iif(instr(${name}, char(0)) > 0, CAST(${name} AS BLOB), ${name}) AS ${name}` : name
  );
  const select = `SELECT ${selected.join(", ")} FROM ${table.table} ${where.sql}`;
  const texts = columns.filter(({ isText }) => isText).map(({ name }) => name);
  const readFiles = type === "observation" ? db.prepare(OBSERVED_FILES) : null;
  let lost = 0;
  const lose = (id: unknown = null, why: unknown = null) => {
    lost++;
    onLost({ type, id: id === null ? null : String(id), why: messageOf(why) });
  };
  const rowIn = (row: ImportedColumns): TableRow => {
    const more = texts.filter((name) => row[name] instanceof Uint8Array)
      .map((name) => [name, new TextDecoder().decode(row[name] as Uint8Array)]);
    if (readFiles !== null) {
      const files = orDamaged(() => readFiles.get(row["id"]!)!["files"], () => null);
      if (files === null) lose();
      more.push(["observed_files", String(files ?? "[]")]);
    }
    return { type, columns: more.length === 0 ? row : { ...row, ...Object.fromEntries(more) } };
  };
  if (keysOf(db, table.table)[0] !== "rowid") {
    const all = () => db.prepare(`${select} ORDER BY ${key}`).all(...where.values);
    const rows = orDamaged(all, () => null);
    if (rows === null) lose();
    for (const row of rows ?? []) yield rowIn(row);
    return;
  }
  const { places, isWhole } = orDamaged(
    () => ({ places: placesIn(db, table, where), isWhole: true }),
    () => reachablePlaces(db, table.table),
  );
  const read = db.prepare(`${select} ${where.sql === "" ? "WHERE" : "AND"} rowid = ?`);
  const name = type === "observation" || key === null ? "rowid" : key[0]!;
  const readName = db.prepare(`SELECT ${name} AS name FROM ${table.table} WHERE rowid = ?`);
  for (const place of places) {
    const row = orDamaged(() => read.get(...where.values, place), (thrown) => {
      lose(orDamaged(() => readName.get(place)?.["name"], () => null) ?? null, thrown);
      return null;
    });
    if (row != null) yield rowIn(row);
    // Undefined means that only an index still names the row, or that the filter excludes it.
    else if (row === undefined && (isWhole || where.sql === "")) lose();
  }
  if (!isWhole && lost === 0) lose();
}

const OBSERVED_FILES =
  `SELECT json_group_array(json_object('path', path, 'digest', digest) ORDER BY path) AS files
     FROM observation_files
    WHERE observation_id = ?`;

/** Reads the row numbers as one text, since an object for each would take ten times the memory. */
function placesIn(db: DatabaseSync, { table, key }: ExportedTable, where: Filter): number[] {
  const order = key?.[0] === "id" ? "id" : "rowid";
  const row = db.prepare(
    `SELECT json_group_array(rowid ORDER BY ${order}) AS places FROM ${table} ${where.sql}`,
  ).get(...where.values);
  return JSON.parse(String(row!["places"]));
}

function whereOf(
  { time }: ExportedTable,
  isOfSession: boolean,
  { sessionId, sinceMs }: ExportFilter,
): Filter {
  if (sessionId !== null && !isOfSession) return { sql: "WHERE 0", values: [] };
  const since = sinceMs !== null && time === "id" ? firstIdAt(sinceMs) : sinceMs;
  const sinceThen = time === undefined ? null : since;
  return filterOf([["session_id = ?", sessionId], [`${time} >= ?`, sinceThen]]);
}
