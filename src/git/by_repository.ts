import { parentOf } from "../paths.ts";
import { findRepository, lookUpwards } from "./repository.ts";

/** Files by the top of the working tree in which they lie; `undefined` for those outside of every repository. */
export function byRepository(paths: readonly string[]): Map<string | undefined, string[]> {
  const roots = new Map<string, string | undefined>();
  for (const folder of new Set(paths.map(parentOf))) {
    roots.set(folder, findRepository(lookUpwards(folder))?.root);
  }
  return Map.groupBy(paths, (path) => roots.get(parentOf(path)));
}
