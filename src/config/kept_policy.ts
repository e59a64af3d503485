/** Decides which version of a configuration file is in force: one that changed while a session was active is not. */
import type { DatabaseSync } from "node:sqlite";
import { parentOf } from "../base/paths.ts";
import type { Environment } from "../system/environment.ts";
import { statSync } from "../system/files.ts";
import { broughtFiles } from "../system/git/brought_files.ts";
import type { Since } from "../system/git/reflogs.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { lookForLife } from "../system/process/process_identity.ts";
import { type ConfigFile, isLeftOut } from "./discover.ts";
import { keepFile, keptText, REMOVED, sessionsAt } from "./kept_files_table.ts";

export interface InForce {
  /** The files with the texts that are in force. */
  readonly files: readonly ConfigFile[];
  /** The files whose version before stays in force. */
  readonly held: readonly string[];
  /** The files whose new version git has brought. */
  readonly brought: readonly string[];
}

/**
 * @param searches The files as they are now, and behind them those that count without the new ones among them. One that
 * was removed has no text and no `problem` but {@linkcode REMOVED}.
 * @param onlyLooks Whether nothing is written: what is in force from now on is not kept.
 */
export async function policyInForce(
  searches: readonly (readonly ConfigFile[])[],
  { db, atMs, environment, onlyLooks = false }: {
    readonly db: DatabaseSync;
    readonly atMs: number;
    readonly environment: Pick<Environment, "variable">;
    readonly onlyLooks?: boolean;
  },
): Promise<InForce> {
  const hasPolicy = searches.flat().some(({ path }) => keptText(db, path) !== undefined);
  const held: string[] = [];
  const brought: string[] = [];
  let files: ConfigFile[] = [];
  for (const seen of searches) {
    files = [];
    let isWithoutNew = true;
    for (const file of seen) {
      const isRemoved = file.text === null && file.problem === REMOVED;
      const isUnreadable = file.text === null && !isRemoved;
      const kept = keptText(db, file.path);
      // The rules about unreadable files handle one that others may have written.
      const isSame = file.text === kept || (kept === undefined && isLeftOut(file));
      const isFirst = kept === undefined && !hasPolicy;
      // The rights of a folder above may have changed, and no time of the file tells when.
      const changedAtMs = isUnreadable ? atMs : changedAt(file.path);
      // A new file counts in place of one further up, whose sessions it is about.
      const place = kept === undefined ? searches.at(-1)!.findLast(isOfProject) ?? file : file;
      const sinceMs = isSame || isFirst ? null : await sessionAt(db, place, changedAtMs);
      if (sinceMs !== null) {
        // Git brings no rights that make a file unreadable, or open to others.
        const isBrought = !isUnreadable &&
          await broughtByGit(file.path, { since: { afterMs: sinceMs }, environment });
        if (!isBrought) {
          held.push(file.path);
          const { layer, path, home } = file;
          if (kept !== undefined) files.push({ layer, path, home, text: kept });
          else isWithoutNew = false;
          continue;
        }
        brought.push(file.path);
      }
      if (!onlyLooks && !isUnreadable) {
        keepFile(db, file.path, { text: file.text, atMs });
      }
      if (!isRemoved) files.push(file);
    }
    if (isWithoutNew) break;
  }
  return { files, held: [...new Set(held)], brought };
}

function isOfProject({ layer }: ConfigFile): boolean {
  return layer !== "user";
}

/** When the first session began that was active when a file changed; null for none. Epoch milliseconds. */
async function sessionAt(
  db: DatabaseSync,
  { layer, path }: ConfigFile,
  atMs: number,
): Promise<number | null> {
  const folder = layer === "user" ? null : parentOf(path);
  const sessions = sessionsAt(db, folder, atMs);
  const pids = sessions.flatMap(({ claudePid, isActive }) => isActive && claudePid || []);
  const alive = await lookForLife(pids);
  // A session whose process is gone was active until its last event.
  const active = sessions.filter(({ claudePid, isActive, seenAtMs }) =>
    !isActive || claudePid === null || alive.get(claudePid)?.alive !== false || seenAtMs >= atMs
  );
  return active.length === 0 ? null : Math.min(...active.map(({ beganAtMs }) => beganAtMs));
}

/** When a file, or the folder that it is gone from, was changed last; epoch milliseconds. */
function changedAt(path: string): number {
  for (const at of [path, parentOf(path)]) {
    try {
      const { mtime, ctime } = statSync(at);
      // The time of the content may be put back, that of the entry may not.
      return Math.max(mtime?.getTime() ?? 0, ctime?.getTime() ?? 0);
    } catch {
      // It is gone.
    }
  }
  return Date.now();
}

async function broughtByGit(
  path: string,
  at: { readonly since: Since; readonly environment: Pick<Environment, "variable"> },
): Promise<boolean> {
  const repository = findRepository(lookUpwards(parentOf(path)));
  if (repository === undefined) return false;
  return (await broughtFiles(repository, [path], at)).has(path);
}
