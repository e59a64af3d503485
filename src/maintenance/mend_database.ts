/** Writes a damaged database anew: what can be read of it, the rest from the newest backup and from transcripts. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../counts.ts";
import { messageOf, UserError } from "../errors.ts";
import { baseName, joinPath, parentOf } from "../paths.ts";
import { type Locations } from "../environment.ts";
import { quoteWord } from "../settings/hooks.ts";
import { integrityFaults } from "../store/care.ts";
import {
  copyTables,
  givenNumbers,
  holdWrites,
  makeEmpty,
  type MendedTable,
  openDamaged,
} from "../store/damaged_database.ts";
import { openDatabase, SCHEMA_VERSION, transaction } from "../store/database.ts";
import { identifyDatabase } from "../store/identity.ts";
import { drainLockPath, takeLock } from "../store/process_lock.ts";
import { keepGivenNumbers, settleRows, withoutTriggers } from "../store/settle_rows.ts";
import { copyReadable, ordinaryTables } from "../store/table_copy.ts";
import { backupsOf } from "./backup.ts";
import { install } from "./replace.ts";
import { DATABASE_FILES, removeDatabase, setAside } from "./set_aside.ts";
import { isThere, namesIn, targetOf } from "./whole_file.ts";

/** So long a drain at work is waited for. */
const LOCK_WAIT_MS = 15_000;

/** What the name of a database has behind it while it is written anew. */
const DRAFT = ".mending-";

/** Where the database lies, and what may fill it. */
export interface MendPlace {
  readonly database: string;
  readonly locations: Locations;
  readonly nowMs: number;
  readonly busyTimeoutMs: number;
}

/** What came of it. */
export interface MendReport {
  /** Where the damaged database lies now. */
  readonly aside: string;
  readonly tables: readonly MendedTable[];
  /** The backup that filled tables; null where none was needed or there is none. */
  readonly backup: { readonly path: string; readonly atMs: number } | null;
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
export async function mendDatabase(place: MendPlace): Promise<MendReport> {
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

/** Drafts of the database that were left where somebody was stopped. */
function mendDrafts(database: string): string[] {
  const folder = parentOf(database);
  return namesIn(folder)
    .filter((name) => name.startsWith(`${baseName(database)}${DRAFT}`))
    .map((name) => joinPath(folder, name));
}

async function fillDraft(place: MendPlace, draft: string): Promise<Omit<MendReport, "aside">> {
  const copy = copyOf(place.database, `${draft}-read`);
  Deno.openSync(draft, { write: true, createNew: true, mode: 0o600 }).close();
  makeEmpty(draft, SCHEMA_VERSION).close();
  const damaged = copy === null ? null : openDamaged(copy, draft);
  if (damaged !== null && damaged.version < SCHEMA_VERSION) {
    removeDatabase(draft);
    Deno.openSync(draft, { write: true, createNew: true, mode: 0o600 }).close();
    makeEmpty(draft, damaged.version).close();
  }
  let tables: MendedTable[];
  let given: ReadonlyMap<string, number> = new Map();
  try {
    tables = damaged === null ? [] : copyTables(damaged.db, draft);
    if (damaged !== null) given = givenNumbers(damaged.db);
  } finally {
    damaged?.db.close();
  }
  const db = await openDatabase(draft, { busyTimeoutMs: 0 });
  try {
    if (damaged === null) {
      tables = ordinaryTables(db).map((table) => ({
        table,
        read: 0,
        filled: 0,
        gone: 0,
        isWhole: false,
      }));
    }
    const isWhole = tables.every((table) => table.isWhole);
    const backup = isWhole ? null : await fillFromBackup(db, place, { draft, tables });
    const told = backup?.tables ?? tables;
    db.exec("PRAGMA foreign_keys = OFF");
    keepGivenNumbers(db, given);
    const { again } = settleRows(db);
    const [fault] = integrityFaults(db, "full");
    if (fault !== undefined) throw new Error(`the new database is not sound: ${fault}`);
    const isKnown = (table: string) =>
      told.some((one) => one.table === table && (one.isWhole || one.filled > 0));
    return {
      tables: told,
      backup: backup && { path: backup.path, atMs: backup.atMs },
      again,
      knowsForgotten: backup !== null || (isKnown("forgotten") && isKnown("forget_receipts")),
    };
  } finally {
    db.close();
  }
}

/** A copy with its log: what is done to it to read it is not done to the damaged database. Null for a file of no bytes. */
function copyOf(database: string, copy: string): string | null {
  const from = targetOf(database);
  if (!isThere(from) || Deno.statSync(from).size === 0) return null;
  for (const ending of DATABASE_FILES.filter((ending) => ending !== "-shm")) {
    if (isThere(from + ending)) Deno.copyFileSync(from + ending, copy + ending);
  }
  return copy;
}

/** Fills the tables that are not whole from the newest backup that can be read; null where there is none. */
async function fillFromBackup(
  db: DatabaseSync,
  { database, locations }: MendPlace,
  { draft, tables }: { readonly draft: string; readonly tables: readonly MendedTable[] },
) {
  for (const { path, atMs } of backupsOf(locations, database)) {
    const { kind } = identifyDatabase(path);
    if (kind !== "ours" && kind !== "older") continue;
    const copy = `${draft}-backup`;
    try {
      removeDatabase(copy);
      Deno.copyFileSync(path, copy);
      Deno.chmodSync(copy, 0o600);
      const from = await openDatabase(copy, { busyTimeoutMs: 0 });
      try {
        db.exec("PRAGMA foreign_keys = OFF");
        const filled = withoutTriggers(db, () =>
          transaction(db, () =>
            tables.map((table) => {
              if (table.isWhole) return table;
              const { rows } = copyReadable(from, db, { table: table.table, keepsNumbers: false });
              return { ...table, filled: rows, gone: Math.max(0, table.gone - rows) };
            })));
        keepGivenNumbers(db, givenNumbers(from));
        return { path, atMs, tables: filled };
      } finally {
        from.close();
      }
    } catch (thrown) {
      if (/no space|disk is full/i.test(messageOf(thrown))) throw thrown;
      // One that cannot be read: the one before it may.
    }
  }
  return null;
}

/** What came back and what is gone, table by table where anything is, in a sentence. */
export function mendText({ tables, backup, again }: MendReport): string {
  const whole = tables.filter(({ isWhole }) => isWhole);
  const rows = whole.reduce((sum, { read }) => sum + read, 0);
  const parts = tables.filter(({ isWhole }) => !isWhole).map(({ table, read, filled, gone }) =>
    `${table}: ${read} read` +
    (backup === null ? "" : `, ${filled} from the backup`) +
    (gone > 0 ? `, at least ${gone} gone` : backup === null ? ", the rest gone" : "")
  );
  return [
    ...whole.length === 0
      ? []
      : [`${count(whole.length, "table")} came back whole (${count(rows, "row")})`],
    ...parts,
    ...backup === null
      ? parts.length === 0 ? [] : ["there is no backup"]
      : [`the backup is ${backup.path} of ${new Date(backup.atMs).toISOString()}`],
    ...again === 0
      ? []
      : [`${count(again, "capture is", "captures are")} worked into memory once more`],
  ].join("; ");
}
