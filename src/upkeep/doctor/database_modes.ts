/** Why a database cannot be written, and how its files are opened to their owner again. */
import { messageOf } from "../../base/errors.ts";
import { parentOf } from "../../base/paths.ts";
import { chmodSync, isNotFound, openBeside } from "../../system/files.ts";
import { isOwnButClosed, whyUnwritable } from "../../system/write_access.ts";
import type { Finding } from "../care/check.ts";
import { DATABASE_FILES } from "../care/database_files.ts";
import { behindLink } from "../care/private_files.ts";

/** A database, its log and the index of that: SQLite gives the two the mode that the database had when it made them. */
export function filesOf(database: string): string[] {
  return DATABASE_FILES.map((ending) => database + ending);
}

/** Why a database, or a file of its log, cannot be written; null when it can. */
export function whyReadOnly(database: string): string | null {
  for (const path of filesOf(database)) {
    try {
      using _opened = openBeside(path, { write: true });
    } catch (thrown) {
      if (path === database || !isNotFound(thrown)) return messageOf(thrown);
    }
  }
  return whyUnwritable(parentOf(database));
}

/** Opens the files to their owner, where nothing else is missing. A folder, and a file behind a link, stays closed. */
export function repairOfModes(database: string): Finding["repair"] {
  const closed = filesOf(database).filter(isOwnButClosed);
  const isReachable = whyUnwritable(parentOf(database)) === null &&
    closed.every((path) => behindLink(path) === null);
  if (closed.length === 0 || !isReachable) return undefined;
  return () => {
    for (const path of closed) chmodSync(path, 0o600);
    return `set the mode of ${closed.join(", ")} to 0600`;
  };
}
