import type { DatabaseSync } from "node:sqlite";
import type { Locations } from "../paths.ts";
import { readCachedConfig, rememberStrict, storeCachedConfig } from "../store/config_cache.ts";
import { openDatabase } from "../store/database.ts";
import { type ConfigFile, DEFAULT_HOOK_CONFIG, hashConfigFiles } from "./discover.ts";
import type { HookConfig } from "./hook_config.ts";
import type { ParsedConfig } from "./parse.ts";
import { loadSections, sectionsFrom } from "./sections.ts";

/** A slow cache is no cache: longest wait for it, in milliseconds. */
const CACHE_BUSY_MS = 200;

/** A configuration, and whether it was parsed for this call. */
export interface LoadedConfig {
  readonly config: HookConfig;
  readonly configFrom: "cache" | "parsed";
  /** The database that the cache lies in, open, for whoever goes on with it; null when it cannot be opened. */
  readonly cache: DatabaseSync | null;
}

/**
 * The configuration of the given files, from the cache in the database when nothing in them has changed, parsed
 * otherwise.
 *
 * The cache lives in the database that counts before the configuration has its say, since `database.path` must be
 * known before another one can be opened. A file that speaks of a database does not cause that one to be made.
 */
export async function loadHookConfig(
  files: readonly ConfigFile[],
  place: {
    readonly locations: Locations;
    readonly noDb: boolean;
    /** Loads the sections, where the face has not said how before. */
    readonly sections?: () => Promise<unknown>;
  },
): Promise<LoadedConfig> {
  if (place.sections !== undefined) sectionsFrom(place.sections);
  const key = files.at(-1)!.path;
  const hash = hashConfigFiles(files);
  const cache = place.noDb ? null : await openCache(files, place.locations);
  const cached = cache === null ? undefined : readCachedConfig(cache, key, hash);
  if (isHookConfig(cached)) return { config: cached, configFrom: "cache", cache };
  await loadSections();
  const { parseConfig } = await import("./parse.ts");
  const parsed = parseConfig(files);
  const home = cache ??
    (place.noDb || !parsed.hook.databaseEnabled ? null : await tryOpen(place.locations));
  const config = parsed.hook.unreadable === ""
    ? parsed.hook
    : await configOfUnreadable(parsed, { files, cache: home, ...place });
  if (home !== null) {
    const atMs = Date.now();
    storeCachedConfig(home, { key, hash, parsed: config, atMs });
    if (config.unreadable === "") {
      rememberStrict(home, key, { isStrict: parsed.policy.isStrict, atMs });
    }
  }
  return { config, configFrom: "parsed", cache: home };
}

/** A file that cannot be read is rare: what is needed then is loaded then. */
async function configOfUnreadable(
  parsed: ParsedConfig,
  from: {
    readonly files: readonly ConfigFile[];
    readonly cache: DatabaseSync | null;
    readonly locations: Locations;
    readonly noDb: boolean;
  },
): Promise<HookConfig> {
  const { logUnknown, withLock } = await import("./last_policy.ts");
  if (from.cache === null && !from.noDb && !parsed.policy.isStrict) {
    logUnknown(parsed.hook, from.locations);
  }
  return withLock(parsed, from);
}

/** Not made before it is known that there shall be one: a file that speaks of databases may switch them off. */
async function openCache(
  files: readonly ConfigFile[],
  locations: Locations,
): Promise<DatabaseSync | null> {
  if (files.some(({ text }) => text?.includes("database"))) {
    try {
      Deno.statSync(locations.database);
    } catch {
      return null;
    }
  }
  return await tryOpen(locations);
}

async function tryOpen({ database, databaseFrom }: Locations): Promise<DatabaseSync | null> {
  try {
    return await openDatabase(database, {
      busyTimeoutMs: CACHE_BUSY_MS,
      ownOnly: databaseFrom === "fallback",
    });
  } catch {
    return null;
  }
}

/** Whether a value has every field of a {@linkcode HookConfig}, each of its type: what a cache gives back may be damaged. */
function isHookConfig(value: unknown): value is HookConfig {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(DEFAULT_HOOK_CONFIG).every(([key, usual]) => {
    const held: unknown = Reflect.get(value, key);
    if (Array.isArray(usual)) {
      return Array.isArray(held) && held.every((item) => typeof item === "string");
    }
    return usual === null
      ? held === null || typeof held === "string"
      : held !== null && typeof held === typeof usual;
  });
}
