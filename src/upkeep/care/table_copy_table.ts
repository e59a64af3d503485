/** Copies the tables of one database into another, row by row: the runtime forbids `ATTACH` and `VACUUM`. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { isDamage, orDamaged, reachablePlaces } from "../transfer/export_salvage_table.ts";

/** Rows that one statement reads. */
const BATCH_ROWS = 500;

/** How much of a table was copied. */
export interface CopiedTable {
  readonly table: string;
  /** Rows that the other database did not have. */
  readonly rows: number;
  /** Rows that an index names but that cannot be read; there may be more where `isWhole` is false. */
  readonly lost: number;
  /** False when damage hides a row, or the table is missing. */
  readonly isWhole: boolean;
}

interface Column {
  readonly name: string;
  readonly isText: boolean;
}

interface Shape {
  readonly columns: readonly Column[];
  /** The columns that identify a row: its number where the table has numbers. */
  readonly keys: readonly string[];
  /** The one text column that is the primary key of a table with row numbers; null otherwise. */
  readonly indexedKey: string | null;
}

type Row = Readonly<Record<string, SQLOutputValue>>;

/** The tables of a database that hold rows of this program, in the order in which they were made. */
export function ordinaryTables(db: DatabaseSync): string[] {
  return db.prepare(
    `SELECT name
       FROM sqlite_schema
      WHERE type = 'table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND name NOT LIKE 'memory\\_index%' ESCAPE '\\'
      ORDER BY rowid`,
  ).all().map(({ name }) => String(name));
}

/**
 * Copies what can be read of a table into one of the same name, column by column of the same name. A row that is there
 * already stays as it is.
 *
 * @param options `keepsNumbers`: rows keep the numbers that no column holds; else they get the next free ones.
 * @throws {Error} What SQLite says of the database that is written to.
 */
export function copyReadable(
  from: DatabaseSync,
  to: DatabaseSync,
  { table, keepsNumbers }: { readonly table: string; readonly keepsNumbers: boolean },
): CopiedTable {
  let rows = 0;
  let lost = 0;
  const shape = orDamaged(() => commonShape(from, to, { table, keepsNumbers }), () => null);
  if (shape === null) return { table, rows, lost, isWhole: false };
  const put = to.prepare(
    `INSERT OR IGNORE INTO ${quotedName(table)} (${
      shape.columns.map(({ name }) => quotedName(name)).join(", ")
    }) VALUES (${shape.columns.map(({ isText }) => isText ? "CAST(? AS TEXT)" : "?").join(", ")})`,
  );
  const write = (row: Row) => {
    try {
      const values = shape.columns.map(({ name }) => numberInRange(row[name]));
      rows += Number(put.run(...values).changes);
    } catch (thrown) {
      // Bits that flipped may have made a value of another type, which a strict table refuses.
      if (!isDamage(thrown) && !isConstraint(thrown)) throw thrown;
      lost++;
    }
  };
  try {
    const reader = shape.keys[0] === "rowid" ? readByNumber : readByKey;
    lost += reader(from, table, shape, write);
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return { table, rows, lost, isWhole: false };
  }
  return { table, rows, lost, isWhole: lost === 0 };
}

/** The columns that both databases have; null where the table is missing. */
function commonShape(
  from: DatabaseSync,
  to: DatabaseSync,
  { table, keepsNumbers }: { readonly table: string; readonly keepsNumbers: boolean },
): Shape | null {
  const infos = from.prepare("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)").all(table);
  if (infos.length === 0) return null;
  const known = new Set(
    to.prepare("SELECT name FROM pragma_table_info(?)").all(table).map(({ name }) => name),
  );
  const keyed = infos.filter(({ pk }) => Number(pk) > 0);
  const made = from.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .get(table);
  const hasNumbers = !/\bWITHOUT ROWID\b/i.test(String(made?.["sql"]));
  const isNumber = hasNumbers && keyed.length === 1 && keyed[0]!["type"] === "INTEGER";
  const columns = infos.filter(({ name, hidden }) => Number(hidden) === 0 && known.has(name!))
    .map(({ name, type }) => ({ name: String(name), isText: type === "TEXT" }));
  return {
    columns: hasNumbers && !isNumber && keepsNumbers
      ? [{ name: "rowid", isText: false }, ...columns]
      : columns,
    keys: hasNumbers ? ["rowid"] : keyed.map(({ name }) => String(name)),
    indexedKey: hasNumbers && !isNumber && keyed.length === 1 ? String(keyed[0]!["name"]) : null,
  };
}

/** Texts are read as bytes, since the runtime cuts a text at a NUL. */
function readColumns({ columns }: Shape): string {
  return columns.map(({ name, isText }) =>
    isText ? `CAST(${quotedName(name)} AS BLOB) AS ${quotedName(name)}` : quotedName(name)
  ).join(", ");
}

/** Reads batch by batch: the runtime's iterator ends at an error as if that were the last row. @returns How many rows are lost. */
function readByNumber(
  db: DatabaseSync,
  table: string,
  shape: Shape,
  write: (row: Row) => void,
): number {
  const read = `SELECT rowid AS copied_number, ${readColumns(shape)}
                  FROM ${quotedName(table)} NOT INDEXED`;
  const next = db.prepare(`${read} WHERE rowid > ? ORDER BY rowid LIMIT ${BATCH_ROWS}`);
  next.setReadBigInts(true);
  const one = db.prepare(`${read} WHERE rowid = ?`);
  one.setReadBigInts(true);
  let last = 0n;
  try {
    for (;;) {
      const rows = next.all(last);
      if (rows.length === 0) return 0;
      rows.forEach(write);
      last = rows.at(-1)!["copied_number"] as bigint;
    }
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
  }
  const { places } = reachablePlaces(db, { table: quotedName(table), key: shape.indexedKey });
  let lost = 0;
  for (const place of places) {
    if (place <= last) continue;
    const row = orDamaged(() => one.get(place), () => undefined);
    if (row === undefined) lost++;
    else write(row);
  }
  return Math.max(lost, 1);
}

/** Reads from both ends up to the first damage. @returns How many rows are lost at least. */
function readByKey(
  db: DatabaseSync,
  table: string,
  shape: Shape,
  write: (row: Row) => void,
): number {
  const { keys } = shape;
  // An index has the columns themselves in order, not what is cast from them.
  const columns = keys.map((key) => `${quotedName(table)}.${quotedName(key)}`);
  const names = columns.join(", ");
  for (const [sign, order] of [[">", "ASC"], ["<", "DESC"]] as const) {
    const ordered = `ORDER BY ${columns.map((column) => `${column} ${order}`).join(", ")}`;
    const from = `SELECT ${readColumns(shape)} FROM ${quotedName(table)}`;
    const behind = `WHERE (${names}) ${sign} (${
      keys.map((key) => placeOf(shape, key)).join(", ")
    })`;
    const statements = [`${from} ${ordered} LIMIT ?`, `${from} ${behind} ${ordered} LIMIT ?`]
      .map((sql) => db.prepare(sql));
    statements.forEach((statement) => statement.setReadBigInts(true));
    let limit = BATCH_ROWS;
    for (let after: SQLInputValue[] | null = null; limit > 0;) {
      const rows: Row[] | null = orDamaged(
        () => after === null ? statements[0]!.all(limit) : statements[1]!.all(...after, limit),
        () => null,
      );
      if (rows?.length === 0) return order === "ASC" ? 0 : 1;
      // Rows before the damage are read one by one.
      if (rows === null) limit = limit > 1 ? 1 : 0;
      rows?.forEach(write);
      const last = rows?.at(-1);
      if (last !== undefined) after = keys.map((key) => last[key] as SQLInputValue);
    }
  }
  return 1;
}

function placeOf({ columns }: Shape, key: string): string {
  return columns.some(({ name, isText }) => name === key && isText) ? "CAST(? AS TEXT)" : "?";
}

/** @throws {RangeError} For a number that this program never writes. */
function numberInRange(value: SQLOutputValue | undefined): SQLInputValue {
  if (typeof value === "bigint" && (value > MOST || value < -MOST)) {
    throw new RangeError(`${value} is no number that this program writes`);
  }
  return value as SQLInputValue;
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER);
const CONSTRAINT = 19;

function isConstraint(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  return typeof errcode === "number" && (errcode & 0xff) === CONSTRAINT;
}

/** A name of a table or column, as SQL takes any. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
