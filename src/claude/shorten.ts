/**
 * Makes a large payload small before anything else is done with it. It works on the bytes of the JSON, since millions
 * of parsed values may not fit into memory.
 *
 * Only the beginning of a long string stays: a later part could hold a secret whose name is missing. Its last
 * characters may be half a secret: masking still reads them, and {@linkcode withoutOverlaps} removes them afterwards.
 */
import { commonLevel } from "./cap.ts";

/** How many characters at the end of a shortened string masking reads before they are removed. No token is longer. */
const OVERLAP_CHARS = 4_096;
/** A container with less room for each of its entries loses the later entries instead. */
const MIN_ENTRY_BYTES = 2 * OVERLAP_CHARS;
/** The cost of an entry beside its bytes, in bytes. */
const ENTRY_BYTES = 16;
const MARKER_BYTES = 64;
/** A value nested deeper than this is removed whole when it is too large. */
const MAX_DEPTH = 8;
const MAX_ENTRIES = 5_000;
/** How many bytes stay of a text that is not a JSON object. */
const MAX_RUBBISH_BYTES = 16_384;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Shortens the JSON of an object to about `maxBytes`; a text that ends too early counts as if it were closed there.
 * @returns `cutBytes`: how many bytes of the original are missing in the text.
 */
export function shortenJson(json: Uint8Array, maxBytes: number) {
  const start = skipBlanks(json, 0);
  if (json[start] !== OPEN_OBJECT) {
    const end = Math.min(json.length, MAX_RUBBISH_BYTES);
    return { text: decode(json, 0, end), cutBytes: json.length - end };
  }
  const shortener = new Shortener(json);
  shortener.value({ start, end: json.length }, maxBytes, 0);
  return { text: shortener.text.join(""), cutBytes: shortener.cutBytes };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** An entry of a container; in a list its key is empty. */
interface Entry extends Span {
  readonly key: Span;
  readonly size: number;
}

class Shortener {
  readonly text: string[] = [];
  cutBytes = 0;
  readonly #json: Uint8Array;
  /** How many bytes of containers may still be read: each is read once for every container around it. */
  #left: number;

  constructor(json: Uint8Array) {
    this.#json = json;
    this.#left = 3 * json.length;
  }

  /** Adds a value, cut to about this many bytes. */
  value(span: Span, limit: number, depth: number): void {
    const json = this.#json;
    const maxBytes = Math.floor(limit);
    const first = json[span.start];
    if (depth > 0 && sizeOf(json, span, maxBytes) <= maxBytes) {
      this.text.push(decode(json, span.start, span.end));
    } else if (first === QUOTE) this.#string(span, maxBytes);
    else if ((first === OPEN_OBJECT || first === OPEN_LIST) && this.#mayLookInto(span, depth)) {
      this.#container(span, maxBytes, depth);
    } else this.text.push(`"${this.#marker(span.end - span.start)}"`);
  }

  #mayLookInto({ start, end }: Span, depth: number): boolean {
    this.#left -= end - start;
    return depth < MAX_DEPTH && this.#left >= 0;
  }

  #marker(bytes: number): string {
    this.cutBytes += bytes;
    return `[… ${bytes} bytes cut …]`;
  }

  #string({ start, end }: Span, maxBytes: number): void {
    const json = this.#json;
    const cutAt = Math.max(start + 1, borderAt(json, start + Math.max(1, maxBytes - MARKER_BYTES)));
    // The new marker also counts the bytes of an earlier cut.
    const before = MARKED.exec(decode(json, Math.max(cutAt, end - MARKER_BYTES), end - 1))?.[1];
    this.cutBytes += end - 1 - cutAt;
    const cut = end - 1 - cutAt + Number(before ?? 0);
    this.text.push(`"${decode(json, start + 1, cutAt)}\\n[… ${cut} bytes cut …]"`);
  }

  #container({ start, end }: Span, maxBytes: number, depth: number): void {
    const isObject = this.#json[start] === OPEN_OBJECT;
    const { entries, restAt } = entriesOf(this.#json, { start, end }, maxBytes);
    const level = commonLevel(entries.map(({ size }) => size), maxBytes - MARKER_BYTES);
    let left = maxBytes - MARKER_BYTES;
    let cut = restAt === null ? 0 : end - restAt;
    let count = 0;
    let isFull = false;
    this.text.push(isObject ? "{" : "[");
    for (const { key, size, ...span } of entries) {
      const keyBytes = key.end - key.start + ENTRY_BYTES;
      const room = level >= MIN_ENTRY_BYTES
        ? level
        : left >= MIN_ENTRY_BYTES
        ? left
        : size <= left
        ? size
        : 0;
      isFull ||= room === 0;
      if (isFull) {
        cut += span.end - key.start;
        continue;
      }
      this.text.push(count++ === 0 ? "" : ",");
      if (isObject) this.text.push(decode(this.#json, key.start, key.end), ":");
      this.value(span, room - keyBytes, depth + 1);
      left -= Math.min(size, room);
    }
    if (cut > 0) {
      const comma = count === 0 ? "" : ",";
      this.text.push(`${comma}"${this.#marker(cut)}"${isObject ? ":null" : ""}`);
    }
    this.text.push(isObject ? "}" : "]");
  }
}

/** Returns the first entries of a container; `restAt` is where the unread entries begin. */
function entriesOf(
  json: Uint8Array,
  { start, end }: Span,
  maxBytes: number,
): { readonly entries: Entry[]; readonly restAt: number | null } {
  const isObject = json[start] === OPEN_OBJECT;
  const entries: Entry[] = [];
  let at = skipBlanks(json, start + 1);
  while (at < end && json[at] !== CLOSE_OBJECT && json[at] !== CLOSE_LIST) {
    if (entries.length >= MAX_ENTRIES) return { entries, restAt: at };
    const key = { start: at, end: isObject ? endOfValue(json, at) : at };
    if (isObject) {
      at = skipBlanks(json, key.end);
      if (json[at] === COLON) at++;
      at = skipBlanks(json, at);
    }
    const value = { start: at, end: endOfValue(json, at) };
    const size = sizeOf(json, value, maxBytes) + key.end - key.start + ENTRY_BYTES;
    // The text ends within the value, or is not JSON.
    if (value.end <= value.start) break;
    entries.push({ ...value, key, size });
    at = skipBlanks(json, value.end);
    if (json[at] === COMMA) at = skipBlanks(json, at + 1);
  }
  return { entries, restAt: null };
}

/** Returns the cost of a value: its bytes, and something for each entry. Counting ends once it is too large. */
function sizeOf(json: Uint8Array, { start, end }: Span, maxBytes: number): number {
  let size = end - start;
  if (json[start] === QUOTE || size > maxBytes) return size;
  for (let at = start; at < end; at++) if (json[at] === COMMA) size += ENTRY_BYTES;
  return size;
}

/** Returns where the value that begins at `start` ends; the end of the text when the value is not closed. */
function endOfValue(json: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      at = endOfString(json, at) - 1;
      if (depth === 0) return at + 1;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (depth <= 1) return depth === 1 ? at + 1 : at;
      depth--;
    } else if (depth === 0 && byte === COMMA) return at;
  }
  return json.length;
}

function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return json.length;
}

function backslashesBefore(json: Uint8Array, at: number): number {
  let first = at;
  while (first > 0 && json[first - 1] === BACKSLASH) first--;
  return at - first;
}

/** Returns `place`, or one a little before it, that splits no character and no escape. */
function borderAt(json: Uint8Array, place: number): number {
  let at = place;
  while (at > 0 && (json[at]! & 0xc0) === 0x80) at--;
  for (let back = 1; back < 6; back++) {
    if (json[at - back] !== BACKSLASH) continue;
    return backslashesBefore(json, at - back) % 2 === 0 ? at - back : at;
  }
  return at;
}

function skipBlanks(json: Uint8Array, start: number): number {
  let at = start;
  while (json[at]! <= 0x20) at++;
  return at;
}

function decode(json: Uint8Array, start: number, end: number): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(json.subarray(start, end));
}

const MARKED = /\n?\[… (\d+) bytes cut …\]$/;
/** Matches the marker of a cut, as masking may have left it. */
const END_OF_MARK = /bytes cut …\]$/;

/** Removes the last characters of all shortened strings, in place and at any depth. */
export function withoutOverlaps<Value>(value: Value): Value {
  const root = { value };
  const pending: object[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [key, item] of Object.entries(next)) {
      if (typeof item === "string") {
        if (END_OF_MARK.test(item.slice(-MARKER_BYTES))) {
          Reflect.set(next, key, withoutOverlap(item));
        }
      } else if (typeof item === "object" && item !== null) pending.push(item);
    }
  }
  return root.value;
}

/** Removes the overlap. A string that is nothing but a marker stays: no text was before it. */
function withoutOverlap(text: string): string {
  const [mark, bytes] = MARKED.exec(text) ?? [END_OF_MARK.exec(text)![0], "?"];
  if (mark === text) return text;
  const kept = text.slice(0, Math.max(0, text.length - mark.length - OVERLAP_CHARS)).toWellFormed();
  const cut = Number(bytes) + text.length - mark.length - kept.length;
  return `${kept}\n[… ${Number.isNaN(cut) ? "some" : cut} bytes cut …]`;
}
