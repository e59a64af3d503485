/** Finds what is to be forgotten in the files beside the database. */
import { agentsFolder } from "../engine/agent_files.ts";
import { logFiles } from "../log/log.ts";
import { baseName, joinPath, parentOf } from "../paths.ts";
import { type SpooledRecord, suffixesOf } from "../spool/spool.ts";
import { isPrivateFolder } from "../project/write_file.ts";
import type { ForgetFilter } from "../store/forget_choice.ts";
import { fallbackDatabase, isOwnDatabase } from "./fallback.ts";
import { drainLockPath } from "../store/process_lock.ts";
import { DATABASE_FILES, isFileOf } from "./set_aside.ts";
import { namesIn, targetOf } from "./whole_file.ts";

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

/** What waits for the database, or has waited for it, by its name. */
function waitingFiles({ database, spoolFolders }: ForgetPlace): string[] {
  return spoolFolders.filter(isOwnFolder).flatMap((folder) => {
    const names = namesIn(folder);
    const suffixes = suffixesOf(database, { folder, names });
    return names.filter((name) => suffixes.some((suffix) => name.includes(suffix)))
      .map((name) => joinPath(folder, name));
  });
}

/**
 * Removes a file of the spool.
 *
 * @param name Called with its record, when it holds one, before it goes: a drain may have read it already.
 */
export function removeSpooled(path: string, name: (record: SpooledRecord["record"]) => void): void {
  const record = recordIn(path);
  if (record !== null) name(record);
  try {
    Deno.removeSync(path);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  }
}

function recordIn(path: string): SpooledRecord["record"] | null {
  try {
    const { record } = JSON.parse(Deno.readTextFileSync(path)) as SpooledRecord;
    return typeof record.id === "string" ? record : null;
  } catch {
    return null;
  }
}

function isOwnFolder(folder: string): boolean {
  try {
    return isPrivateFolder(parentOf(folder)) && isPrivateFolder(folder);
  } catch {
    return false;
  }
}

function fits(path: string, filter: ForgetFilter): boolean {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch {
    return false;
  }
  try {
    const { record } = JSON.parse(text) as SpooledRecord;
    const { ids, sessionId, project, files, sinceMs, untilMs } = filter;
    const told = record.session;
    const touched = [...record.capture?.filesTouched ?? [], ...namedIn(record)];
    return (ids === null || ids.captures.includes(record.id)) &&
      (sessionId === null || record.sessionId === sessionId) &&
      (project === null || (told?.repository ?? told?.projectDir) === project) &&
      (files === null || touched.some((one) => files.some((file) => isUnder(one, file)))) &&
      (sinceMs === null || record.atMs >= sinceMs) &&
      (untilMs === null || record.atMs <= untilMs) &&
      (filter.text === null || holds(text, filter) ||
        holds(record.capture?.payload ?? "", filter));
  } catch {
    // Damaged: only its letters can tell.
    return isTextAlone(filter) && filter.text!.isIn(text);
  }
}

/** The files that the record's row of the audit trail would name. */
function namedIn({ execution }: SpooledRecord["record"]): string[] {
  const files: unknown = execution.metadata["files"];
  return Array.isArray(files) ? files.filter((file) => typeof file === "string") : [];
}

function holds(json: string, { text }: ForgetFilter): boolean {
  return text!.isInJson(json);
}

function isUnder(path: string, file: string): boolean {
  return path === file || path.startsWith(`${file}/`);
}

/** Whether a text is all that is asked for: then it is to be found nowhere any more. */
export function isTextAlone(
  { ids, sessionId, project, files, text, sinceMs, untilMs }: ForgetFilter,
): boolean {
  return text !== null &&
    [ids, sessionId, project, files, sinceMs, untilMs].every((value) => value === null);
}

/** The log files, and what agents were given and have written. */
export function writtenFiles(
  place: ForgetPlace,
): { readonly logs: string[]; readonly agents: string[] } {
  return {
    logs: logFiles(place.spoolFolders).flatMap((file) => [file, `${file}.1`]).filter(isFile),
    agents: filesBelow(agentsFolder(place.database)),
  };
}

/**
 * Files of this program that hold copies: backups, databases that were set aside, exports, and what lies in the spool
 * under a name that is not this database's; and what hooks wrote while the home could not be used. They are never touched.
 */
export function copiesOf(place: ForgetPlace): string[] {
  const { logs, agents } = writtenFiles(place);
  const own = new Set([
    drainLockPath(place.database),
    ...logs,
    ...agents,
  ]);
  const beside = namesIn(parentOf(place.database))
    .filter((name) => name.startsWith(baseName(place.database)))
    .map((name) => joinPath(parentOf(place.database), name));
  const spooled = place.spoolFolders.filter(isOwnFolder).flatMap(filesBelow);
  const waiting = new Set(waitingFiles(place));
  const fallback = fallbackDatabase(place);
  const elsewhere = isOwnDatabase(fallback)
    ? DATABASE_FILES.map((ending) => fallback + ending).filter(isFile)
    : [];
  const all = [...filesBelow(place.dataFolder), ...spooled, ...beside.filter(isFile), ...elsewhere];
  const lock = drainLockPath(targetOf(place.database));
  return [...new Set(all)]
    .filter((path) => !own.has(path) && !waiting.has(path) && targetOf(path) !== lock)
    .filter((path) => !isFileOf(place.database, path));
}

function filesBelow(folder: string): string[] {
  return namesIn(folder).map((name) => joinPath(folder, name)).flatMap((path) => {
    try {
      const { isDirectory, isFile } = Deno.lstatSync(path);
      return isDirectory ? filesBelow(path) : isFile ? [path] : [];
    } catch {
      return [];
    }
  });
}

function isFile(path: string): boolean {
  try {
    return Deno.lstatSync(path).isFile;
  } catch {
    return false;
  }
}
