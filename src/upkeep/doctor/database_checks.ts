/** Judges the database: which one counts, why that one, whether hooks can write to it, and whether it is sound. */
import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../base/errors.ts";
import type { Mending } from "../../policy/guards/lift.ts";
import { joinPath, parentOf } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { emptyBeginning, migrationFault } from "../../db/migrate.ts";
import {
  integrityFaults,
  isOfSearchIndex,
  numberFaults,
  schemaDifferences,
  schemaFaults,
} from "../care/care_table.ts";
import { isOwnFile } from "../../db/database.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import {
  type DatabaseFile,
  identifyDatabase,
  isLocked,
  openToLook,
} from "../../db/database_identity.ts";
import { drainLockPath } from "../../db/process_lock.ts";
import { daysMs } from "../../base/time.ts";
import { VERSION } from "../../base/version.ts";
import { type Backup, backupsOf } from "../care/backup.ts";
import { fail, faultsText, type Finding, ok, warn } from "../care/check.ts";
import { isThere } from "../care/whole_file.ts";
import { askDatabase, type DatabasePlace, type RepairPlace } from "./place.ts";
import {
  filesOf,
  isOwnButClosed,
  nearestFolder,
  otherOwner,
  repairOfModes,
  whyReadOnly,
  whyUnwritable,
} from "./writable.ts";
import { lstatSync, statSync } from "../../system/files.ts";

type Kind = DatabaseFile["kind"];
type Judge<K extends Kind> = (
  place: RepairPlace,
  file: Extract<DatabaseFile, { kind: K }>,
) => Finding;

/** Doctor sets a file aside only under such a name where the content does not say whose file it is. */
const DATABASE_NAME = /\.(?:db|sqlite3?)$/i;

/** What SQLite says of damaged pages, and of a database that another process holds. */
const DAMAGED = /malformed|not a database|corrupt/i;
const HELD = /locked|busy/i;

const JUDGES: { readonly [K in Kind]: Judge<K> } = {
  missing: (place) => beforeFirstHook(place, "is not there yet; the first hook makes it"),
  empty: (place) =>
    emptied(place) ?? beforeFirstHook(place, "is empty; the next hook makes the tables"),
  folder: ({ database }) =>
    fail(
      `${database} is a folder, where a file should be`,
      `mv ${quoteWord(database)} ${quoteWord(`${database}.folder`)}`,
    ),
  special: (place) => fail(`${place.database} is no regular file`, useAnotherDatabase(place)),
  unreadable: (place, { why }) =>
    HELD.test(why)
      ? lockedBy(place.database)
      : fail(`${place.database} cannot be read: ${why}`, wayToRead(place)),
  garbage: (place) => mendable(place, `${place.database} is not a SQLite database`),
  damaged: (place, { why }) => mendable(place, `${place.database} is damaged: ${why}`),
  foreign: (place) =>
    fail(
      `${place.database} is another program's database; it is left alone`,
      useAnotherDatabase(place),
    ),
  newer: (place, { version }) => {
    const another = anotherDatabase(place);
    return fail(
      `${place.database} was migrated by a newer conclaude: schema version ${version}, and ${VERSION} knows ${SCHEMA_VERSION}; ` +
        "it is left alone",
      "Install the newest conclaude" +
        (another === null ? "" : `, or use another database meanwhile: \`${another}\``),
    );
  },
  older: (place, { version }) => judgeContent(place, version),
  ours: (place, { version }) => judgeContent(place, version),
};

/** Judges the database as it is, and says when it began anew in a file that something had emptied. */
export function lookAtDatabase(place: RepairPlace): Finding[] {
  return [judgeDatabase(place), ...isOthers(place) ? [] : begunAnew(place)];
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
    return fail(
      `${database} belongs to another user or is a link, so hooks do not write to it`,
      useAnotherDatabase(place),
    );
  }
  const taken = filesOf(database).slice(1).map(noFileFault).find((fault) => fault !== null);
  if (taken) return taken;
  const file = identifyDatabase(database);
  return (JUDGES[file.kind] as Judge<Kind>)(place, file);
}

/** A folder or a pipe in the place of the log, or of its index; null for a file or nothing. */
function noFileFault(path: string): Finding | null {
  try {
    const { isFile, isDirectory } = statSync(path);
    if (isFile) return null;
    return fail(
      `${path} is ${
        isDirectory ? "a folder" : "a pipe or a device"
      }, where the database has a file: ` +
        "nothing can be written",
      `mv ${quoteWord(path)} ${quoteWord(`${path}.${isDirectory ? "folder" : "special"}`)}`,
    );
  } catch {
    return null;
  }
}

/** Whether the database is another program's, or another user's: doctor changes nothing about it. */
export function isNotOurs(place: RepairPlace): boolean {
  return isOthers(place) || identifyDatabase(place.database).kind === "foreign";
}

/** Hooks refuse another user's file in the shared temporary folder, where anybody can put one. */
function isOthers({ database, locations }: RepairPlace): boolean {
  if (locations.databaseFrom !== "fallback" || database !== locations.database) return false;
  try {
    return !isOwnFile(lstatSync(database));
  } catch {
    return false;
  }
}

function beforeFirstHook(place: RepairPlace, state: string): Finding {
  const { database, databaseChosenBy } = place;
  const why = whyUnwritable(nearestFolder(parentOf(database)));
  return why === null
    ? ok(`${database} ${state} (chosen by ${databaseChosenBy})`)
    : fail(`${database} cannot be made: ${why}`, wayToWrite(place));
}

/** The newest backup of the database that counts by default: one that a person names may be another one. */
function ownBackup({ database, locations }: RepairPlace, beforeMs = Infinity): Backup | undefined {
  if (database !== locations.database) return undefined;
  return backupsOf(locations, database).find(({ atMs }) => atMs < beforeMs);
}

/** A file of no bytes where a drain has worked, or a backup was made. */
function emptied(place: RepairPlace): Finding | null {
  const { database, locations } = place;
  if (!isThere(drainLockPath(database)) && ownBackup(place) === undefined) return null;
  const state = `${database} is empty, and it was not before: something has cut it to nothing`;
  return backupsOf(locations, database).length > 0 ? mendable(place, state) : warn(
    `${state}; the next hook makes new tables`,
    `ls -l ${quoteWord(parentOf(database))}`,
  );
}

/** Doctor tells for so long that a database began anew. */
const TOLD_DAYS = 14;

/** A database that hooks began anew in a file which something had cut to nothing. */
function begunAnew(place: RepairPlace): Finding[] {
  const { database, nowMs } = place;
  const begun = askDatabase(place, emptyBeginning) ?? null;
  if (begun === null || begun.atMs < nowMs - daysMs(TOLD_DAYS)) return [];
  const backup = ownBackup(place, begun.atMs);
  if (!begun.wasUsed && backup === undefined) return [];
  const at = new Date(begun.atMs).toISOString();
  return [warn(
    `${database} began anew at ${at}: its file was empty, and it was not before, so something had cut it to nothing; ` +
      `what it held is gone${backup === undefined ? "" : ", but for what the newest backup holds"}`,
    backup === undefined
      ? `ls -l ${quoteWord(parentOf(database))}`
      : `conclaude db restore ${quoteWord(backup.path)}`,
  )];
}

function judgeContent(place: RepairPlace, version: number): Finding {
  const { database, databaseChosenBy } = place;
  const readOnly = whyReadOnly(database);
  if (readOnly !== null) {
    return fail(
      `${database} cannot be written: ${readOnly}`,
      wayToWrite(place),
      repairOfModes(database),
    );
  }
  try {
    if (isLocked(database)) return lockedBy(database);
    using db = openToLook(database);
    const faults = [...integrityFaults(db, "full"), ...numberFaults(db)];
    if (faults.length > 0) {
      return mendable(place, `${database} is damaged: ${faultsText(faults)}`);
    }
    if (version < SCHEMA_VERSION) return judgeMigration(place, version, db);
    // The search index has a check of its own.
    const differences = schemaDifferences(db).filter((part) => !isOfSearchIndex(part));
    return differences.length === 0
      ? ok(`${database} (chosen by ${databaseChosenBy})`)
      : mendable(place, `in ${database} ${faultsText(schemaFaults(differences))}`);
  } catch (thrown) {
    const why = messageOf(thrown);
    if (DAMAGED.test(why)) return mendable(place, `${database} is damaged: ${why}`);
    if (HELD.test(why)) return lockedBy(database);
    return fail(`${database} cannot be opened: ${why}`, useAnotherDatabase(place));
  }
}

/** The next hook migrates an older schema: doctor tries on a copy of the empty tables in memory whether it can. */
function judgeMigration(place: RepairPlace, version: number, db: DatabaseSync): Finding {
  const { database, databaseChosenBy } = place;
  const state =
    `${database} has schema version ${version}, and this program's is ${SCHEMA_VERSION}`;
  const fault = migrationFault(db);
  if (fault === null) {
    return ok(`${state}: the next hook brings it up to date (chosen by ${databaseChosenBy})`);
  }
  if (schemaDifferences(db).length === 0) {
    return mendable(
      place,
      `${state}, but its tables are those of version ${SCHEMA_VERSION} already: something has changed the number`,
    );
  }
  return fail(
    `${state}, but ${fault.message}; hooks keep their records in the spool, and \`db reset\` sets the database ` +
      "aside under a dated name",
    "conclaude db reset",
  );
}

function lockedBy(database: string): Finding {
  return fail(
    `${database} is locked: another process is writing to it and does not finish; hooks keep their records in the ` +
      "spool meanwhile",
    `fuser -v ${quoteWord(database)}`,
  );
}

/** A damaged database, which the repair writes anew; a file whose name may be another program's is left alone. */
function mendable(place: RepairPlace, state: string): Finding {
  const { database, locations } = place;
  if (!DATABASE_NAME.test(database)) return fail(state, useAnotherDatabase(place));
  const [backup] = backupsOf(locations, database);
  const rest = backup === undefined
    ? "there is no backup for the rest"
    : `the rest comes from the backup of ${new Date(backup.atMs).toISOString()}`;
  return fail(
    `${state}; \`doctor --fix\` sets it aside under a dated name and brings what can be read into a new one; ${rest}`,
    "conclaude doctor --fix",
    async () => await (await import("../care/mend_database.ts")).mendFully(place),
  );
}

/** Gives this user the missing permission where the file is the user's own, else names another database. */
function wayToWrite(place: RepairPlace): string {
  const { database } = place;
  const closed = [...filesOf(database), nearestFolder(parentOf(database))].filter(isOwnButClosed);
  return closed.length === 0
    ? useAnotherDatabase(place)
    : `chmod u+w ${closed.map(quoteWord).join(" ")}`;
}

function wayToRead(place: RepairPlace): string {
  const { database } = place;
  return otherOwner(database) === null && isThere(database)
    ? `chmod u+rw ${quoteWord(database)}`
    : useAnotherDatabase(place);
}

/** What hooks can write to. */
const USABLE: ReadonlySet<string> = new Set(["missing", "empty", "older", "ours"]);

/** The command that chooses another database, or what the person has to choose. */
function useAnotherDatabase(place: DatabasePlace): string {
  const choose = place.locations.databaseFrom === "flag"
    ? "Use `--db FILE`"
    : "Set CONCLAUDE_DB_PATH";
  return anotherDatabase(place) ??
    `${choose} to name a file in a folder that this user can write to`;
}

/** The command for a database in a folder that this user can write to; null when no such folder is known. */
function anotherDatabase({ locations, database }: DatabasePlace): string | null {
  const folder = [locations.dataFolder, ...locations.spoolFolders.map(parentOf)]
    .find((path) => whyUnwritable(nearestFolder(path)) === null);
  if (folder === undefined) return null;
  const path = ["conclaude.db", "conclaude-2.db", "conclaude-3.db"]
    .map((name) => joinPath(folder, name))
    .find((path) => path !== database && USABLE.has(identifyDatabase(path).kind));
  if (path === undefined) return null;
  // A flag outranks the environment.
  return locations.databaseFrom === "flag"
    ? `conclaude --db ${quoteWord(path)} doctor`
    : `export CONCLAUDE_DB_PATH=${quoteWord(path)}`;
}

/**
 * Says in a sentence why a hook could not use the database, and the way out.
 *
 * @param fault What the hook was told when it tried.
 */
export function mendingOf(place: DatabasePlace, fault: unknown): Mending {
  const { database } = place;
  const why = messageOf(fault);
  const { kind } = identifyDatabase(database);
  // A hook that has waited for another process has no time left to read a large file.
  const isHeld = HELD.test(why) && (kind === "ours" || kind === "older");
  const { status, message, next, repair } = isHeld ? lockedBy(database) : judgeDatabase(place);
  if (status !== "fail" || next === null) {
    return {
      trouble: `${database} cannot be used: ${why.split("\n", 1)[0]}`,
      remedy: "what `conclaude doctor` says",
    };
  }
  return { trouble: message, remedy: repair ? "`conclaude doctor --fix`" : withinSentence(next) };
}

/** A person has to set a variable for hooks and for commands. */
function withinSentence(next: string): string {
  const isCommand = /^[a-z]/.test(next);
  const text = isCommand ? `\`${next}\`` : next[0]!.toLowerCase() + next.slice(1);
  if (next.startsWith("fuser ")) return `end the process that ${text} shows`;
  return /\bCONCLAUDE_DB_PATH\b/.test(next)
    ? `${text} (in the shell that starts Claude Code, which has to be started again, and in that of further commands)`
    : text;
}
