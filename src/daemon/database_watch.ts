/**
 * Watches the files that a daemon needs: SQLite would go on writing to a database that was removed, no client finds a
 * daemon whose socket is gone, and without its lock another daemon could start on the same database.
 */

/** How often, in milliseconds. */
const LOOK_MS = 1_000;

/** Sizes of a database and of its log, in bytes; 0 for what is not there. */
export function databaseBytes(path: string): { readonly database: number; readonly wal: number } {
  return { database: sizeOf(path), wal: sizeOf(`${path}-wal`) };
}

/**
 * Watches that paths lead to the same files as now.
 *
 * @param places What they are called, and where they are. @param gone Called once, with what has become of one of them.
 * @param fine Called at every look at which all are in their places. @returns What ends the watch.
 */
export function watchPlaces(
  places: readonly (readonly [name: string, path: string])[],
  { gone, fine }: { readonly gone: (why: string) => void; readonly fine: () => void },
): () => void {
  const before = places.map(([name, path]) => ({ name, path, info: Deno.statSync(path) }));
  const timer = setInterval(() => {
    for (const { name, path, info } of before) {
      const why = whatBecame(path, info);
      if (why === null) continue;
      clearInterval(timer);
      return gone(`${name} ${path} ${why}`);
    }
    fine();
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** Whether a path still leads to the file that it led to before. */
export function isSamePlace(path: string, before: Deno.FileInfo): boolean {
  return whatBecame(path, before) === null;
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
