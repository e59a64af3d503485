/** Reads a stream of bytes line by line; only one line is in memory, however large the file is. */

export interface ByteSource {
  readSync(buffer: Uint8Array): number | null;
}

/** One line, without its line break. */
export interface ByteLine {
  /** The number of the line, from 1. */
  readonly number: number;
  /** The content; null when the line is longer than the limit. */
  readonly bytes: Uint8Array | null;
  /** The offset in the source behind the line and its line break, in bytes. */
  readonly endsAt: number;
  /** False for the last line when no line break ends it: the line may be incomplete. */
  readonly isEnded: boolean;
}

const CHUNK_BYTES = 1_048_576;
const LINE_BREAK = 10;

/** Reads the lines of a source. @throws {Error} When the source throws. */
export function* byteLines(
  source: ByteSource,
  { maxBytes }: { readonly maxBytes: number },
): Generator<ByteLine> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let number = 1;
  let endsAt = 0;
  const keep = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length <= maxBytes) parts.push(bytes.slice());
    else parts = [];
  };
  const take = (isEnded: boolean): ByteLine => {
    const bytes = length > maxBytes ? null : joined(parts);
    endsAt += length + (isEnded ? 1 : 0);
    parts = [];
    length = 0;
    return { number: number++, bytes, endsAt, isEnded };
  };
  for (let read = source.readSync(buffer); read !== null; read = source.readSync(buffer)) {
    const chunk = buffer.subarray(0, read);
    let from = 0;
    for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, from)) {
      keep(chunk.subarray(from, at));
      yield take(true);
      from = at + 1;
    }
    keep(chunk.subarray(from));
  }
  if (length > 0) yield take(false);
}

/** Joins byte arrays. Returns a single array itself, not a copy. */
export function joined(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
