import { joinPath, parentOf } from "../paths.ts";
import { makePrivateFolder } from "../project/write_file.ts";

/** The log is begun anew at this size; the one before stays beside it as `conclaude.log.1`. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;

/**
 * Adds one line to the log: time, level, process id, message. In a log outside of the home, which several homes may
 * share, the line says whose it is.
 *
 * @param files Where to write, in order of preference; the first that takes the line gets it.
 * @returns The file that took it, or undefined when none could.
 */
export function appendLog(
  files: readonly string[],
  line: {
    readonly level: "info" | "warn" | "error";
    readonly message: string;
    readonly atMs: number;
    /** The user's home, null when there is none; not there where the log is of one database alone. */
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
      // The next place; whoever called decides what it means that none took it.
    }
  }
  return undefined;
}

/** The log files of a set of spool folders: beside each of them. */
export function logFiles(spoolFolders: readonly string[]): string[] {
  return spoolFolders.map((folder) => joinPath(parentOf(folder), "conclaude.log"));
}

/** Whether a log is that of a home alone. */
export function isOfHome(file: string, home: string | null): boolean {
  return home !== null && parentOf(file) === joinPath(home, ".conclaude");
}

/** What a line in a shared log says first of whose it is. */
export function homeMark(home: string | null): string {
  return `home ${JSON.stringify(home ?? "")}: `;
}

/** @throws {Error} When it is a pipe: who writes to one waits until somebody reads it. */
function makeReady(file: string): void {
  const info = statQuietly(file);
  if (info?.isFifo) throw new Error(`a pipe: ${file}`);
  try {
    if (info !== null && info.size > MAX_LOG_BYTES) Deno.renameSync(file, `${file}.1`);
  } catch {
    // Another process did.
  }
}

function statQuietly(file: string): Deno.FileInfo | null {
  try {
    return Deno.statSync(file);
  } catch {
    return null; // No log yet.
  }
}
