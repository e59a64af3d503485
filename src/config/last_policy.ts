/** Keeps strict rules in force while a configuration file cannot be read. */
import type { DatabaseSync } from "node:sqlite";
import { appendLog, logFiles } from "../system/log.ts";
import type { Locations } from "../system/environment.ts";
import { readCachedConfig, rememberedStrict } from "../db/config_cache.ts";
import { type ConfigFile, DEFAULT_HOOK_CONFIG, isLeftOut } from "./discover.ts";
import type { HookConfig } from "./hook_config.ts";
import type { ParsedConfig } from "./parse.ts";
import { loadSections, type StrictPolicy } from "./sections.ts";

/** The configuration for hooks. It forbids every change when a file with strict rules cannot be read. */
export function withLock(
  { hook, policy, isOnlyLeftOut }: ParsedConfig,
  from: { readonly files: readonly ConfigFile[]; readonly cache: DatabaseSync | null },
): HookConfig {
  const { files, cache } = from;
  if (hook.unreadable === "") return hook;
  const isStrict = isOnlyLeftOut
    ? wasStrictBefore(files, cache)
    : policy.isStrict || wasStrict(files, cache);
  if (!isStrict) return hook;
  const locked: StrictPolicy = { ...policy, lock: hook.unreadable };
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

/** Whether the rules were strict when they were last read. The topmost file is looked up first. */
function wasStrict(files: readonly ConfigFile[], cache: DatabaseSync | null): boolean {
  if (cache === null) return false;
  for (const { path } of files.toReversed()) {
    if (rememberedStrict(cache, path)) return true;
    const last = policyIn(readCachedConfig(cache, path, null));
    if (last !== undefined) return last.isStrict === true || typeof last.lock === "string";
  }
  return false;
}

/** Whether the stored rules are strict. A left-out file may never have counted, so only stored rules tell. */
function wasStrictBefore(files: readonly ConfigFile[], cache: DatabaseSync | null): boolean {
  return cache !== null &&
    files.some((file) =>
      (file.layer !== "user" || isLeftOut(file)) && rememberedStrict(cache, file.path)
    );
}

/** The policy in a cached configuration of any version; undefined when it holds none. */
function policyIn(stored: unknown): Partial<StrictPolicy> | undefined {
  try {
    const guards: unknown = Reflect.get(stored as object, "guards");
    return typeof guards === "string" && guards !== ""
      ? JSON.parse(guards) ?? undefined
      : undefined;
  } catch {
    return undefined;
  }
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
