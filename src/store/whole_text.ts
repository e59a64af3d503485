/** Reads texts that hold a NUL: the runtime cuts a text there, but no bytes. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";

type Columns = Readonly<Record<string, SQLOutputValue>>;

/**
 * All columns of a table, for a `SELECT`, and what makes whole texts of what it gives.
 */
export function wholeColumns(
  db: DatabaseSync,
  table: string,
): { readonly columns: string; readonly decode: <Row extends Columns>(row: Row) => Row } {
  const infos = db.prepare("SELECT name, type FROM pragma_table_info(?)").all(table)
    .map(({ name, type }) => ({ name: String(name), isText: type === "TEXT" }));
  const texts = infos.filter(({ isText }) => isText).map(({ name }) => name);
  const decoder = new TextDecoder();
  return {
    columns: infos.map(({ name, isText }) =>
      isText ? `iif(instr(${name}, char(0)) > 0, CAST(${name} AS BLOB), ${name}) AS ${name}` : name
    ).join(", "),
    decode: (row) => {
      const cut = texts.filter((name) => row[name] instanceof Uint8Array);
      return cut.length === 0 ? row : {
        ...row,
        ...Object.fromEntries(cut.map((name) => [name, decoder.decode(row[name] as Uint8Array)])),
      };
    },
  };
}
