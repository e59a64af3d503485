import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../errors.ts";
import { parentOf } from "../../paths.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { integrityFaults } from "../../store/care.ts";
import { bytesBeforeCut, hasSchema, lacksHeader } from "../../store/file_header.ts";
import { isOwnFile, SCHEMA_VERSION } from "../../store/database.ts";
import { type DatabaseFile, identifyDatabase, isLocked, openToLook } from "../../store/identity.ts";
import { drainLockPath } from "../../store/process_lock.ts";
import { isIndexAlone } from "../../store/without_index.ts";
import { VERSION } from "../../version.ts";
import { newestBackup } from "../backup.ts";
import { behindLink } from "../behind_link.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { faultsText } from "../fault_text.ts";
import { DATABASE_FILES, setAside } from "../set_aside.ts";
import { isThere } from "../whole_file.ts";
import { lookAtBeginning } from "./beginning.ts";
import { anotherDatabase, useAnotherDatabase } from "./elsewhere.ts";
import type { RepairPlace } from "./place.ts";
import { exportInPlace } from "./export_in_place.ts";
import { broughtBack, damagedIndex, nothingBack } from "./repair_pages.ts";
import { lookAtSchema } from "./schema.ts";
import { isSaved, savedText, wayToSave } from "./salvage.ts";
import { judgeMigration } from "./version.ts";
import { isOwnButClosed, nearestFolder, otherOwner, whyUnwritable } from "./writable.ts";

type Kind = DatabaseFile["kind"];
type Told<K extends Kind> = (
  place: RepairPlace,
  file: Extract<DatabaseFile, { kind: K }>,
) => Finding;

/** Only such a name is ours to set aside when the content does not say whose file it is. */
const DATABASE_NAME = /\.(?:db|sqlite3?)$/i;

/** What is said of each kind of file, and the way out. */
const TOLD: { readonly [K in Kind]: Told<K> } = {
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
    /locked|busy/i.test(why)
      ? lockedBy(place.database)
      : fail(`${place.database} cannot be read: ${why}`, wayToRead(place)),
  garbage: (place) =>
    exportInPlace(place, DATABASE_NAME.test(place.database)) ??
      damaged(place, "is not a SQLite database"),
  damaged: (place, { why }) => damaged(place, `is damaged: ${why}`),
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

/** The database: which one, why that one, whether hooks can write to it, and how it began. */
export function lookAtDatabase(place: RepairPlace): Finding[] {
  return [judgeDatabase(place), ...isOthers(place) ? [] : lookAtBeginning(place)];
}

/** What is to be said of the database as it is now. */
export function judgeDatabase(place: RepairPlace): Finding {
  if (place.database === ":memory:") {
    return warn(
      `the database is off, by ${place.databaseChosenBy}: nothing is kept`,
      place.databaseChosenBy === "--no-db" ? "conclaude doctor" : "conclaude config show",
    );
  }
  if (isOthers(place)) {
    return fail(
      `${place.database} belongs to another user or is a link, so hooks do not write to it`,
      useAnotherDatabase(place),
    );
  }
  const taken = takenLog(place.database);
  if (taken !== null) {
    const { path, kind } = taken;
    return fail(
      `${path} is ${
        kind === "folder" ? "a folder" : "a pipe or a device"
      }, where the database has a file: nothing can ` +
        "be written",
      `mv ${quoteWord(path)} ${quoteWord(`${path}.${kind}`)}`,
    );
  }
  const file = identifyDatabase(place.database);
  const told = TOLD[file.kind] as Told<Kind>;
  return told(place, file);
}

/** What lies in the place of the log, or of its index, and is no file; null when nothing does. */
function takenLog(
  database: string,
): { readonly path: string; readonly kind: "folder" | "special" } | null {
  for (const path of filesOf(database).slice(1)) {
    try {
      const { isFile, isDirectory } = Deno.statSync(path);
      if (!isFile) return { path, kind: isDirectory ? "folder" : "special" };
    } catch {
      // It is not there.
    }
  }
  return null;
}

/** Whether the database is another program's, or another user's: nothing about it is ours to change. */
export function isNotOurs(place: RepairPlace): boolean {
  return isOthers(place) || identifyDatabase(place.database).kind === "foreign";
}

/** Hooks refuse such a file in the shared temporary folder, where anybody could have put it. */
function isOthers({ database, locations }: RepairPlace): boolean {
  if (locations.databaseFrom !== "fallback" || database !== locations.database) return false;
  try {
    return !isOwnFile(Deno.lstatSync(database));
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

/** A file of no bytes where there was a database before: hooks begin a new one in it. */
function emptied({ database, locations }: RepairPlace): Finding | null {
  const backup = newestBackup(locations.dataFolder);
  if (!isThere(drainLockPath(database)) && (backup === null || database !== locations.database)) {
    return null;
  }
  return warn(
    `${database} is empty, and it was not before: something has cut it to nothing; the next hook makes new tables` +
      (backup === null ? "" : ", and the newest backup may hold what was in it"),
    backup === null
      ? `ls -l ${quoteWord(parentOf(database))}`
      : `conclaude db restore ${quoteWord(backup)}`,
  );
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
    const db = openToLook(database);
    try {
      const fault = pageFault(db);
      if (fault !== null) {
        return version === SCHEMA_VERSION && isIndexAlone(db)
          ? damagedIndex(place, fault)
          : damaged(place, `is damaged: ${fault}`, wayToSave(database));
      }
      if (version < SCHEMA_VERSION) return judgeMigration(place, { version, db });
      const schema = lookAtSchema(place, db);
      if (schema !== null) return schema;
    } finally {
      db.close();
    }
    return ok(`${database} (chosen by ${databaseChosenBy})`);
  } catch (thrown) {
    const why = messageOf(thrown);
    if (DAMAGE.test(why)) {
      return damaged(place, `is damaged: ${why}`, wayToSave(database));
    }
    if (/locked|busy/i.test(why)) return lockedBy(database);
    return fail(`${database} cannot be opened: ${why}`, useAnotherDatabase(place));
  }
}

/** What SQLite says of damaged pages. */
const DAMAGE = /malformed|not a database|corrupt/i;

function pageFault(db: DatabaseSync): string | null {
  try {
    const faults = integrityFaults(db, "full");
    return faults.length === 0 ? null : faultsText(faults);
  } catch (thrown) {
    const why = messageOf(thrown);
    if (DAMAGE.test(why)) return why;
    throw thrown;
  }
}

/** What is said while another process holds it. */
export function lockedBy(database: string): Finding {
  return fail(
    `${database} is locked: another process is writing to it and does not finish; hooks keep their records in the ` +
      "spool meanwhile",
    `fuser -v ${quoteWord(database)}`,
  );
}

/**
 * @param state Follows the path in the sentence.
 * @param save The command that saves what can be read; null when nothing can be.
 */
function damaged(place: RepairPlace, state: string, save: string | null = null): Finding {
  const { database, locations, nowMs } = place;
  const backup = newestBackup(locations.dataFolder);
  const restore = backup === null ? null : `conclaude db restore ${quoteWord(backup)}`;
  const saved = save === null ? "" : savedText(database);
  const first = save === null || isSaved(database) ? restore : save;
  if (!DATABASE_NAME.test(database)) {
    return fail(`${database} ${state}${saved}`, first ?? useAnotherDatabase(place));
  }
  const cutFrom = save === null ? bytesBeforeCut(database) : null;
  const canBeRead = save !== null || cutFrom !== null || lacksHeader(database) ||
    hasSchema(database);
  const then = canBeRead
    ? " and brings what can be read into a new one"
    : ", and the next hook begins a new one";
  return fail(
    `${database} ${state}${saved}; \`doctor --fix\` sets it aside under a dated name${then}`,
    first ?? "conclaude doctor --fix",
    async () => {
      const aside = setAside(database, { reason: "damaged", nowMs });
      const done = `set the damaged database aside: ${aside}`;
      return canBeRead
        ? await broughtBack(place, { aside, bytes: cutFrom, done })
        : nothingBack(place, { aside, done, why: "nothing in it leads to a table" });
    },
  );
}

/** The file itself, its log and the index of that: SQLite gives the two the mode that the file had when they were made. */
function filesOf(database: string): string[] {
  return DATABASE_FILES.map((ending) => database + ending);
}

function whyReadOnly(database: string): string | null {
  for (const path of filesOf(database)) {
    try {
      Deno.openSync(path, { write: true }).close();
    } catch (thrown) {
      if (path === database || !(thrown instanceof Deno.errors.NotFound)) return messageOf(thrown);
    }
  }
  return whyUnwritable(parentOf(database));
}

/** What lets this user write there: the missing permissions when they are theirs to give, else another place. */
function wayToWrite(place: RepairPlace): string {
  const { database } = place;
  const closed = [...filesOf(database), nearestFolder(parentOf(database))].filter(isOwnButClosed);
  return closed.length === 0
    ? useAnotherDatabase(place)
    : `chmod u+w ${closed.map(quoteWord).join(" ")}`;
}

/** The same for reading. */
function wayToRead(place: RepairPlace): string {
  const { database } = place;
  return otherOwner(database) === null && isThere(database)
    ? `chmod u+rw ${quoteWord(database)}`
    : useAnotherDatabase(place);
}

/**
 * Opens the files to their owner, where that is all that is missing. A folder was closed for a reason, and what lies
 * behind a link may have been.
 */
function repairOfModes(database: string): Finding["repair"] {
  const closed = filesOf(database).filter(isOwnButClosed);
  if (closed.length === 0 || whyUnwritable(parentOf(database)) !== null) return undefined;
  if (closed.some((path) => behindLink(path) !== null)) return undefined;
  return () => {
    for (const path of closed) Deno.chmodSync(path, 0o600);
    return `set the mode of ${closed.join(", ")} to 0600`;
  };
}
