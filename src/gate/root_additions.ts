/** Which files have appeared in a project's folder since the session began. */
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../environment.ts";
import { filesInRoot, notCommitted, notIgnored } from "../project/root_files.ts";
import { readSnapshot, saveSnapshot, type SnapshotKey } from "../store/root_snapshots.ts";

/** Keeps which files are there now, as those that may be there. */
export function takeSnapshot(db: DatabaseSync, key: SnapshotKey, atMs: number): void {
  const names = filesInRoot(key.root);
  if (names !== null) saveSnapshot(db, key, { names, atMs });
}

/**
 * The files that are there and were not, without those that git ignores, and those that it has committed: a merge or
 * another branch brought them, or everybody can see that they were added. Where nobody looked when the session began,
 * what is there now counts as having been there.
 */
export async function rootAdditions(
  db: DatabaseSync,
  key: SnapshotKey,
  { atMs, environment }: { readonly atMs: number; readonly environment: Environment },
): Promise<string[]> {
  const known = readSnapshot(db, key);
  if (known === null) {
    takeSnapshot(db, key, atMs);
    return [];
  }
  const added = filesInRoot(key.root)?.filter((name) => !known.has(name)) ?? [];
  if (added.length === 0) return [];
  const unignored = await notIgnored(key.root, added, environment);
  return unignored.length === 0 ? [] : await notCommitted(key.root, unignored, environment);
}
