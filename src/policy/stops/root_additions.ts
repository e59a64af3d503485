/** Finds files that have appeared directly in a project's folder since the session began. */
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../../system/environment.ts";
import { joinPath } from "../../base/paths.ts";
import { sizesIn } from "../../system/git/versions.ts";
import { askIgnored } from "../../system/git/file_status.ts";
import { listFolder } from "../../system/on_disk.ts";
import { realPath } from "../../system/real_paths.ts";
import { readSnapshot, saveSnapshot, type SnapshotKey } from "./stop_memory_table.ts";

/** Stores the names of the present files, so that they count as known. */
export function takeSnapshot(db: DatabaseSync, key: SnapshotKey, atMs: number): void {
  const names = filesInRoot(key.root);
  if (names !== null) saveSnapshot(db, key, { names, atMs });
}

/**
 * Returns the new files that git neither ignores nor has committed: a committed file came with a merge or a branch, or
 * everybody sees it. If no snapshot was stored when the session began, stores the present files and returns none.
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
  const root = realPath(key.root);
  const pathOf = (name: string) => joinPath(root, name);
  const { ignored } = await askIgnored(added.map(pathOf), environment);
  const unignored = added.filter((name) => !ignored.has(pathOf(name)));
  if (unignored.length === 0) return [];
  const paths = unignored.map(pathOf);
  const committed = await sizesIn({ root }, { commit: "HEAD", paths }, environment);
  return unignored.filter((name) => !committed.has(pathOf(name)));
}

/** A folder with more files counts as no project. */
const MAX_NAMES = 5000;

/** Lists the files and links directly in a folder, without dotfiles; null if it cannot be read or holds too many. */
function filesInRoot(root: string): string[] | null {
  const names = listFolder(root)?.filter(({ isDirectory }) => !isDirectory)
    .map(({ name }) => name).filter((name) => !name.startsWith("."));
  return names === undefined || names.length > MAX_NAMES ? null : names.sort();
}
