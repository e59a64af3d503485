/** The lines of a stream, one at a time, so that no file is too long. */

/** Whatever gives bytes: a file, stdin. */
export interface ByteSource {
  readSync(buffer: Uint8Array): number | null;
}

/** One line; `text` is null where it cannot be read as one. */
export interface SourceLine {
  /** 1 and up. */
  readonly number: number;
  readonly text: string | null;
  /** Why there is no text; null where there is. */
  readonly fault: string | null;
  /** False for a last line without a line break: it may have been cut. */
  readonly isWhole: boolean;
}

const CHUNK_BYTES = 65_536;

/** Longest line that is read: ten times the largest payload that can be configured is far below. */
const MAX_LINE_BYTES = 512_000_000;

/**
 * The lines of a stream in UTF-8, without their line breaks.
 *
 * @throws {Error} What the file system says.
 */
export function* linesOf(
  source: ByteSource,
  { maxBytes = MAX_LINE_BYTES }: { readonly maxBytes?: number } = {},
): Generator<SourceLine> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  const take = (isWhole: boolean): SourceLine => {
    const line = lineOf(length > maxBytes ? null : parts, { number: number++, isWhole });
    parts = [];
    length = 0;
    return line;
  };
  const keep = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length <= maxBytes) parts.push(bytes.slice());
    else parts = [];
  };
  for (let read = source.readSync(buffer); read !== null; read = source.readSync(buffer)) {
    let from = 0;
    const chunk = buffer.subarray(0, read);
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, at));
      yield take(true);
      from = at + 1;
    }
    keep(chunk.subarray(from));
  }
  if (length > 0) yield take(false);
}

function lineOf(
  parts: readonly Uint8Array[] | null,
  { number, isWhole }: { readonly number: number; readonly isWhole: boolean },
): SourceLine {
  if (parts === null) return { number, isWhole, text: null, fault: "it is too long" };
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const text = parts.map((part) => decoder.decode(part, { stream: true })).join("") +
      decoder.decode();
    return { number, isWhole, text, fault: null };
  } catch {
    return { number, isWhole, text: null, fault: "it is not UTF-8" };
  }
}
