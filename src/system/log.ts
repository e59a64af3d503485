/** Writes the log, and claims notices that are said once. */
import { quietly } from "../base/errors.ts";
import { joinPath, parentOf } from "../base/paths.ts";
import { isFolder } from "./on_disk.ts";
import { makePrivateFolder, renameQuietly } from "./write_file.ts";

/** A log of this size becomes `conclaude.log.1`, and a new one begins. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;

/** Adds a line to the first log that takes it, and returns the path. A line outside of its own home names the home. */
export function appendLog(
  files: readonly string[],
  line: {
    readonly level: "info" | "warn" | "error";
    readonly message: string;
    readonly atMs: number;
    /** The user's home, null when there is none. Left out for the log of one database. */
    readonly home?: string | null;
  },
): string | undefined {
  const { home, level, atMs } = line;
  const head = `${new Date(atMs).toISOString()} ${level} [${Deno.pid}] `;
  const message = `${line.message.replace(/\s*\n\s*/g, " | ")}\n`;
  for (const file of files) {
    const mark = home === undefined || isOfHome(file, home) ? "" : homeMark(home);
    const text = head + mark + message;
    try {
      makePrivateFolder(parentOf(file));
      makeReady(file);
      Deno.writeTextFileSync(file, text, { append: true, mode: 0o600 });
      return file;
    } catch {
      // Try the next file; the caller handles the case that no file took the line.
    }
  }
  return undefined;
}

/** Returns the log files beside these spool folders. */
export function logFiles(spoolFolders: readonly string[]): string[] {
  return spoolFolders.map((folder) => joinPath(parentOf(folder), "conclaude.log"));
}

/** Tells whether a log lies in the data folder of a home. */
export function isOfHome(file: string, home: string | null): boolean {
  return home !== null && parentOf(file) === joinPath(home, ".conclaude");
}

/** Returns the mark that names a home in a line of a shared log. */
export function homeMark(home: string | null): string {
  return `home ${JSON.stringify(home ?? "")}: `;
}

/** Rotates a log that is too long. @throws {Error} When the file is a pipe: writing would wait for a reader. */
function makeReady(file: string): void {
  const info = quietly(() => Deno.statSync(file));
  if (info?.isFifo) throw new Error(`a pipe: ${file}`);
  // Another process may rename it first.
  if (info !== undefined && info.size > MAX_LOG_BYTES) renameQuietly(file, `${file}.1`);
}

/** Folders for a notice when neither the home nor `/tmp` takes a file. */
const LAST_PLACES = [`/run/user/${Deno.uid() ?? 0}`, "/var/tmp", "/dev/shm"];

/**
 * Claims the right to say something once: the claim is an empty file beside a spool folder. @returns True for the first
 * caller of a session and subject, and for everybody where no file can be made: a notice twice is better than none.
 */
export function claimNotice(
  subject: string,
  about: { readonly sessionId: string; readonly spoolFolders: readonly string[] },
): boolean {
  const name = `said-${subject}-${about.sessionId.replace(/[^\w-]/g, "_")}`;
  const lastPlaces = LAST_PLACES.filter(isFolder)
    .map((place) => joinPath(place, `conclaude-${Deno.uid() ?? 0}`));
  const folders = about.spoolFolders.map((folder) => joinPath(parentOf(folder), "notices"));
  for (const folder of [...folders, ...lastPlaces]) {
    try {
      makePrivateFolder(folder);
      Deno.openSync(joinPath(folder, name), { write: true, createNew: true, mode: 0o600 }).close();
      return true;
    } catch (thrown) {
      if (thrown instanceof Deno.errors.AlreadyExists) return false;
    }
  }
  return true;
}
