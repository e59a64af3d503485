/** Which database files may be worked on, and which may be set aside for another one. */
import { UserError } from "../errors.ts";
import { quoteWord } from "../settings/hooks.ts";
import { SCHEMA_VERSION } from "../store/database.ts";
import { type DatabaseFile, identifyDatabase } from "../store/identity.ts";
import { drainLockPath } from "../store/process_lock.ts";
import { VERSION } from "../version.ts";
import { isThere } from "./whole_file.ts";

type Unfit = Exclude<DatabaseFile["kind"], "ours" | "older">;

/** Why a file may not be worked on, and the way out, by what it is. */
const REFUSALS: Readonly<
  Record<Unfit, (path: string, file: DatabaseFile) => readonly [why: string, next: string]>
> = {
  missing: () => ["there is no such file", "conclaude db migrate"],
  // Where a drain has been, there was something in it.
  empty: (path) =>
    isThere(drainLockPath(path))
      ? [
        "the file is empty, and it was not before: something has cut it to nothing",
        "conclaude doctor",
      ]
      : ["the file is empty: nothing has been written yet", "conclaude db migrate"],
  folder: (path) => ["it is a folder", `mv ${quoteWord(path)} ${quoteWord(`${path}.folder`)}`],
  special: () => ["it is no regular file", "conclaude doctor"],
  unreadable: (path, file) => [whyOf(file) ?? "it cannot be read", `ls -l ${quoteWord(path)}`],
  garbage: () => ["the file is not a SQLite database; nothing was changed", "conclaude doctor"],
  damaged: (_path, file) => {
    const why = whyOf(file);
    return [
      `the file is damaged${why === null ? "" : `: ${why}`}; nothing was changed`,
      "conclaude doctor",
    ];
  },
  foreign: () => ["it is another program's database; nothing was changed", "conclaude doctor"],
  newer: (_path, file) => [
    `a newer conclaude has been here: schema version ${
      file.kind === "newer" ? file.version : "unknown"
    }, and ${VERSION} knows ${SCHEMA_VERSION}; nothing was changed`,
    "Install the newest conclaude",
  ],
};

function whyOf(file: DatabaseFile): string | null {
  return "why" in file ? file.why : null;
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
  const [why, next] = REFUSALS[file.kind](path, file);
  const isWrongFile = file.kind !== "newer" && file.kind !== "unreadable";
  const instead = isWrongFile ? options.instead : undefined;
  throw new UserError(`${what} "${path}"`, { why, next: instead ?? next });
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
    case "unreadable": {
      const [why, next] = REFUSALS[file.kind](path, file);
      throw new UserError(`${what} "${path}"`, { why, next });
    }
    default:
      return file;
  }
}
