/**
 * Watches the files that a daemon needs: SQLite goes on writing to a removed database, clients find a daemon by its
 * socket, and without the lock another daemon could start.
 */
import { type FileInfo, isNotFound, statSync } from "../system/files.ts";

const LOOK_MS = 1_000;

/**
 * Watches whether paths still lead to the same files as now.
 * @param gone Called once, when a file was removed or replaced. @param fine Called at every look that finds all files
 * in place.
 * @returns A function that ends the watch.
 */
export function watchPlaces(
  places: readonly (readonly [name: string, path: string])[],
  { gone, fine }: { readonly gone: (why: string) => void; readonly fine: () => void },
): () => void {
  const before = places.map(([name, path]) => ({ name, path, info: statSync(path) }));
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

export function isSamePlace(path: string, before: FileInfo): boolean {
  return whatBecame(path, before) === null;
}

function whatBecame(path: string, before: FileInfo): string | null {
  try {
    const { ino, dev, birthtime } = statSync(path);
    // On systems without these numbers it is enough that the file exists. A new file may get the number of a removed one.
    const isSame = ino === before.ino && dev === before.dev &&
      birthtime?.getTime() === before.birthtime?.getTime();
    return isSame ? null : "was replaced by another file";
  } catch (thrown) {
    return isNotFound(thrown) ? "was removed" : null;
  }
}
