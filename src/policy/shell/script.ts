/**
 * A Bash script taken apart: every command that it would start, also those inside of others (`sudo`, `bash -c`, `$(…)`,
 * what is piped into `sh`), with its words as the shell would hand them over. Nothing is run.
 *
 * Both sides of every condition count, a loop's body is read once for each word, a function's where it is called. What
 * only the running shell can know is named in {@linkcode Script.unknown}.
 */
import type { GitAliases } from "../guards/git_verbs.ts";
import { configuredAliases } from "./aliases.ts";
import type { ShellCommand } from "./shell_command.ts";
import type { Disk } from "./findings.ts";
import type { Language } from "./inner.ts";
import { Reader } from "./shell_reader.ts";

export interface Script {
  readonly commands: readonly ShellCommand[];
  /** Why the list may be incomplete, one reason each: `"$X" is not known before it runs`. */
  readonly unknown: readonly string[];
  /** Why a part of it was not even looked at; null when all was. */
  readonly tooLarge: string | null;
}

/** A longer script is not read at all. */
const MAX_CHARS = 2_000_000;
const TOO_LARGE = "it is too large to be read to its end";

export interface Surroundings {
  /** The folder in which it starts, absolute; null when unknown. */
  readonly folder: string | null;
  /** What `~` and `$HOME` stand for. */
  readonly home: string | null;
  /** The project's folder, absolute; absent or null when unknown. */
  readonly root?: string | null;
  /** Reads patches; absent when files cannot be read. */
  readonly disk?: Disk;
  /** The aliases that git's configuration gives to commands; absent where it gives none. */
  readonly gitAliases?: GitAliases;
  /** The language of the script; absent for the POSIX shell. */
  readonly language?: Language;
}

/** Takes a script apart. Never throws: what cannot be read is one more reason in `unknown`. */
export function readScript(source: string, around: Surroundings): Script {
  const { root = null, disk = NO_DISK } = around;
  const reader = new Reader({ root, disk });
  readInto(reader, source, around);
  const { commands, unknown, tooLarge } = reader.found;
  return { commands, unknown: [...unknown, ...(tooLarge === null ? [] : [tooLarge])], tooLarge };
}

const NO_DISK: Disk = { readText: () => null, topOf: (folder) => folder };

function readInto(reader: Reader, source: string, around: Surroundings): void {
  const variables = new Map<string, string>();
  if (around.home !== null) variables.set("HOME", around.home);
  if (around.folder !== null) variables.set("PWD", around.folder);
  if (source.length > MAX_CHARS) {
    reader.found.tooLarge = TOO_LARGE;
    return;
  }
  try {
    reader.source(source, {
      variables,
      lists: new Map(),
      folder: around.folder,
      left: [],
      functions: new Map(),
      aliases: configuredAliases(around.gitAliases ?? new Map()),
      startedBy: null,
      depth: 0,
      rounds: 1,
      locals: null,
    }, around.language);
  } catch {
    // It costs too much, or it is too deep for the engine.
    reader.found.tooLarge = TOO_LARGE;
  }
}
