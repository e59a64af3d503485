import type { DatabaseSync } from "node:sqlite";
import { plain } from "../base/plain.ts";
import { holdsPolicy, searchesFor } from "../config/cached.ts";
import { readConfigFiles } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { loadSections } from "../config/sections.ts";
import { knownProjects } from "../db/sessions.ts";
import { toolsOfRules } from "../policy/armed_gates.ts";
import type { NamedTools } from "../claude/settings/lanes.ts";
import { peekHookConfig, policyInForce } from "../config/kept_policy.ts";
import type { KnownPlaces } from "../policy/files/own_files.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import type { GuardPolicy } from "../policy/guards/guard_policy.ts";
import { policiesIn } from "../policy/policies.ts";
import { databaseAt } from "../system/environment.ts";
import { openDatabase } from "../db/database.ts";
import { identifyDatabase, openIfOurs } from "../db/database_identity.ts";
import { type CliContext, filesHere } from "./context.ts";

/** Reads configuration and database as a hook does. @param ask Gets null for `db` if a hook could not read it. */
export async function peek<Found>(
  context: CliContext,
  folder: string,
  ask: (
    db: DatabaseSync | null,
    config: HookConfig,
    around: { readonly policy: GuardPolicy | null; readonly places: KnownPlaces },
  ) => Found | Promise<Found>,
) {
  const { globals, locations, environment } = context;
  using cache = cacheHere(context);
  const { looks, written, held, config: read } = await inForce(context, folder, cache);
  const config: HookConfig = { ...read, held, ...globals.noDb && { databaseEnabled: false } };
  const database = config.databaseEnabled ? databaseAt(locations, config.databasePath) : ":memory:";
  const isSame = database === locations.database;
  using own = isSame && cache !== null ? null : openIfOurs(database) ?? await openEmpty(database);
  const db = own ?? (isSame ? cache : null);
  const { guards: policy } = policiesIn(config);
  const repository = findRepository(looks);
  const places = { configFiles: written, database, repository, environment };
  return { config, policy, found: await ask(db, config, { policy, places }) };
}

function cacheHere({ globals, locations }: CliContext): DatabaseSync | null {
  return globals.noDb ? null : openIfOurs(locations.database);
}

/** Returns the configuration in force: a change made while a session was active does not count until it is accepted. */
async function inForce(
  { locations, environment }: CliContext,
  folder: string,
  cache: DatabaseSync | null,
) {
  const looks = lookUpwards(folder);
  const written = readConfigFiles(looks, locations);
  const config = await peekHookConfig(written, cache);
  const asWritten = { looks, written, counting: written, config, held: [] as string[] };
  if (cache === null) return asWritten;
  const searches = searchesFor(written, cache, { looks, locations });
  const around = { db: cache, atMs: Date.now(), environment, onlyLooks: true };
  const seen = await policyInForce(searches, around).catch(() => null);
  if (seen === null || seen.held.length === 0) return asWritten;
  const { files: counting, held } = seen;
  const kept = await peekHookConfig(counting, cache);
  return holdsPolicy(kept) ? { ...asWritten, counting, config: kept, held } : asWritten;
}

/** Returns the configuration files with the texts that are in force in this folder. */
export async function filesInForce(context: CliContext) {
  using cache = cacheHere(context);
  const { counting: files, held } = await inForce(context, context.cwd, cache);
  return { files, held };
}

/** Returns a function that finds the file in which a rule stands: its path, or `default` for a rule that is built in. */
export async function sourcesOfRules(context: CliContext): Promise<(rule: string) => string> {
  await loadSections();
  const { files } = await filesInForce(context);
  const { parseConfig } = await import("../config/parse.ts");
  const { sourcesIn } = await import("../config/config_template.ts");
  const sourceOf = sourcesIn(files, parseConfig(files).config);
  return (rule) => sourceOf(rule.replace(/\[\d+\]$/, ""));
}

/** Returns the tools that rules name in this folder and in every project that the database knows. */
export async function toolsOfAllRules(context: CliContext): Promise<NamedTools> {
  const { locations, cwd } = context;
  using cache = cacheHere(context);
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
  if (held.length === 0) return "";
  const files = plain(held.join(", "));
  return `${files} was changed while a session was active: its version before is in force, and ` +
    "was used here. A person accepts the new one with `conclaude config accept`.\n";
}

/** Opens an empty database in memory where a hook would create one; returns null if another file is in the way. */
async function openEmpty(path: string): Promise<DatabaseSync | null> {
  const { kind } = identifyDatabase(path);
  return kind === "missing" || kind === "empty"
    ? await openDatabase(":memory:", { busyTimeoutMs: 0 })
    : null;
}
