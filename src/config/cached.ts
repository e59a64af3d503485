/** Reads a hook's configuration from the cache in the database, or from its files. */
import { isFile } from "../system/files.ts";
import { type FolderLook, lookUpwards } from "../system/git/repository.ts";
import { parentOf } from "../base/paths.ts";
import type { DatabaseSync } from "node:sqlite";
import { type Locations, THIS_PROCESS } from "../system/environment.ts";
import { quietly } from "../base/errors.ts";
import { readCachedConfig, rememberWhenBlind, storeCachedConfig } from "../db/config_cache.ts";
import { openDatabase } from "../db/database.ts";
import {
  type ConfigFile,
  DEFAULT_HOOK_CONFIG,
  hashConfigFiles,
  hasWrittenRules,
  isLeftOut,
  LAYERS,
  missingFiles,
  readConfigFiles,
} from "./discover.ts";
import type { HookConfig } from "./hook_config.ts";
import { keepFile, keptAmong, REMOVED } from "./policy_files_table.ts";
import { loadSections, loadSectionsWith } from "./sections.ts";

/** How long a hook waits for the cache, in milliseconds: a slow cache is worse than none. */
const CACHE_BUSY_MS = 200;

/**
 * Reads the configuration from the cache in the database, or parses the files when any of them has changed.
 * The cache lies in the database at the default path, since `database.path` is not known before the configuration is
 * read. A configuration that names a database never makes the default one.
 *
 * @returns `cache`: the database of the cache, open, so that the caller can go on with it; null without one.
 * `brought`: files whose new version git has brought, which is in force from now on.
 */
export async function loadHookConfig(
  files: readonly ConfigFile[],
  place: {
    readonly locations: Locations;
    readonly noDb: boolean;
    /** The folders in which the files were searched. */
    readonly looks: readonly FolderLook[];
    /** Loads the sections; not needed after `loadSectionsWith()`. */
    readonly sections?: () => Promise<unknown>;
  },
) {
  if (place.sections !== undefined) loadSectionsWith(place.sections);
  // A file may switch the database off, and then none is made.
  const isOff = () =>
    files.some(({ text }) => text?.includes("database")) && !isFile(place.locations.database);
  const cache = place.noDb || isOff() ? null : await tryOpen(place.locations);
  const searches = cache === null ? [files] : searchesFor(files, cache, place);
  const seen = searches.flat();
  const none: readonly string[] = [];
  if (seen.length === 0) {
    return { config: DEFAULT_HOOK_CONFIG, configFrom: "none" as const, cache, brought: none };
  }
  const key = searches[0]!.at(-1)!.path;
  const hash = hashConfigFiles(seen);
  const cached = cache === null ? undefined : readCachedConfig(cache, key, hash);
  if (isHookConfig(cached)) {
    return { config: cached, configFrom: "cache" as const, cache, brought: none };
  }
  await loadSections();
  const { parseConfig } = await import("./parse.ts");
  let parsed = parseConfig(files);
  const store = cache ??
    (place.noDb || !parsed.hook.databaseEnabled ? null : await tryOpen(place.locations));
  const inForce = store === null ? null : await filesInForce(searches, store);
  let { held = [], brought = [] } = inForce ?? {};
  if (held.length > 0) {
    const before = parseConfig(inForce!.files);
    // Where the agent may change its policy, or nothing is guarded, each version is in force at once.
    if (holdsPolicy(before.hook)) parsed = before;
    else {
      for (const { path, text } of seen) {
        if (held.includes(path)) keepFile(store!, path, { text, atMs: Date.now() });
      }
      held = [];
    }
  }
  let read = parsed.hook;
  if (read.unreadable !== "") {
    // Unreadable files are rare, so what handles them is loaded only here.
    const { logUnknown, withLock } = await import("./kept_policy.ts");
    if (store === null && !place.noDb && parsed.policy.whenBlind === "allow") {
      logUnknown(read, place.locations);
    }
    read = withLock(parsed, { files, cache: store });
  }
  const config: HookConfig = { ...read, held };
  if (store !== null && inForce !== null) {
    const atMs = Date.now();
    storeCachedConfig(store, { key, hash, parsed: config, atMs });
    if (config.unreadable === "") {
      rememberWhenBlind(store, key, { answer: parsed.policy.whenBlind, atMs });
    }
  }
  return { config, configFrom: "parsed" as const, cache: store, brought };
}

/** Tells whether a configuration has rules that are not built in, and lets no agent change them. */
export function holdsPolicy(config: HookConfig): boolean {
  const { guards, stop } = config;
  return (hasWrittenRules(config) || stop !== "") && guards !== "" &&
    JSON.parse(guards).protectsItself === true;
}

/**
 * Returns the found files, with removed ones that were in force, lowest layer first. Where a found file is new, the
 * files that count without it follow as another search.
 */
export function searchesFor(
  files: readonly ConfigFile[],
  cache: DatabaseSync,
  at: { readonly looks: readonly FolderLook[]; readonly locations: Locations },
): readonly (readonly ConfigFile[])[] {
  const { locations } = at;
  const searches: ConfigFile[][] = [];
  const added = new Set<string>();
  for (let { looks } = at, found = files;;) {
    const missing = missingFiles(found, { looks, user: locations });
    const kept = quietly(() => keptAmong(cache, [...found, ...missing].map(({ path }) => path)));
    const removed = missing.filter(({ path }) => kept?.includes(path) && !isFile(path))
      .map((file): ConfigFile => ({ ...file, text: null, problem: REMOVED }));
    searches.push(
      LAYERS.flatMap((layer) => [...found, ...removed].filter((file) => file.layer === layer)),
    );
    const fresh = found.filter((file) => !isLeftOut(file) && kept?.includes(file.path) === false);
    if (fresh.length === 0) return searches;
    fresh.forEach(({ path }) => added.add(path));
    // The first look has ended where it found a file and a repository.
    looks = looks.concat(looks.slice(-1).flatMap(({ path }) => lookUpwards(parentOf(path))));
    found = readConfigFiles(looks, locations, added);
  }
}

/** Finds which versions of the files are in force; null where the database cannot tell, and what was found counts. */
async function filesInForce(searches: readonly (readonly ConfigFile[])[], db: DatabaseSync) {
  const { policyInForce } = await import("./kept_policy.ts");
  const at = { db, atMs: Date.now(), environment: THIS_PROCESS };
  return await policyInForce(searches, at).catch(() => null);
}

async function tryOpen({ database, databaseFrom }: Locations): Promise<DatabaseSync | null> {
  try {
    return await openDatabase(database, {
      busyTimeoutMs: CACHE_BUSY_MS,
      ownOnly: databaseFrom === "fallback",
      maxCopyBytes: 0,
    });
  } catch {
    return null;
  }
}

/** Tells whether a value has every field of a {@linkcode HookConfig} with the right type: a cache may be damaged. */
function isHookConfig(value: unknown): value is HookConfig {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(DEFAULT_HOOK_CONFIG).every(([key, usual]) => {
    const stored: unknown = Reflect.get(value, key);
    if (Array.isArray(usual)) {
      return Array.isArray(stored) && stored.every((item) => typeof item === "string");
    }
    return usual === null
      ? stored === null || typeof stored === "string"
      : stored !== null && typeof stored === typeof usual;
  });
}
