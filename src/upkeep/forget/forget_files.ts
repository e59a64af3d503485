/**
 * Lists the files that may hold what is forgotten: logs, what agents wrote, copies of the database, transcripts. In the copies
 * that this program has made it forgets the same.
 */
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
  isTextAlone,
  knownTranscripts,
  sessionsOf,
} from "../../memory/store.ts";
import { drainLockPath } from "../../db/process_lock.ts";
import { holdsText } from "./byte_scan.ts";
import { fallbackDatabase } from "../../system/environment.ts";
import { isOwnDatabase } from "../care/fallback.ts";
import { integrityFaults } from "../care/care_table.ts";
import { DATABASE_FILES, isFileOf, removeDatabase } from "../care/database_files.ts";
import { realOr, statSync, utimeSync } from "../../system/files.ts";
import { isDatabaseBusy, quietly } from "../../base/errors.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { openDatabase } from "../../db/database.ts";
import { namedIn, takeReceipts } from "./forget_receipts_table.ts";
import { identifyDatabase, openToLook } from "../../db/database_identity.ts";
import { rewriteRows } from "../care/rewrite_rows_table.ts";

/** Where the files of this program lie. */
export interface ForgetPlace {
  readonly home: string | null;
  readonly database: string;
  readonly dataFolder: string;
  readonly spoolFolders: readonly string[];
  readonly busyTimeoutMs: number;
  readonly drainSpool: (db: DatabaseSync, target: DrainTarget) => DrainReport;
}

/**
 * Files in which a text is overwritten: logs, what agents were given and have written, and what waits in the spool
 * because the database cannot take it.
 */
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
 * Files of this program that may hold copies and are not gone through elsewhere: exports, what lies in the spool under a
 * name that is not this database's, and what hooks wrote while the home could not be used.
 *
 * @param written Files that a person has had written, wherever they are.
 */
export function copiesOf(place: ForgetPlace, written: readonly string[]): string[] {
  const { database } = place;
  const own = new Set([
    ...Object.values(writtenFiles(place)).flat(),
    ...ownCopies(place).flatMap((path) => DATABASE_FILES.map((ending) => path + ending)),
    drainLockPath(database),
  ]);
  const beside = allNamesIn(parentOf(database))
    .filter((name) => name.startsWith(baseName(database)))
    .map((name) => joinPath(parentOf(database), name));
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
 * Transcripts of Claude Code that may hold what is chosen; they are named, and not touched. A text alone may also stand in
 * forks and in sessions that nobody captured: all transcripts count that lie where those of known sessions do.
 */
export function transcriptsThatMay(
  db: DatabaseSync,
  filter: ForgetFilter,
  chosen: Chosen,
): readonly string[] {
  if (!isTextAlone(filter)) {
    return [...new Set(sessionsOf(db, chosen).flatMap(({ transcript }) => transcript ?? []))];
  }
  const roots = new Set(
    knownTranscripts(db).map((path) => {
      const around = parentOf(parentOf(path));
      // A transcript elsewhere may lie in a folder of foreign files, so only the file itself counts.
      return baseName(around) === "projects" ? around : path;
    }),
  );
  // A folder may be gone.
  return [...roots].flatMap((root) => quietly(() => findTranscripts(root).files) ?? [])
    .map(({ path }) => path).sort();
}

/** The transcripts that are there and, where a text alone is forgotten, hold it. */
export function transcriptsWith(paths: readonly string[], filter: ForgetFilter): string[] {
  return paths.filter((path) =>
    quietly(() => isTextAlone(filter) ? holdsText(path, filter.text!) : statSync(path).isFile)
  );
}

function filesBelow(folder: string): string[] {
  return allNamesIn(folder).map((name) => joinPath(folder, name)).flatMap((path) => {
    const kind = kindAt(path);
    return kind === "folder" ? filesBelow(path) : kind === "file" ? [path] : [];
  });
}

/** Whether a path is a file, and no link to one. */
function isFile(path: string): boolean {
  return kindAt(path) === "file";
}

/** What becomes of the copies, by their paths. */
export interface ForgottenCopies {
  /** Copies in which the same is forgotten. */
  readonly madeAnew: readonly string[];
  /** Copies that are damaged or have another schema: they are removed, since the program cannot look into them. */
  readonly removed: readonly string[];
}

/** How the name of a copy beside the database goes on after the database's own name. */
const BESIDE =
  /^\.(?:(?:damaged|export|before-reset|before-restore|restored|mending|schema)-[\w:.-]+|[\da-f-]{36}\.tmp)$/;
const COMPANION = /-(?:wal|shm|journal)$/;

/** The copies that this program has made of a database: its backups, and what lies beside it under its name. */
function ownCopies({ database, dataFolder }: ForgetPlace): string[] {
  const [folder, base] = [parentOf(database), baseName(database)];
  const beside = allNamesIn(folder)
    .filter((name) => name.startsWith(base) && BESIDE.test(name.slice(base.length)))
    .map((name) => joinPath(folder, name));
  const backups = joinPath(dataFolder, "backups");
  const inBackups = allNamesIn(backups).filter((name) => /\.db(?:$|[.-])/.test(name))
    .map((name) => joinPath(backups, name));
  return [...inBackups, ...beside].filter((path) => !COMPANION.test(path) && isFile(path));
}

/** Says what would become of the copies; nothing is changed. */
export function previewCopies(place: ForgetPlace): ForgottenCopies {
  const [sound, other] = [true, false].map((is) =>
    ownCopies(place).filter((path) => isSound(path) === is)
  );
  return { madeAnew: sound!, removed: other! };
}

/** Whether the program can look into every row of a copy. */
function isSound(path: string): boolean {
  if (identifyDatabase(path).kind !== "ours") return false;
  try {
    using db = openToLook(path);
    return integrityFaults(db, "full").length === 0;
  } catch (thrown) {
    return isDatabaseBusy(thrown);
  }
}

/**
 * Forgets in every copy what the receipt in the database says.
 *
 * @param forget Takes what is chosen out of an open copy.
 * @returns Also what could not be done, with the way out, as `left`.
 */
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
      using db = await openDatabase(path, place);
      using main = openToLook(place.database);
      takeReceipts(main, db);
      forget(db, filter.ids === null ? filter : { ...filter, ids: namedIn(db, receiptId) });
      main.close();
      db.close();
      if (!rewriteRows(path)) {
        done.left.push(heldCopy(path));
        continue;
      }
      // It keeps its date: it is still the backup of that day.
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
