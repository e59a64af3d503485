/** Makes a payload small enough to keep, and says in place what was cut. */
import { headOf, isPair } from "../base/ids.ts";

/** Room for the marker that says how much was cut. */
const MARKER_BYTES = 40;
/** No string is cut below this: entries of arrays and objects go instead. */
const MIN_STRING_BYTES = 64;
const MAX_KEY_BYTES = 256;
/** How many entries each array and object keeps, in turn, until the rest fits. */
const ENTRIES = [Infinity, 4_096, 1_024, 256, 64, 16, 4, 1, 0];
/** JSON that is nested deeper is cut as a text. */
const MAX_DEPTH = 100;

/** Tells whether JSON is nested more deeply than {@linkcode capValue} can cut. */
export function isNestedDeeply(json: string): boolean {
  let depth = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/**
 * Cuts a JSON value to at most `maxBytes` of UTF-8, and marks each cut in its place: `[… 4123 bytes cut …]`. The
 * largest strings keep head and tail; with many small values, the middle of arrays and objects is removed.
 *
 * @param value Not nested deeply, see {@linkcode isNestedDeeply}. @returns `cutBytes`: 0 when it fitted.
 */
export function capValue(value: unknown, maxBytes: number): { value: unknown; cutBytes: number } {
  const size = jsonBytes(value);
  if (size <= maxBytes) return { value, cutBytes: 0 };
  for (const most of ENTRIES) {
    const few = most === Infinity ? value : withEntries(value, most);
    const texts: number[] = [];
    mapTexts(few, (text) => texts.push(textBytes(text)));
    const others = jsonBytes(few) - texts.reduce((sum, bytes) => sum + bytes, 0);
    const level = commonLevel(texts, maxBytes - others);
    if (level < MIN_STRING_BYTES || others > maxBytes) continue;
    const capped = mapTexts(few, (text) => capText(text, level));
    return { value: capped, cutBytes: size - jsonBytes(capped) };
  }
  const marker = cutMarker(size);
  return { value: marker, cutBytes: size - jsonBytes(marker) };
}

/** Returns the size to which larger sizes have to be cut so that all together have at most `maxBytes`. */
export function commonLevel(sizes: readonly number[], maxBytes: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = maxBytes;
  for (const [index, size] of ascending.entries()) {
    const level = left / (ascending.length - index);
    if (size > level) return level;
    left -= size;
  }
  return Infinity;
}

/** Keeps at most `most` entries of each array and object: the first and last ones, with a marker between. */
function withEntries(value: unknown, most: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  const entries: [string, unknown][] = Object.entries(value);
  const head = Math.ceil(most / 2);
  const removed = entries.splice(head, Math.max(0, entries.length - most));
  const kept = entries.map(([key, item]): [string, unknown] => [
    capText(key, MAX_KEY_BYTES),
    withEntries(item, most),
  ]);
  if (removed.length > 0) {
    const marker = cutMarker(jsonBytes(isList ? removed.map(([, item]) => item) : removed));
    kept.splice(head, 0, isList ? ["", marker] : [marker, null]);
  }
  // fromEntries() also keeps a key "__proto__"
  return isList ? kept.map(([, item]) => item) : Object.fromEntries(kept);
}

function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]),
  );
}

/** Returns the head and the tail of a text within some bytes of JSON, with the marker between them. */
function capText(text: string, maxBytes: number): string {
  if (text.length * 6 <= maxBytes || textBytes(text) <= maxBytes) return text;
  const room = (maxBytes - MARKER_BYTES) / 2;
  const head = longestPart((length) => headOf(text, length), room);
  const rest = text.slice(head.length);
  const tail = longestPart((length) => tailOf(rest, length), room);
  const cut = rest.slice(0, rest.length - tail.length);
  return `${head}${cutMarker(new TextEncoder().encode(cut).length)}${tail}`;
}

/** Returns the longest head or tail within some bytes, found by halving; a character has at least one byte. */
function longestPart(part: (length: number) => string, maxBytes: number): string {
  let fitting = 0;
  let above = Math.floor(maxBytes) + 1;
  while (above - fitting > 1) {
    const middle = (fitting + above) >> 1;
    if (textBytes(part(middle)) <= maxBytes) fitting = middle;
    else above = middle;
  }
  return part(fitting);
}

function tailOf(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(isPair(text, start - 1) ? start + 1 : start);
}

function cutMarker(bytes: number): string {
  return `[… ${bytes} bytes cut …]`;
}

function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function textBytes(text: string): number {
  return jsonBytes(text) - 2;
}
