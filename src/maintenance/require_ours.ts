import { UserError } from "../errors.ts";
import { quoteWord } from "../settings/hooks.ts";
import { SCHEMA_VERSION } from "../store/database.ts";
import { type DatabaseFile, identifyDatabase } from "../store/identity.ts";
import { drainLockPath } from "../store/process_lock.ts";
import { VERSION } from "../version.ts";
import { isThere } from "./whole_file.ts";

/** What may be wrong with a file that is to be worked on. */
type Unfit = Exclude<DatabaseFile["kind"], "ours" | "older">;

/** Why, and the way out, by what the file is. */
const REFUSALS: Readonly<Record<Unfit, (path: string, file: DatabaseFile) => Refusal>> = {
  missing: () => ({
    why: "there is no such file",
    next: "conclaude db migrate",
  }),
  // Where a drain has been, there was something in it.
  empty: (path) =>
    isThere(drainLockPath(path))
      ? {
        why: "the file is empty, and it was not before: something has cut it to nothing",
        next: "conclaude doctor",
      }
      : {
        why: "the file is empty: nothing has been written yet",
        next: "conclaude db migrate",
      },
  folder: (path) => ({
    why: "it is a folder",
    next: `mv ${quoteWord(path)} ${quoteWord(`${path}.folder`)}`,
  }),
  special: () => ({
    why: "it is no regular file",
    next: "conclaude doctor",
  }),
  unreadable: (path, file) => ({
    why: file.kind === "unreadable" ? file.why : "it cannot be read",
    next: `ls -l ${quoteWord(path)}`,
  }),
  garbage: () => ({
    why: "the file is not a SQLite database; nothing was changed",
    next: "conclaude doctor",
  }),
  damaged: (_path, file) => ({
    why: `the file is damaged${
      file.kind === "damaged" ? `: ${file.why}` : ""
    }; nothing was changed`,
    next: "conclaude doctor",
  }),
  foreign: () => ({
    why: "it is another program's database; nothing was changed",
    next: "conclaude doctor",
  }),
  newer: (_path, file) => ({
    why: `a newer conclaude has been here: schema version ${
      file.kind === "newer" ? file.version : "unknown"
    }, and ${VERSION} knows ${SCHEMA_VERSION}; nothing was changed`,
    next: "Install the newest conclaude",
  }),
};

interface Refusal {
  readonly why: string;
  readonly next: string;
}

/**
 * Makes sure that a file is a database that this program may work on.
 *
 * @param what Begins the error: `Cannot restore`.
 * @param options `instead`: the way out when it is the wrong file; without it, that of the database that counts.
 * @returns Its schema version, at most this program's.
 * @throws {UserError} With the reason and the way out. The file is left untouched.
 */
export function requireOurs(
  what: string,
  path: string,
  options: { readonly instead?: string } = {},
): number {
  const file = identifyDatabase(path);
  if (file.kind === "ours" || file.kind === "older") return file.version;
  const { why, next } = REFUSALS[file.kind](path, file);
  const isWrongFile = file.kind !== "newer" && file.kind !== "unreadable";
  throw new UserError(`${what} "${path}"`, {
    why,
    next: isWrongFile ? options.instead ?? next : next,
  });
}

/**
 * Makes sure that a file may be set aside for another one: anything but what belongs to somebody else.
 *
 * @returns What is there.
 * @throws {UserError} For a folder, a device, another program's database, or what cannot be looked at.
 */
export function requireReplaceable(what: string, path: string): DatabaseFile {
  const file = identifyDatabase(path);
  switch (file.kind) {
    case "folder":
    case "special":
    case "foreign":
    case "unreadable":
      throw new UserError(`${what} "${path}"`, REFUSALS[file.kind](path, file));
    default:
      return file;
  }
}
