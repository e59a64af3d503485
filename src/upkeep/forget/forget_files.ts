/**
 * Lists the files that may hold forgotten content: logs, agents' files, copies of the database, transcripts. Forgets
 * the same content in the copies that this program made.
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

/** The places of this program's files. */
export interface ForgetPlace {
  readonly home: string | null;
  readonly database: string;
  readonly dataFolder: string;
  readonly spoolFolders: readonly string[];
  readonly busyTimeoutMs: number;
  readonly drainSpool: (db: DatabaseSync, target: DrainTarget) => DrainReport;
}

/**
 * Lists the files in which a text is overwritten: logs, input and output of agents, and records that wait in the spool.
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
 * Lists files that may hold copies and that forgetting does not change: exports, records of other databases in the
 * spool, and the fallback database.
 *
 * @param written Files anywhere that this program wrote for a person.
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
 * Lists transcripts of Claude Code that may hold the chosen content. A text alone may also be in forks and in sessions
 * that nobody captured, so all transcripts in the folders of known sessions count.
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

/** Whether a path is a file and not a link. */
function isFile(path: string): boolean {
  return kindAt(path) === "file";
}

/** The paths of copies, by what forgetting does with them. */
export interface ForgottenCopies {
  /** Copies in which the same content is forgotten. */
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
  const [folder, base] = [parentOf(database), baseName(database)];
  const beside = allNamesIn(folder)
    .filter((name) => name.startsWith(base) && BESIDE.test(name.slice(base.length)))
    .map((name) => joinPath(folder, name));
  const backups = joinPath(dataFolder, "backups");
  const inBackups = allNamesIn(backups).filter((name) => /\.db(?:$|[.-])/.test(name))
    .map((name) => joinPath(backups, name));
  return [...inBackups, ...beside].filter((path) => !COMPANION.test(path) && isFile(path));
}

/** Tells what forgetting would do with each copy. Changes nothing. */
export function previewCopies(place: ForgetPlace): ForgottenCopies {
  const [sound, other] = [true, false].map((is) =>
    ownCopies(place).filter((path) => isSound(path) === is)
  );
  return { madeAnew: sound!, removed: other! };
}

/** Whether the program can read every row of a copy. */
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
 * Forgets in every copy the content that a receipt in the database names.
 *
 * @param forget Removes the chosen content from an open copy.
 * @returns `left`: sentences about copies that could not be changed, with the way out.
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
