/** Finds the keys and the configuration files that verbs change, writes files whole, and accepts them for a person. */
import { type ConfigLayer, isLeftOut } from "../config/discover.ts";
import { configSchema } from "../config/config_schema.ts";
import { suggestKeys } from "../config/layer.ts";
import { cannotChange, type ConfigTarget, type PlannedFile } from "../config/config_edit.ts";
import { quietly, UserError } from "../base/errors.ts";
import { cannotWrite } from "../upkeep/care/database_files.ts";
import { baseName, joinPath, parentOf } from "../base/paths.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { type CliContext, filesHere } from "./context.ts";
import { proposing, text } from "./flags.ts";
import type { Lines } from "./table.ts";
import { usageError } from "./usage.ts";
import { chmodSync, mkdirSync, pathWritten, removeSync, statSync } from "../system/files.ts";
import { writeWhole } from "../system/write_file.ts";
import type { DatabaseSync } from "node:sqlite";
import { keepFile } from "../config/store.ts";
import { forgetCachedConfigs } from "../db/config_cache.ts";
import { identifyDatabase } from "../db/database_identity.ts";
import { openViolations, settleViolations } from "../policy/store.ts";
import { readText } from "../system/on_disk.ts";
import { filesInForce } from "./look_as_hook.ts";
import { openAt, placeOf } from "./open_store.ts";
import { folderHere } from "./session_lookup.ts";

/** The files of each layer: the name that verbs create, then other names that count. Only a project's file is shared. */
const LAYER_FILES = {
  user: { flag: " --user", names: ["config.yaml", "config.yml"], mode: 0o600 },
  local: { flag: " --local", names: [".conclaude.local.yaml"], mode: 0o600 },
  project: { flag: "", names: [".conclaude.yaml", ".conclaude.yml"], mode: 0o644 },
} as const;

/** Returns the layer that flags name. @param verb One of `conclaude config`. @throws {UserError} If they name two. */
export function layerOf(
  verb: string,
  { user, local }: { readonly user: boolean; readonly local: boolean },
) {
  if (user && local) {
    const why = "--user and --local name different ones; nothing was changed";
    throw usageError("Cannot write two files at once", {
      why,
      next: `conclaude config ${verb} --help`,
    });
  }
  const layer = user ? "user" : local ? "local" : "project";
  return { layer, ...LAYER_FILES[layer] } as const;
}

export const KEY = proposing(
  "key",
  text("The key with its sections: `memory.context.tokens`", "key"),
);

/** Returns the path of a known key, section or entry. @param again The command with another key. @throws {UserError} */
export function pathOf(key: string, again: (known: string) => string): readonly string[] {
  const { keys, itemKeys, sections, rowName } = configSchema();
  const path = key.split(".");
  const name = rowName(path);
  const known = [...keys, ...itemKeys, ...sections];
  if (known.some(({ key }) => `${key}.`.startsWith(`${name}.`))) return path;
  const like = suggestKeys(name).filter((known) => !/[<[]/.test(known));
  const meant = like.map((known) => `"${known}"`).join(" or ");
  throw new UserError(`Unknown key "${key}"`, {
    why: `there is no such key${like.length === 0 ? "" : `; did you mean ${meant}?`}`,
    next: like.length === 1 ? again(like[0]!) : "conclaude config show",
  });
}

/** Returns the folder of the user's own file. @throws {UserError} If the home cannot be used. */
export function userFolder({ locations: { home, dataFolder } }: CliContext): string {
  const usual = home === null ? null : joinPath(home, ".conclaude");
  if (dataFolder === usual) return dataFolder;
  throw new UserError("Cannot write the user's configuration", {
    why: usual === null ? "HOME is not set" : `"${usual}" cannot be used; nothing was changed`,
    next: "conclaude doctor",
  });
}

/** Returns the advice if the file is new and must not be committed; otherwise no line. */
export function ignoreAdvice({ path, isNew }: Pick<ConfigTarget, "path" | "isNew">): Lines {
  const [name] = LAYER_FILES.local.names;
  return isNew && baseName(path) === name && `It is yours alone: add ${name} to .gitignore.`;
}

/** Returns the file of a layer that counts here, or a new one. @throws {UserError} If it cannot be read. */
export function targetOf(context: CliContext, layer: ConfigLayer): ConfigTarget {
  const files = filesHere(context);
  const { mode, names: [name] } = LAYER_FILES[layer];
  const inLayer = files.filter((file) => file.layer === layer);
  const found = inLayer.find((file) => !isLeftOut(file)) ?? inLayer[0];
  if (found !== undefined && found.text !== null) {
    return { path: found.path, text: found.text, isNew: false, mode };
  }
  if (found !== undefined) {
    const why = `it ${isLeftOut(found) ? "is left out" : "cannot be read"}: ${found.problem}`;
    throw cannotChange(found.path, why, found.distrust?.next.map(quoteWord).join(" "));
  }
  const sibling = files.find((file) => file.layer !== "user");
  const projectFolder = sibling === undefined ? folderHere(context.cwd) : parentOf(sibling.path);
  const folder = layer === "user" ? userFolder(context) : projectFolder;
  return { path: joinPath(folder, name), text: "", isNew: true, mode };
}

/** Replaces the file, whole or not at all, and keeps its mode. @throws {UserError} If it cannot be written. */
export function writeTarget(
  { path, mode }: Pick<ConfigTarget, "path" | "mode">,
  text: string,
): void {
  try {
    mkdirSync(parentOf(path), { recursive: true, mode: 0o700 });
    const target = pathWritten(path);
    const before = quietly(() => statSync(target).mode! & 0o777);
    const prepare = (draft: string) => {
      if (before !== undefined) chmodSync(draft, before);
      return true;
    };
    writeWhole(target, text, { mode, prepare });
  } catch (thrown) {
    throw cannotWrite(path, thrown);
  }
}

/** Writes all planned files. @throws {UserError} If one cannot be written; then it restores the others. */
export function writePlanned(files: readonly PlannedFile[]): void {
  const written: ConfigTarget[] = [];
  try {
    for (const { target, text } of files) {
      writeTarget(target, text);
      written.push(target);
    }
  } catch (thrown) {
    for (const target of written) {
      if (target.isNew) removeSync(target.path);
      else writeTarget(target, target.text);
    }
    throw thrown;
  }
}

/** Opens the databases that may know files and violations of this folder: the default and the configured one. */
export async function databasesHere(context: CliContext): Promise<DatabaseSync[]> {
  const place = await placeOf(context);
  const paths = new Set([context.locations.database, place.database]);
  const known = [...paths].filter((path) => identifyDatabase(path).kind === "ours");
  const opened = await Promise.all(known.map((path) => openAt(context, place, path)));
  for (const { db } of opened) context.environment.hold(db);
  return opened.map(({ db }) => db);
}

/** Stores the files' current texts, which puts them in force, and settles open violations about them. */
export async function acceptFiles(context: CliContext, paths: readonly string[]): Promise<void> {
  const atMs = Date.now();
  for (const db of context.globals.noDb ? [] : await databasesHere(context)) {
    for (const path of paths) keepFile(db, path, { text: readText(path), atMs });
    const about = openViolations(db, null).filter(({ subject }) => paths.includes(subject));
    settleViolations(db, about.map(({ id }) => id), atMs);
    forgetCachedConfigs(db);
  }
}

/** Refuses to write to a file with an unaccepted change: that change would come into force. @throws {UserError} */
export async function refuseHeld(context: CliContext, paths: readonly string[]): Promise<void> {
  const { held } = await filesInForce(context);
  const file = paths.find((path) => held.includes(path));
  if (file === undefined) return;
  const why = "it was changed while a session was active, and nobody has accepted that";
  throw new UserError(`Cannot change "${file}"`, {
    why: `${why}; nothing was changed`,
    next: `conclaude config accept ${quoteWord(file)}, or conclaude config undo ${quoteWord(file)}`,
  });
}

/** Writes a configuration file for a person and accepts it. @throws {UserError} */
export async function writeAccepted(
  context: CliContext,
  target: Pick<ConfigTarget, "path" | "mode">,
  text: string,
): Promise<void> {
  await refuseHeld(context, [target.path]);
  writeTarget(target, text);
  await acceptFiles(context, [target.path]);
}
