/** Mends a database the search index of which is damaged so that SQLite cannot even take it away. */
import { UserError } from "../errors.ts";
import { baseName, joinPath, parentOf } from "../paths.ts";
import { quoteWord } from "../settings/hooks.ts";
import { drainLockPath, takeLock } from "../store/process_lock.ts";
import { copyWhole } from "../store/without_index.ts";
import { install } from "./replace.ts";
import { removeDatabase, setAside } from "./set_aside.ts";

/** So long a drain at work is waited for. */
const LOCK_WAIT_MS = 15_000;

/** What the name of a database has behind it that is being written; a copy of it that was stopped is of no use. */
const DRAFT = ".anew-";

/** What became of a database that was written anew. */
export interface WrittenAnew {
  /** Where the damaged one lies. */
  readonly aside: string;
  readonly rows: number;
}

/**
 * Writes a database anew, with a search index made of its observations, and sets the damaged one aside. Hooks wait
 * meanwhile, or keep their records in the spool.
 *
 * @throws {UserError | Error} When somebody else is at work for too long, a page of another table cannot be read, or
 * there is no room. The database is where it was then.
 */
export function writeAnew(
  database: string,
  { nowMs, busyTimeoutMs }: { readonly nowMs: number; readonly busyTimeoutMs: number },
): WrittenAnew {
  const lock = takeLock(drainLockPath(database), { waitMs: LOCK_WAIT_MS });
  if (lock === null) {
    throw new UserError(`Cannot write "${database}" anew`, {
      why: "another process is working captures into memory; nothing was changed",
      next: `fuser -v ${quoteWord(drainLockPath(database))}`,
    });
  }
  const copy = `${database}${DRAFT}${crypto.randomUUID().slice(0, 8)}`;
  try {
    draftsOf(database).forEach(removeDatabase);
    const rows = copyWhole(database, { copy, busyTimeoutMs });
    const aside = setAside(database, { reason: "damaged", nowMs });
    install(copy, database, { reason: "damaged", nowMs });
    return { aside, rows };
  } finally {
    lock.release();
    removeDatabase(copy);
  }
}

/** Those that were left where somebody was stopped. */
function draftsOf(database: string): string[] {
  const folder = parentOf(database);
  return Array.from(Deno.readDirSync(folder), ({ name }) => name)
    .filter((name) => name.startsWith(`${baseName(database)}${DRAFT}`))
    .map((name) => joinPath(folder, name));
}
