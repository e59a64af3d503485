/** Longest session id that is stored; Claude Code sends UUIDs of 36 characters. */
const MAX_SESSION_ID_CHARS = 128;

/** The session id under which events without a session are stored. */
export const UNKNOWN_SESSION_ID = "unknown";

let lastMs = -1;
let counter = 0;

/**
 * Makes a UUIDv7 (RFC 9562 §5.7): 48 bits of time, 12 of a counter, then randomness. Ids of one process sort in the
 * order in which they were made, even if up to 2,048 are made in one millisecond (§6.2, method 1).
 * @param nowMs Time in epoch milliseconds, 0 to 2^48 − 1.
 */
export function newId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, "0");
  const random = crypto.randomUUID();
  counter = nowMs === lastMs
    ? Math.min(counter + 1, 0xfff)
    : parseInt(random.slice(15, 18), 16) >> 1;
  lastMs = nowMs;
  const count = counter.toString(16).padStart(3, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}${random.slice(18)}`;
}

/** Makes a UUIDv7 from a time and at least 19 hexadecimal digits: the same input gives the same id. */
export function idAt(ms: number, digits: string): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  const variant = (parseInt(digits[3]!, 16) & 3 | 8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(0, 3)}-${variant}${
    digits.slice(4, 7)
  }-${digits.slice(7, 19)}`;
}

/** Returns the smallest id that {@linkcode newId} can make at a time; smaller ids are older. */
export function firstIdAt(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/**
 * Shortens a session id to its first 8 characters without dashes. A second call changes nothing,
 * and a shorter id only loses its dashes.
 */
export function shortSessionId(sessionId: string): string {
  return sessionId.replaceAll("-", "").slice(0, 8);
}

/** Returns the shortest beginning of an id that no other id has, at least `min` characters long. */
export function shortestUniquePrefix(id: string, others: readonly string[], min: number): string {
  const shared = others.map((other) => {
    let at = 0;
    while (at < id.length && other[at] === id[at]) at++;
    return at;
  });
  return id.slice(0, Math.max(min, ...shared.map((length) => length + 1)));
}

/** Returns the first `length` characters; never splits a surrogate pair. */
export function headOf(text: string, length: number): string {
  const splits = isPair(text, length - 1);
  return text.slice(0, splits ? length - 1 : length);
}

/** Tells whether the character and the next one form a surrogate pair. */
export function isPair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at), 0xd800, 0xdbff) &&
    isBetween(text.charCodeAt(at + 1), 0xdc00, 0xdfff);
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last;
}

/** Matches a UUID with or without dashes, in any case. */
const UUID = /^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i;

/**
 * Returns a session id as it is stored: a UUID in small letters with dashes, or the first 128
 * characters of another text without its blanks; undefined if none are left.
 */
export function normalizeSessionId(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  // deno-lint-ignore no-control-regex
  const cleaned = value.replace(/[\u0000-\u0020\u007f]/g, "").slice(0, MAX_SESSION_ID_CHARS)
    .toWellFormed();
  if (!UUID.test(cleaned)) return cleaned === "" ? undefined : cleaned;
  const plain = cleaned.replaceAll("-", "").toLowerCase();
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map((part) => plain.slice(...part)).join("-");
}

/** Returns a UUID as it is stored; null for any other text. */
export function uuidOf(text: string | undefined): string | null {
  return text !== undefined && UUID.test(text) ? normalizeSessionId(text) ?? null : null;
}

/** Reads the number of a process; returns null for any other text. */
export function processNumber(text: string | undefined): number | null {
  const pid = Number(text);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
}

/** The largest prime of 128 bits. */
const FINGERPRINT_PRIME = 2n ** 128n - 159n;

/**
 * Returns a digest of 128 bits, in 32 hexadecimal digits. It tells texts apart, but does not resist forged collisions.
 * Native code does the work: a loop over the characters would take a hook 0.9 ms for 2 kB.
 */
export function fingerprint(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return (BigInt(`0x1${bytes.toHex()}`) % FINGERPRINT_PRIME).toString(16).padStart(32, "0");
}
