/** Finds transcripts on the disk and reads their lines. */
import { mayTell } from "../../claude/transcript/transcript_reader.ts";
import { joinPath } from "../../base/paths.ts";
import { byteLines } from "../../base/byte_lines.ts";
import { openSync, readDirSync, statSync } from "../../system/files.ts";

/** A transcript of Claude Code. */
export interface TranscriptFile {
  readonly path: string;
  readonly bytes: number;
  /** When it was last written, in epoch milliseconds. */
  readonly changedMs: number;
  /** The first time in it, in epoch milliseconds; `changedMs` where there is none. */
  readonly beginsMs: number;
}

const HEAD_BYTES = 65_536;
const TIME = /"timestamp":"(\d{4}-[^"]{5,30})"/;

/**
 * Finds the transcripts in a folder and all folders below, and what cannot be read there. A forked session repeats lines
 * of another one, and comes after it.
 *
 * @param root A folder, or one transcript. @throws {Deno.errors.NotFound} When there is no such file.
 */
export function findTranscripts(
  root: string,
): { readonly files: readonly TranscriptFile[]; readonly unreadable: readonly string[] } {
  const files: TranscriptFile[] = [];
  const unreadable: string[] = [];
  const orUnreadable = (path: string, look: () => void) => {
    try {
      look();
    } catch {
      unreadable.push(path);
    }
  };
  const add = (path: string) => orUnreadable(path, () => files.push(lookAt(path)));
  const visit = (folder: string) =>
    orUnreadable(folder, () => {
      for (const { name, isDirectory, isFile } of [...readDirSync(folder)]) {
        const path = joinPath(folder, name);
        // Links are left out, since they could lead in a circle, and pipes, since reading one could wait for ever.
        if (isDirectory) visit(path);
        else if (name.endsWith(".jsonl") && isFile) add(path);
      }
    });
  if (statSync(root).isFile) add(root);
  else visit(root);
  files.sort((a, b) =>
    a.beginsMs - b.beginsMs || a.changedMs - b.changedMs || (a.path < b.path ? -1 : 1)
  );
  return { files, unreadable };
}

function lookAt(path: string): TranscriptFile {
  using file = openSync(path);
  const { size, mtime } = file.statSync();
  const head = new Uint8Array(HEAD_BYTES);
  const read = file.readSync(head) ?? 0;
  const changedMs = mtime?.getTime() ?? 0;
  const beginsMs = Date.parse(
    TIME.exec(new TextDecoder().decode(head.subarray(0, read)))?.[1] ?? "",
  );
  return { path, bytes: size, changedMs, beginsMs: Number.isNaN(beginsMs) ? changedMs : beginsMs };
}

/** One line of a transcript. */
export interface FileLine {
  /** From 1. */
  readonly number: number;
  /** Null for a line that is longer than any that Claude Code writes. */
  readonly text: string | null;
  /** False for the text after the last line break. */
  readonly isEnded: boolean;
  /** Bytes of the file up to the end of the line. */
  readonly offset: number;
}

/** A longer line is not read: it would take several times its size in memory. */
export const MAX_LINE_BYTES = 67_108_864;

/**
 * The lines of a file that are not blank. Bytes that are not UTF-8 become U+FFFD.
 *
 * @throws {Deno.errors.NotFound} And other errors of the file system.
 */
export function* fileLines(path: string): Generator<FileLine> {
  using file = openSync(path);
  const decoder = new TextDecoder();
  for (const { bytes, ...line } of byteLines(file, { maxBytes: MAX_LINE_BYTES })) {
    const text = bytes === null ? null : decoder.decode(bytes);
    if (text?.trim() !== "") yield { ...line, text };
  }
}

/** Parses a line. The value of a line that holds no item is null. The engine's own message would quote the text. */
export function parseLine(
  text: string | null,
): { readonly value: unknown } | { readonly reason: string } {
  if (text === null) return { reason: `it is longer than ${MAX_LINE_BYTES / 1_048_576} MiB` };
  if (!mayTell(text)) {
    const isWhole = text.startsWith("{") && text.trimEnd().endsWith("}");
    return isWhole ? { value: null } : { reason: "it is no JSON object" };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { reason: "it is not JSON" };
  }
}
