import { joinPath, parentOf } from "../paths.ts";
import { makePrivateFolder } from "../project/write_file.ts";

/** A log of this size becomes `conclaude.log.1`, and a new one begins. */
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
      // The next file; the caller decides what it means that none took the line.
    }
  }
  return undefined;
}

/** The log files beside these spool folders. */
export function logFiles(spoolFolders: readonly string[]): string[] {
  return spoolFolders.map((folder) => joinPath(parentOf(folder), "conclaude.log"));
}

/** Whether a log belongs to one home. */
export function isOfHome(file: string, home: string | null): boolean {
  return home !== null && parentOf(file) === joinPath(home, ".conclaude");
}

/** How a line in a shared log begins. */
export function homeMark(home: string | null): string {
  return `home ${JSON.stringify(home ?? "")}: `;
}

/** @throws {Error} When it is a pipe: writing would wait for a reader. */
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
