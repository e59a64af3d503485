/** Makes a new database of what SQLite can read of a damaged one, the newest backup, and transcripts. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { messageOf, quietly, UserError } from "../../base/errors.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { findTranscripts } from "../transfer/find_transcripts.ts";
import { projectFinder } from "../transfer/project.ts";
import { compareTranscripts } from "../transfer/transcript_gaps.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { connect } from "../../db/connect.ts";
import { integrityFaults } from "./care_table.ts";
import { endWrites, holdWrites, openDamaged } from "./damaged_database_table.ts";
import { openDatabase } from "../../db/database.ts";
import { transaction } from "../../db/transaction.ts";
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
import { namesIn, targetOf } from "./whole_file.ts";

/** A repair waits so long for a drain, and for another process where no configuration says otherwise. */
const LOCK_WAIT_MS = 15_000;
const BUSY_MS = 5_000;

/** Stands behind the name of a database while its new file is written. */
const DRAFT = ".mending-";

/** How many rows of one table came back. */
interface MendedTable {
  readonly table: string;
  /** Rows of the damaged database, and rows of the backup. */
  readonly read: number;
  readonly filled: number;
  /** At least so many are gone. */
  readonly gone: number;
  /** True when every row could be read. */
  readonly isWhole: boolean;
}

/** The result of a repair. */
interface Mended {
  readonly tables: readonly MendedTable[];
  /** The backup that filled tables; null where none was needed or there is none. */
  readonly backup: Backup | null;
  /** Captures that wait to be worked in once more. */
  readonly again: number;
}

/**
 * Writes the database anew, sets the damaged one aside under a dated name, and takes in what transcripts tell since the
 * backup. Hooks keep their records in the spool meanwhile. Stopped on the way, it leaves the database as it was.
 *
 * @returns What came back and what is gone, table by table.
 * @throws {UserError | Error} When a drain is at work for too long, or there is no room. The database is as it was then.
 */
export async function mendFully(place: RepairPlace): Promise<string | Repaired> {
  const { database, config, nowMs } = place;
  const busyTimeoutMs = config?.busyTimeoutMs ?? BUSY_MS;
  const lock = takeLock(drainLockPath(database), { waitMs: LOCK_WAIT_MS });
  if (lock === null) {
    throw new UserError(`Cannot write "${database}" anew`, {
      why: "another process is working captures into memory; nothing was changed",
      next: `fuser -v ${quoteWord(drainLockPath(database))}`,
    });
  }
  const draft = `${database}${DRAFT}${crypto.randomUUID().slice(0, 8)}`;
  const held = holdWrites(database, busyTimeoutMs);
  let mended: Mended;
  let aside: string;
  try {
    removeDrafts(database);
    mended = await fillDraft(place, draft);
    if (held !== null) quietly(() => endWrites(held));
    aside = setAside(database, { reason: "damaged", nowMs });
    install(draft, database, { reason: "damaged", nowMs });
  } finally {
    held?.close();
    removeDrafts(database);
    lock.release();
  }
  using db = await openDatabase(database, { busyTimeoutMs });
  const filled = await fillFromTranscripts(db, place, mended);
  const done = [
    `set the damaged database aside: ${aside}`,
    ...mendedParts(mended),
    ...filled === 0 ? [] : [`${count(filled, "capture")} came from transcripts`],
    ...receiptsWithoutKey(db).length === 0 ? [] : ["the key of what was forgotten is lost"],
  ].join("; ");
  if (filled > 0 || mended.tables.some(({ read, filled }) => read + filled > 0)) return done;
  const undone =
    `nothing of ${aside}, where the damaged database lies, could be brought back, and there is no backup`;
  return { done, undone: fail(undone, `ls -l ${quoteWord(aside)}`) };
}

/** Removes the drafts of this repair, and those that stopped repairs left behind: only one holds the lock. */
function removeDrafts(database: string): void {
  const folder = parentOf(database);
  for (const name of namesIn(folder)) {
    if (name.startsWith(`${baseName(database)}${DRAFT}`)) removeDatabase(joinPath(folder, name));
  }
}

async function fillDraft(place: RepairPlace, draft: string): Promise<Mended> {
  // Reading may change the copy.
  copyDatabaseFiles(targetOf(place.database), `${draft}-read`);
  using damaged = openDamaged(`${draft}-read`, draft);
  const read = damaged === null ? null : copyTables(damaged, draft);
  using db = await openDatabase(draft, { busyTimeoutMs: 0 });
  db.exec("PRAGMA foreign_keys = OFF");
  const nothing = { read: 0, filled: 0, gone: 0, isWhole: false };
  const found = read ?? ordinaryTables(db).map((table) => ({ table, ...nothing }));
  const isWhole = found.every((table) => table.isWhole);
  const filled = isWhole ? null : await fillFromBackup(db, place, { draft, tables: found });
  if (damaged !== null) keepGivenNumbers(db, damaged);
  const again = settleRows(db);
  const [fault] = integrityFaults(db, "full");
  if (fault !== undefined) throw new Error(`the new database is not sound: ${fault}`);
  return { ...filled ?? { tables: found, backup: null }, again };
}

/** Copies what can be read of every table into an empty database that nobody else has open. */
function copyTables(damaged: DatabaseSync, draft: string): MendedTable[] {
  using db = connect(draft);
  db.exec("PRAGMA foreign_keys = OFF");
  return withoutTriggers(db, () =>
    ordinaryTables(db).map((table) => {
      const { rows, lost, isWhole } = transaction(db, () => copyReadable(damaged, db, table));
      return { table, read: rows, filled: 0, gone: lost, isWhole };
    }));
}

/** Fills the tables that are not whole from the newest backup that can be read; null where there is none. */
async function fillFromBackup(
  db: DatabaseSync,
  { database, locations }: RepairPlace,
  { draft, tables }: { readonly draft: string; readonly tables: readonly MendedTable[] },
): Promise<Omit<Mended, "again"> | null> {
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
        const { rows } = copyReadable(from, db, mended.table);
        return { ...mended, filled: rows, gone: Math.max(0, mended.gone - rows) };
      };
      const filled = withoutTriggers(db, () => transaction(db, () => tables.map(fill)));
      keepGivenNumbers(db, from);
      return { backup, tables: filled };
    } catch (thrown) {
      if (/no space|disk is full/i.test(messageOf(thrown))) throw thrown;
      // A backup that cannot be read: the one before it may.
    }
  }
  return null;
}

/** What came back and what is gone: the tables that are whole together, each other one by itself. */
function mendedParts({ tables, backup, again }: Mended): string[] {
  const whole = tables.filter(({ isWhole }) => isWhole);
  const rows = whole.reduce((sum, { read }) => sum + read, 0);
  const source = backup !== null
    ? `the backup is ${backup.path} of ${new Date(backup.atMs).toISOString()}`
    : whole.length < tables.length
    ? "there is no backup"
    : null;
  const parts = [
    whole.length > 0 && `${count(whole.length, "table")} came back whole (${count(rows, "row")})`,
    ...tables.filter(({ isWhole }) => !isWhole).map(({ table, read, filled, gone }) =>
      `${table}: ${read} read` +
      (backup === null ? "" : `, ${filled} from the backup`) +
      (gone > 0 ? `, at least ${gone} gone` : backup === null ? ", the rest gone" : "")
    ),
    source,
    again > 0 && `${count(again, "capture is", "captures are")} worked into memory once more`,
  ];
  return parts.filter((part) => typeof part === "string");
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
  { tables, backup }: Mended,
): Promise<number> {
  const folder = claudeFolder ?? (locations.home && joinPath(locations.home, ".claude"));
  const knowsForgotten = backup !== null ||
    ["forgotten", "forget_receipts"].every((name) =>
      tables.some(({ table, isWhole }) => table === name && isWhole)
    );
  if (!folder || !knowsForgotten || tables.every(({ isWhole }) => isWhole)) return 0;
  const sinceMs = backup?.atMs ?? 0;
  const found = quietly(() => findTranscripts(joinPath(folder, "projects")).files) ?? [];
  const files = found.filter(({ changedMs }) => changedMs >= sinceMs);
  const { filled } = await compareTranscripts(db, files, {
    ...{ database, sinceMs, nowMs, fills: true, isWhole: false },
    projectOf: projectFinder(locations),
    wanted: () => true,
  });
  return filled?.written ?? 0;
}
