/** Describes the environment of one run: variables, folders, streams, and where conclaude keeps its files. */
import type { DatabaseSync } from "node:sqlite";
import type { Descent } from "./process/ancestors.ts";
import { quietly } from "../base/errors.ts";
import { joinPath, parentOf, resolvePath } from "../base/paths.ts";

/** What one run of the program knows about its process. `main.ts` passes the real values, a test its own. */
export interface Environment {
  /** A variable; undefined when it is unset, empty, or not UTF-8. */
  readonly variable: (name: string) => string | undefined;
  /** The variables for programs that a person has configured; null means those of this process. */
  readonly passedOn: Readonly<Record<string, string>> | null;
  /** The words of the command line, without the program's own. */
  readonly args: readonly string[];
  /** The folder where relative paths start. */
  readonly cwd: () => string;
  readonly now: () => number;
  /** When the run began, in milliseconds of `performance.now()`. */
  readonly beganMs: number;
  /** The machine's folder for temporary files: `/tmp`, or `%TEMP%` on Windows. */
  readonly temporaryFolder: string;
  readonly program: ProgramFile;
  readonly stdin: {
    /** Reads some bytes. @returns How many; null at the end. */
    readonly readSync: (buffer: Uint8Array) => number | null;
  };
  readonly isTerminal: (stream: "stdin" | "stdout" | "stderr") => boolean;
  /** How many columns the terminal has; null without one. */
  readonly columns: () => number | null;
  /** The processes that this run descends from; null means that they are read from the system. */
  readonly descent: Descent | null;
  /** Receives a database that the run leaves open: a process ends faster without closing it. */
  readonly hold: (db: DatabaseSync) => void;
}

/** An executable: Deno with a script, or the compiled program, which has none. */
export interface ProgramFile {
  readonly executable: string;
  readonly script: string | null;
  /** The first word of the command that started it. */
  readonly startedAs: string;
}

const FIRST_CHUNK_BYTES = 65_536;

/** Reads a stream to its end, or up to an error. */
export function readAll(stdin: Environment["stdin"]): Uint8Array {
  let buffer = new Uint8Array(FIRST_CHUNK_BYTES);
  let filled = 0;
  try {
    for (;;) {
      const read = stdin.readSync(buffer.subarray(filled));
      if (read === null || read === 0) break;
      filled += read;
      if (filled < buffer.length) continue;
      const larger = new Uint8Array(buffer.length * 4);
      larger.set(buffer);
      buffer = larger;
    }
  } catch {
    // Standard input is a folder, or the stream broke: the caller judges the bytes that came so far.
  }
  return buffer.subarray(0, filled);
}

/** Returns a variable of this process; undefined when it is unset, empty, or not UTF-8. */
export function readVariable(name: string): string | undefined {
  return quietly(() => Deno.env.get(name)) || undefined;
}

/** Returns the path of a `file:` URL; `file:///C:/x` is `C:/x`. */
export function pathOfUrl(url: string): string {
  return decodeURIComponent(new URL(url).pathname).replace(/^\/(?=[A-Za-z]:)/, "");
}

export const THIS_PROCESS: Environment = {
  variable: readVariable,
  passedOn: null,
  args: Deno.args,
  cwd: Deno.cwd,
  now: Date.now,
  beganMs: 0,
  get temporaryFolder() {
    return Deno.build.os === "windows" ? readVariable("TEMP") ?? "C:/Windows/Temp" : "/tmp";
  },
  get program() {
    return {
      executable: Deno.execPath(),
      script: Deno.build.standalone ? null : pathOfUrl(Deno.mainModule),
      startedAs: process.argv0,
    };
  },
  stdin: Deno.stdin,
  isTerminal: (stream) => Deno[stream].isTerminal(),
  // A terminal of unknown size reports 0 columns.
  columns: () => quietly(() => Deno.consoleSize().columns) || null,
  descent: null,
  hold: () => {},
};

export interface Locations {
  /** The user's home, or null when there is none that can be used. */
  readonly home: string | null;
  /** `~/.conclaude`, or a private folder in the temporary one; it holds the log, the spool and notices. */
  readonly dataFolder: string;
  /** The database path before the configuration is read. */
  readonly database: string;
  /** `flag` and `environment` are final; `default` and `fallback` give way to `database.path` of the configuration. */
  readonly databaseFrom: "flag" | "environment" | "default" | "fallback";
  readonly logFile: string;
  /** The names in the data folder. */
  readonly dataNames: readonly string[];
  /** The folders where a record waits when the database cannot take it, the preferred one first. */
  readonly spoolFolders: readonly string[];
}

export interface LocateOptions {
  /** The value of `--db`. */
  readonly dbFlag?: string | undefined;
  /** Lists the data folder, null where there can be none; by default it makes a missing folder. */
  readonly namesIn?: (dataFolder: string) => readonly string[] | null;
}

/**
 * Finds the files of conclaude. The database is `--db`, then `CONCLAUDE_DB_PATH`, then `~/.conclaude/conclaude.db`,
 * then `/tmp/conclaude.db` when the home is unset or no folder can be made in it.
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
  const given = options.dbFlag || variable("CONCLAUDE_DB_PATH");
  return {
    home,
    dataFolder,
    database: given
      ? resolvePath(given, { folder: cwd(), home: home ?? undefined })
      : joinPath(usable ? inHome : temporaryFolder, "conclaude.db"),
    databaseFrom: options.dbFlag ? "flag" : given ? "environment" : usable ? "default" : "fallback",
    dataNames: inHomeNames ?? [],
    logFile: joinPath(dataFolder, "conclaude.log"),
    spoolFolders: [
      ...new Set([joinPath(dataFolder, "spool"), joinPath(privateTemporary, "spool")]),
    ],
  };
}

/** Returns the database's path: the flag or variable, else `database.path` of the configuration, else the default. */
export function databaseAt(locations: Locations, configured: string | null): string {
  const isFinal = locations.databaseFrom === "flag" || locations.databaseFrom === "environment";
  return isFinal ? locations.database : configured ?? locations.database;
}

/**
 * conclaude sets this variable for the command that rewrites summaries. When that command starts Claude Code, hooks
 * record nothing of its session: otherwise that session would need a summary too, and so on without end.
 */
export const SUMMARIZER_VARIABLE = "CONCLAUDE_SUMMARIZER";

/** With `off`, hooks keep nothing of what a session says and does, and memory does not read its transcript. */
export const MEMORY_VARIABLE = "CONCLAUDE_MEMORY";

/** Returns the name of the user's own folder (mode 0700) in `/tmp`, which all users share. */
function privateName(): string {
  const uid = Deno.uid();
  return uid === null ? "conclaude" : `conclaude-${uid}`;
}

/** Returns the names in a folder, and makes the folder when it is missing; null when that fails. */
function namesMadeIn(folder: string): string[] | null {
  const names = quietly(() => Array.from(Deno.readDirSync(folder), ({ name }) => name));
  if (names !== undefined) return names;
  // The folder is missing; it is usable if it can be made.
  return quietly((): string[] => {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    return [];
  }) ?? null;
}

export const { memoryUsage } = Deno;

/** The user's number; null on Windows. */
export const userId = Deno.uid;

/** `linux`, `darwin`, `windows`, … */
export const OS = Deno.build.os;
/** For example `x86_64-unknown-linux-gnu`. */
export const TARGET = Deno.build.target;
export const RUNTIME_VERSION = Deno.version.deno;

/** Returns the path of the database in the folder for temporary files. */
export function fallbackDatabase({ spoolFolders }: Pick<Locations, "spoolFolders">): string {
  return joinPath(parentOf(parentOf(spoolFolders.at(-1)!)), "conclaude.db");
}
