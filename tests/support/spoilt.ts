/** Ways to spoil a database file, for tests of what the program does then. */
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../src/db/database.ts";
import { hook, type TempHome } from "./program.ts";
import { seededRandom } from "./tool_uses.ts";

/** A database that the program made and used, closed and in one file. */
export async function makeUsedDatabase(home: TempHome): Promise<void> {
  await Promise.all(Array.from({ length: 12 }, (_, i) =>
    hook("PostToolUse", {
      session_id: "before",
      tool_name: "Write",
      tool_use_id: `before-${i}`,
      tool_response: `line ${i}\n`.repeat(300),
    }, home)));
  closeDatabase(home.database);
}

/** Moves the write-ahead log into the file, and leaves nothing beside it. */
export function closeDatabase(path: string): void {
  using db = new DatabaseSync(path);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** How many pages the schema takes in a new database; what is behind them are rows. */
export async function schemaPages(): Promise<number> {
  const db = await openDatabase(":memory:", { busyTimeoutMs: 100 });
  return Number(db.prepare("PRAGMA page_count").get()!["page_count"]);
}

/** Bytes that mean nothing. */
export function garbage(length: number, seed = 1): Uint8Array {
  const random = seededRandom(seed);
  return Uint8Array.from({ length }, () => random() * 256);
}

/** Overwrites a part of a file with garbage. */
export function spoil(path: string, part: { readonly at: number; readonly length: number }): void {
  using file = Deno.openSync(path, { write: true });
  file.seekSync(part.at, Deno.SeekMode.Start);
  file.writeSync(garbage(part.length, part.at + 1));
}
