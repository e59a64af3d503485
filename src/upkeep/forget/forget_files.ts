/** Lists the files that may hold what is forgotten: the spool, logs, what agents wrote, copies, transcripts. */
import type { DatabaseSync } from "node:sqlite";
import { agentsFolder } from "../../work/engine/agent_files.ts";
import { keptJson } from "../../memory/observe/observation.ts";
import { logFiles } from "../../system/log.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { kindAt } from "../../system/on_disk.ts";
import { isOwnSpool, spooledFiles } from "../transfer/drain_spool.ts";
import { findTranscripts } from "../transfer/find_transcripts.ts";
import type { SpooledRecord } from "../../db/spool.ts";
import {
  type Chosen,
  type ForgetFilter,
  isTextAlone,
  knownTranscripts,
  sessionsOf,
} from "../../memory/store.ts";
import { drainLockPath } from "../../db/process_lock.ts";
import { holdsText } from "./byte_scan.ts";
import { fallbackDatabase, isOwnDatabase } from "../care/fallback.ts";
import { DATABASE_FILES, isFileOf } from "../care/database_files.ts";
import { namesIn } from "../care/whole_file.ts";
import { isNotFound, readTextFileSync, realOr, removeSync, statSync } from "../../system/files.ts";

/** Where the files of this program lie. */
export interface ForgetPlace {
  readonly home: string | null;
  readonly database: string;
  readonly dataFolder: string;
  readonly spoolFolders: readonly string[];
  readonly busyTimeoutMs: number;
}

/** The files that wait for the database in the spool and fit the filter, those set aside as damaged included. */
export function matchingSpool(place: ForgetPlace, filter: ForgetFilter): string[] {
  return waitingFiles(place).filter((path) => isFile(path) && fits(path, filter));
}

/** What waits for the database in the spool, or was set aside there. */
function waitingFiles({ database, spoolFolders }: ForgetPlace): string[] {
  return spooledFiles({ database, folders: spoolFolders }, { withDamaged: true });
}

/** Removes a file of the spool. @param name Called with its record, when it holds one, before it goes. */
export function removeSpooled(path: string, name: (record: SpooledRecord["record"]) => void): void {
  const record = readSpooled(path)?.record;
  if (typeof record?.id === "string") name(record);
  try {
    removeSync(path);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

/** Reads a file of the spool: its text, and its record where that is JSON; null where the file cannot be read. */
function readSpooled(path: string) {
  try {
    const text = readTextFileSync(path);
    return { text, record: keptJson<Partial<SpooledRecord>>(text, {}).record ?? null };
  } catch {
    return null;
  }
}

function fits(path: string, filter: ForgetFilter): boolean {
  const spooled = readSpooled(path);
  if (spooled === null) return false;
  const { text: content, record } = spooled;
  const { ids, sessionId, project, files, text, sinceMs, untilMs } = filter;
  // A damaged file has no fields to compare: only a text alone can be looked for in it.
  if (record?.execution == null) return isTextAlone(filter) && text!.isIn(content);
  const told = record.session;
  const named: unknown = record.execution.metadata?.["files"];
  const touched = [...record.capture?.filesTouched ?? [], ...Array.isArray(named) ? named : []];
  return (ids === null || ids.captures.includes(record.id)) &&
    (sessionId === null || record.sessionId === sessionId) &&
    (project === null || (told?.repository ?? told?.projectDir) === project) &&
    (files === null ||
      touched.some((one) =>
        files.some((file) => one === file || `${one}`.startsWith(`${file}/`))
      )) &&
    (sinceMs === null || record.atMs >= sinceMs) &&
    (untilMs === null || record.atMs <= untilMs) &&
    (text === null || text.isInJson(content) || text.isInJson(record.capture?.payload ?? ""));
}

/** The log files, and what agents were given and have written. */
export function writtenFiles(
  place: ForgetPlace,
): Readonly<Record<"logs" | "agentFiles", string[]>> {
  return {
    logs: logFiles(place.spoolFolders).flatMap((file) => [file, `${file}.1`]).filter(isFile),
    agentFiles: filesBelow(agentsFolder(place.database)),
  };
}

/**
 * Files of this program that may hold copies and are not gone through elsewhere: exports, what lies in the spool under a
 * name that is not this database's, and what hooks wrote while the home could not be used.
 */
export function copiesOf(place: ForgetPlace): string[] {
  const { database } = place;
  const { logs, agentFiles } = writtenFiles(place);
  const own = new Set([...logs, ...agentFiles, ...waitingFiles(place), drainLockPath(database)]);
  const beside = namesIn(parentOf(database))
    .filter((name) => name.startsWith(baseName(database)))
    .map((name) => joinPath(parentOf(database), name));
  const fallback = fallbackDatabase(place);
  const elsewhere = isOwnDatabase(fallback) ? DATABASE_FILES.map((end) => fallback + end) : [];
  const all = new Set([
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
  return [...roots].flatMap((root) => {
    try {
      return findTranscripts(root).files.map(({ path }) => path);
    } catch {
      // The folder is gone.
      return [];
    }
  }).sort();
}

/** Of some transcripts those that are there and, where a text alone is forgotten, hold it. */
export function transcriptsWith(paths: readonly string[], filter: ForgetFilter): string[] {
  return paths.filter((path) => {
    try {
      return isTextAlone(filter) ? holdsText(path, filter.text!) : statSync(path).isFile;
    } catch {
      return false;
    }
  });
}

function filesBelow(folder: string): string[] {
  return namesIn(folder).map((name) => joinPath(folder, name)).flatMap((path) => {
    const kind = kindAt(path);
    return kind === "folder" ? filesBelow(path) : kind === "file" ? [path] : [];
  });
}

/** Whether a path is a file, and no link to one. */
export function isFile(path: string): boolean {
  return kindAt(path) === "file";
}
