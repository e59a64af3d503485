/** Which database files may be worked on or set aside, and what is said of all others. */
import { UserError } from "../../base/errors.ts";
import { VERSION } from "../../base/version.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import {
  type DatabaseFile,
  identifyDatabase,
  mayBeWritten,
  type WritableDatabase,
} from "../../db/database_identity.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";

type Unfit = Exclude<DatabaseFile, WritableDatabase>;

/**
 * What is wrong with a file, as words that follow its path, and the way out.
 *
 * @returns `next` is null where only the place decides: a command for the database that counts, another one for a copy.
 */
export function faultOf(
  path: string,
  file: Unfit,
): { readonly state: string; readonly next: string | null } {
  switch (file.kind) {
    case "missing":
      return { state: "is not there: no such file", next: "conclaude db migrate" };
    case "empty":
      return { state: "is empty: it holds no tables", next: "conclaude doctor" };
    case "folder": {
      const next = `mv ${quoteWord(path)} ${quoteWord(`${path}.folder`)}`;
      return { state: "is a folder, where a file should be", next };
    }
    case "special":
      return { state: "is no regular file", next: null };
    case "unreadable":
      return { state: `cannot be read: ${file.why}`, next: `ls -l ${quoteWord(path)}` };
    case "garbage":
      return { state: "is not a SQLite database", next: null };
    case "damaged":
      return { state: `is damaged: ${file.why}`, next: null };
    case "foreign":
      return { state: "is another program's database; it is left alone", next: null };
    case "newer": {
      const versions = `schema version ${file.version}, and ${VERSION} knows ${SCHEMA_VERSION}`;
      const state = `was migrated by a newer conclaude: ${versions}; it is left alone`;
      return { state, next: "Install the newest conclaude" };
    }
  }
}

function refusal(what: string, path: string, file: Unfit, instead?: string): UserError {
  const { state, next } = faultOf(path, file);
  const isWrongFile = file.kind !== "newer" && file.kind !== "unreadable";
  return new UserError(`${what} "${path}"`, {
    why: `it ${state}; nothing was changed`,
    next: (isWrongFile ? instead : null) ?? next ?? "conclaude doctor",
  });
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
  { instead }: { readonly instead?: string } = {},
): number {
  const file = identifyDatabase(path);
  if (mayBeWritten(file)) return file.version;
  throw refusal(what, path, file, instead);
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
      throw refusal(what, path, file);
    default:
      return file;
  }
}
