/** What is done to a home, and has to go well. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { startProgram, type TempHome } from "./program.ts";

/** Runs the program in a folder. @returns What it prints. */
export async function printed(home: TempHome, cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await startProgram(args, { env: { HOME: home.path }, cwd });
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

/** Changes the database, with nothing of the program's. */
export function change(home: TempHome, sql: string): void {
  const db = new DatabaseSync(home.database);
  db.exec(sql);
  db.close();
}
