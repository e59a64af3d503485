/**
 * Makes a new database from the readable rows of a damaged one, the newest backup, and transcripts. Opens the damaged
 * one as far as SQLite can read it, and ends writes to it.
 */
import type { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../../migrations/mod.ts";
import { count } from "../../base/counts.ts";
import { messageOf, quietly, UserError } from "../../base/errors.ts";
import { joinPath } from "../../base/paths.ts";
import { findTranscripts } from "../../claude/transcript/find_transcripts.ts";
import { compareTranscripts } from "../transfer/transcript_gaps.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { connect } from "../../db/connect.ts";
import { integrityFaults, settleDatabase } from "./care_table.ts";
import { openDatabase } from "../../db/database.ts";
import { saveLostSessions } from "../../db/past_sessions.ts";
import { countSessions } from "../../db/sessions.ts";
import {
  APPLICATION_ID,
  SCHEMA_VERSION,
  schemaVersion,
  transaction,
} from "../../db/transaction.ts";
import { identifyDatabase, mayBeWritten } from "../../db/database_identity.ts";
import { schemaDifferences } from "../../db/migrate.ts";
import { receiptsWithoutKey } from "../forget/forget_receipts_table.ts";
import { drainLockPath, takeLock } from "../../db/process_lock.ts";
import { keepGivenNumbers, settleRows, withoutTriggers } from "./settle_rows_table.ts";
import { type CopiedTable, copyReadable, orDamaged, ordinaryTables } from "../../db/table_copy.ts";
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
import { copyFileSync, openSync, realOr } from "../../system/files.ts";

/** How long a repair waits, in milliseconds: for a drain, and by default for other processes. */
const LOCK_WAIT_MS = 15_000;
const BUSY_MS = 5_000;

type Mended = Awaited<ReturnType<typeof fillDraft>>;
type MendedTable = Mended["tables"][number];

/**
 * Writes the database anew, sets the damaged one aside, and fills in events from transcripts since the backup; tells
 * what of each table came back and what is gone. Hooks spool meanwhile. A stopped repair leaves the database unchanged.
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
    // Older runtimes leave a connection open: rows stay in the log, and the file cannot open under another name.
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
  if (!isWholeIn(mended, "sessions")) saveLostSessions(db);
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

/** Fills a new database from copies of the damaged one and of a backup. `again`: how many captures are worked again. */
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

function isWholeIn({ tables }: Mended, ...names: readonly string[]): boolean {
  return names.every((name) => tables.some(({ table, isWhole }) => table === name && isWhole));
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
  // An unreadable table may have been empty.
  const isKnown = ({ read, filled, lost }: MendedTable) => read + filled + (lost ?? 0) > 0;
  const parts = others!.filter(isKnown).map(({ table, read, filled, lost }) => {
    const fromBackup = backup === null ? "" : `, ${filled} from the backup`;
    const ofUnknown = backup === null ? "the rest" : `what ${read > 0 ? "else " : ""}came after it`;
    const gone = lost === null ? ofUnknown : lost > filled ? `at least ${lost - filled}` : null;
    return `${table}: ${read} read${fromBackup}${gone === null ? "" : `, ${gone} gone`}`;
  });
  const unknown = others!.filter((one) => !isKnown(one)).map(({ table }) => table);
  if (unknown.length > 0) {
    const what = "nothing came back of, and nothing is known to have been in";
    parts.push(`${what}: ${unknown.join(", ")}`);
  }
  if (whole!.length > 0) {
    const rows = whole!.reduce((sum, { read }) => sum + read, 0);
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
 * Fills in events from transcripts since the backup, and returns how many; none if the list of forgotten things is
 * lost, since transcripts would bring those back.
 */
async function fillFromTranscripts(
  db: DatabaseSync,
  { locations, database, nowMs, clientFolder }: RepairPlace,
  mended: Mended,
): Promise<number> {
  const { backup } = mended;
  const knowsForgotten = backup !== null || isWholeIn(mended, "forgotten", "forget_receipts");
  if (!clientFolder || !knowsForgotten || mended.tables.every(({ isWhole }) => isWhole)) return 0;
  const sinceMs = backup?.atMs ?? 0;
  const found = quietly(() => findTranscripts(joinPath(clientFolder, "projects")).files) ?? [];
  const files = found.filter(({ changedMs }) => changedMs >= sinceMs);
  const { filled } = await compareTranscripts(db, files, {
    locations,
    database,
    sinceMs,
    nowMs,
    fills: true,
    isWhole: false,
    mends: true,
    wanted: () => true,
  });
  return filled?.written ?? 0;
}

/** The fields of a header that describe its own file, see https://sqlite.org/fileformat2.html, §1.3. */
const HEADER_BYTES = 100;
const [FREE_PAGES_AT, PAGES_VALID_AT] = [[32, 40], [92, 96]] as const;

/**
 * Opens a private copy of a damaged database, and makes an empty database with the same schema at `draft`. The copy may
 * be cut short, with a lost header or damaged table definitions; this function corrects it where that helps. Returns
 * null if SQLite can read nothing.
 */
function openDamaged(copy: string, draft: string): DatabaseSync | null {
  makeEmpty(draft, SCHEMA_VERSION);
  for (const lacksHeader of [false, true]) {
    if (lacksHeader) giveHeader(copy, draft);
    using db = openLeniently(copy);
    // SQLite opens no file whose header it does not know.
    const version = orDamaged(() => versionOf(db), () => null);
    if (version === null) continue;
    if (version < SCHEMA_VERSION) makeEmpty(draft, version);
    // If the table of definitions cannot be written, its definitions stay as they are.
    quietly(() => correctDefinitions(db, draft));
    db.close();
    return openLeniently(copy);
  }
  return null;
}

/** Opens a database with `writable_schema`: SQLite then accepts a cut file and ignores unreadable definitions. */
function openLeniently(path: string): DatabaseSync {
  const db = connect(path, { defensive: false } as object);
  // A file with a lost header refuses this.
  quietly(() => db.exec("PRAGMA writable_schema = ON"));
  return db;
}

/** Finds the schema version by the tables, since damage may have changed the number in the file; null without tables. */
function versionOf(db: DatabaseSync): number | null {
  if (db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()!["n"] === 0) return null;
  const stated = schemaVersion(db);
  const isKnown = stated > 0 && stated <= SCHEMA_VERSION;
  return isKnown && schemaDifferences(db).length > 0 ? stated : SCHEMA_VERSION;
}

/** Replaces differing table definitions by this program's; SQLite finds the rows by the page number in the same row. */
function correctDefinitions(db: DatabaseSync, draft: string): void {
  using model = connect(draft);
  const parts = model.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND sql IS NOT NULL",
  ).all();
  const change = db.prepare(
    "UPDATE sqlite_schema SET sql = ?1 WHERE type = 'table' AND name = ?2 AND sql IS NOT ?1",
  );
  for (const { name, sql } of parts) orDamaged(() => change.run(sql!, name!), () => null);
}

function giveHeader(path: string, model: string): void {
  const header = new Uint8Array(HEADER_BYTES);
  {
    using file = openSync(model);
    file.readSync(header);
  }
  // With zeros here SQLite takes the page count from the file's length, and treats no page as free.
  header.fill(0, ...FREE_PAGES_AT);
  header.fill(0, ...PAGES_VALID_AT);
  using file = openSync(path, { write: true });
  file.writeSync(header);
}

/** Makes an empty database (0600) with the schema of a version; overwrites a file at the path. */
function makeEmpty(path: string, version: number): void {
  openSync(path, { write: true, create: true, truncate: true, mode: 0o600 }).close();
  using db = connect(path);
  db.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF");
  transaction(db, () => {
    for (const step of MIGRATIONS) if (step.version <= version) db.exec(step.sql);
    db.exec(`PRAGMA user_version = ${version}; PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

/** Locks a database against writes until the returned connection is closed; null if nobody can write to it anyway. */
function holdWrites(database: string, busyTimeoutMs: number): DatabaseSync | null {
  const db = quietly(() => connect(database, { timeout: busyTimeoutMs })) ?? null;
  try {
    db?.exec("BEGIN IMMEDIATE");
    return db;
  } catch {
    db?.close();
    return null;
  }
}

/**
 * Makes every later write to a locked database fail, since another database takes its place. A process that still has
 * it open then keeps its records in the spool.
 */
function endWrites(held: DatabaseSync): void {
  for (const table of ordinaryTables(held)) {
    for (const change of ["INSERT", "UPDATE", "DELETE"]) {
      held.exec(
        `CREATE TRIGGER IF NOT EXISTS replaced_${table}_${change} BEFORE ${change} ON ${table}
         BEGIN SELECT RAISE(ABORT, 'the database is being replaced'); END`,
      );
    }
  }
  held.exec("COMMIT");
}
