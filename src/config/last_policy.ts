/** Keeps the answer of gates in force while a configuration file cannot be read. */
import type { DatabaseSync } from "node:sqlite";
import { appendLog, logFiles } from "../system/log.ts";
import type { Locations } from "../system/environment.ts";
import { rememberedWhenBlind } from "../db/config_cache.ts";
import { type ConfigFile, DEFAULT_HOOK_CONFIG, isLeftOut } from "./discover.ts";
import type { HookConfig } from "./hook_config.ts";
import type { ParsedConfig } from "./parse.ts";
import { loadSections, type StrictPolicy } from "./sections.ts";

/** Returns the configuration for hooks. While a file whose gates then ask or deny is unreadable, its policy says so. */
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
 * Returns `gates.whenBlind` as it was when the files could last be read; it looks up the topmost file first. A file
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
