/** Keeps the answer of gates in force while a configuration file cannot be read. */
import type { DatabaseSync } from "node:sqlite";
import { appendLog, logFiles } from "../system/log.ts";
import type { Locations } from "../system/environment.ts";
import { readCachedConfig, rememberedWhenBlind } from "../db/config_cache.ts";
import { type ConfigFile, DEFAULT_HOOK_CONFIG, isLeftOut } from "./discover.ts";
import type { HookConfig } from "./hook_config.ts";
import type { ParsedConfig } from "./parse.ts";
import { loadSections, type StrictPolicy } from "./sections.ts";

/** The configuration for hooks. While a file cannot be read whose gates do not allow then, it says so in the policy. */
export function withLock(
  { hook, policy, isOnlyLeftOut }: ParsedConfig,
  from: { readonly files: readonly ConfigFile[]; readonly cache: DatabaseSync | null },
): HookConfig {
  const { files, cache } = from;
  if (hook.unreadable === "") return hook;
  const whenBlind = isOnlyLeftOut
    ? beforeLeftOut(files, cache)
    : policy.whenBlind !== "allow"
    ? policy.whenBlind
    : before(files, cache);
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

type WhenBlind = StrictPolicy["whenBlind"];

/** Looks up `gates.whenBlind` as it was when the files could last be read. The topmost file is looked up first. */
function before(files: readonly ConfigFile[], cache: DatabaseSync | null): WhenBlind {
  if (cache === null) return "allow";
  for (const { path } of files.toReversed()) {
    const remembered = rememberedWhenBlind(cache, path);
    if (remembered !== null) return remembered;
    const last = policyIn(readCachedConfig(cache, path, null));
    if (last !== undefined) {
      return last.whenBlind ?? (last.isStrict || typeof last.lock === "string" ? "deny" : "allow");
    }
  }
  return "allow";
}

/** As before, for files that are left out. Such a file may never have counted, so only what is remembered tells. */
function beforeLeftOut(files: readonly ConfigFile[], cache: DatabaseSync | null): WhenBlind {
  if (cache === null) return "allow";
  const counted = files.filter((file) => file.layer !== "user" || isLeftOut(file));
  const remembered = counted.map(({ path }) => rememberedWhenBlind(cache, path));
  return remembered.find((answer) => answer !== null) ?? "allow";
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
