/** Decides which database files may be used or set aside, and explains why the others may not. */
import { UserError } from "../../base/errors.ts";
import { VERSION } from "../../base/version.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import {
  type DatabaseFile,
  identifyDatabase,
  mayBeWritten,
  type WritableDatabase,
} from "../../db/database_identity.ts";
import { drainLockPath } from "../../db/process_lock.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { isThere } from "../../system/on_disk.ts";

/** Describes an empty file that was not empty before. */
export const EMPTIED = "is empty, and it was not before: something has cut it to nothing";

type Unfit = Exclude<DatabaseFile, WritableDatabase>;

/** Returns what is wrong with a file, in words that follow its path, and the command that helps, if there is one. */
export function faultOf(path: string, file: Unfit): readonly [state: string, next?: string] {
  switch (file.kind) {
    case "missing":
      return ["is not there: no such file", "conclaude db migrate"];
    case "empty":
      // A drain leaves its lock file, so the database held something.
      return isThere(drainLockPath(path))
        ? [EMPTIED]
        : ["is empty: nothing has been written yet", "conclaude db migrate"];
    case "folder":
      return [
        "is a folder, where a file should be",
        `mv ${quoteWord(path)} ${quoteWord(`${path}.folder`)}`,
      ];
    case "special":
      return ["is no regular file"];
    case "unreadable":
      return [`cannot be read: ${file.why}`, `ls -l ${quoteWord(path)}`];
    case "garbage":
      return ["is not a SQLite database"];
    case "damaged":
      return [`is damaged: ${file.why}`];
    case "foreign":
      return ["is another program's database; it is left alone"];
    case "newer":
      return [
        `was migrated by a newer conclaude: schema version ${file.version}, and ${VERSION} knows ${SCHEMA_VERSION}; ` +
        "it is left alone",
        "Install the newest conclaude",
      ];
  }
}

function refusal(what: string, path: string, file: Unfit, instead?: string): UserError {
  const [state, next = "conclaude doctor"] = faultOf(path, file);
  const isWrongFile = file.kind !== "newer" && file.kind !== "unreadable";
  const why = `it ${state}; nothing was changed`;
  return new UserError(`${what} "${path}"`, { why, next: isWrongFile && instead || next });
}

/**
 * Makes sure that a file is a database that this program may work on, and returns its schema version.
 * @param what The beginning of the error: `Cannot restore`. @param options `instead`: the way out for a wrong file.
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

/** Refuses to set aside a folder, a device, an unreadable file, or another program's database. @throws {UserError} */
export function requireReplaceable(what: string, path: string): DatabaseFile {
  const file = identifyDatabase(path);
  const { kind } = file;
  if (kind === "folder" || kind === "special" || kind === "foreign" || kind === "unreadable") {
    throw refusal(what, path, file);
  }
  return file;
}
