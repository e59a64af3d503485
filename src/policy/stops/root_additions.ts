/** Finds files that have appeared in a project's folder since the session began. */
import type { DatabaseSync } from "node:sqlite";
import { SILENT_ABOUT_ROOT } from "../../config/hook_config.ts";
import type { Environment } from "../../system/environment.ts";
import { fingerprint } from "../../base/ids.ts";
import { runTool } from "../../system/process/run_program.ts";
import { listFolder } from "../../system/on_disk.ts";
import {
  isFirstTelling,
  readSnapshot,
  saveSnapshot,
  type SnapshotKey,
} from "./stop_memory_table.ts";

/** Stores the names of the files that are there now, so that they count as known. */
export function takeSnapshot(db: DatabaseSync, key: SnapshotKey, atMs: number): void {
  const names = filesInRoot(key.root);
  if (names !== null) saveSnapshot(db, key, { names, atMs });
}

/**
 * The new files that git neither ignores nor has committed: a committed file came with a merge or another branch, or
 * everybody sees it. Where nothing was stored when the session began, the present files are stored now.
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
  const where = { root: key.root, environment };
  const unignored = await withoutPrinted(IGNORED, added, where);
  return unignored.length === 0 ? [] : await withoutPrinted(COMMITTED, unignored, where);
}

/** A folder with more files is nobody's project. */
const MAX_NAMES = 5000;
const GIT_TIMEOUT_MS = 3000;

/** The files and links directly in a folder, without dotfiles; null when it cannot be read or holds too many. */
function filesInRoot(root: string): string[] | null {
  const names = listFolder(root)?.filter(({ isDirectory }) => !isDirectory)
    .map(({ name }) => name).filter((name) => !name.startsWith("."));
  return names === undefined || names.length > MAX_NAMES ? null : names.sort();
}

/** The names that a command of git does not print when it is asked for them; all where git cannot tell. */
async function withoutPrinted(
  words: readonly string[],
  names: readonly string[],
  { root, environment }: { readonly root: string; readonly environment: Environment },
): Promise<string[]> {
  const told = { folder: root, timeoutMs: GIT_TIMEOUT_MS, environment };
  const asked = await runTool(["git", ...words, "--", ...names], told);
  const printed = new Set(asked?.code === 0 ? asked.stdout.split(/[\0\n]/) : []);
  return names.filter((name) => !printed.has(name));
}

const IGNORED = ["-c", "core.quotePath=false", "check-ignore"];
const COMMITTED = ["--literal-pathspecs", "ls-tree", "--name-only", "-z", "HEAD"];

/** Tells once that no configuration file of the project names the rule; null when it was told before. */
export function rootNotice(db: DatabaseSync, path: string): string | null {
  // Only a fingerprint of the path is stored, so that a forgotten project leaves no trace.
  return isFirstTelling(db, `root:${fingerprint(path)}`)
    ? `conclaude: ${SILENT_ABOUT_ROOT} (${path}). This is said once.`
    : null;
}
