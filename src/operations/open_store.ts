import type { DatabaseSync } from "node:sqlite";
import { DEFAULT_HOOK_CONFIG, missingFiles, readConfigFiles } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { messageOf, quietly, UserError } from "../base/errors.ts";
import { keptAmong } from "../config/store.ts";
import { joinPath } from "../base/paths.ts";
import { databaseAt, type Locations, OS } from "../system/environment.ts";
import { type FolderLook, lookUpwards } from "../system/git/repository.ts";
import { bytesText } from "./table.ts";
import { openDatabase } from "../db/database.ts";
import { NewerSchemaError } from "../db/transaction.ts";
import { identifyDatabase, openIfOurs, openToLook } from "../db/database_identity.ts";
import type { CliContext } from "./context.ts";
import { makeTempDirSync, removeSync, statSync } from "../system/files.ts";
import { isMissing } from "../system/on_disk.ts";

/** The configuration that counts here, and the path of its database. */
export interface Place {
  readonly config: HookConfig;
  readonly database: string;
  /** The folders above this one, as they were read for the configuration. */
  readonly looks: readonly FolderLook[];
}

export interface OpenStore {
  readonly db: DatabaseSync;
  readonly place: Place;
}

/** Finds configuration and database as a hook in this folder does. */
export async function placeOf(context: CliContext): Promise<Place> {
  const { place, cache } = await findPlace(context, false);
  cache?.close();
  return place;
}

/** {@linkcode placeOf}. A caller that `opens` the database can use the configuration's cache, which may be open already. */
async function findPlace({ cwd, globals, locations }: CliContext, opens: boolean) {
  const looks = lookUpwards(cwd);
  const files = readConfigFiles(looks, locations);
  // In an empty file, the cache of the configuration would create tables.
  const noDb = globals.noDb || isMissing(locations.database) ||
    quietly(() => statSync(locations.database).size) === 0;
  const isUsual = files.length === 0 &&
    (noDb || !opens && !hasRemovedFiles(looks, locations));
  const { config, cache } = isUsual
    ? { config: DEFAULT_HOOK_CONFIG, cache: null }
    // A cached configuration saves the command from loading the YAML parser.
    : await (await import("../config/cached.ts")).loadHookConfig(files, { locations, looks, noDb });
  const isOff = globals.noDb || !config.databaseEnabled;
  const database = isOff ? ":memory:" : databaseAt(locations, config.databasePath);
  return { place: { config, database, looks }, cache };
}

/** Tells whether the database keeps a removed file, which may still be in force. It changes nothing. */
function hasRemovedFiles(looks: readonly FolderLook[], locations: Locations): boolean {
  using db = openIfOurs(locations.database);
  if (db === null) return false;
  const paths = missingFiles([], { looks, user: locations }).map(({ path }) => path);
  return (quietly(() => keptAmong(db, paths)) ?? []).length > 0;
}

/**
 * Opens the database until the verb ends. Reading creates no file. @param what The action that needs a permanent
 * database: `pause requirements`. @throws {UserError} If it cannot be opened, or is switched off although it is needed.
 */
export async function openStore(
  context: CliContext,
  mode: "read" | "write",
  what?: string,
): Promise<OpenStore> {
  const { place, cache } = await findPlace(context, true);
  const { database, config: { busyTimeoutMs } } = place;
  if (what !== undefined) requireKept(context, place, what);
  const { process: { stderr }, environment, globals, locations } = context;
  if (database === ":memory:") {
    stderr.write("The database is off: nothing is read from disk, nothing is kept.\n");
  }
  const isNone = mode === "read" && isMissing(database);
  if (isNone && globals.db !== undefined) {
    stderr.write(`There is no database at ${database}: nothing is read.\n`);
  }
  if (cache !== null && database === locations.database) {
    cache.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    environment.hold(cache);
    return { db: cache, place };
  }
  cache?.close();
  const open = mode === "read" ? openToRead : openAt;
  const opened = await open(context, place, isNone ? ":memory:" : database);
  environment.hold(opened.db);
  return opened;
}

/** {@linkcode openAt}, but opens a copy if SQLite cannot create the files that it needs beside the database. */
async function openToRead(context: CliContext, place: Place, path: string) {
  try {
    return await openAt(context, place, path);
  } catch (thrown) {
    if (!isUnwritable(thrown)) throw thrown;
    const db = await openCopy(path).catch(() => null);
    if (db === null) throw thrown;
    context.process.stderr.write(
      "The database cannot be written, so this is read from a copy of it: conclaude doctor\n",
    );
    return { db, place };
  }
}

/**
 * Opens a copy of a database and removes the copy's files at once: the open connection still uses them, and the system
 * frees them however the process ends. @throws {Error} Always on Windows, which cannot remove open files.
 */
async function openCopy(database: string): Promise<DatabaseSync> {
  if (OS === "windows") throw new Error("a copy would keep its name here");
  const folder = makeTempDirSync({ prefix: "conclaude-nameless-" });
  try {
    const path = joinPath(folder, "nameless.db");
    (await import("../upkeep/care/database_files.ts")).copyDatabaseFiles(database, path);
    return await openDatabase(path, { busyTimeoutMs: 1_000 });
  } finally {
    removeSync(folder, { recursive: true });
  }
}

/** Recognizes SQLite's errors for a place that is closed, mounted read-only, or full. */
function isUnwritable(thrown: unknown): boolean {
  return thrown instanceof UserError &&
    /readonly database|unable to open database file|disk I\/O error|is full/.test(
      messageOf(thrown.cause),
    );
}

/** The size from which a person is told about a copy; a smaller one takes less than a second. */
const SLOW_COPY_BYTES = 64 << 20;

/** Opens the database of a place. @throws {UserError} If it cannot be opened. */
export async function openAt(context: Pick<CliContext, "process">, place: Place, path: string) {
  const { busyTimeoutMs } = place.config;
  const onCopy = (bytes: number) => {
    if (bytes < SLOW_COPY_BYTES) return;
    const what = `Copying the database (${bytesText(bytes)}) before it is brought up to date …\n`;
    context.process.stderr.write(what);
  };
  try {
    return { db: await openDatabase(path, { busyTimeoutMs, onCopy }), place };
  } catch (thrown) {
    throw cannotOpen(path, thrown);
  }
}

function cannotOpen(path: string, thrown: unknown): UserError {
  return new UserError(`Cannot open the database "${path}"`, {
    why: `${messageOf(thrown)}; nothing was changed`,
    next: thrown instanceof NewerSchemaError ? "Install the newest conclaude" : "conclaude doctor",
    cause: thrown,
  });
}

/** Finds the place for a command that needs a permanent database. @throws {UserError} If it is switched off. */
export async function keptPlace(context: CliContext, what: string): Promise<Place> {
  const place = await placeOf(context);
  requireKept(context, place, what);
  return place;
}

function requireKept({ globals: { noDb } }: CliContext, { database }: Place, what: string): void {
  if (database !== ":memory:") return;
  const off = "the database is switched off (`database.enabled: false` in the configuration), so";
  throw new UserError(`Cannot ${what}`, {
    why: `${noDb ? "with `--no-db`" : off} nothing is kept; nothing was changed`,
    next: noDb ? "give the command again without `--no-db`" : "conclaude config path",
  });
}

/**
 * Reads the database and changes nothing in it, not even the cached configuration. A missing one counts as empty; of an
 * older one it reads a copy that is brought up to date. @throws {UserError} If that fails.
 */
export async function lookIntoStore<Result>(
  context: CliContext,
  work: (db: DatabaseSync, config: HookConfig) => Result,
): Promise<Result> {
  const { globals, locations } = context;
  const { config } = await placeOf({ ...context, globals: { ...globals, noDb: true } });
  const path = databaseAt(locations, config.databasePath);
  const isOn = !globals.noDb && config.databaseEnabled;
  const kind = isOn ? identifyDatabase(path).kind : "missing";
  using db = kind === "ours"
    ? openToLook(path)
    : kind === "older"
    ? await openCopy(path).catch((thrown) => Promise.reject(cannotOpen(path, thrown)))
    : await openDatabase(":memory:", { busyTimeoutMs: 0 });
  return work(db, config);
}
