import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../errors.ts";
import { parentOf } from "../../paths.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { integrityFaults, numberFaults } from "../../store/care.ts";
import { emptyBeginning } from "../../store/beginning.ts";
import { isOwnFile, SCHEMA_VERSION } from "../../store/database.ts";
import { type DatabaseFile, identifyDatabase, isLocked, openToLook } from "../../store/identity.ts";
import { drainLockPath } from "../../store/process_lock.ts";
import { migrationFault } from "../../store/rehearsal.ts";
import { isOfSearchIndex, schemaDifferences, schemaFaults } from "../../store/schema_care.ts";
import { daysMs } from "../../time.ts";
import { VERSION } from "../../version.ts";
import { backupsOf } from "../backup.ts";
import { fail, faultsText, type Finding, ok, warn } from "../check.ts";
import { isThere } from "../whole_file.ts";
import { anotherDatabase, useAnotherDatabase } from "./elsewhere.ts";
import { askDatabase, type RepairPlace } from "./place.ts";
import {
  filesOf,
  isOwnButClosed,
  nearestFolder,
  otherOwner,
  repairOfModes,
  whyReadOnly,
  whyUnwritable,
} from "./writable.ts";

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

/** The database: which one, why that one, whether hooks can write to it, and how it began. */
export function lookAtDatabase(place: RepairPlace): Finding[] {
  return [judgeDatabase(place), ...isOthers(place) ? [] : begunAnew(place)];
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
      }, where the database has a file: nothing can be written`,
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

/** A file of no bytes where there was a database before. */
function emptied(place: RepairPlace): Finding | null {
  const { database, locations } = place;
  const [backup] = backupsOf(locations, database);
  const isKnown = isThere(drainLockPath(database)) ||
    (backup !== undefined && database === locations.database);
  if (!isKnown) return null;
  const state = `${database} is empty, and it was not before: something has cut it to nothing`;
  return backup === undefined
    ? warn(
      `${state}; the next hook makes new tables`,
      `ls -l ${quoteWord(parentOf(database))}`,
    )
    : mendable(place, state);
}

/** So long it is told that a database began anew; what was not missed by then is not missed. */
const TOLD_DAYS = 14;

/** A database that hooks began anew in a file which something had cut to nothing. */
function begunAnew(place: RepairPlace): Finding[] {
  const { database, locations, nowMs } = place;
  const begun = askDatabase(place, emptyBeginning) ?? null;
  if (begun === null || begun.atMs < nowMs - daysMs(TOLD_DAYS)) return [];
  const backup = database !== locations.database
    ? undefined
    : backupsOf(locations, database).find(({ atMs }) => atMs < begun.atMs);
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
    const db = openToLook(database);
    try {
      const faults = [...integrityFaults(db, "full"), ...numberFaults(db)];
      if (faults.length > 0) {
        return mendable(place, `${database} is damaged: ${faultsText(faults)}`);
      }
      return version < SCHEMA_VERSION
        ? judgeMigration(place, version, db)
        : judgeSchema(place, db) ?? ok(`${database} (chosen by ${databaseChosenBy})`);
    } finally {
      db.close();
    }
  } catch (thrown) {
    const why = messageOf(thrown);
    if (DAMAGE.test(why)) return mendable(place, `${database} is damaged: ${why}`);
    if (/locked|busy/i.test(why)) return lockedBy(database);
    return fail(`${database} cannot be opened: ${why}`, useAnotherDatabase(place));
  }
}

/** What SQLite says of damaged pages. */
const DAMAGE = /malformed|not a database|corrupt/i;

/** The next hook migrates an older schema: whether it can is tried on a copy of the empty tables in memory. */
function judgeMigration(place: RepairPlace, version: number, db: DatabaseSync): Finding {
  const { database, databaseChosenBy } = place;
  const state =
    `${database} has schema version ${version}, and this program's is ${SCHEMA_VERSION}`;
  const fault = migrationFault(db);
  if (fault === null) {
    return ok(`${state}: the next hook brings it up to date (chosen by ${databaseChosenBy})`);
  }
  return schemaDifferences(db).length === 0
    ? mendable(
      place,
      `${state}, but its tables are those of version ${SCHEMA_VERSION} already: something has changed the number`,
    )
    : fail(
      `${state}, but ${fault.message}; hooks keep their records in the spool, and \`db reset\` sets the database ` +
        "aside under a dated name",
      "conclaude db reset",
    );
}

/** Tables and indexes that are missing or are not as this program makes them; the search index is looked at by itself. */
function judgeSchema(place: RepairPlace, db: DatabaseSync): Finding | null {
  const faults = schemaFaults(schemaDifferences(db).filter((part) => !isOfSearchIndex(part)));
  return faults.length === 0 ? null : mendable(place, `in ${place.database} ${faultsText(faults)}`);
}

/** What is said while another process holds it. */
export function lockedBy(database: string): Finding {
  return fail(
    `${database} is locked: another process is writing to it and does not finish; hooks keep their records in the ` +
      "spool meanwhile",
    `fuser -v ${quoteWord(database)}`,
  );
}

/** A damaged database, which a repair writes anew; one with a name that may be another program's is left alone. */
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
    async () => {
      const { mendFully } = await import("./mend_fully.ts");
      return await mendFully(place);
    },
  );
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
