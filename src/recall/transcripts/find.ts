import { joinPath } from "../../paths.ts";
import { byteLines } from "../../byte_lines.ts";

/** A transcript of Claude Code on the disk. */
export interface TranscriptFile {
  readonly path: string;
  readonly bytes: number;
  /** When it was written last, in epoch milliseconds. */
  readonly changedMs: number;
  /** The first time in it, in epoch milliseconds; when it was written last where it has none. */
  readonly beginsMs: number;
}

const HEAD_BYTES = 65_536;
const TIME = /"timestamp":"(\d{4}-[^"]{5,30})"/;

/**
 * The transcripts in a folder and all below it, and what could not be looked into. A session that was forked from
 * another one repeats its lines: it comes after it.
 *
 * @param root A folder, or one transcript. @throws {Deno.errors.NotFound} When there is nothing.
 */
export function findTranscripts(
  root: string,
): { readonly files: readonly TranscriptFile[]; readonly unreadable: readonly string[] } {
  const files: TranscriptFile[] = [];
  const unreadable: string[] = [];
  const visit = (folder: string) => {
    let entries: readonly Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(folder)];
    } catch {
      unreadable.push(folder);
      return;
    }
    for (const { name, isDirectory, isFile } of entries) {
      const path = joinPath(folder, name);
      // A link could lead round in a circle, and a pipe is waited for without end.
      if (isDirectory) visit(path);
      else if (name.endsWith(".jsonl") && isFile) add(path);
    }
  };
  const add = (path: string) => {
    try {
      files.push(lookAt(path));
    } catch {
      unreadable.push(path);
    }
  };
  if (Deno.statSync(root).isFile) add(root);
  else visit(root);
  files.sort((a, b) =>
    a.beginsMs - b.beginsMs || a.changedMs - b.changedMs || (a.path < b.path ? -1 : 1)
  );
  return { files, unreadable };
}

function lookAt(path: string): TranscriptFile {
  using file = Deno.openSync(path);
  const { size, mtime } = file.statSync();
  const head = new Uint8Array(HEAD_BYTES);
  const read = file.readSync(head) ?? 0;
  const changedMs = mtime?.getTime() ?? 0;
  const first = TIME.exec(new TextDecoder().decode(head.subarray(0, read)))?.[1];
  const beginsMs = first === undefined ? NaN : Date.parse(first);
  return { path, bytes: size, changedMs, beginsMs: Number.isNaN(beginsMs) ? changedMs : beginsMs };
}

/** One line of a transcript. */
interface FileLine {
  /** From 1. */
  readonly number: number;
  /** Null for a line that is longer than anything that Claude Code writes. */
  readonly text: string | null;
  /** False for what stands behind the last line break. */
  readonly isEnded: boolean;
  /** Bytes of the file up to its end. */
  readonly offset: number;
}

/** A longer line is not read, since it would take several times its size in memory. */
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
