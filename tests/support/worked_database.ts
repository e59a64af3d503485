/** A database whose captures are worked into memory, for tests that damage it. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { openDatabase } from "../../src/db/database.ts";
import { type TempHome, tempHome } from "./program.ts";
import { closeDatabase } from "./spoilt.ts";
import { saveWork } from "./work_sessions.ts";
import { run } from "./verb.ts";

/** Of its file. */
export const PAGE_BYTES = 4096;
let model: Uint8Array | undefined;

/** A database of 600 captures that were worked in, in one file. It is made once for a test file. */
export async function worked(home: TempHome): Promise<void> {
  Deno.mkdirSync(join(home.path, ".conclaude"), { mode: 0o700 });
  if (model !== undefined) return Deno.writeFileSync(home.database, model, { mode: 0o600 });
  await work(home);
  model = Deno.readFileSync(home.database);
}

async function work(home: TempHome): Promise<void> {
  const db = await openDatabase(home.database, { busyTimeoutMs: 1000 });
  saveWork(db, 600, { seed: 3 });
  db.close();
  assert.equal((await run(home, "queue", "drain")).code, 0);
  closeDatabase(home.database);
}

/** Asks a database file. */
export function ask(path: string, sql: string): Record<string, unknown>[] {
  using db = new DatabaseSync(path, { readOnly: true });
  return db.prepare(sql).all();
}

/** The rows of a table, in an order. */
export function rowsIn(path: string, table: string, columns: string): string[] {
  return ask(path, `SELECT ${columns} FROM ${table}`).map((row) => JSON.stringify(row)).sort();
}

/** The numbers of the pages of a table or an index. */
export function pagesOf(path: string, table: string, kind: "internal" | "leaf"): number[] {
  return ask(
    path,
    `SELECT pageno FROM dbstat WHERE name = '${table}' AND pagetype = '${kind}' ORDER BY path`,
  ).map(({ pageno }) => Number(pageno));
}

/** The home of a sound database with a copy of it. */
export function copyOf(sound: TempHome): TempHome {
  const home = tempHome();
  Deno.mkdirSync(join(home.path, ".conclaude"), { mode: 0o700 });
  Deno.copyFileSync(sound.database, home.database);
  return home;
}
