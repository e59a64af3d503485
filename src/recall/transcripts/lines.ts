/** One line of a file. */
export interface FileLine {
  /** From 1. */
  readonly number: number;
  /** Null for a line that is longer than anything that Claude Code writes. */
  readonly text: string | null;
  /** False for what stands behind the last line break. */
  readonly isEnded: boolean;
  /** Bytes of the file up to its end. */
  readonly offset: number;
}

const CHUNK_BYTES = 1_048_576;
/** A longer line is not read: it would take several times its size in memory. */
export const MAX_LINE_BYTES = 67_108_864;
const LINE_BREAK = 10;

/**
 * The lines of a file, one at a time: of a file of any size only a line is held. Bytes that are not UTF-8 become U+FFFD;
 * blank lines are left out.
 *
 * @throws {Deno.errors.NotFound} And what else the file system says.
 */
export function* fileLines(path: string): Generator<FileLine> {
  using file = Deno.openSync(path);
  const chunk = new Uint8Array(CHUNK_BYTES);
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  let offset = 0;
  const keep = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length <= MAX_LINE_BYTES) parts.push(bytes.slice());
    else parts = [];
  };
  const line = (isEnded: boolean): FileLine => {
    const text = length > MAX_LINE_BYTES ? null : decoder.decode(joined(parts, length));
    const made = { number: number++, text, isEnded, offset };
    parts = [];
    length = 0;
    return made;
  };
  for (;;) {
    const read = file.readSync(chunk);
    if (read === null) break;
    let from = 0;
    for (;;) {
      const at = chunk.subarray(0, read).indexOf(LINE_BREAK, from);
      if (at < 0) break;
      keep(chunk.subarray(from, at));
      offset += at + 1 - from;
      from = at + 1;
      const made = line(true);
      if (made.text?.trim() !== "") yield made;
    }
    keep(chunk.subarray(from, read));
    offset += read - from;
  }
  if (length > 0) {
    const made = line(false);
    if (made.text?.trim() !== "") yield made;
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
