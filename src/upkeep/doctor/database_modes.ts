/** Finds out why a database cannot be written, and restores its owner's write permission. */
import { messageOf } from "../../base/errors.ts";
import { parentOf } from "../../base/paths.ts";
import { chmodSync, isNotFound, openBeside } from "../../system/files.ts";
import { isOwnButClosed, whyUnwritable } from "../../system/write_access.ts";
import type { Finding } from "../care/check.ts";
import { DATABASE_FILES } from "../care/database_files.ts";
import { behindLink } from "../care/private_files.ts";

/** Returns the paths of a database, its log and the log's index. SQLite copies the database's mode to new ones. */
export function filesOf(database: string): string[] {
  return DATABASE_FILES.map((ending) => database + ending);
}

/** Returns why a database or its log cannot be written; null when both can. */
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

/** Returns a repair that makes the files writable for their owner, if that is enough and no file is behind a link. */
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
