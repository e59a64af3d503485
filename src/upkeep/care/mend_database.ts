/** Makes a new database from the readable rows of a damaged one, the newest backup, and transcripts. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { messageOf, quietly, UserError } from "../../base/errors.ts";
import { joinPath } from "../../base/paths.ts";
import { findTranscripts } from "../../claude/transcript/find_transcripts.ts";
import { compareTranscripts } from "../transfer/transcript_gaps.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { connect } from "../../db/connect.ts";
import { integrityFaults, settleDatabase } from "./care_table.ts";
import { endWrites, holdWrites, openDamaged } from "./damaged_database_table.ts";
import { openDatabase } from "../../db/database.ts";
import { saveLostSessions } from "../../db/past_sessions.ts";
import { countSessions } from "../../db/sessions.ts";
import { transaction } from "../../db/transaction.ts";
import { identifyDatabase, mayBeWritten } from "../../db/database_identity.ts";
import { receiptsWithoutKey } from "../forget/forget_receipts_table.ts";
import { drainLockPath, takeLock } from "../../db/process_lock.ts";
import { keepGivenNumbers, settleRows, withoutTriggers } from "./settle_rows_table.ts";
import { type CopiedTable, copyReadable, ordinaryTables } from "../../db/table_copy.ts";
import { backupsOf } from "./backup.ts";
import { fail, type Repaired } from "./check.ts";
import type { RepairPlace } from "../doctor/place.ts";
import {
  copyDatabaseFiles,
  makeDraft,
  placeDraft,
  removeDraft,
  removeLeftDrafts,
  setAside,
} from "./database_files.ts";
import { copyFileSync, realOr } from "../../system/files.ts";

/** How long a repair waits, in milliseconds: for a drain, and by default for other processes. */
const LOCK_WAIT_MS = 15_000;
const BUSY_MS = 5_000;

type Mended = Awaited<ReturnType<typeof fillDraft>>;
type MendedTable = Mended["tables"][number];

/**
 * Writes the database anew, sets the damaged one aside under a dated name, and fills in events from transcripts since
 * the backup. Hooks keep their records in the spool meanwhile. A stopped repair leaves the database unchanged.
 *
 * @returns A text that tells for each table what came back and what is gone.
 * @throws {UserError | Error} When a drain works for too long, or there is no room; the database stays as it was.
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
  removeLeftDrafts(database);
  const drafts = [makeDraft(database), makeDraft(database), makeDraft(database)] as const;
  const whole = makeDraft(database);
  const held = holdWrites(database, busyTimeoutMs);
  let mended: Mended;
  let aside: string;
  try {
    mended = await fillDraft(place, drafts);
    // Older runtimes leave a connection open, which keeps rows in the log, and its file cannot open under a new name.
    if (!settleDatabase(drafts[0], busyTimeoutMs)) throw new Error("the new database is in use");
    copyFileSync(drafts[0], whole);
    if (held !== null) quietly(() => endWrites(held));
    aside = setAside(database, { reason: "damaged", nowMs });
    placeDraft(whole, database, { reason: "damaged", nowMs });
  } finally {
    held?.close();
    [...drafts, whole].forEach(removeDraft);
    lock.release();
  }
  using db = await openDatabase(database, { busyTimeoutMs });
  const known = countSessions(db, null).total;
  const filled = await fillFromTranscripts(db, place, mended);
  // Only if sessions were lost, since flipped bits in the ids of other rows must not make new ones.
  if (mended.tables.some(({ table, isWhole }) => table === "sessions" && !isWhole)) {
    saveLostSessions(db);
  }
  const again = countSessions(db, null).total - known;
  const done = [
    `set the damaged database aside: ${aside}`,
    ...mendedParts(mended),
    ...filled === 0 ? [] : [`${count(filled, "capture")} came from transcripts`],
    ...again === 0
      ? []
      : [`${count(again, "session")} made again of transcripts, captures and the audit`],
    ...receiptsWithoutKey(db).length === 0 ? [] : ["the key of what was forgotten is lost"],
  ].join("; ");
  if (filled > 0 || mended.tables.some(({ read, filled }) => read + filled > 0)) return done;
  const undone =
    `nothing of ${aside}, where the damaged database lies, could be brought back, and there is no backup`;
  return { done, undone: fail(undone, `ls -l ${quoteWord(aside)}`) };
}

/**
 * Fills a new database from a copy of the damaged one, and from a copy of a backup.
 *
 * @returns `tables`: the rows that came back, table by table. `backup`: null if none was needed or exists. `again`: how
 * many captures are worked in once more.
 */
async function fillDraft(
  place: RepairPlace,
  [draft, damagedCopy, backupCopy]: readonly [string, string, string],
) {
  // `openDamaged()` changes the file, so it gets a copy.
  copyDatabaseFiles(realOr(place.database), damagedCopy);
  using damaged = openDamaged(damagedCopy, draft);
  const copied = damaged === null ? new Map<string, CopiedTable>() : copyTables(damaged, draft);
  const missed = { rows: 0, lost: null, isWhole: damaged !== null };
  const isWhole = damaged !== null && copied.values().every((table) => table.isWhole);
  using db = await openDatabase(draft, { busyTimeoutMs: 0 });
  db.exec("PRAGMA foreign_keys = OFF");
  const found = isWhole ? null : await openBackup(place, backupCopy);
  using from = found?.from ?? null;
  const fill = (table: string) => {
    const { rows, lost, isWhole } = copied.get(table) ?? missed;
    const filled = isWhole || from === null ? 0 : copyReadable(from, db, table).rows;
    return { table, read: rows, filled, lost, isWhole };
  };
  const tables = withoutTriggers(db, () => transaction(db, () => ordinaryTables(db).map(fill)));
  for (const source of [damaged, from]) if (source !== null) keepGivenNumbers(db, source);
  const again = settleRows(db);
  const [fault] = integrityFaults(db, "full");
  if (fault !== undefined) throw new Error(`the new database is not sound: ${fault}`);
  return { tables, backup: found?.backup ?? null, again };
}

/** Copies the readable rows of every table into an empty database that nobody else has open. */
function copyTables(damaged: DatabaseSync, draft: string): ReadonlyMap<string, CopiedTable> {
  using db = connect(draft);
  db.exec("PRAGMA foreign_keys = OFF");
  const copy = (table: string) => transaction(db, () => copyReadable(damaged, db, table));
  return withoutTriggers(
    db,
    () => new Map(ordinaryTables(db).map((table) => [table, copy(table)])),
  );
}

/** Opens a copy of the newest usable backup; null if there is none. */
async function openBackup({ database, locations }: RepairPlace, copy: string) {
  for (const backup of backupsOf(locations, database)) {
    if (!mayBeWritten(identifyDatabase(backup.path))) continue;
    try {
      removeDraft(copy);
      copyDatabaseFiles(backup.path, copy);
      return { backup, from: await openDatabase(copy, { busyTimeoutMs: 0 }) };
    } catch (thrown) {
      if (/no space|disk is full/i.test(messageOf(thrown))) throw thrown;
      // The next older backup may be whole.
    }
  }
  return null;
}

/** Tells what came back and what is gone: one part for all whole tables, one for each other table. */
function mendedParts({ tables, backup, again }: Mended): string[] {
  const [whole, others] = [true, false].map((is) => tables.filter(({ isWhole }) => isWhole === is));
  const rows = whole!.reduce((sum, { read }) => sum + read, 0);
  // An unreadable table may have been empty.
  const isKnown = ({ read, filled, lost }: MendedTable) => read + filled + (lost ?? 0) > 0;
  const [known, unknown] = [true, false].map((is) => others!.filter((one) => isKnown(one) === is));
  const parts = known!.map(({ table, read, filled, lost }) => {
    const fromBackup = backup === null ? "" : `, ${filled} from the backup`;
    const rest = lost === null
      ? backup === null ? ", the rest gone" : `, what ${read > 0 ? "else " : ""}came after it gone`
      : lost > filled
      ? `, at least ${lost - filled} gone`
      : "";
    return `${table}: ${read} read${fromBackup}${rest}`;
  });
  if (unknown!.length > 0) {
    const names = unknown!.map(({ table }) => table).join(", ");
    parts.push(`nothing came back of, and nothing is known to have been in: ${names}`);
  }
  if (whole!.length > 0) {
    parts.unshift(`${count(whole!.length, "table")} came back whole (${count(rows, "row")})`);
  }
  if (backup !== null) {
    parts.push(`the backup is ${backup.path} of ${new Date(backup.atMs).toISOString()}`);
  } else if (others!.length > 0) parts.push("there is no backup");
  if (again > 0) {
    parts.push(`${count(again, "capture is", "captures are")} worked into memory once more`);
  }
  return parts;
}

/**
 * Fills in events from transcripts since the backup. Reads no transcript if the list of forgotten things is lost,
 * since transcripts would bring those back.
 *
 * @returns How many captures were written.
 */
async function fillFromTranscripts(
  db: DatabaseSync,
  { locations, database, nowMs, clientFolder }: RepairPlace,
  { tables, backup }: Mended,
): Promise<number> {
  const knowsForgotten = backup !== null ||
    ["forgotten", "forget_receipts"].every((name) =>
      tables.some(({ table, isWhole }) => table === name && isWhole)
    );
  if (!clientFolder || !knowsForgotten || tables.every(({ isWhole }) => isWhole)) return 0;
  const sinceMs = backup?.atMs ?? 0;
  const found = quietly(() => findTranscripts(joinPath(clientFolder, "projects")).files) ?? [];
  const files = found.filter(({ changedMs }) => changedMs >= sinceMs);
  const { filled } = await compareTranscripts(db, files, {
    ...{ locations, database, sinceMs, nowMs, fills: true, isWhole: false, mends: true },
    wanted: () => true,
  });
  return filled?.written ?? 0;
}
