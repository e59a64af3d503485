import { DatabaseSync } from "node:sqlite";
import { isDatabaseBusy } from "../errors.ts";
import { checkpoint } from "./database.ts";
import { type FileLayout, isServicePage, layoutOf } from "./page_format.ts";
import { type Overflow, roomOf } from "./page_slack.ts";
import { markWiped } from "./forgotten.ts";
import { waitMs } from "./wait.ts";

/** Pages that are looked at under one lock: some 20 ms, so that a hook never waits long for its turn. */
const BATCH_PAGES = 512;
/** So long a batch waits until nobody reads from the log, and for each single lock, in milliseconds. */
const MAX_WAIT_MS = 5000;
const LOCK_WAIT_MS = 250;
const PAUSE_MS = 20;

/** What became of the room in a database file that holds nothing. */
export interface WipeReport {
  /** Pages in which something stood that did not count any more. */
  readonly wiped: number;
  /** False when somebody held the write-ahead log for too long: then the rest is as it was. */
  readonly complete: boolean;
}

/** How a database is wiped. */
export interface WipeOptions {
  readonly nowMs: number;
  readonly onProgress?: (page: number, pages: number) => void;
}

/**
 * Writes zeros wherever the pages of a database hold nothing: SQLite leaves old versions of rows there, which
 * `secure_delete` takes away only where it frees something itself. Nothing that counts is changed, so hooks may read and
 * write meanwhile: the room is written in the file itself, under SQLite's write lock and while its log is empty; each
 * batch ends with a commit, so that no process keeps an older copy of a page.
 *
 * The database must be sound: what belongs to a row is found by what its pages say. No connection of this process may be
 * open: closing the file would take away its locks.
 *
 * @throws {Error} What SQLite or the file system says; what was done before stays done.
 */
export function wipePages(path: string, options: WipeOptions): WipeReport {
  // SQLite keeps the log beside the file that a link leads to.
  const database = Deno.realPathSync(path);
  using file = Deno.openSync(database, { read: true, write: true });
  let wiped = 0;
  for (let first = 1;;) {
    const batch = underLock(database, options, () => wipeBatch(file, first));
    if (batch === null) return { wiped, complete: false };
    wiped += batch.wiped;
    first += BATCH_PAGES;
    options.onProgress?.(Math.min(first, batch.pages), batch.pages);
    if (first > batch.pages) return { wiped, complete: true };
  }
}

/** Runs `work` while nobody writes and the log is empty; null when somebody reads from the log all the time. */
function underLock<Result>(
  database: string,
  { nowMs }: WipeOptions,
  work: () => Result,
): Result | null {
  // A new connection has no copies of pages of its own.
  const db = new DatabaseSync(database, { timeout: LOCK_WAIT_MS });
  try {
    db.exec(
      "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON",
    );
    for (
      const untilMs = performance.now() + MAX_WAIT_MS;
      performance.now() < untilMs;
      waitMs(PAUSE_MS)
    ) {
      if (checkpoint(db, "TRUNCATE").busy || !begins(db)) continue;
      try {
        if (!isLogEmpty(database)) continue;
        const result = work();
        markWiped(db, nowMs + performance.now());
        db.exec("COMMIT");
        checkpoint(db, "TRUNCATE");
        return result;
      } finally {
        if (db.isTransaction) db.exec("ROLLBACK");
      }
    }
    return null;
  } finally {
    db.close();
  }
}

function begins(db: DatabaseSync): boolean {
  try {
    db.exec("BEGIN IMMEDIATE");
    return true;
  } catch (thrown) {
    if (isDatabaseBusy(thrown)) return false;
    throw thrown;
  }
}

function wipeBatch(
  file: Deno.FsFile,
  first: number,
): { readonly wiped: number; readonly pages: number } {
  const layout = readLayout(file);
  const free = freePages(file, layout);
  let wiped = 0;
  for (let number = first; number < first + BATCH_PAGES && number <= layout.pages; number++) {
    if (isServicePage(number, layout)) continue;
    const page = readPage(file, number, layout);
    const kept = free.get(number);
    if (kept !== undefined) {
      if (clear(file, { number, page, layout }, [[kept, layout.usable]])) wiped++;
      continue;
    }
    const room = roomOf(page, number, layout);
    if (room === null) continue;
    if (clear(file, { number, page, layout }, room.slack)) wiped++;
    for (const overflow of room.overflows) if (clearTail(file, overflow, layout)) wiped++;
  }
  if (wiped > 0) file.syncDataSync();
  return { wiped, pages: layout.pages };
}

/** What is behind the end of a content that goes on in other pages. */
function clearTail(file: Deno.FsFile, overflow: Overflow, layout: FileLayout): boolean {
  let { page: number, bytes } = overflow;
  const room = layout.usable - 4;
  for (; bytes > room; bytes -= room) {
    const head = readPage(file, number, { ...layout, pageBytes: 4 }, layout.pageBytes);
    number = new DataView(head.buffer).getUint32(0);
    if (number < 2 || number > layout.pages) return false;
  }
  const page = readPage(file, number, layout);
  return clear(file, { number, page, layout }, [[4 + bytes, layout.usable]]);
}

/** Free pages, and how many bytes at the beginning of each say which others are free. */
function freePages(file: Deno.FsFile, layout: FileLayout): Map<number, number> {
  const found = new Map<number, number>();
  for (let trunk = layout.firstFree; trunk > 0 && trunk <= layout.pages;) {
    if (found.has(trunk)) break;
    const page = readPage(file, trunk, layout);
    const view = new DataView(page.buffer);
    const count = Math.min(view.getUint32(4), layout.usable / 4 - 2);
    found.set(trunk, 8 + 4 * count);
    for (let leaf = 0; leaf < count; leaf++) found.set(view.getUint32(8 + 4 * leaf), 0);
    trunk = view.getUint32(0);
  }
  return found;
}

interface Page {
  readonly number: number;
  readonly page: Uint8Array;
  readonly layout: FileLayout;
}

function clear(
  file: Deno.FsFile,
  { number, page, layout }: Page,
  ranges: readonly (readonly [number, number])[],
): boolean {
  let changed = false;
  for (const [start, end] of ranges) {
    const room = page.subarray(start, end);
    if (!room.some((byte) => byte !== 0)) continue;
    room.fill(0);
    file.seekSync((number - 1) * layout.pageBytes + start, Deno.SeekMode.Start);
    for (let done = 0; done < room.length;) done += file.writeSync(room.subarray(done));
    changed = true;
  }
  return changed;
}

function readLayout(file: Deno.FsFile): FileLayout {
  const layout = layoutOf(readAt(file, 0, 100));
  if (layout === null) throw new Error("the header of the database cannot be read");
  // Only pages that are there: the count in the header is not kept up by every program.
  return { ...layout, pages: Math.floor(file.statSync().size / layout.pageBytes) };
}

function readPage(
  file: Deno.FsFile,
  number: number,
  { pageBytes }: Pick<FileLayout, "pageBytes">,
  stride = pageBytes,
): Uint8Array<ArrayBuffer> {
  return readAt(file, (number - 1) * stride, pageBytes);
}

function readAt(file: Deno.FsFile, at: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  file.seekSync(at, Deno.SeekMode.Start);
  for (let done = 0; done < length;) {
    const read = file.readSync(bytes.subarray(done));
    if (read === null) throw new Error("the database file ends in the middle of a page");
    done += read;
  }
  return bytes;
}

function isLogEmpty(database: string): boolean {
  try {
    return Deno.statSync(`${database}-wal`).size === 0;
  } catch {
    return true;
  }
}
