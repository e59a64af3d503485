import type { DatabaseSync } from "node:sqlite";
import { readConfigFiles } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { peekHookConfig } from "../config/last_policy.ts";
import type { KnownPlaces } from "../policy/files/own_files.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import type { GuardPolicy } from "../policy/guards/guard_policy.ts";
import { databaseAt } from "../system/environment.ts";
import { openDatabase } from "../db/database.ts";
import { identifyDatabase, openIfOurs } from "../db/database_identity.ts";
import type { CliContext } from "./context.ts";

/** What a hook in a folder knows: the configuration, the policy, the places, and what `ask` found. */
export interface Peek<Found> {
  readonly config: HookConfig;
  readonly policy: GuardPolicy | null;
  readonly places: KnownPlaces;
  readonly found: Found;
}

/** Looks at configuration and database as a hook does, and changes neither. @param ask `db` is null where a hook could not read it. */
export async function peek<Found>(
  { globals, locations, environment }: CliContext,
  folder: string,
  ask: (
    db: DatabaseSync | null,
    config: HookConfig,
    around: { readonly policy: GuardPolicy | null; readonly places: KnownPlaces },
  ) => Found | Promise<Found>,
): Promise<Peek<Found>> {
  const looks = lookUpwards(folder);
  const files = readConfigFiles(looks, locations);
  const cache = globals.noDb ? null : openIfOurs(locations.database);
  const written = await peekHookConfig(files, cache);
  const config = globals.noDb ? { ...written, databaseEnabled: false } : written;
  const path = config.databaseEnabled ? databaseAt(locations, config.databasePath) : ":memory:";
  const isSame = path === locations.database;
  const db = (isSame ? cache : openIfOurs(path)) ?? await openEmpty(path);
  try {
    const policy: GuardPolicy | null = config.guards === "" ? null : JSON.parse(config.guards);
    const places = {
      configFiles: files,
      database: path,
      repository: findRepository(looks),
      environment,
    };
    return { config, policy, places, found: await ask(db, config, { policy, places }) };
  } finally {
    cache?.close();
    if (db !== cache) db?.close();
  }
}

/** An empty database in memory where there is none yet, as a hook would make one; null where a file is in the way. */
async function openEmpty(path: string): Promise<DatabaseSync | null> {
  const { kind } = identifyDatabase(path);
  return kind === "missing" || kind === "empty"
    ? await openDatabase(":memory:", { busyTimeoutMs: 0 })
    : null;
}
