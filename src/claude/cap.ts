/** Makes a payload small enough to keep, and says in place what was cut. */
import { headOf, isPair } from "../base/letters.ts";

/** A text or value within its limit, and how many UTF-8 bytes that took away (0 when it fitted). */
export interface Capped<Value> {
  readonly value: Value;
  readonly cutBytes: number;
}

/** Room for the marker that says how much was cut. */
const MARKER_BYTES = 40;

/**
 * The head and the tail of a text in at most `maxBytes` of UTF-8, with `[… 4123 bytes cut …]` between
 * them. A limit too small for that marker leaves the marker alone.
 */
export function capText(text: string, maxBytes: number): Capped<string> {
  return capMeasured(text, maxBytes, utf8Bytes);
}

type Measure = (text: string) => number;

function capMeasured(text: string, maxBytes: number, measure: Measure): Capped<string> {
  if (text.length * 6 <= maxBytes || measure(text) <= maxBytes) return { value: text, cutBytes: 0 };
  const room = Math.max(0, maxBytes - MARKER_BYTES);
  const head = longestPart((length) => headOf(text, length), { maxBytes: room / 2, measure });
  const rest = text.slice(head.length);
  const tail = longestPart((length) => tailOf(rest, length), { maxBytes: room / 2, measure });
  const cutBytes = utf8Bytes(rest.slice(0, rest.length - tail.length));
  return { value: `${head}[… ${cutBytes} bytes cut …]${tail}`, cutBytes };
}

/** The longest head or tail within some bytes, found by halving; a character has at least one byte. */
function longestPart(
  part: (length: number) => string,
  limit: { readonly maxBytes: number; readonly measure: Measure },
): string {
  let fitting = 0;
  let above = Math.floor(limit.maxBytes) + 1;
  while (above - fitting > 1) {
    const middle = (fitting + above) >> 1;
    if (limit.measure(part(middle)) <= limit.maxBytes) fitting = middle;
    else above = middle;
  }
  return part(fitting);
}

function tailOf(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(isPair(text, start - 1) ? start + 1 : start);
}

/** The length of a text in UTF-8; a lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    if (isPair(text, at)) at++; // four bytes for two characters
  }
  return bytes;
}

/** No string is cut below this, and a container with less for each of its entries loses entries. */
const MIN_ENTRY_BYTES = 64;
const MAX_KEY_BYTES = 256;
/** A value that is nested deeper and has to shrink is replaced by a marker: each level costs a look at all below it. */
const MAX_CUT_DEPTH = 8;
/** JSON that is nested deeper is cut as a text. */
const MAX_DEPTH = 100;

/** Whether JSON is nested more deeply than {@linkcode capValue} can cut in time. */
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
 * A JSON value in at most `maxBytes` of UTF-8, each cut marked in its place by `[… 4123 bytes cut …]`. The largest strings
 * keep head and tail; where many small values are the trouble, the middle of arrays and objects goes.
 *
 * @param value Not nested deeply, see {@linkcode isNestedDeeply}.
 */
export function capValue(value: unknown, maxBytes: number): Capped<unknown> {
  const size = jsonBytes(value);
  if (size <= maxBytes) return { value, cutBytes: 0 };
  for (const share of [1, 0.75, 0.5, 0.25, 0.1]) {
    const capped = fit(value, maxBytes * share, 0);
    const cappedSize = jsonBytes(capped);
    if (cappedSize <= maxBytes) return { value: capped, cutBytes: size - cappedSize };
  }
  const marker = cutMarker(size);
  return { value: marker, cutBytes: size - jsonBytes(marker) };
}

/** The value in about `maxBytes` of JSON; the caller measures. */
function fit(value: unknown, maxBytes: number, depth: number): unknown {
  if (typeof value === "string") return capMeasured(value, maxBytes - 2, escapedBytes).value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_CUT_DEPTH) return cutMarker(jsonBytes(value));
  if (Array.isArray(value)) {
    const { kept, cutAt, cutBytes } = fitEntries(
      value.map((item): Entry => [null, item]),
      maxBytes,
      depth,
    );
    const items = kept.map(([, item]) => item);
    return cutBytes === 0 ? items : items.toSpliced(cutAt, 0, cutMarker(cutBytes));
  }
  const { kept, cutAt, cutBytes } = fitEntries(Object.entries(value), maxBytes, depth);
  const entries = kept.map(([key, item]): [string, unknown] => [
    capText(key ?? "", MAX_KEY_BYTES).value,
    item,
  ]);
  // fromEntries() also keeps a key "__proto__"
  return Object.fromEntries(
    cutBytes === 0 ? entries : entries.toSpliced(cutAt, 0, [cutMarker(cutBytes), null]),
  );
}

/** Items of an array have no key. */
type Entry = [key: string | null, item: unknown];

/** The bytes that an entry takes besides its item: the comma, and in an object the quoted key and the colon. */
function overhead(key: string | null): number {
  return key === null ? 1 : escapedBytes(key) + 4;
}

interface FittedEntries {
  readonly kept: readonly Entry[];
  /** Where entries are missing, and how many bytes of JSON they had (0: none is missing). */
  readonly cutAt: number;
  readonly cutBytes: number;
}

/** The entries of a container, the large ones cut to one common size; the middle ones go if need be. */
function fitEntries(entries: readonly Entry[], maxBytes: number, depth: number): FittedEntries {
  const sizes = entries.map(([key, item]) => jsonBytes(item) + overhead(key));
  const level = commonLevel(sizes, maxBytes - MARKER_BYTES);
  if (level >= MIN_ENTRY_BYTES) {
    const kept = entries.map(([key, item], index): Entry => [
      key,
      sizes[index]! <= level ? item : fit(item, level - overhead(key), depth + 1),
    ]);
    return { kept, cutAt: 0, cutBytes: 0 };
  }
  const room = (maxBytes - 2 * MARKER_BYTES) / 2;
  const headCount = countWithin(sizes, room);
  const tailFrom = sizes.length - countWithin(sizes.slice(headCount + 1).reverse(), room);
  const cutBytes = sizes.slice(headCount, tailFrom).reduce((sum, size) => sum + size, 0);
  const ends = [...entries.slice(0, headCount), ...entries.slice(tailFrom)];
  const kept = ends.map(([key, item]): Entry => [
    key,
    fit(item, MIN_ENTRY_BYTES - overhead(key), depth + 1),
  ]);
  return { kept, cutAt: headCount, cutBytes };
}

/** How many of the first entries fit into these bytes when the large ones are cut to the minimum. */
function countWithin(sizes: readonly number[], maxBytes: number): number {
  let left = maxBytes;
  const end = sizes.findIndex((size) => (left -= Math.min(size, MIN_ENTRY_BYTES)) < 0);
  return end === -1 ? sizes.length : end;
}

/** The size to which the larger ones have to be cut so that all together have at most `maxBytes`. */
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

function cutMarker(bytes: number): string {
  return `[… ${bytes} bytes cut …]`;
}

function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value) ?? "null");
}

function escapedBytes(text: string): number {
  return utf8Bytes(JSON.stringify(text)) - 2;
}
