/** Finds and overwrites a text in the bytes of any file. */
import { Buffer } from "node:buffer";
import type { TextMatcher } from "../../memory/forget_text.ts";
import { isNotFound, openBeside, openSync, SeekMode } from "../../system/files.ts";

const CHUNK_BYTES = 4 * 1024 * 1024;

/** How many backslashes before a text are counted at most. */
const MAX_BACKSLASHES = 64;

/** A part of a file, in bytes. */
interface Place {
  readonly at: number;
  readonly length: number;
}

/**
 * Finds a text in a file, at most `limit` times; returns nothing if the file does not exist.
 *
 * @param options `isJson`: a letter after a backslash begins no match: `\next` is a new line and `ext`.
 *
 * @throws {Error} The file system's error.
 */
export function placesIn(
  path: string,
  { inBytes, maxBytes }: TextMatcher,
  { limit = Infinity, isJson = false } = {},
): Place[] {
  const places: Place[] = [];
  let opened: ReturnType<typeof openBeside>;
  try {
    opened = openBeside(path);
  } catch (thrown) {
    if (isNotFound(thrown)) return places;
    throw thrown;
  }
  using _closed = opened;
  const { file } = opened;
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
      const before = text.slice(Math.max(0, match.index - MAX_BACKSLASHES), match.index);
      if (isJson && /^[bfnrtu]/.test(match[0]) && /(?<!\\)(?:\\\\)*\\$/.test(before)) continue;
      places.push({ at, length: match[0].length });
      if (places.length >= limit) return places;
    }
    // The text may begin at the end of this part and continue in the next one.
    const carried = Math.min(known, maxBytes);
    start += known - carried;
    buffer.copyWithin(0, known - carried, known);
    known = carried;
  }
}

/** Whether a file contains a text. @throws {Error} The file system's error. */
export function holdsText(path: string, text: TextMatcher): boolean {
  return placesIn(path, text, { limit: 1 }).length > 0;
}

/**
 * Overwrites a text in a file with asterisks, in place: additions by others stay, and JSON stays valid. `isDry` counts.
 *
 * @returns How often the file contained the text. @throws {Error} The file system's error.
 */
export function overwriteIn(
  path: string,
  matcher: TextMatcher,
  { isDry }: { readonly isDry: boolean },
): number {
  const places = placesIn(path, matcher, { isJson: true });
  if (isDry || places.length === 0) return places.length;
  using file = openSync(path, { read: true, write: true });
  for (const { at, length } of places) {
    file.seekSync(at, SeekMode.Start);
    const stars = new Uint8Array(length).fill("*".charCodeAt(0));
    for (let done = 0; done < length;) done += file.writeSync(stars.subarray(done));
  }
  file.syncDataSync();
  return places.length;
}
