/** Exports a database as JSON Lines. A damaged page costs the rows on it, and no others. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { isUserError, messageOf } from "../../base/errors.ts";
import { firstIdAt } from "../../base/ids.ts";
import { VERSION } from "../../base/version.ts";
import { schemaVersion } from "../../db/transaction.ts";
import { orDamaged, reachablePlaces } from "../care/table_copy_table.ts";
import {
  type CountName,
  EXPORT_FORMAT,
  EXPORTED_TABLES,
  type ExportType,
  fieldOf,
  noCounts,
  tableOf,
} from "./exported_tables.ts";
import { type Filter, filterOf } from "../../db/statement.ts";
import { receiptIds } from "../forget/forget_receipts_table.ts";
import { payloadText, type StoredPayload } from "../../db/payloads.ts";

/** Which rows are exported; null lets all rows through. */
export interface ExportFilter {
  readonly sessionId: string | null;
  /** Epoch milliseconds: rows that were written since then. */
  readonly sinceMs: number | null;
}

type Columns = Readonly<Record<string, SQLOutputValue>>;

/** A row with all columns of its table, under their names; an observation also has `observed_files`. */
export interface ExportRow {
  readonly type: ExportType;
  readonly columns: Columns;
}

/** A row that cannot be read. */
export interface LostRow {
  readonly type: ExportType;
  /** Its number or its id. */
  readonly id: string;
  readonly why: string;
}

/** What an export wrote. */
export type ExportCounts = Readonly<Record<CountName, number>> & {
  /** Captures whose payload cannot be read; their lines hold the stored bytes in base 64. */
  readonly damaged: number;
  /** Rows on damaged pages, which have no line, as far as they can be counted: at least 1 if any are lost. */
  readonly unreadable: number;
};

/**
 * The lines of an export. `meta` comes first, then one line for each row: its `type` and all columns in camelCase. `end`
 * with the counts comes last and shows that an export is complete. The `payload` of a capture is its JSON, however it is
 * stored; an observation has its files and their digests as `observedFiles`. `receipts` in the first line are the ids of
 * what was forgotten in this database: the tombstones themselves are not exported.
 *
 * @param options `onLost`: takes each row that cannot be read, as far as it can be named.
 */
export function* exportLines(
  db: DatabaseSync,
  options: ExportFilter & {
    readonly atMs: number;
    readonly onLost?: (row: LostRow) => void;
  },
): Generator<string, ExportCounts> {
  const { sessionId, sinceMs, atMs } = options;
  const counts = { ...noCounts(), damaged: 0, unreadable: 0 };
  yield JSON.stringify({
    type: "meta",
    format: EXPORT_FORMAT,
    version: VERSION,
    schema: schemaVersion(db),
    exportedAtMs: atMs,
    sessionId,
    sinceMs,
    receipts: orDamaged(() => receiptIds(db), () => []),
  });
  const rows = exportRows(db, { sessionId, sinceMs }, options.onLost);
  try {
    let step = rows.next();
    for (; !step.done; step = rows.next()) {
      const { line, damaged } = lineOf(step.value);
      counts[tableOf(step.value.type).count]++;
      if (damaged) counts.damaged++;
      yield line;
    }
    counts.unreadable = step.value;
  } finally {
    // This also ends the transaction if the reader of the lines stops early.
    rows.return(0);
  }
  yield JSON.stringify({ type: "end", ...counts });
  return counts;
}

/**
 * Every row of every exported table, one at a time, all from one moment. The connection stays in a read transaction until
 * the last row is taken or the loop is left.
 *
 * @returns How many rows cannot be read, as far as they can be counted: at least 1 if any are lost.
 */
export function* exportRows(
  db: DatabaseSync,
  filter: ExportFilter,
  onLost: (row: LostRow) => void = () => {},
): Generator<ExportRow, number> {
  db.exec("BEGIN");
  try {
    let unreadable = 0;
    for (const { type, hasNumbers } of EXPORTED_TABLES) {
      unreadable += hasNumbers
        ? yield* numberedRows(db, type, { filter, onLost })
        : yield* allRows(db, type, filter);
    }
    return unreadable;
  } finally {
    // Nothing was written. A COMMIT would repeat the error of a damaged page.
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

/** Reads row by row: the runtime's iterator ends at an error as if that were the last row. */
function* numberedRows(
  db: DatabaseSync,
  type: ExportType,
  { filter, onLost }: {
    readonly filter: ExportFilter;
    readonly onLost: (row: LostRow) => void;
  },
): Generator<ExportRow, number> {
  const { table, key } = tableOf(type);
  const where = whereOf(type, filter);
  const name = type === "observation" || key === null ? "rowid" : key[0]!;
  const { places, isWhole } = orDamaged(
    () => ({ places: placesIn(db, type, where), isWhole: true }),
    () => reachablePlaces(db, table),
  );
  const { columns, decode } = wholeColumns(db, table);
  const condition = where.sql === "" ? "WHERE rowid = ?" : `${where.sql} AND rowid = ?`;
  const read = db.prepare(`SELECT ${columns} FROM ${table} ${condition}`);
  const readName = db.prepare(`SELECT ${name} AS name FROM ${table} WHERE rowid = ?`);
  const readFiles = type === "observation" ? db.prepare(OBSERVED_FILES) : null;
  let unreadable = 0;
  for (const place of places) {
    const row = orDamaged(() => read.get(...where.values, place), (thrown) => {
      const id = orDamaged(() => readName.get(place)?.["name"], () => null);
      if (id != null) onLost({ type, id: String(id), why: messageOf(thrown) });
      return null;
    });
    // Undefined: the row is gone and only an index still names it, or the filter leaves it out.
    if (row === null || row === undefined && (isWhole || where.sql === "")) unreadable++;
    if (row == null) continue;
    if (readFiles === null) yield { type, columns: decode(row) };
    else {
      const files = orDamaged(() => String(readFiles.get(place)!["files"]), () => null);
      if (files === null) unreadable++;
      yield { type, columns: { ...decode(row), observed_files: files ?? "[]" } };
    }
  }
  return isWhole ? unreadable : Math.max(1, unreadable);
}

const OBSERVED_FILES =
  `SELECT json_group_array(json_object('path', path, 'digest', digest) ORDER BY path) AS files
     FROM observation_files
    WHERE observation_id = ?`;

/**
 * The row numbers, in the order of the ids, which is that of time, where a row has an id. They come as one text: an object
 * for each would take ten times the memory.
 */
function placesIn(db: DatabaseSync, type: ExportType, where: Filter): readonly number[] {
  const { table, key } = tableOf(type);
  const order = key?.[0] === "id" ? "id" : "rowid";
  const row = db.prepare(
    `SELECT json_group_array(rowid ORDER BY ${order}) AS places FROM ${table} ${where.sql}`,
  ).get(...where.values);
  return JSON.parse(String(row!["places"]));
}

/** Reads a table without row numbers in one go. */
function* allRows(
  db: DatabaseSync,
  type: ExportType,
  filter: ExportFilter,
): Generator<ExportRow, number> {
  const { table, key } = tableOf(type);
  const { sql, values } = whereOf(type, filter);
  const { columns, decode } = wholeColumns(db, table);
  const rows = orDamaged(
    () => db.prepare(`SELECT ${columns} FROM ${table} ${sql} ORDER BY ${key!}`).all(...values),
    () => null,
  );
  for (const row of rows ?? []) yield { type, columns: decode(row) };
  return rows === null ? 1 : 0;
}

function whereOf(type: ExportType, { sessionId, sinceMs }: ExportFilter): Filter {
  const { ofSession, time } = tableOf(type);
  if (sessionId !== null && !ofSession) return { sql: "WHERE 0", values: [] };
  const since = sinceMs === null ? null : time === "id" ? firstIdAt(sinceMs) : sinceMs;
  return filterOf([
    ["session_id = ?", sessionId],
    [`${time} >= ?`, time === null ? null : since],
  ]);
}

/** All columns of a table, also those of later migrations. The runtime cuts a text at a NUL, so such a text is read as bytes. */
function wholeColumns(
  db: DatabaseSync,
  table: string,
): { readonly columns: string; readonly decode: (row: Columns) => Columns } {
  const infos = db.prepare("SELECT name, type FROM pragma_table_info(?)").all(table)
    .map(({ name, type }) => ({ name: String(name), isText: type === "TEXT" }));
  const decoder = new TextDecoder();
  return {
    columns: infos.map(({ name, isText }) =>
      isText ? `iif(instr(${name}, char(0)) > 0, CAST(${name} AS BLOB), ${name}) AS ${name}` : name
    ).join(", "),
    decode: (row) => {
      const cut = infos.filter(({ name, isText }) => isText && row[name] instanceof Uint8Array);
      return cut.length === 0 ? row : {
        ...row,
        ...Object.fromEntries(
          cut.map(({ name }) => [name, decoder.decode(row[name] as Uint8Array)]),
        ),
      };
    },
  };
}

/** The payload goes into the line as it is stored: parsing and writing it again could change it. */
function lineOf({ type, columns: all }: ExportRow): {
  readonly line: string;
  readonly damaged: boolean;
} {
  if (type !== "capture") return { line: JSON.stringify(fieldsOf(type, all)), damaged: false };
  const { encoding, payload, ...columns } = all;
  const stored = { id: columns["id"], encoding, payload, rawBytes: columns["raw_bytes"] };
  const fields = fieldsOf(type, columns);
  try {
    // JSON escapes line breaks in strings; elsewhere a line break is only white space.
    const text = payloadText(stored as unknown as StoredPayload).replace(/[\r\n]/g, " ");
    return { line: `${JSON.stringify(fields).slice(0, -1)},"payload":${text}}`, damaged: false };
  } catch (thrown) {
    const bytes = payload instanceof Uint8Array
      ? payload
      : new TextEncoder().encode(String(payload));
    const why = isUserError(thrown) ? thrown.why : messageOf(thrown);
    const damage = { why, encoding, stored: bytes.toBase64() };
    return { line: JSON.stringify({ ...fields, payload: null, damage }), damaged: true };
  }
}

function fieldsOf(type: ExportType, columns: Columns): Record<string, unknown> {
  const { json, foreignJson } = tableOf(type);
  const isJson = (column: string) => json.includes(column) || foreignJson.includes(column);
  return Object.fromEntries([
    ["type", type],
    ...Object.entries(columns).map(([column, value]) => [
      fieldOf(type, column),
      isJson(column) ? valueOf(value) : value,
    ]),
  ]);
}

/** The value of a JSON text; the text itself if it is not JSON. */
function valueOf(text: unknown): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
