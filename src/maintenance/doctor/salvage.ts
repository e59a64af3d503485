import { quoteWord } from "../../settings/hooks.ts";
import { canReachRows } from "../../store/export_salvage.ts";
import { openToLook } from "../../store/identity.ts";

/** The command that writes what can be read of a damaged database into a file beside it; null when nothing can be. */
export function wayToSave(database: string): string | null {
  try {
    const db = openToLook(database);
    try {
      return canReachRows(db)
        ? `conclaude export --output ${quoteWord(savedPath(database))}`
        : null;
    } finally {
      db.close();
    }
  } catch {
    return null;
  }
}

/** The same command for a database that does not count any more. */
export function exportFrom(database: string): string {
  return `conclaude --db ${quoteWord(database)} export --output ${quoteWord(savedPath(database))}`;
}

/** Whether that was done since the database was last written. */
export function isSaved(database: string): boolean {
  const savedMs = changedMs(savedPath(database));
  return savedMs !== null &&
    [database, `${database}-wal`].every((path) => savedMs >= (changedMs(path) ?? 0));
}

/** What follows in the sentence about a damaged database. */
export function savedText(database: string): string {
  return isSaved(database)
    ? `; what can be read of it is saved in ${savedPath(database)}`
    : "; what can be read of it can be saved first, with `conclaude export`";
}

function savedPath(database: string): string {
  return `${database}.saved.jsonl`;
}

function changedMs(path: string): number | null {
  try {
    return Deno.statSync(path).mtime?.getTime() ?? null;
  } catch {
    return null;
  }
}
