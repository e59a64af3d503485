/** Changes to a home and its database that have to succeed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runProgram, type TempHome } from "./program.ts";

/** Runs the program in a folder. @returns What it prints. */
export async function printed(home: TempHome, cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(args, { env: { HOME: home.path }, cwd });
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

/** Changes the database of a home, or the one with this path, with nothing of the program's. */
export function change(
  place: string | Pick<TempHome, "database">,
  sql: string,
  ...values: readonly (string | number | null | Uint8Array)[]
): void {
  using db = connected(typeof place === "string" ? place : place.database);
  if (values.length === 0) db.exec(sql);
  else db.prepare(sql).run(...values);
}

/** A home whose programs wait 0.1 s, the least that may be configured, for a database that others hold. */
export function hurried<Home extends Pick<TempHome, "path">>(home: Home): Home {
  configureUser(home, "database: {busyTimeoutMs: 100}\n");
  return home;
}

/** Writes the configuration of the user whose home this is. @returns Its path. */
export function configureUser(home: Pick<TempHome, "path">, text: string): string {
  const folder = join(home.path, ".conclaude");
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  Deno.writeTextFileSync(join(folder, "config.yaml"), text);
  return join(folder, "config.yaml");
}

/** A connection that waits for the programs which write at the same moment. */
export function connected(database: string): DatabaseSync {
  return new DatabaseSync(database, { timeout: 10_000 });
}

/**
 * Keeps others from writing to a database, until it is released or the block ends; what was begun is undone.
 * @param by How: see https://www.sqlite.org/lang_transaction.html.
 */
export function held(database: string, by = "BEGIN IMMEDIATE"): Disposable & { release(): void } {
  const db = connected(database);
  db.exec(by);
  const release = () => {
    if (db.isOpen) db.close();
  };
  return { release, [Symbol.dispose]: release };
}
