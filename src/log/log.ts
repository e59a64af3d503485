import { joinPath, parentOf } from "../paths.ts";
import { makePrivateFolder } from "../spool/spool.ts";

/** The log is begun anew at this size; the one before stays beside it as `conclaude.log.1`. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;

/**
 * Adds one line to the log: time, level, process id, message.
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
  },
): string | undefined {
  const text = `${new Date(line.atMs).toISOString()} ${line.level} [${Deno.pid}] ${
    line.message.replace(/\s*\n\s*/g, " | ")
  }\n`;
  for (const file of files) {
    try {
      makePrivateFolder(parentOf(file));
      rotate(file);
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

function rotate(file: string): void {
  try {
    if (Deno.statSync(file).size > MAX_LOG_BYTES) Deno.renameSync(file, `${file}.1`);
  } catch {
    // No log yet.
  }
}
