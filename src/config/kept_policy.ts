/**
 * Decides which version of a configuration file is in force: one that changed while a session was active is not. Keeps
 * the answer of gates in force while a file cannot be read.
 */
import type { DatabaseSync } from "node:sqlite";
import { parentOf } from "../base/paths.ts";
import { rememberedWhenBlind } from "../db/config_cache.ts";
import type { Environment, Locations } from "../system/environment.ts";
import { changedBefore } from "../system/on_disk.ts";
import { broughtFiles, isCommittedSince } from "../system/git/brought_files.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { counterparts } from "../system/git/working_trees.ts";
import { appendLog, logFiles } from "../system/log.ts";
import { lookForLife } from "../system/process/process_identity.ts";
import { type ConfigFile, DEFAULT_HOOK_CONFIG, isLeftOut } from "./discover.ts";
import type { HookConfig } from "./hook_config.ts";
import type { ParsedConfig } from "./parse.ts";
import { keepFile, keptText, REMOVED, sessionsAt } from "./policy_files_table.ts";
import { loadSections, type StrictPolicy } from "./sections.ts";

/**
 * @param searches The files as they are now, and behind them those that count without the new ones among them. One that
 * was removed has no text and no `problem` but {@linkcode REMOVED}.
 * @param onlyLooks Whether nothing is written: what is in force from now on is not kept.
 * @returns The files with the texts that are in force; `held`: files whose earlier version stays in force; `brought`:
 * files whose new version git has brought.
 */
export async function policyInForce(
  searches: readonly (readonly ConfigFile[])[],
  { db, atMs, environment, onlyLooks = false }: {
    readonly db: DatabaseSync;
    readonly atMs: number;
    readonly environment: Pick<Environment, "variable">;
    readonly onlyLooks?: boolean;
  },
) {
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
      // A new file replaces one further up, so the sessions in the folder of that one count.
      const place = kept === undefined
        ? searches.at(-1)!.findLast(({ layer }) => layer !== "user") ?? file
        : file;
      const sinceMs = isSame || isFirst ? null : await sessionAt(db, place, changedAtMs);
      if (sinceMs !== null) {
        // Git brings no rights that make a file unreadable, or open to others.
        const isBrought = !isUnreadable && await broughtByGit(file, { db, sinceMs, environment });
        if (!isBrought) {
          held.push(file.path);
          const { layer, path, home } = file;
          if (kept !== undefined) files.push({ layer, path, home, text: kept });
          else isWithoutNew = false;
          continue;
        }
        const isOther = searches.flat().every(({ path }) => keptText(db, path) !== file.text);
        if (isOther) brought.push(file.path);
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

/** Returns when the first session began that was active at a moment, in epoch milliseconds; null without one. */
async function sessionAt(
  db: DatabaseSync,
  { layer, path }: ConfigFile,
  atMs: number,
): Promise<number | null> {
  const folder = layer === "user" ? null : parentOf(path);
  // An agent in another working tree of the repository may have changed the file.
  const repository = folder === null
    ? null
    : findRepository(lookUpwards(folder))?.commonDir ?? null;
  const sessions = sessionsAt(db, { folder, repository }, atMs);
  const pids = sessions.flatMap(({ claudePid, isActive }) => isActive && claudePid || []);
  const alive = await lookForLife(pids);
  // A session whose process is gone was active until its last event.
  const active = sessions.filter(({ claudePid, isActive, seenAtMs }) =>
    !isActive || claudePid === null || alive.get(claudePid)?.alive !== false || seenAtMs >= atMs
  );
  return active.length === 0 ? null : Math.min(...active.map(({ beganAtMs }) => beganAtMs));
}

/** Returns when a file, or the folder that it is gone from, last changed, in epoch milliseconds. */
function changedAt(path: string): number {
  return changedBefore(path) ?? changedBefore(parentOf(path)) ?? Date.now();
}

/** Tells whether git brought a file's version, and it was committed earlier or is in force in another working tree. */
async function broughtByGit(
  { path, text }: ConfigFile,
  { db, sinceMs, environment }: {
    readonly db: DatabaseSync;
    readonly sinceMs: number;
    readonly environment: Pick<Environment, "variable">;
  },
): Promise<boolean> {
  const repository = findRepository(lookUpwards(parentOf(path)));
  if (repository === undefined) return false;
  const at = { since: { afterMs: sinceMs }, beganAtMs: sinceMs, environment };
  const { brought, carried } = await broughtFiles(repository, [path], at);
  if (!brought.has(path) && !carried.has(path)) return false;
  return counterparts(path, repository.commonDir).some((one) => keptText(db, one) === text) ||
    (brought.has(path) && !await isCommittedSince(repository, { path, sinceMs }, environment));
}

/** Returns the configuration for hooks. While a file is unreadable, its policy answers as `gates.whenBlind` says. */
export function withLock(
  { hook, policy, isOnlyLeftOut }: ParsedConfig,
  from: { readonly files: readonly ConfigFile[]; readonly cache: DatabaseSync | null },
): HookConfig {
  if (hook.unreadable === "") return hook;
  const whenBlind = !isOnlyLeftOut && policy.whenBlind !== "allow"
    ? policy.whenBlind
    : answerBefore({ isOnlyLeftOut }, from);
  if (whenBlind === "allow") return hook;
  const locked: StrictPolicy = { ...policy, whenBlind, lock: hook.unreadable };
  return { ...hook, guards: JSON.stringify(locked) };
}

/** Logs that it is not known whether the rules of an unreadable file were strict. */
export function logUnknown({ unreadable }: HookConfig, { spoolFolders, home }: Locations): void {
  appendLog(logFiles(spoolFolders), {
    home,
    level: "warn",
    message:
      `${unreadable}; whether the rules there were strict cannot be known without the database, so ` +
      "nothing is refused for it; next: run `conclaude doctor`",
    atMs: Date.now(),
  });
}

/**
 * Returns `gates.whenBlind` as it was when the files could last be read; the highest layer that had it decides. A file
 * that is left out may never have counted: then the user's own file, which still counts, does not answer for it.
 */
function answerBefore(
  { isOnlyLeftOut }: Pick<ParsedConfig, "isOnlyLeftOut">,
  { files, cache }: { readonly files: readonly ConfigFile[]; readonly cache: DatabaseSync | null },
): StrictPolicy["whenBlind"] {
  if (cache === null) return "allow";
  return files.filter((file) => !isOnlyLeftOut || file.layer !== "user" || isLeftOut(file))
    .toReversed().map(({ path }) => rememberedWhenBlind(cache, path))
    .find((answer) => answer !== null) ?? "allow";
}

/** Parses the configuration as a hook does, and stores nothing. @param cache Null when there is none. */
export async function peekHookConfig(
  files: readonly ConfigFile[],
  cache: DatabaseSync | null,
): Promise<HookConfig> {
  if (files.length === 0) return DEFAULT_HOOK_CONFIG;
  await loadSections();
  const { parseConfig } = await import("./parse.ts");
  return withLock(parseConfig(files), { files, cache });
}
