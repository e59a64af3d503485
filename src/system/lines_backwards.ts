/** Reads the lines of a file from its end. */

/** The size of the first part, in bytes; each further part is four times as large. */
const FIRST_BYTES = 262_144;
const LINE_BREAK = 10;

/** Yields the lines of a file that hold a text, the last one first. @param maxBytes How far from the end it looks. */
export function* linesWith(path: string, text: string, maxBytes: number): Generator<string> {
  using file = Deno.openSync(path);
  const decoder = new TextDecoder();
  let end = file.statSync().size;
  const first = Math.max(0, end - maxBytes);
  // The rest of a line whose first part has not been read yet.
  let rest = new Uint8Array();
  for (let size = FIRST_BYTES; end > first; size *= 4) {
    const start = Math.max(first, end - size);
    const bytes = new Uint8Array(end - start + rest.length);
    file.seekSync(start, Deno.SeekMode.Start);
    for (let at = 0; at < end - start;) {
      const read = file.readSync(bytes.subarray(at, end - start));
      if (read === null) return;
      at += read;
    }
    bytes.set(rest, end - start);
    const from = start === 0 ? 0 : bytes.indexOf(LINE_BREAK) + 1;
    if (from > 0 || start === 0) {
      const part = decoder.decode(bytes.subarray(from));
      if (part.includes(text)) {
        yield* part.split("\n").filter((line) => line.includes(text)).reverse();
      }
      rest = bytes.subarray(0, from);
    } else {
      rest = bytes;
    }
    end = start;
  }
}
