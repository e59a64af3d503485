/**
 * Reads what SQLite can read of a damaged table, and copies it into another database, row by row: the runtime forbids
 * `ATTACH`.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

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

/** The columns of a table, and how its rows are identified. */
interface TableShape {
  readonly columns: readonly Column[];
  /** The columns that identify a row: its number where the table has numbers. */
  readonly keys: readonly string[];
  /** Whether rows have numbers that no column holds. */
  readonly hasOwnNumbers: boolean;
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

/** The columns that hold values, and how rows are identified; no columns where the table is missing. */
export function shapeOf(db: DatabaseSync, table: string): TableShape {
  const infos = db.prepare("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)").all(table);
  const keyed = infos.filter(({ pk }) => Number(pk) > 0);
  const made = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .get(table);
  const hasNumbers = !/\bWITHOUT ROWID\b/i.test(String(made?.["sql"]));
  const hasOwnNumbers = hasNumbers && !(keyed.length === 1 && keyed[0]!["type"] === "INTEGER");
  return {
    columns: infos.filter(({ hidden }) => Number(hidden) === 0)
      .map(({ name, type }) => ({ name: String(name), isText: type === "TEXT" })),
    keys: hasNumbers ? ["rowid"] : keyed.map(({ name }) => String(name)),
    hasOwnNumbers,
    indexedKey: hasOwnNumbers && keyed.length === 1 ? String(keyed[0]!["name"]) : null,
  };
}

/** The columns that both databases have; null where the table is missing. */
function commonShape(
  from: DatabaseSync,
  to: DatabaseSync,
  { table, keepsNumbers }: { readonly table: string; readonly keepsNumbers: boolean },
): TableShape | null {
  const shape = shapeOf(from, table);
  if (shape.columns.length === 0) return null;
  const known = new Set(shapeOf(to, table).columns.map(({ name }) => name));
  const columns = shape.columns.filter(({ name }) => known.has(name));
  const withNumber = shape.hasOwnNumbers && keepsNumbers;
  return {
    ...shape,
    columns: withNumber ? [{ name: "rowid", isText: false }, ...columns] : columns,
  };
}

/** Texts are read as bytes, since the runtime cuts a text at a NUL. */
function readColumns({ columns }: TableShape): string {
  return columns.map(({ name, isText }) =>
    isText ? `CAST(${quotedName(name)} AS BLOB) AS ${quotedName(name)}` : quotedName(name)
  ).join(", ");
}

/** Reads batch by batch: the runtime's iterator ends at an error as if that were the last row. @returns How many rows are lost. */
function readByNumber(
  db: DatabaseSync,
  table: string,
  shape: TableShape,
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
  shape: TableShape,
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

function placeOf({ columns }: TableShape, key: string): string {
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

/** SQLite's codes IOERR, CORRUPT, TOOBIG and NOTADB. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([10, 11, 18, 26]);

/** So many row numbers after a damaged page are tried one by one: an inner page leads to so many rows. */
const TRIED_ONE_BY_ONE = 20_000;

/** Whether a statement failed because of damage. */
export function isDamage(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  // The runtime throws a RangeError for an integer that is too large for a number, as flipped bits can make it.
  return thrown instanceof RangeError ||
    (typeof errcode === "number" && DAMAGE_CODES.has(errcode & 0xff));
}

/** Returns what `look` finds, or `otherwise` when it meets damage. */
export function orDamaged<Found, Other>(
  look: () => Found,
  otherwise: (thrown: unknown) => Other,
): Found | Other {
  try {
    return look();
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return otherwise(thrown);
  }
}

/**
 * The row numbers of a damaged table, in order: those that the table gives, and those that an index gives, whose rows may
 * be lost. The index is that of the key; without a key it is any.
 *
 * @returns `isWhole`: whether the table gave all of its numbers.
 */
export function reachablePlaces(
  db: DatabaseSync,
  { table, key }: { readonly table: string; readonly key: string | null },
): { readonly places: readonly number[]; readonly isWhole: boolean } {
  const named = namedPlaces(db, table, key === null ? indexesOf(db, table) : [null], key);
  const { found, isWhole } = walkTable(db, table);
  return { places: [...new Set([...named, ...found])].sort((a, b) => a - b), isWhole };
}

/** The row numbers in the first index that can be read. Null stands for the index that the order of the key uses. */
function namedPlaces(
  db: DatabaseSync,
  table: string,
  indexes: readonly (string | null)[],
  key: string | null,
): number[] {
  for (const index of indexes) {
    const by = index === null ? `ORDER BY ${key}` : `INDEXED BY ${index}`;
    const rows = orDamaged(
      () => db.prepare(`SELECT rowid AS place FROM ${table} ${by}`).all(),
      () => null,
    );
    if (rows !== null) return rows.map(({ place }) => Number(place));
  }
  return [];
}

/** The indexes that hold every row of a table. */
function indexesOf(db: DatabaseSync, table: string): string[] {
  return orDamaged(
    () =>
      db.prepare("SELECT name FROM pragma_index_list(?) WHERE NOT partial")
        .all(table.replaceAll('"', "")).map(({ name }) => `"${name}"`),
    () => [],
  );
}

/** Goes up through the row numbers. At a damaged page it tries the next numbers until it can read one. */
function walkTable(
  db: DatabaseSync,
  table: string,
): { readonly found: readonly number[]; readonly isWhole: boolean } {
  const next = db.prepare(
    `SELECT rowid AS place
       FROM ${table} NOT INDEXED
      WHERE rowid >= ?
      ORDER BY rowid
      LIMIT ?`,
  );
  const found: number[] = [];
  let isWhole = true;
  let [limit, step, failures] = [BATCH_ROWS, 1, 0];
  for (let from = 0; from <= Number.MAX_SAFE_INTEGER;) {
    const rows = orDamaged(
      () => next.all(from, limit).map(({ place }) => Number(place)),
      () => null,
    );
    if (rows?.length === 0) break;
    // A damaged page may give any number.
    if (rows !== null && rows.every((place, n) => place >= from && place > (rows[n - 1] ?? -1))) {
      found.push(...rows);
      from = rows.at(-1)! + 1;
      [limit, step, failures] = [Math.min(2 * limit, BATCH_ROWS), 1, 0];
      continue;
    }
    isWhole = false;
    if (limit > 1) {
      limit = 1;
      continue;
    }
    if (++failures > TRIED_ONE_BY_ONE) step *= 2;
    from += step;
  }
  return { found, isWhole };
}
