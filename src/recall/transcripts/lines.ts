import { byteLines } from "../../byte_lines.ts";

/** One line of a transcript. */
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

/** A longer line is not read: it would take several times its size in memory. */
export const MAX_LINE_BYTES = 67_108_864;

/**
 * The lines of a file. Bytes that are not UTF-8 become U+FFFD; blank lines are left out.
 *
 * @throws {Deno.errors.NotFound} And what else the file system says.
 */
export function* fileLines(path: string): Generator<FileLine> {
  using file = Deno.openSync(path);
  const decoder = new TextDecoder();
  for (const { bytes, ...line } of byteLines(file, { maxBytes: MAX_LINE_BYTES })) {
    const text = bytes === null ? null : decoder.decode(bytes);
    if (text?.trim() !== "") yield { ...line, text };
  }
}
