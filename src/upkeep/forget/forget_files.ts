/**
 * Lists the files that may hold forgotten content: logs, agents' files, copies of the database, transcripts. Overwrites
 * a text in logs, agents' files and the spool, and forgets the same content in the copies that this program made.
 */
import { Buffer } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import { agentsFolder } from "../../work/engine/agent_files.ts";
import { logFiles } from "../../system/log.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { allNamesIn, kindAt } from "../../system/on_disk.ts";
import { findTranscripts } from "../../claude/transcript/find_transcripts.ts";
import { type DrainReport, type DrainTarget, isOwnSpool, spooledFiles } from "../../db/spool.ts";
import {
  type Chosen,
  type ForgetFilter,
  knownTranscripts,
  sessionsOf,
  textAlone,
} from "../../memory/store.ts";
import { drainLockPath } from "../../db/process_lock.ts";
import type { TextMatcher } from "../../memory/forget_text.ts";
import { fallbackDatabase } from "../../system/environment.ts";
import { isOwnDatabase } from "../care/fallback.ts";
import { integrityFaults } from "../care/care_table.ts";
import { DATABASE_FILES, isFileOf, removeDatabase } from "../care/database_files.ts";
import {
  isNotFound,
  openBeside,
  openSync,
  realOr,
  SeekMode,
  statSync,
  utimeSync,
} from "../../system/files.ts";
import { isDatabaseBusy, quietly } from "../../base/errors.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { openDatabase } from "../../db/database.ts";
import { namedIn, takeReceipts } from "./forget_receipts_table.ts";
import { identifyDatabase, openToLook } from "../../db/database_identity.ts";
import { rewriteRows } from "../care/rewrite_rows_table.ts";

export interface ForgetPlace {
  readonly home: string | null;
  readonly database: string;
  readonly dataFolder: string;
  readonly spoolFolders: readonly string[];
  readonly busyTimeoutMs: number;
  readonly drainSpool: (db: DatabaseSync, target: DrainTarget) => DrainReport;
}

/** Lists the files in which a text is overwritten: records that wait in the spool, logs, input and output of agents. */
export function writtenFiles(
  { database, spoolFolders }: ForgetPlace,
): Readonly<Record<"logs" | "agentFiles" | "spool", string[]>> {
  return {
    spool: spooledFiles({ database, folders: spoolFolders }, { withDamaged: true }).filter(isFile),
    logs: logFiles(spoolFolders).flatMap((file) => [file, `${file}.1`]).filter(isFile),
    agentFiles: filesBelow(agentsFolder(database)),
  };
}

/**
 * Lists files that may hold copies and that forgetting does not change: exports, records of other databases in the
 * spool, and the fallback database. @param written Files anywhere that this program wrote for a person.
 */
export function copiesOf(place: ForgetPlace, written: readonly string[]): string[] {
  const { database } = place;
  const own = new Set([
    ...Object.values(writtenFiles(place)).flat(),
    ...ownCopies(place).flatMap((path) => DATABASE_FILES.map((ending) => path + ending)),
    drainLockPath(database),
  ]);
  const beside = pathsIn(parentOf(database), (name) => name.startsWith(baseName(database)));
  const fallback = fallbackDatabase(place);
  const elsewhere = isOwnDatabase(fallback) ? DATABASE_FILES.map((end) => fallback + end) : [];
  const all = new Set([
    ...written,
    ...filesBelow(place.dataFolder),
    ...place.spoolFolders.filter(isOwnSpool).flatMap(filesBelow),
    ...[...beside, ...elsewhere].filter(isFile),
  ]);
  const lock = drainLockPath(realOr(database));
  return [...all].filter((path) =>
    !own.has(path) && realOr(path) !== lock && !isFileOf(database, path)
  );
}

/**
 * Lists transcripts of Claude Code that may hold the chosen content. A text alone may also be in forks and in sessions
 * that nobody captured, so all transcripts in Claude Code's folder `projects` count.
 */
export function transcriptsThatMay(
  db: DatabaseSync,
  filter: ForgetFilter,
  chosen: Chosen,
): readonly string[] {
  if (textAlone(filter) === null) {
    return [...new Set(sessionsOf(db, chosen).flatMap(({ transcript }) => transcript ?? []))];
  }
  const roots = new Set(
    knownTranscripts(db).map((path) => {
      const around = parentOf(parentOf(path));
      // A transcript in another folder counts alone, since the folder may hold foreign files.
      return baseName(around) === "projects" ? around : path;
    }),
  );
  // A folder may no longer exist.
  return [...roots].flatMap((root) => quietly(() => findTranscripts(root).files) ?? [])
    .map(({ path }) => path).sort();
}

/** Filters transcripts that exist and, if a text alone is forgotten, contain it. */
export function transcriptsWith(paths: readonly string[], filter: ForgetFilter): string[] {
  const text = textAlone(filter);
  return paths.filter((path) =>
    quietly(() => text === null ? statSync(path).isFile : holdsText(path, text))
  );
}

function pathsIn(folder: string, isWanted = (_name: string) => true): string[] {
  return allNamesIn(folder).filter(isWanted).map((name) => joinPath(folder, name));
}

function filesBelow(folder: string): string[] {
  return pathsIn(folder).flatMap((path) => {
    const kind = kindAt(path);
    return kind === "folder" ? filesBelow(path) : kind === "file" ? [path] : [];
  });
}

/** Whether a path is a file and not a link. */
function isFile(path: string): boolean {
  return kindAt(path) === "file";
}

/** The paths of copies, by what forgetting does with them. */
export interface ForgottenCopies {
  readonly madeAnew: readonly string[];
  /** Copies that are removed, since the program cannot read them: they are damaged or have another schema. */
  readonly removed: readonly string[];
}

/** The rest of a copy's name, after the name of the database beside it. */
const BESIDE =
  /^\.(?:(?:damaged|export|before-reset|before-restore|restored|mending|schema)-[\w:.-]+|[\da-f-]{36}\.tmp)$/;
const COMPANION = /-(?:wal|shm|journal)$/;

/** Lists the copies that this program made of a database: backups, and files beside it that begin with its name. */
function ownCopies({ database, dataFolder }: ForgetPlace): string[] {
  const base = baseName(database);
  const isBeside = (name: string) => name.startsWith(base) && BESIDE.test(name.slice(base.length));
  return [
    ...pathsIn(joinPath(dataFolder, "backups"), (name) => /\.db(?:$|[.-])/.test(name)),
    ...pathsIn(parentOf(database), isBeside),
  ].filter((path) => !COMPANION.test(path) && isFile(path));
}

export function previewCopies(place: ForgetPlace): ForgottenCopies {
  const { madeAnew = [], removed = [] } = Object.groupBy(
    ownCopies(place),
    (path) => isSound(path) ? "madeAnew" : "removed",
  );
  return { madeAnew, removed };
}

/** Whether the program can read every row of a copy; a copy that another process uses counts as readable. */
function isSound(path: string): boolean {
  if (identifyDatabase(path).kind !== "ours") return false;
  try {
    using db = openToLook(path);
    return integrityFaults(db, "full").length === 0;
  } catch (thrown) {
    return isDatabaseBusy(thrown);
  }
}

/** Forgets in every copy what a receipt names. @returns `left`: sentences about copies that could not be changed. */
export async function forgetInCopies(
  place: ForgetPlace,
  { receiptId, filter }: { readonly receiptId: string; readonly filter: ForgetFilter },
  forget: (copy: DatabaseSync, filter: ForgetFilter) => void,
): Promise<ForgottenCopies & { readonly left: readonly string[] }> {
  const done = { madeAnew: [] as string[], removed: [] as string[], left: [] as string[] };
  for (const path of ownCopies(place)) {
    try {
      if (!isSound(path)) throw new Error("nobody can tell what is in it");
      const { mtime } = statSync(path);
      {
        using db = await openDatabase(path, place);
        using main = openToLook(place.database);
        takeReceipts(main, db);
        forget(db, filter.ids === null ? filter : { ...filter, ids: namedIn(db, receiptId) });
      }
      if (!rewriteRows(path)) {
        done.left.push(heldCopy(path));
        continue;
      }
      // The copy keeps its date, since it is still the backup of that day.
      if (mtime !== null) utimeSync(path, mtime, mtime);
      done.madeAnew.push(path);
    } catch (thrown) {
      if (isDatabaseBusy(thrown)) done.left.push(heldCopy(path));
      else {
        removeDatabase(path);
        done.removed.push(path);
      }
    }
  }
  return done;
}

function heldCopy(path: string): string {
  const files = DATABASE_FILES.map((ending) => quoteWord(path + ending)).join(" ");
  return `${path} may hold it, since another process is using it: \`rm -f ${files}\``;
}

const CHUNK_BYTES = 4 * 1024 * 1024;

const MAX_BACKSLASHES = 64;

/**
 * Finds a text in the bytes of a file, at most `limit` times; nothing if the file does not exist. With `isJson`, a
 * letter after a backslash begins no match: `\next` is a new line and `ext`.
 */
export function placesIn(
  path: string,
  { inBytes, maxBytes }: TextMatcher,
  { limit = Infinity, isJson = false } = {},
): { readonly at: number; readonly length: number }[] {
  const places: ReturnType<typeof placesIn> = [];
  let opened: ReturnType<typeof openBeside>;
  try {
    opened = openBeside(path);
  } catch (thrown) {
    if (isNotFound(thrown)) return places;
    throw thrown;
  }
  using _closed = opened;
  const { file } = opened;
  const buffer = Buffer.alloc(CHUNK_BYTES + maxBytes);
  let filled = 0;
  let start = 0;
  for (;;) {
    const read = file.readSync(buffer.subarray(filled));
    if (read === null) return places;
    filled += read;
    const text = buffer.toString("latin1", 0, filled);
    for (const match of text.matchAll(inBytes)) {
      const at = start + match.index;
      if (places.length > 0 && at < places.at(-1)!.at + places.at(-1)!.length) continue;
      const before = text.slice(Math.max(0, match.index - MAX_BACKSLASHES), match.index);
      if (isJson && /^[bfnrtu]/.test(match[0]) && /(?<!\\)(?:\\\\)*\\$/.test(before)) continue;
      places.push({ at, length: match[0].length });
      if (places.length >= limit) return places;
    }
    // The text may begin at the end of this part and continue in the next one.
    const carried = Math.min(filled, maxBytes);
    start += filled - carried;
    buffer.copyWithin(0, filled - carried, filled);
    filled = carried;
  }
}

export function holdsText(path: string, text: TextMatcher): boolean {
  return placesIn(path, text, { limit: 1 }).length > 0;
}

/** Overwrites a text in logs, agents' files and the spool; `isDry` only counts. */
export function overwriteWritten(
  place: ForgetPlace,
  text: TextMatcher,
  how: { readonly isDry: boolean },
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(writtenFiles(place)).map(([kind, paths]) => [
      kind,
      paths.reduce((sum, path) => sum + overwriteIn(path, text, how), 0),
    ]),
  );
}

/** Overwrites a text in a file with asterisks, in place: additions by others stay, and JSON stays valid. */
function overwriteIn(
  path: string,
  matcher: TextMatcher,
  { isDry }: { readonly isDry: boolean },
): number {
  const places = placesIn(path, matcher, { isJson: true });
  if (isDry || places.length === 0) return places.length;
  using file = openSync(path, { read: true, write: true });
  for (const { at, length } of places) {
    file.seekSync(at, SeekMode.Start);
    const stars = new Uint8Array(length).fill("*".charCodeAt(0));
    for (let done = 0; done < length;) done += file.writeSync(stars.subarray(done));
  }
  file.syncDataSync();
  return places.length;
}
