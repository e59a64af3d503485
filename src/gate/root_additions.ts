/** Which files have appeared in a project's folder since the session began. */
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../environment.ts";
import { readSnapshot, saveSnapshot, type SnapshotKey } from "../store/root_snapshots.ts";
import { listFolder } from "../project/on_disk.ts";
import { runTool } from "../process/tool.ts";
import { fingerprint } from "../ids.ts";
import { SILENT_ABOUT_ROOT } from "../config/hook_config.ts";
import { isFirstTelling } from "../store/told_once.ts";

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

/** More names are not kept: a folder with so many is nobody's project. */
const MAX_NAMES = 5000;
const GIT_TIMEOUT_MS = 3000;

/**
 * The names of the files (and links) in a folder; not its folders, and no name with a leading dot.
 *
 * @returns Sorted; null when the folder cannot be read, or holds too many.
 */
function filesInRoot(root: string): string[] | null {
  const names = listFolder(root)?.filter(({ isDirectory }) => !isDirectory)
    .map(({ name }) => name).filter((name) => !name.startsWith("."));
  return names === undefined || names.length > MAX_NAMES ? null : names.sort();
}

/**
 * Those of the names that git has not committed on what is checked out; all of them where there is no repository, or no
 * git.
 */
async function notCommitted(
  root: string,
  names: readonly string[],
  environment: Environment,
): Promise<string[]> {
  const words = ["git", "--literal-pathspecs", "ls-tree", "--name-only", "-z", "HEAD", "--"];
  const asked = await runTool([...words, ...names], {
    folder: root,
    timeoutMs: GIT_TIMEOUT_MS,
    environment,
  });
  const committed = new Set(asked?.code === 0 ? asked.stdout.split("\0") : []);
  return names.filter((name) => !committed.has(name));
}

/** Those of the names that git does not ignore; all of them where there is no repository, or no git. */
async function notIgnored(
  root: string,
  names: readonly string[],
  environment: Environment,
): Promise<string[]> {
  const words = ["git", "-c", "core.quotePath=false", "check-ignore", "--", ...names];
  const asked = await runTool(words, { folder: root, timeoutMs: GIT_TIMEOUT_MS, environment });
  const ignored = new Set(asked?.code === 0 ? asked.stdout.split("\n") : []);
  return names.filter((name) => !ignored.has(name));
}

/** One line for the person; null when it was told before. @param path The project's configuration file. */
export function rootNotice(db: DatabaseSync, path: string): string | null {
  // The path itself would stay when the project is forgotten.
  return isFirstTelling(db, `root:${fingerprint(path)}`)
    ? `conclaude: ${SILENT_ABOUT_ROOT} (${path}). This is said once.`
    : null;
}
