import { messageOf } from "../../errors.ts";
import { joinPath, parentOf } from "../../paths.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { integrityFaults } from "../../store/care.ts";
import { isOwnFile, SCHEMA_VERSION } from "../../store/database.ts";
import { type DatabaseFile, identifyDatabase, isLocked, openToLook } from "../../store/identity.ts";
import { VERSION } from "../../version.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { setAside } from "../set_aside.ts";
import type { DoctorPlace } from "./place.ts";
import { isOwnButClosed, nearestFolder, whyUnwritable } from "./writable.ts";

type Kind = DatabaseFile["kind"];
type Told<K extends Kind> = (
  place: DoctorPlace,
  file: Extract<DatabaseFile, { kind: K }>,
) => Finding;

/** Only such a name is ours to set aside when the content does not say whose file it is. */
const DATABASE_NAME = /\.(?:db|sqlite3?)$/i;

const ELSEWHERE = "export CONCLAUDE_DB_PATH=/another/place/conclaude.db";

/** What is said of each kind of file, and the way out. */
const TOLD: { readonly [K in Kind]: Told<K> } = {
  missing: (place) => beforeFirstHook(place, "is not there yet; the first hook makes it"),
  empty: (place) => beforeFirstHook(place, "is empty; the next hook makes the tables"),
  folder: ({ database }) =>
    fail(
      `${database} is a folder, where a file should be`,
      `mv ${quoteWord(database)} ${quoteWord(`${database}.folder`)}`,
    ),
  special: ({ database }) => fail(`${database} is no regular file`, ELSEWHERE),
  unreadable: ({ database }, { why }) =>
    /locked|busy/i.test(why)
      ? lockedBy(database)
      : fail(`${database} cannot be read: ${why}`, `ls -l ${quoteWord(database)}`),
  garbage: (place) => damaged(place, "is not a SQLite database"),
  damaged: (place, { why }) => damaged(place, `is damaged: ${why}`),
  foreign: ({ database }) =>
    fail(`${database} is another program's database; it is left alone`, ELSEWHERE),
  newer: ({ database }, { version }) =>
    fail(
      `${database} was migrated by a newer conclaude: schema version ${version}, and ${VERSION} knows ${SCHEMA_VERSION}; ` +
        "it is left alone",
      `install the newest conclaude, or use another database meanwhile: \`${ELSEWHERE}\``,
    ),
  older: (place) => judgeContent(place),
  ours: (place) => judgeContent(place),
};

/** The database: which one, why that one, and whether hooks can write to it. */
export function lookAtDatabase(place: DoctorPlace): Finding[] {
  if (place.database === ":memory:") {
    return [warn(
      `the database is off, by ${place.databaseChosenBy}: nothing is kept`,
      "conclaude config show",
    )];
  }
  if (isOthers(place)) {
    return [fail(
      `${place.database} belongs to another user or is a link, so hooks do not write to it`,
      ELSEWHERE,
    )];
  }
  const file = identifyDatabase(place.database);
  const told = TOLD[file.kind] as Told<Kind>;
  return [told(place, file)];
}

/** Hooks refuse such a file in the shared temporary folder, where anybody could have put it. */
function isOthers({ database, locations }: DoctorPlace): boolean {
  if (locations.databaseFrom !== "fallback" || database !== locations.database) return false;
  try {
    return !isOwnFile(Deno.lstatSync(database));
  } catch {
    return false;
  }
}

function beforeFirstHook({ database, databaseChosenBy }: DoctorPlace, state: string): Finding {
  const why = whyUnwritable(nearestFolder(parentOf(database)));
  return why === null
    ? ok(`${database} ${state} (chosen by ${databaseChosenBy})`)
    : fail(`${database} cannot be made: ${why}`, wayToWrite(database));
}

function judgeContent(place: DoctorPlace): Finding {
  const { database, databaseChosenBy } = place;
  const readOnly = whyReadOnly(database);
  if (readOnly !== null) {
    return fail(`${database} cannot be written: ${readOnly}`, wayToWrite(database));
  }
  try {
    if (isLocked(database)) return lockedBy(database);
    const db = openToLook(database);
    try {
      const [fault] = integrityFaults(db, "quick");
      if (fault !== undefined) return damaged(place, `is damaged: ${fault}`);
    } finally {
      db.close();
    }
    return ok(`${database} (chosen by ${databaseChosenBy})`);
  } catch (thrown) {
    const why = messageOf(thrown);
    if (/malformed|not a database|corrupt/i.test(why)) return damaged(place, `is damaged: ${why}`);
    if (/locked|busy/i.test(why)) return lockedBy(database);
    return fail(`${database} cannot be opened: ${why}`, `ls -l ${quoteWord(parentOf(database))}`);
  }
}

function lockedBy(database: string): Finding {
  return fail(
    `${database} is locked: another process is writing to it and does not finish`,
    `find it with \`fuser -v ${
      quoteWord(database)
    }\`; hooks keep their records in the spool meanwhile`,
  );
}

/** @param state Follows the path in the sentence. */
function damaged({ database, locations, nowMs }: DoctorPlace, state: string): Finding {
  const backup = newestBackup(joinPath(locations.dataFolder, "backups"));
  const restore = backup === null
    ? ""
    : `; or take the last backup: \`conclaude db restore ${quoteWord(backup)}\``;
  if (!DATABASE_NAME.test(database)) return fail(`${database} ${state}`, ELSEWHERE + restore);
  return fail(
    `${database} ${state}`,
    `\`conclaude doctor --fix\` sets it aside under a dated name, and the next hook begins a new one${restore}`,
    () => `set the damaged database aside: ${setAside(database, { reason: "damaged", nowMs })}`,
  );
}

function whyReadOnly(database: string): string | null {
  try {
    Deno.openSync(database, { write: true }).close();
  } catch (thrown) {
    return messageOf(thrown);
  }
  return whyUnwritable(parentOf(database));
}

/** What lets this user write there: the missing permission when it is theirs to give, else another place. */
function wayToWrite(database: string): string {
  const closed = [database, nearestFolder(parentOf(database))].find(isOwnButClosed);
  return closed === undefined ? ELSEWHERE : `chmod u+w ${quoteWord(closed)}`;
}

function newestBackup(folder: string): string | null {
  try {
    const names = Array.from(Deno.readDirSync(folder), ({ name }) => name)
      .filter((name) => name.endsWith(".db")).sort();
    const last = names.at(-1);
    return last === undefined ? null : joinPath(folder, last);
  } catch {
    return null;
  }
}
