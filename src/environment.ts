import type { DatabaseSync } from "node:sqlite";
import type { Descent } from "./process/ancestors.ts";

/**
 * The surroundings of one run, beside its input. `main.ts` passes on those of its process; a test passes on its own and
 * runs a hook or a verb in the test's process.
 */
export interface Environment {
  /** A variable; undefined when it is unset, empty, or not UTF-8. */
  readonly variable: (name: string) => string | undefined;
  /** All variables, for programs that a person has configured; null passes on those of this process. */
  readonly passedOn: Readonly<Record<string, string>> | null;
  /** The words of the command line, without the program's own. */
  readonly args: readonly string[];
  /** The folder where relative paths start. */
  readonly cwd: () => string;
  /** The time in milliseconds since the epoch. */
  readonly now: () => number;
  /** The beginning of the run, in milliseconds of `performance.now()`. */
  readonly beganMs: number;
  /** The machine's folder for temporary files: `/tmp`, or `%TEMP%` on Windows. */
  readonly temporaryFolder: string;
  /** The file that this program runs from. */
  readonly program: ProgramFile;
  readonly stdin: {
    /** Reads some bytes. @returns How many; null at the end. */
    readonly readSync: (buffer: Uint8Array) => number | null;
  };
  /** Whether a stream is a terminal. */
  readonly isTerminal: (stream: "stdin" | "stdout" | "stderr") => boolean;
  /** The processes that this run comes from; null reads them from the system. */
  readonly descent: Descent | null;
  /** Is told of a database that the run leaves open. A process ends at once, which is faster than to close it. */
  readonly hold: (db: DatabaseSync) => void;
}

/** An executable: Deno with a script, or the compiled program, which has none. */
export interface ProgramFile {
  readonly executable: string;
  /** A path, or null. */
  readonly script: string | null;
  /** The first word of the command that started it. */
  readonly startedAs: string;
}

const FIRST_CHUNK_BYTES = 65_536;

/** Reads a stream to its end, as far as it can be read. */
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
    // A folder, or a stream that broke: what has come so far is judged like any other input.
  }
  return buffer.subarray(0, filled);
}

/** A variable of this process; undefined when it is unset, empty, or not UTF-8. */
export function readVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch {
    return undefined;
  }
}

/** The path of a `file:` URL; `file:///C:/x` is `C:/x`. */
export function pathOfUrl(url: string): string {
  return decodeURIComponent(new URL(url).pathname).replace(/^\/(?=[A-Za-z]:)/, "");
}

/** The surroundings of this process. */
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
  descent: null,
  hold: () => {},
};
