/** Looks after the database's file while a daemon has it open: SQLite itself would go on writing to one that is gone. */

/** How often, in milliseconds. */
const LOOK_MS = 1_000;

/** Sizes of a database and of its log, in bytes; 0 for what is not there. */
export function databaseBytes(path: string): { readonly database: number; readonly wal: number } {
  return { database: sizeOf(path), wal: sizeOf(`${path}-wal`) };
}

/**
 * Watches that the path leads to the same file as now.
 *
 * @param gone Called once, with what has become of it. @returns What ends the watch.
 */
export function watchDatabase(path: string, gone: (why: string) => void): () => void {
  const before = Deno.statSync(path);
  const timer = setInterval(() => {
    const why = whatBecame(path, before);
    if (why === null) return;
    clearInterval(timer);
    gone(why);
  }, LOOK_MS);
  return () => clearInterval(timer);
}

function whatBecame(path: string, before: Deno.FileInfo): string | null {
  try {
    const { ino, dev } = Deno.statSync(path);
    // Where the system knows no such numbers, only that there is a file counts.
    return ino === before.ino && dev === before.dev ? null : "was replaced by another file";
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound ? "was removed" : null;
  }
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}
