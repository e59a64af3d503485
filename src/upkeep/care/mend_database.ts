/** Makes a new database of what SQLite can read of a damaged one, the newest backup, and transcripts. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { type Locations } from "../../system/environment.ts";
import { findTranscripts } from "../transfer/find_transcripts.ts";
import { compareTranscripts } from "../transfer/transcript_gaps.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { integrityFaults } from "./care_table.ts";
import {
  copyTables,
  givenNumbers,
  holdWrites,
  makeEmpty,
  type MendedTable,
  openDamaged,
} from "./damaged_database_table.ts";
import { openDatabase } from "../../db/database.ts";
import { SCHEMA_VERSION, transaction } from "../../db/transaction.ts";
import { identifyDatabase } from "../../db/database_identity.ts";
import { receiptsWithoutKey } from "../forget/forget_receipts_table.ts";
import { drainLockPath, takeLock } from "../../db/process_lock.ts";
import { keepGivenNumbers, settleRows, withoutTriggers } from "./settle_rows_table.ts";
import { copyReadable, ordinaryTables } from "./table_copy_table.ts";
import { type Backup, backupsOf } from "./backup.ts";
import { fail, type Repaired } from "./check.ts";
import type { RepairPlace } from "../doctor/place.ts";
import { install } from "./replace.ts";
import { copyDatabaseFiles, removeDatabase, setAside } from "./set_aside.ts";
import { isThere, namesIn, targetOf } from "./whole_file.ts";
import { statSync } from "../../system/files.ts";

/** A repair waits so long for a drain. */
const LOCK_WAIT_MS = 15_000;

/** Stands behind the name of a database while its new file is written. */
const DRAFT = ".mending-";

/** Where the database lies, and what may fill it. */
interface MendPlace {
  readonly database: string;
  readonly locations: Locations;
  readonly nowMs: number;
  readonly busyTimeoutMs: number;
}

/** The result of a repair. */
interface MendReport {
  /** Where the damaged database lies now. */
  readonly aside: string;
  readonly tables: readonly MendedTable[];
  /** The backup that filled tables; null where none was needed or there is none. */
  readonly backup: Backup | null;
  /** Captures that wait to be worked in once more. */
  readonly again: number;
  /** Whether what was forgotten is known in the new database, so that transcripts may be read for the rest. */
  readonly knowsForgotten: boolean;
}

/**
 * Writes the database anew and sets the damaged one aside under a dated name. Hooks keep their records in the spool
 * meanwhile. Stopped on the way, it leaves the database as it was.
 *
 * @throws {UserError | Error} When a drain is at work for too long, or there is no room. The database is as it was then.
 */
async function mendDatabase(place: MendPlace): Promise<MendReport> {
  const { database, nowMs } = place;
  const lock = takeLock(drainLockPath(database), { waitMs: LOCK_WAIT_MS });
  if (lock === null) {
    throw new UserError(`Cannot write "${database}" anew`, {
      why: "another process is working captures into memory; nothing was changed",
      next: `fuser -v ${quoteWord(drainLockPath(database))}`,
    });
  }
  const draft = `${database}${DRAFT}${crypto.randomUUID().slice(0, 8)}`;
  const held = holdWrites(database, place);
  try {
    mendDrafts(database).forEach(removeDatabase);
    const made = await fillDraft(place, draft);
    held.end();
    const aside = setAside(database, { reason: "damaged", nowMs });
    install(draft, database, { reason: "damaged", nowMs });
    return { aside, ...made };
  } finally {
    held.release();
    lock.release();
    [draft, `${draft}-read`, `${draft}-backup`].forEach(removeDatabase);
  }
}

/** Drafts that stopped repairs left behind. */
function mendDrafts(database: string): string[] {
  const folder = parentOf(database);
  return namesIn(folder)
    .filter((name) => name.startsWith(`${baseName(database)}${DRAFT}`))
    .map((name) => joinPath(folder, name));
}

async function fillDraft(place: MendPlace, draft: string): Promise<Omit<MendReport, "aside">> {
  const copy = copyOf(place.database, `${draft}-read`);
  makeEmpty(draft, SCHEMA_VERSION);
  const damaged = copy === null ? null : openDamaged(copy, draft);
  let read: MendedTable[] | null = null;
  let given: ReadonlyMap<string, number> = new Map();
  if (damaged !== null) {
    try {
      if (damaged.version < SCHEMA_VERSION) makeEmpty(draft, damaged.version);
      read = copyTables(damaged.db, draft);
      given = givenNumbers(damaged.db);
    } finally {
      damaged.db.close();
    }
  }
  using db = await openDatabase(draft, { busyTimeoutMs: 0 });
  db.exec("PRAGMA foreign_keys = OFF");
  const nothing = { read: 0, filled: 0, gone: 0, isWhole: false };
  const found = read ?? ordinaryTables(db).map((table) => ({ table, ...nothing }));
  const isWhole = found.every((table) => table.isWhole);
  const filled = isWhole ? null : await fillFromBackup(db, place, { draft, tables: found });
  const tables = filled?.tables ?? found;
  keepGivenNumbers(db, given);
  const again = settleRows(db);
  const [fault] = integrityFaults(db, "full");
  if (fault !== undefined) throw new Error(`the new database is not sound: ${fault}`);
  const isKnown = (name: string) =>
    tables.some(({ table, isWhole, filled }) => table === name && (isWhole || filled > 0));
  return {
    tables,
    backup: filled?.backup ?? null,
    again,
    knowsForgotten: filled !== null || (isKnown("forgotten") && isKnown("forget_receipts")),
  };
}

/** Copies the database with its log, since reading may change the copy. Null for a file of no bytes. */
function copyOf(database: string, copy: string): string | null {
  const from = targetOf(database);
  if (!isThere(from) || statSync(from).size === 0) return null;
  copyDatabaseFiles(from, copy);
  return copy;
}

/** Fills the tables that are not whole from the newest backup that can be read; null where there is none. */
async function fillFromBackup(
  db: DatabaseSync,
  { database, locations }: MendPlace,
  { draft, tables }: { readonly draft: string; readonly tables: readonly MendedTable[] },
): Promise<{ readonly backup: Backup; readonly tables: readonly MendedTable[] } | null> {
  const copy = `${draft}-backup`;
  for (const backup of backupsOf(locations, database)) {
    const { kind } = identifyDatabase(backup.path);
    if (kind !== "ours" && kind !== "older") continue;
    try {
      removeDatabase(copy);
      copyDatabaseFiles(backup.path, copy);
      using from = await openDatabase(copy, { busyTimeoutMs: 0 });
      const fill = (mended: MendedTable): MendedTable => {
        if (mended.isWhole) return mended;
        const { table, gone } = mended;
        const { rows } = copyReadable(from, db, { table, keepsNumbers: false });
        return { ...mended, filled: rows, gone: Math.max(0, gone - rows) };
      };
      const filled = withoutTriggers(db, () => transaction(db, () => tables.map(fill)));
      keepGivenNumbers(db, givenNumbers(from));
      return { backup, tables: filled };
    } catch (thrown) {
      if (/no space|disk is full/i.test(messageOf(thrown))) throw thrown;
      // A backup that cannot be read: the one before it may.
    }
  }
  return null;
}

/** What came back and what is gone, table by table where anything is, in a sentence. */
function mendText({ tables, backup, again }: MendReport): string {
  const whole = tables.filter(({ isWhole }) => isWhole);
  const rows = whole.reduce((sum, { read }) => sum + read, 0);
  const parts = tables.filter(({ isWhole }) => !isWhole).map(({ table, read, filled, gone }) =>
    `${table}: ${read} read` +
    (backup === null ? "" : `, ${filled} from the backup`) +
    (gone > 0 ? `, at least ${gone} gone` : backup === null ? ", the rest gone" : "")
  );
  if (whole.length > 0) {
    parts.unshift(`${count(whole.length, "table")} came back whole (${count(rows, "row")})`);
  }
  if (backup !== null) {
    parts.push(`the backup is ${backup.path} of ${new Date(backup.atMs).toISOString()}`);
  } else if (whole.length < tables.length) parts.push("there is no backup");
  if (again > 0) {
    parts.push(`${count(again, "capture is", "captures are")} worked into memory once more`);
  }
  return parts.join("; ");
}

/** A repair waits so long for another process, where no configuration says otherwise. */
const REPAIR_BUSY_MS = 5_000;

/** Mends the database, fills it from transcripts, and says per table what came back and what is gone. */
export async function mendFully(place: RepairPlace): Promise<string | Repaired> {
  const { database, config } = place;
  const busyTimeoutMs = config?.busyTimeoutMs ?? REPAIR_BUSY_MS;
  const report = await mendDatabase({ ...place, busyTimeoutMs });
  const { aside, tables } = report;
  using db = await openDatabase(database, { busyTimeoutMs });
  const filled = await fillFromTranscripts(db, place, report);
  const done = [
    `set the damaged database aside: ${aside}`,
    mendText(report),
    ...filled === 0 ? [] : [`${count(filled, "capture")} came from transcripts`],
    ...receiptsWithoutKey(db).length === 0 ? [] : ["the key of what was forgotten is lost"],
  ].join("; ");
  if (filled > 0 || tables.some(({ read, filled }) => read + filled > 0)) return done;
  const undone =
    `nothing of ${aside}, where the damaged database lies, could be brought back, and there is no backup`;
  return { done, undone: fail(undone, `ls -l ${quoteWord(aside)}`) };
}

/**
 * Takes in what transcripts tell since the backup. Where nobody knows any more what was forgotten, they are not read: they
 * would bring it back.
 *
 * @returns How many captures were written.
 */
async function fillFromTranscripts(
  db: DatabaseSync,
  { locations, database, nowMs, claudeFolder }: RepairPlace,
  { tables, backup, knowsForgotten }: MendReport,
): Promise<number> {
  const folder = claudeFolder ?? (locations.home && joinPath(locations.home, ".claude"));
  if (!folder || !knowsForgotten || tables.every(({ isWhole }) => isWhole)) return 0;
  const sinceMs = backup?.atMs ?? 0;
  let files;
  try {
    files = findTranscripts(joinPath(folder, "projects")).files
      .filter(({ changedMs }) => changedMs >= sinceMs);
  } catch {
    return 0;
  }
  const { filled } = await compareTranscripts(db, files, {
    ...{ locations, database, sinceMs, nowMs, fills: true, isWhole: false },
    wanted: () => true,
  });
  return filled?.written ?? 0;
}
