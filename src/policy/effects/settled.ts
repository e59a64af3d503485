/** Settles violations whose file or branch is as it was before. Loaded only while some are open. */
import type { DatabaseSync } from "node:sqlite";
import { keptText } from "../../config/store.ts";
import { broughtFiles, isAsIn, isInRemote } from "../../system/git/brought_files.ts";
import { exists, readText } from "../../system/on_disk.ts";
import { settleViolations } from "./effects_table.ts";
import { isSameState, stateOf } from "./file_state.ts";
import type { Ground } from "./ground_of_effects.ts";
import type { Snapshot, Violation } from "./types.ts";

/** @returns Those that are still open. */
export async function settle(
  open: readonly Violation[],
  now: Snapshot,
  { db, work }: Ground,
): Promise<Violation[]> {
  const { repository, environment } = work;
  const files = open.filter(({ kind, before }) => kind === "file" && before !== "");
  const since = { logBytes: Math.min(...files.map(({ logBytes }) => logBytes)) };
  const brought = files.length === 0 || repository === undefined
    ? new Set<string>()
    : await broughtFiles(repository, files.map(({ subject }) => subject), { since, environment });
  const settled = new Set<string>();
  for (const { id, kind, subject, before, undo } of open) {
    const isSettled = kind === "file"
      ? brought.has(subject) || isSameState(before, stateOf(subject)) ||
        await isPutBack(subject, undo)
      : kind === "ref"
      ? await isRefBack(subject, before)
      : !now.held.includes(subject) && isKeptAgain(db, subject);
    if (isSettled) settled.add(id);
  }
  if (settled.size > 0) settleViolations(db, [...settled], work.atMs);
  return open.filter(({ id }) => !settled.has(id));

  /** Whether a file is as in the commit that the command to undo takes it from. */
  async function isPutBack(path: string, undo: string | null): Promise<boolean> {
    const commit = / --source=([\da-f]+) /.exec(undo ?? "")?.[1];
    return commit !== undefined && repository !== undefined &&
      await isAsIn(repository, { commit, path }, environment);
  }

  async function isRefBack(subject: string, before: string): Promise<boolean> {
    const commit = now.refs[subject] ?? "";
    return commit === before ||
      (commit !== "" && repository !== undefined &&
        await isInRemote(repository, commit, environment));
  }
}

function isKeptAgain(db: DatabaseSync, path: string): boolean {
  const kept = keptText(db, path);
  return kept === undefined ? !exists(path) : readText(path) === kept;
}
