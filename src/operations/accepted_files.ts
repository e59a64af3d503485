/** Policy files that a person accepts as they are, by a verb or by having a verb write them. */
import type { DatabaseSync } from "node:sqlite";
import { keepFile } from "../config/store.ts";
import { forgetCachedConfigs } from "../db/config_cache.ts";
import { identifyDatabase } from "../db/database_identity.ts";
import { openViolations, settleViolations } from "../policy/store.ts";
import { readText } from "../system/on_disk.ts";
import type { CliContext } from "./context.ts";
import { openAt, placeOf } from "./open_store.ts";

/** The databases that know files and violations here: the default one, and the one that the configuration names. */
export async function databasesHere(context: CliContext): Promise<DatabaseSync[]> {
  const place = await placeOf(context);
  const paths = new Set([context.locations.database, place.database]);
  const known = [...paths].filter((path) => identifyDatabase(path).kind === "ours");
  const opened = await Promise.all(known.map((path) => openAt(context, place, path)));
  for (const { db } of opened) context.environment.hold(db);
  return opened.map(({ db }) => db);
}

/** Keeps files as they are now, so that they are in force; what was open about them is settled. */
export async function acceptFiles(context: CliContext, paths: readonly string[]): Promise<void> {
  const atMs = Date.now();
  for (const db of context.globals.noDb ? [] : await databasesHere(context)) {
    for (const path of paths) keepFile(db, path, { text: readText(path), atMs });
    const about = openViolations(db, null).filter(({ subject }) => paths.includes(subject));
    settleViolations(db, about.map(({ id }) => id), atMs);
    forgetCachedConfigs(db);
  }
}
