/** Judges the database in use: why it was chosen, whether hooks can write to it, and whether it is sound. */
import type { DatabaseSync } from "node:sqlite";
import { messageOf, quietly } from "../../base/errors.ts";
import type { Mending } from "../../policy/guards/lift.ts";
import { joinPath, parentOf } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { migrationFault, schemaDifferences } from "../../db/migrate.ts";
import { integrityFaults } from "../care/care_table.ts";
import { isOwnFile } from "../../db/database.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import {
  identifyDatabase,
  isLocked,
  mayBeWritten,
  openToLook,
} from "../../db/database_identity.ts";
import { drainLockPath } from "../../db/process_lock.ts";
import { backupsOf, beganAnew, ownBackups } from "../care/backup.ts";
import { DATABASE_FILES } from "../care/database_files.ts";
import { behindLink } from "../care/private_files.ts";
import { fail, faultsText, type Finding, ok, warn } from "../care/check.ts";
import { EMPTIED, faultOf } from "../care/require_ours.ts";
import { isFolder, isMissing, isThere } from "../../system/on_disk.ts";
import { askDatabase, type RepairPlace } from "./place.ts";
import {
  isOwnButClosed,
  nearestFolder,
  otherOwner,
  whyUnwritable,
} from "../../system/write_access.ts";
import { chmodSync, isFile, isNotFound, lstatSync, openBeside } from "../../system/files.ts";

/** The names under which doctor sets a damaged file aside; another name may be another program's. */
const DATABASE_NAME = /\.(?:db|sqlite3?)$/i;

/** SQLite's errors about damaged pages, and about a database that another process holds. */
const DAMAGED = /malformed|not a database|corrupt/i;
const BUSY = /locked|busy/i;

/** Judges the database, and reports if it began anew because something had emptied its file. */
export function lookAtDatabase(place: RepairPlace): Finding[] {
  return [judgeDatabase(place), ...isOthers(place) ? [] : lookAtBeginning(place)];
}

function judgeDatabase(place: RepairPlace): Finding {
  const { database, databaseChosenBy } = place;
  if (database === ":memory:") {
    return warn(
      `the database is off, by ${databaseChosenBy}: nothing is kept`,
      databaseChosenBy === "--no-db" ? "conclaude doctor" : "conclaude config show",
    );
  }
  if (isOthers(place)) {
    return unusable(place, "belongs to another user or is a link, so hooks do not write to it");
  }
  const taken = filesOf(database).slice(1).find((path) => !isMissing(path) && !isFile(path));
  if (taken !== undefined) {
    const [what, ending] = isFolder(taken) ? ["folder", "folder"] : ["pipe or a device", "special"];
    return fail(
      `${taken} is a ${what}, where the database has a file: nothing can be written`,
      `mv ${quoteWord(taken)} ${quoteWord(`${taken}.${ending}`)}`,
    );
  }
  const file = identifyDatabase(database);
  switch (file.kind) {
    case "missing":
      return beforeFirstHook(place, "is not there yet; the first hook makes it");
    case "empty":
      return emptied(place) ?? beforeFirstHook(place, "is empty; the next hook makes the tables");
    case "unreadable": {
      if (BUSY.test(file.why)) return lockedBy(place);
      const isOwn = otherOwner(database) === null && isThere(database);
      const next = isOwn ? `chmod u+rw ${quoteWord(database)}` : undefined;
      return unusable(place, faultOf(database, file)[0], next);
    }
    case "garbage":
    case "damaged":
      return mendable(place, faultOf(database, file)[0]);
    case "folder":
    case "special":
    case "foreign":
    case "newer": {
      const way = useAnotherDatabase(place);
      const [state, next = way] = faultOf(database, file);
      const meanwhile = `${next}, or use another database meanwhile: \`${way}\``;
      return unusable(place, state, file.kind === "newer" ? meanwhile : next);
    }
    case "older":
    case "ours":
      return judgeContent(place, file.version);
  }
}

/** Makes the finding for a database that hooks cannot use and doctor does not change. */
function unusable(place: RepairPlace, state: string, next = useAnotherDatabase(place)): Finding {
  return fail(`${place.database} ${state}`, next);
}

function lockedBy(place: RepairPlace): Finding {
  return unusable(
    place,
    "is locked: another process is writing to it and does not finish; hooks keep their records in the spool meanwhile",
    `fuser -v ${quoteWord(place.database)}`,
  );
}

/** Makes the finding for a damaged database, with its repair unless the file's name may be another program's. */
function mendable(place: RepairPlace, state: string): Finding {
  const { database, locations } = place;
  if (!DATABASE_NAME.test(database)) return unusable(place, state);
  const [backup] = backupsOf(locations, database);
  const rest = backup === undefined
    ? "there is no backup for the rest"
    : `the rest comes from the backup of ${new Date(backup.atMs).toISOString()}`;
  return fail(
    `${database} ${state}; \`doctor --fix\` sets it aside under a dated name and brings what can be read into a new one; ` +
      rest,
    "conclaude doctor --fix",
    async () => await (await import("../care/mend_database_table.ts")).mendFully(place),
  );
}

/** Whether the database belongs to another program or user, so that doctor changes nothing about it. */
export function isNotOurs(place: RepairPlace): boolean {
  return isOthers(place) || identifyDatabase(place.database).kind === "foreign";
}

/** Whether the database is another user's file in the shared temporary folder, which hooks refuse. */
function isOthers({ database, locations }: RepairPlace): boolean {
  return locations.databaseFrom === "fallback" && database === locations.database &&
    quietly(() => isOwnFile(lstatSync(database))) === false;
}

function beforeFirstHook(place: RepairPlace, state: string): Finding {
  const { database, databaseChosenBy } = place;
  const why = whyUnwritable(parentOf(database));
  return why === null
    ? ok(`${database} ${state} (chosen by ${databaseChosenBy})`)
    : unusable(place, `cannot be made: ${why}`, wayToWrite(place));
}

/** Makes the finding for an empty file that held something, as a drain's lock or a backup shows; else null. */
function emptied(place: RepairPlace): Finding | null {
  const { database, locations } = place;
  if (!isThere(drainLockPath(database)) && ownBackups(locations, database).length === 0) {
    return null;
  }
  return backupsOf(locations, database).length > 0 ? mendable(place, EMPTIED) : warn(
    `${database} ${EMPTIED}; the next hook makes new tables`,
    `ls -l ${quoteWord(parentOf(database))}`,
  );
}

/** Reports a database that hooks began anew after something had emptied its file; a person decides which one to use. */
function lookAtBeginning(place: RepairPlace): Finding[] {
  const begun = askDatabase(place, (db) => beganAnew(db, place));
  if (!begun) return [];
  const left = "; `doctor --fix` leaves it, since a restore sets aside what was written since";
  return [warn(begun.text + left, begun.next)];
}

function judgeContent(place: RepairPlace, version: number): Finding {
  const { database, databaseChosenBy } = place;
  const readOnly = whyReadOnly(database);
  if (readOnly !== null) {
    const repair = repairOfModes(database);
    return fail(`${database} cannot be written: ${readOnly}`, wayToWrite(place), repair);
  }
  try {
    if (isLocked(database)) return lockedBy(place);
    using db = openToLook(database);
    const faults = integrityFaults(db, "full");
    if (faults.length === 0 && version < SCHEMA_VERSION) return judgeMigration(place, version, db);
    if (faults.length === 0) {
      // Another check covers the search index.
      const isOfIndex = (sql: string) => sql.includes("memory_index");
      faults.push(
        ...schemaDifferences(db).flatMap(({ sql, fault }) => isOfIndex(sql) ? [] : [fault]),
      );
    }
    return faults.length === 0
      ? ok(`${database} (chosen by ${databaseChosenBy})`)
      : mendable(place, `is damaged: ${faultsText(faults)}`);
  } catch (thrown) {
    const why = messageOf(thrown);
    if (DAMAGED.test(why)) return mendable(place, `is damaged: ${why}`);
    return BUSY.test(why) ? lockedBy(place) : unusable(place, `cannot be opened: ${why}`);
  }
}

/** Judges an older schema, which the next hook migrates: tries the migration on empty tables in memory. */
function judgeMigration(place: RepairPlace, version: number, db: DatabaseSync): Finding {
  const state = `has schema version ${version}, and this program's is ${SCHEMA_VERSION}`;
  const fault = migrationFault(db);
  if (fault === null) {
    return ok(
      `${place.database} ${state}: the next hook brings it up to date (chosen by ${place.databaseChosenBy})`,
    );
  }
  if (schemaDifferences(db).length === 0) {
    return mendable(
      place,
      `${state}, but its tables are those of version ${SCHEMA_VERSION} already: something has changed the number`,
    );
  }
  return unusable(
    place,
    `${state}, but ${fault.message}; hooks keep their records in the spool, and \`db reset\` sets the database ` +
      "aside under a dated name",
    "conclaude db reset",
  );
}

/** Returns the command that gives this user the missing permission for own files, or else names another database. */
function wayToWrite(place: RepairPlace): string {
  const { database } = place;
  const closed = [...filesOf(database), nearestFolder(parentOf(database))].filter(isOwnButClosed);
  return closed.length === 0
    ? useAnotherDatabase(place)
    : `chmod u+w ${closed.map(quoteWord).join(" ")}`;
}

/** Returns the command that chooses a database in a writable folder, or else advice to choose one. */
function useAnotherDatabase({ locations, database }: RepairPlace): string {
  const byFlag = locations.databaseFrom === "flag";
  const path = [locations.dataFolder, ...locations.spoolFolders.map(parentOf)]
    .filter((folder) => whyUnwritable(folder) === null)
    .flatMap((folder) => ["conclaude.db", "conclaude-2.db"].map((name) => joinPath(folder, name)))
    .find((path) =>
      path !== database &&
      ["missing", "empty", "older", "ours"].includes(identifyDatabase(path).kind)
    );
  if (path === undefined) {
    const choose = byFlag ? "Use `--db FILE`" : "Set CONCLAUDE_DB_PATH";
    return `${choose} to name a file in a folder that this user can write to`;
  }
  // A flag outranks the environment.
  return byFlag
    ? `conclaude --db ${quoteWord(path)} doctor`
    : `export CONCLAUDE_DB_PATH=${quoteWord(path)}`;
}

/** Explains why a hook could not use the database, and names the way out. @param fault The error that the hook got. */
export function mendingOf(place: RepairPlace, fault: unknown): Mending {
  const { database } = place;
  const why = messageOf(fault);
  // A hook that has already waited for another process has no time left to read a large file.
  const isHeld = BUSY.test(why) && mayBeWritten(identifyDatabase(database));
  const { status, message, next, repair } = isHeld ? lockedBy(place) : judgeDatabase(place);
  if (status !== "fail" || next === null) {
    return {
      trouble: `${database} cannot be used: ${why.split("\n", 1)[0]}`,
      remedy: "what `conclaude doctor` says",
    };
  }
  return { trouble: message, remedy: repair ? "`conclaude doctor --fix`" : withinSentence(next) };
}

/** Fits a next step into a sentence; a variable must be set for hooks and for commands. */
function withinSentence(next: string): string {
  const isCommand = /^[a-z]/.test(next);
  const text = isCommand ? `\`${next}\`` : next[0]!.toLowerCase() + next.slice(1);
  if (next.startsWith("fuser ")) return `end the process that ${text} shows`;
  return /\bCONCLAUDE_DB_PATH\b/.test(next)
    ? `${text} (in the shell that starts Claude Code, which has to be started again, and in that of further commands)`
    : text;
}

/** Returns the paths of a database, its log and the log's index. SQLite copies the database's mode to new ones. */
const filesOf = (database: string) => DATABASE_FILES.map((ending) => database + ending);

/** Returns why a database or its log cannot be written; null when both can. */
function whyReadOnly(database: string): string | null {
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
function repairOfModes(database: string): Finding["repair"] {
  const closed = filesOf(database).filter(isOwnButClosed);
  const isReachable = whyUnwritable(parentOf(database)) === null &&
    closed.every((path) => behindLink(path) === null);
  if (closed.length === 0 || !isReachable) return undefined;
  return () => {
    for (const path of closed) chmodSync(path, 0o600);
    return `set the mode of ${closed.join(", ")} to 0600`;
  };
}
