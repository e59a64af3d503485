/** Copies the tables of a database into another file, row by row: the runtime forbids `VACUUM` and `ATTACH`. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

/** Rows that are read at once. */
const BATCH_ROWS = 500;

interface Column {
  readonly name: string;
  readonly isText: boolean;
}

/**
 * Copies all rows of a table into one of the same name with the same columns; rows keep their numbers.
 *
 * @returns How many rows. @throws {Error} What SQLite says, for example of a damaged page; the rows before it are copied.
 */
export function copyTable(
  from: DatabaseSync,
  to: DatabaseSync,
  { table, orIgnore = false }: { readonly table: string; readonly orIgnore?: boolean },
): number {
  const { columns, keys } = shapeOf(from, table);
  const names = columns.map(({ name }) => quotedName(name)).join(", ");
  // The runtime cuts a text at a NUL, but no bytes.
  const read = columns.map(({ name, isText }) =>
    isText ? `CAST(${quotedName(name)} AS BLOB) AS ${quotedName(name)}` : quotedName(name)
  ).join(", ");
  const places = columns.map(({ isText }) => isText ? "CAST(? AS TEXT)" : "?").join(", ");
  const put = to.prepare(
    `INSERT ${orIgnore ? "OR IGNORE " : ""}INTO ${quotedName(table)} (${names}) VALUES (${places})`,
  );
  let count = 0;
  for (const rows of batchesOf(from, { table, read, keys })) {
    for (const row of rows) {
      put.run(...columns.map(({ name }) => row[name] as SQLInputValue));
      count++;
    }
  }
  return count;
}

/** The columns that can be written, with the number of the row where nothing else is it. */
function shapeOf(
  db: DatabaseSync,
  table: string,
): { readonly columns: readonly Column[]; readonly keys: readonly string[] } {
  const infos = db.prepare("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)").all(table);
  const keyed = infos.filter(({ pk }) => Number(pk) > 0);
  // Asking for a list of tables would open the damaged index as well.
  const made = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?").get(
    table,
  );
  const hasPlace = !/\bWITHOUT ROWID\b/i.test(String(made?.["sql"]));
  const isNumber = hasPlace && keyed.length === 1 && keyed[0]!["type"] === "INTEGER";
  const columns = infos.filter(({ hidden }) => Number(hidden) === 0).map(({ name, type }) => ({
    name: String(name),
    isText: type === "TEXT",
  }));
  return {
    columns: hasPlace && !isNumber ? [{ name: "rowid", isText: false }, ...columns] : columns,
    keys: hasPlace ? ["rowid"] : keyed.map(({ name }) => String(name)),
  };
}

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Statement by statement: the runtime's iterator ends at an error as if that were the last row. */
function* batchesOf(
  db: DatabaseSync,
  { table, read, keys }: {
    readonly table: string;
    readonly read: string;
    readonly keys: readonly string[];
  },
): Generator<readonly Row[]> {
  if (keys[0] !== "rowid") {
    const all = db.prepare(`SELECT ${read} FROM ${quotedName(table)}`);
    all.setReadBigInts(true);
    yield all.all();
    return;
  }
  const next = db.prepare(
    `SELECT rowid AS copied_place, ${read}
       FROM ${quotedName(table)} NOT INDEXED
      WHERE rowid > ?
      ORDER BY rowid
      LIMIT ${BATCH_ROWS}`,
  );
  next.setReadBigInts(true);
  for (let after = -(2n ** 63n);;) {
    const rows = next.all(after);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = BigInt(last["copied_place"] as bigint);
  }
}

/** A name of a table or column, as SQL takes any. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
