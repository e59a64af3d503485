/** Looks at what the program left on disk, with SQLite and the file system themselves and nothing of the program's. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { brotliDecompressSync } from "node:zlib";
import type { TempHome } from "./program.ts";

/** One row of any table. */
export type Row = Readonly<Record<string, unknown>>;

/** A home, or the path of a database. */
type Place = string | TempHome;

/** Runs one query on the database of a home, or on the database with this path. */
export function query(place: Place, sql: string, ...values: (string | number | null)[]): Row[] {
  using db = new DatabaseSync(databaseOf(place), { readOnly: true, timeout: 10_000 });
  return db.prepare(sql).all(...values);
}

/** The first value of the first row. */
export function queryValue(place: Place, sql: string, ...values: (string | number | null)[]) {
  return Object.values(query(place, sql, ...values)[0] ?? {})[0];
}

/** How many rows a table has. */
export function countRows(place: Place, table: string): number {
  return Number(queryValue(place, `SELECT count(*) FROM ${table}`));
}

/** The audit trail, oldest first, with `metadata` parsed. */
export function executions(place: Place): Row[] {
  return query(place, "SELECT * FROM hook_executions ORDER BY id")
    .map((row) => ({ ...row, metadata: JSON.parse(String(row["metadata"])) }));
}

/** What the newest row of the audit trail tells beside its columns. */
export function lastMetadata(place: Place): Row {
  return executions(place).at(-1)!["metadata"] as Row;
}

/** The captures, oldest first, with `payload` and `files_touched` parsed. */
export function captures(place: Place): Row[] {
  return query(place, "SELECT * FROM pending_queue ORDER BY id").map((row) => ({
    ...row,
    payload: JSON.parse(payloadOf(row)),
    files_touched: JSON.parse(String(row["files_touched"])),
  }));
}

/** The drain compresses payloads. */
function payloadOf({ payload, encoding }: Row): string {
  return encoding === "br"
    ? brotliDecompressSync(payload as Uint8Array).toString()
    : String(payload);
}

/** The sessions by id. */
export function sessions(place: Place): Row[] {
  return query(place, "SELECT * FROM sessions ORDER BY session_id");
}

/** The one session with this id. @throws {Error} When there is none, or more than one. */
export function sessionOf(place: Place, sessionId: string): Row {
  const [row, ...more] = query(place, "SELECT * FROM sessions WHERE session_id = ?", sessionId);
  if (row === undefined || more.length > 0) throw new Error(`not one session ${sessionId}`);
  return row;
}

/** What SQLite itself says of the file: empty when it is sound. */
export function damages(place: Place): unknown[] {
  const found = query(place, "PRAGMA integrity_check").map((row) => row["integrity_check"]);
  return [
    ...found.filter((word) => word !== "ok"),
    ...query(place, "PRAGMA foreign_key_check"),
  ];
}

/** All files below a folder, as absolute paths, sorted; none when it does not exist. */
export function filesBelow(folder: string): string[] {
  return entriesBelow(folder).filter(({ isFolder }) => !isFolder).map(({ path }) => path);
}

/** All files and folders below a folder. */
export function entriesBelow(
  folder: string,
): { readonly path: string; readonly isFolder: boolean }[] {
  let names: string[];
  try {
    names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = join(folder, name);
    const isFolder = Deno.lstatSync(path).isDirectory;
    return [{ path, isFolder }, ...isFolder ? entriesBelow(path) : []];
  });
}

/** The files below a folder in whose bytes, or in whose name, a text stands. */
export function filesWith(folder: string, text: string): string[] {
  const wanted = latin1(new TextEncoder().encode(text));
  return filesBelow(folder).filter((path) =>
    path.slice(folder.length).includes(text) || latin1(Deno.readFileSync(path)).includes(wanted)
  );
}

/** Each byte as one character: a text in which any bytes can be searched for. */
export function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

/** The records that wait in the first spool folder of a home, oldest first. */
export function spoolFiles(home: TempHome): string[] {
  return filesBelow(join(home.path, ".conclaude", "spool")).filter((path) =>
    path.endsWith(".json")
  );
}

/** The program's log in a home; empty when there is none. */
export function logOf(home: TempHome): string {
  return textOf(join(home.path, ".conclaude", "conclaude.log"));
}

function databaseOf(place: Place): string {
  return typeof place === "string" ? place : place.database;
}

/** The text of a file; empty where there is none. */
export function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** Whether something is there; a link is, wherever it leads. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Permission bits in octal: `600`. */
export function modeOf(path: string): string {
  return ((Deno.statSync(path).mode ?? 0) & 0o777).toString(8);
}

/** The names in a folder, sorted; none when it is missing. */
export function namesIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
  } catch {
    return [];
  }
}
