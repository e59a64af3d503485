/** Where this program reads and writes. */
import type { Environment } from "../environment.ts";
import { joinPath, resolvePath } from "../paths.ts";

/** Where this process reads and writes. */
export interface Locations {
  /** The user's home, or null when there is none that can be used. */
  readonly home: string | null;
  /** `~/.conclaude`, or a private folder in the temporary one: the log, the spool, notices. */
  readonly dataFolder: string;
  /** The database before configuration has its say. */
  readonly database: string;
  /** `flag` and `environment` are final; `default` and `fallback` give way to `database.path` of the configuration. */
  readonly databaseFrom: "flag" | "environment" | "default" | "fallback";
  readonly logFile: string;
  /** What lies in the data folder. */
  readonly dataNames: readonly string[];
  /** Where a record waits when the database cannot take it, in order of preference. */
  readonly spoolFolders: readonly string[];
}

/** How the places are found. */
export interface LocateOptions {
  /** The value of `--db`. */
  readonly dbFlag?: string | undefined;
  /** The names in the data folder, null where there can be none; by default a missing folder is made. */
  readonly namesIn?: (dataFolder: string) => readonly string[] | null;
}

/**
 * Finds the places: `--db`, then `CONCLAUDE_DB_PATH`, then `~/.conclaude/conclaude.db`, then `/tmp/conclaude.db` when
 * the home is unset or cannot take a folder (seed 000).
 */
export function locate(
  { variable, cwd, temporaryFolder }: Pick<Environment, "variable" | "cwd" | "temporaryFolder">,
  options: LocateOptions = {},
): Locations {
  const privateTemporary = joinPath(temporaryFolder, privateName());
  const home = variable("HOME") ?? variable("USERPROFILE") ?? null;
  const inHome = home === null ? null : joinPath(home, ".conclaude");
  const inHomeNames = inHome === null ? null : (options.namesIn ?? namesMadeIn)(inHome);
  const usable = inHome !== null && inHomeNames !== null;
  const dataFolder = usable ? inHome : privateTemporary;
  const named = options.dbFlag || variable("CONCLAUDE_DB_PATH");
  return {
    home,
    dataFolder,
    database: named
      ? resolvePath(named, { folder: cwd(), home: home ?? undefined })
      : joinPath(usable ? inHome : temporaryFolder, "conclaude.db"),
    databaseFrom: options.dbFlag ? "flag" : named ? "environment" : usable ? "default" : "fallback",
    dataNames: inHomeNames ?? [],
    logFile: joinPath(dataFolder, "conclaude.log"),
    spoolFolders: [
      ...new Set([joinPath(dataFolder, "spool"), joinPath(privateTemporary, "spool")]),
    ],
  };
}

/**
 * The database that counts: a flag or the environment outrank `database.path` of the configuration, which outranks the
 * default place (seed 000).
 */
export function databaseAt(locations: Locations, configured: string | null): string {
  const isFinal = locations.databaseFrom === "flag" || locations.databaseFrom === "environment";
  return isFinal ? locations.database : configured ?? locations.database;
}

/**
 * Set for the command that rewrites summaries, and all that it starts: where that is Claude Code itself, nothing of its
 * session is kept. It would be a session to summarize in its turn, without end.
 */
export const SUMMARIZER_VARIABLE = "CONCLAUDE_SUMMARIZER";

/** Others share `/tmp`, so what is ours there lies in a folder with the user's number, mode 0700. */
function privateName(): string {
  const uid = Deno.uid();
  return uid === null ? "conclaude" : `conclaude-${uid}`;
}

/** The names in a folder, which is made when it is missing; null when it cannot be. */
function namesMadeIn(folder: string): string[] | null {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name);
  } catch {
    // Not there: it is usable if it can be made.
  }
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    return [];
  } catch {
    return null;
  }
}
