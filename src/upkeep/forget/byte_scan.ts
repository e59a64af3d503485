/** Finds and overwrites a text in the bytes of any file. */
import { Buffer } from "node:buffer";
import type { TextMatcher } from "../../memory/forget_text.ts";
import { type FsFile, isNotFound, openSync, SeekMode } from "../../system/files.ts";

const CHUNK_BYTES = 4 * 1024 * 1024;

/** A place in a file, in bytes. */
interface Place {
  readonly at: number;
  readonly length: number;
}

/**
 * Where a text stands in a file, at most so many places; empty when the file is not there.
 *
 * Not to be asked of a database that this process has open: closing the file would take away its locks.
 *
 * @throws {Error} What the file system says.
 */
export function placesIn(
  path: string,
  { inBytes, maxBytes }: TextMatcher,
  limit = Infinity,
): Place[] {
  const places: Place[] = [];
  let file: FsFile;
  try {
    file = openSync(path);
  } catch (thrown) {
    if (isNotFound(thrown)) return places;
    throw thrown;
  }
  using _closed = file;
  const buffer = Buffer.alloc(CHUNK_BYTES + maxBytes);
  let known = 0;
  let start = 0;
  for (;;) {
    const read = file.readSync(buffer.subarray(known));
    if (read === null) return places;
    known += read;
    const text = buffer.toString("latin1", 0, known);
    for (const match of text.matchAll(inBytes)) {
      const at = start + match.index;
      if (places.length > 0 && at < places.at(-1)!.at + places.at(-1)!.length) continue;
      places.push({ at, length: match[0].length });
      if (places.length >= limit) return places;
    }
    // The text may begin at the end of this part and go on in the next.
    const kept = Math.min(known, maxBytes);
    start += known - kept;
    buffer.copyWithin(0, known - kept, known);
    known = kept;
  }
}

/** Whether a text stands in a file. @throws {Error} What the file system says. */
export function holdsText(path: string, text: TextMatcher): boolean {
  return placesIn(path, text, 1).length > 0;
}

/**
 * Writes asterisks over a text in a file, in place: what others add meanwhile stays, and so does JSON.
 *
 * @returns How often it stood there. @throws {Error} What the file system says.
 */
export function overwriteIn(path: string, matcher: TextMatcher): number {
  const places = placesIn(path, matcher);
  if (places.length === 0) return 0;
  using file = openSync(path, { read: true, write: true });
  let count = 0;
  for (const { at, length } of places) {
    if (isBehindBackslash(file, at)) continue;
    file.seekSync(at, SeekMode.Start);
    const stars = new Uint8Array(length).fill("*".charCodeAt(0));
    for (let done = 0; done < length;) done += file.writeSync(stars.subarray(done));
    count++;
  }
  file.syncDataSync();
  return count;
}

/** How many places {@linkcode overwriteIn} would overwrite. */
export function countIn(path: string, matcher: TextMatcher): number {
  const places = placesIn(path, matcher);
  if (places.length === 0) return 0;
  using file = openSync(path);
  return places.filter(({ at }) => !isBehindBackslash(file, at)).length;
}

/** Whether an odd number of backslashes stands before a place: `\next` is a new line and `ext`, and no `next`. */
function isBehindBackslash(file: FsFile, at: number): boolean {
  let count = 0;
  const byte = new Uint8Array(1);
  file.seekSync(at, SeekMode.Start);
  if (file.readSync(byte) !== 1 || !"bfnrtu".includes(String.fromCharCode(byte[0]!))) return false;
  for (let place = at - 1; place >= 0; place--) {
    file.seekSync(place, SeekMode.Start);
    if (file.readSync(byte) !== 1 || byte[0] !== "\\".charCodeAt(0)) break;
    count++;
  }
  return count % 2 === 1;
}
