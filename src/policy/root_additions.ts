/** Finds files that have appeared in a project's folder since the session began. */
import type { DatabaseSync } from "node:sqlite";
import { SILENT_ABOUT_ROOT } from "../config/hook_config.ts";
import type { Environment } from "../system/environment.ts";
import { fingerprint } from "../base/ids.ts";
import { runTool } from "../system/process/run_program.ts";
import { listFolder } from "../system/on_disk.ts";
import {
  isFirstTelling,
  readSnapshot,
  saveSnapshot,
  type SnapshotKey,
} from "./stop_memory_table.ts";

/** Stores the names of the present files: they may be there. */
export function takeSnapshot(db: DatabaseSync, key: SnapshotKey, atMs: number): void {
  const names = filesInRoot(key.root);
  if (names !== null) saveSnapshot(db, key, { names, atMs });
}

/**
 * The new files, without those that git ignores or has committed: a merge or another branch has brought those, or
 * everybody can see that they were added. Where nothing was stored when the session began, the present files are stored
 * now.
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

/** A folder with more files is nobody's project. */
const MAX_NAMES = 5000;
const GIT_TIMEOUT_MS = 3000;

/** Files and links directly in a folder, sorted, without dotfiles; null when it cannot be read, or holds too many. */
function filesInRoot(root: string): string[] | null {
  const names = listFolder(root)?.filter(({ isDirectory }) => !isDirectory)
    .map(({ name }) => name).filter((name) => !name.startsWith("."));
  return names === undefined || names.length > MAX_NAMES ? null : names.sort();
}

/** The names that git has not committed on the branch that is checked out; all of them without a repository or git. */
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

/** A notice for a project whose files do not name the rule; null when it was given before. */
export function rootNotice(db: DatabaseSync, path: string): string | null {
  // The path is stored as a fingerprint, so that it does not outlive a project that is forgotten.
  return isFirstTelling(db, `root:${fingerprint(path)}`)
    ? `conclaude: ${SILENT_ABOUT_ROOT} (${path}). This is said once.`
    : null;
}
