import type { DatabaseSync } from "node:sqlite";
import { plain } from "../base/plain.ts";
import { holdsPolicy, searchesFor } from "../config/cached.ts";
import { type ConfigFile, readConfigFiles } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { knownProjects } from "../db/sessions.ts";
import { toolsOfRules } from "../policy/armed_gates.ts";
import type { NamedTools } from "../claude/settings/lanes.ts";
import { peekHookConfig, policyInForce } from "../config/kept_policy.ts";
import type { KnownPlaces } from "../policy/files/own_files.ts";
import { findRepository, type FolderLook, lookUpwards } from "../system/git/repository.ts";
import type { GuardPolicy } from "../policy/guards/guard_policy.ts";
import { policiesIn } from "../policy/policies.ts";
import { databaseAt } from "../system/environment.ts";
import { openDatabase } from "../db/database.ts";
import { identifyDatabase, openIfOurs } from "../db/database_identity.ts";
import { type CliContext, filesHere } from "./context.ts";

/** All that a hook in a folder knows: the configuration, the policy, the places, and the result of `ask`. */
export interface Peek<Found> {
  readonly config: HookConfig;
  readonly policy: GuardPolicy | null;
  readonly places: KnownPlaces;
  readonly found: Found;
}

/** Reads configuration and database as a hook does. @param ask Gets null for `db` if a hook could not read it. */
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
  using cache = globals.noDb ? null : openIfOurs(locations.database);
  const { config: written, held } = await inForce(cache, { files, looks, locations, environment });
  const config = { ...written, held, ...globals.noDb && { databaseEnabled: false } };
  const path = config.databaseEnabled ? databaseAt(locations, config.databasePath) : ":memory:";
  const isSame = path === locations.database;
  using own = isSame && cache !== null ? null : openIfOurs(path) ?? await openEmpty(path);
  const db = own ?? (isSame ? cache : null);
  const { guards: policy } = policiesIn(config);
  const places = {
    configFiles: files,
    database: path,
    repository: findRepository(looks),
    environment,
  };
  return { config, policy, places, found: await ask(db, config, { policy, places }) };
}

interface FilesHere extends Pick<CliContext, "locations" | "environment"> {
  readonly files: readonly ConfigFile[];
  readonly looks: readonly FolderLook[];
}

/** Returns the configuration in force: a change made while a session was active does not count until it is accepted. */
async function inForce(
  cache: DatabaseSync | null,
  { files, environment, ...at }: FilesHere,
): Promise<{ files: readonly ConfigFile[]; config: HookConfig; held: readonly string[] }> {
  const written = { files, config: await peekHookConfig(files, cache), held: [] };
  if (cache === null) return written;
  const around = { db: cache, atMs: Date.now(), environment, onlyLooks: true };
  const { files: kept, held } = await policyInForce(searchesFor(files, cache, at), around)
    .catch(() => written);
  if (held.length === 0) return written;
  const config = await peekHookConfig(kept, cache);
  return holdsPolicy(config) ? { files: kept, config, held } : written;
}

/** Returns the configuration files with the texts that are in force in this folder. */
export async function filesInForce(context: CliContext) {
  const { cwd, globals, locations } = context;
  const looks = lookUpwards(cwd);
  using cache = globals.noDb ? null : openIfOurs(locations.database);
  const files = readConfigFiles(looks, locations);
  return await inForce(cache, { ...context, files, looks });
}

/** Returns the tools that rules name in this folder and in every project that the database knows. */
export async function toolsOfAllRules(
  { globals, locations, cwd }: CliContext,
): Promise<NamedTools> {
  using cache = globals.noDb ? null : openIfOurs(locations.database);
  const folders = [cwd, ...cache === null ? [] : knownProjects(cache)];
  const found: NamedTools[] = [];
  for (const folder of folders) {
    const files = filesHere({ cwd: folder, locations });
    found.push(toolsOfRules(await peekHookConfig(files, cache)));
  }
  return {
    asked: found.flatMap(({ asked }) => asked),
    followed: found.flatMap(({ followed }) => followed),
  };
}

/** Tells which files are not in force as written; returns an empty text if all are. */
export function heldText({ held }: Pick<HookConfig, "held">): string {
  return held.length === 0
    ? ""
    : `${
      plain(held.join(", "))
    } was changed while a session was active: its version before is in force, and ` +
      "was asked here. A person accepts the new one with `conclaude config accept`.\n";
}

/** Opens an empty database in memory where a hook would create one; returns null if another file is in the way. */
async function openEmpty(path: string): Promise<DatabaseSync | null> {
  const { kind } = identifyDatabase(path);
  return kind === "missing" || kind === "empty"
    ? await openDatabase(":memory:", { busyTimeoutMs: 0 })
    : null;
}
