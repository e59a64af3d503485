/** Policy files that a person accepts as they are, by a verb or by having a verb write them. */
import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../base/errors.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import type { ConfigTarget } from "../config/config_edit.ts";
import { keepFile } from "../config/store.ts";
import { forgetCachedConfigs } from "../db/config_cache.ts";
import { identifyDatabase } from "../db/database_identity.ts";
import { openViolations, settleViolations } from "../policy/store.ts";
import { readText } from "../system/on_disk.ts";
import type { CliContext } from "./context.ts";
import { writeTarget } from "./config_target.ts";
import { filesInForce } from "./look_as_hook.ts";
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

/** With a part that a verb writes, a change that nobody has accepted would come into force. @throws {UserError} When there is one. */
export async function refuseHeld(context: CliContext, paths: readonly string[]): Promise<void> {
  const { held } = await filesInForce(context);
  const file = paths.find((path) => held.includes(path));
  if (file === undefined) return;
  throw new UserError(`Cannot change "${file}"`, {
    why:
      "it was changed while a session was active, and nobody has accepted that; nothing was changed",
    next: `conclaude config accept ${quoteWord(file)}, or conclaude config undo ${quoteWord(file)}`,
  });
}

/** Writes a part of a configuration file for a person, and accepts the file. @throws {UserError} */
export async function writeAccepted(
  context: CliContext,
  target: Pick<ConfigTarget, "path" | "mode">,
  text: string,
): Promise<void> {
  await refuseHeld(context, [target.path]);
  writeTarget(target, text);
  await acceptFiles(context, [target.path]);
}
