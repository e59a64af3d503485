/**
 * Reads what SQLite can read of a damaged table, and copies it into another database, row by row: the runtime forbids
 * `ATTACH`.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

const BATCH_ROWS = 500;

/** After this many unreadable row numbers in sequence, the step doubles each time: an inner page holds as many rows. */
const TRIED_ONE_BY_ONE = 20_000;

/** SQLite's codes IOERR, CORRUPT, TOOBIG and NOTADB, and that for a row that breaks a rule of its table. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([10, 11, 18, 26]);
const CONSTRAINT = 19;

export interface CopiedTable {
  /** How many rows the other database did not have. */
  readonly rows: number;
  /** How many rows cannot be read, or were refused; null when that is unknown. */
  readonly lost: number | null;
  /** False when damage hides a row, a row was refused, or the table is missing. */
  readonly isWhole: boolean;
}

type Column = Readonly<{ name: string; isText: boolean }>;

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Returns the tables of a database that hold rows of this program, in the order in which they were made. */
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

/** Returns the columns of a table that hold values; none where the table is missing. */
export function columnsOf(db: DatabaseSync, table: string): Column[] {
  return db.prepare("SELECT name, type FROM pragma_table_info(?)").all(table)
    .map(({ name, type }) => ({ name: String(name), isText: type === "TEXT" }));
}

/** Returns the columns that identify a row: its number, or the primary key where rows have no numbers. */
export function keysOf(db: DatabaseSync, table: string): string[] {
  return db.prepare(
    `SELECT coalesce(key.name, 'rowid') AS name
       FROM pragma_table_list AS made
       LEFT JOIN pragma_table_info(made.name) AS key ON made.wr AND key.pk > 0
      WHERE made.schema = 'main'
        AND made.name = ?
      ORDER BY key.pk`,
  ).all(table).map(({ name }) => String(name));
}

/**
 * Copies the readable rows of a table into the table of the same name, in the columns of the same name. A row that is
 * there already stays as it is. Row numbers that no column holds are assigned anew.
 * @throws {Error} What SQLite says of the database that is written to.
 */
export function copyReadable(from: DatabaseSync, to: DatabaseSync, table: string): CopiedTable {
  const known = new Set(columnsOf(to, table).map(({ name }) => name));
  const columns = orDamaged(() => columnsOf(from, table), () => [])
    .filter(({ name }) => known.has(name));
  if (columns.length === 0) return { rows: 0, lost: null, isWhole: false };
  const insert = to.prepare(
    `INSERT OR IGNORE INTO ${quotedName(table)} (${namesOf(columns)})
     VALUES (${columns.map(({ isText }) => isText ? "CAST(? AS TEXT)" : "?").join(", ")})`,
  );
  let [rows, taken, refused] = [0, 0, 0];
  const write = (row: Row) => {
    try {
      rows += Number(insert.run(...columns.map(({ name }) => row[name] as SQLInputValue)).changes);
      taken++;
    } catch (thrown) {
      // Bits that flipped may have made a value of another type, which a strict table refuses.
      if (!isDamage(thrown) && codeOf(thrown) !== CONSTRAINT) throw thrown;
      refused++;
    }
  };
  const isWhole = orDamaged(() => readRows(from, { table, columns }, write), () => false);
  const total = isWhole ? taken + refused : countRows(from, table);
  return { rows, lost: total && Math.max(0, total - taken), isWhole: isWhole && refused === 0 };
}

/** Counts rows by the table's smallest index, which may be whole in a damaged table; null where it is damaged too. */
function countRows(db: DatabaseSync, table: string): number | null {
  const count = () => db.prepare(`SELECT count(*) AS n FROM ${quotedName(table)}`).get()!["n"];
  return orDamaged(() => Number(count()), () => null);
}

/**
 * Reads rows in the order of their keys, batch by batch: the runtime's iterator ends at an error as if that were the
 * last row. Near damage it reads rows one by one. It steps over row numbers that cannot be read; a table without
 * numbers is read from its other end as well.
 * @returns False where damage hides a row.
 */
function readRows(
  db: DatabaseSync,
  { table, columns }: { readonly table: string; readonly columns: readonly Column[] },
  take: (row: Row) => void,
): boolean {
  const keys = keysOf(db, table);
  if (keys.length === 0) return false;
  const isNumbered = keys[0] === "rowid";
  // Texts are read as bytes, since the runtime cuts a text at a NUL. An index holds the columns, not values cast from
  // them.
  const asBytes = ({ name, isText }: Column) =>
    isText ? `CAST(${quotedName(name)} AS BLOB) AS ${quotedName(name)}` : quotedName(name);
  const read = [...isNumbered ? ["rowid AS rowid"] : [], ...columns.map(asBytes)].join(", ");
  const place = keys.map((key) => `read.${quotedName(key)}`);
  const isText = (key: string) => columns.some((column) => column.name === key && column.isText);
  const placeholders = keys.map((key) => isText(key) ? "CAST(? AS TEXT)" : "?").join(", ");
  let isWhole = true;
  for (const [sign, order] of isNumbered ? [[">", "ASC"]] : [[">", "ASC"], ["<", "DESC"]]) {
    const behind = `(${place.join(", ")}) ${sign} (${placeholders})`;
    const [first, next] = ["1", behind].map((isBehind) =>
      db.prepare(
        `SELECT ${read}, ${isBehind} AS isBehind
           FROM ${quotedName(table)} AS read ${isNumbered ? "NOT INDEXED" : ""}
          WHERE ${isBehind}
          ORDER BY ${place.map((key) => `${key} ${order}`).join(", ")}
          LIMIT ?`,
      )
    );
    let after: SQLInputValue[] = [];
    for (let limit = BATCH_ROWS, failures = 0;;) {
      const look = () => (after.length === 0 ? first! : next!).all(...after, ...after, limit);
      const rows: Row[] | null = orDamaged(look, () => null);
      if (rows?.length === 0) break;
      // A damaged page may give any key, also one that was read before.
      if (rows?.every((row) => row["isBehind"] === 1)) {
        rows.forEach(take);
        after = keys.map((key) => rows.at(-1)![key] as SQLInputValue);
        [limit, failures] = [Math.min(2 * limit, BATCH_ROWS), 0];
        continue;
      }
      isWhole = false;
      if (limit > 1) limit = 1;
      else if (!isNumbered) break;
      else {
        const number = Number(after[0] ?? 0) + 2 ** Math.max(0, ++failures - TRIED_ONE_BY_ONE);
        if (number > Number.MAX_SAFE_INTEGER) break;
        after = [number];
      }
    }
    if (isWhole) break;
  }
  return isWhole;
}

/**
 * Returns the row numbers of a damaged table, in order: those that the table gives, and those that its smallest index
 * gives, whose rows may be lost.
 * @returns `isWhole`: whether the table gave all of its numbers.
 */
export function reachablePlaces(
  db: DatabaseSync,
  table: string,
): { readonly places: readonly number[]; readonly isWhole: boolean } {
  const byIndex = () => db.prepare(`SELECT rowid FROM ${quotedName(table)}`).all();
  const found = new Set(orDamaged(byIndex, () => []).map(({ rowid }) => Number(rowid)));
  const read = () => readRows(db, { table, columns: [] }, ({ rowid }) => found.add(Number(rowid)));
  const isWhole = orDamaged(read, () => false);
  return { places: [...found].sort((a, b) => a - b), isWhole };
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => quotedName(name)).join(", ");
}

function codeOf(thrown: unknown): number {
  return Number((thrown as { readonly errcode?: unknown } | null)?.errcode ?? 0) & 0xff;
}

export function isDamage(thrown: unknown): boolean {
  // The runtime throws a RangeError for an integer that is too large for a number, as flipped bits can make it.
  return thrown instanceof RangeError || DAMAGE_CODES.has(codeOf(thrown));
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
