/** Finds transcripts on the disk and reads their lines. */
import { quietly } from "../../base/errors.ts";
import { joinPath } from "../../base/paths.ts";
import { byteLines } from "../../base/byte_lines.ts";
import { openSync, readDirSync, statSync } from "../../system/files.ts";

/** A transcript of Claude Code. */
export interface TranscriptFile {
  readonly path: string;
  /** When it was last written, in epoch milliseconds. */
  readonly changedMs: number;
  /** The first timestamp in it, in epoch milliseconds; `changedMs` where there is none. */
  readonly beginsMs: number;
}

const HEAD_BYTES = 65_536;
const TIME = /"timestamp":"(\d{4}-[^"]{5,30})"/;

/**
 * Finds the transcripts in a folder and all folders below, and what cannot be read there. A forked session repeats
 * lines of another one, and comes after it.
 *
 * @param root A folder, or one transcript. @throws {Deno.errors.NotFound} When there is no such file.
 */
export function findTranscripts(
  root: string,
): { readonly files: readonly TranscriptFile[]; readonly unreadable: readonly string[] } {
  const { found: files, unreadable } = eachTranscript(root, lookAt);
  files.sort((a, b) =>
    a.beginsMs - b.beginsMs || a.changedMs - b.changedMs || (a.path < b.path ? -1 : 1)
  );
  return { files, unreadable };
}

/** Returns the paths of a session's transcript and of those of its sub-agents, which lie in a folder beside it. */
export function transcriptsOfSession(path: string): readonly string[] {
  const folder = `${path.replace(/\.jsonl$/, "")}/subagents`;
  return [path, ...quietly(() => eachTranscript(folder, (path) => path).found) ?? []];
}

function eachTranscript<Found>(root: string, look: (path: string) => Found) {
  const found: Found[] = [];
  const unreadable: string[] = [];
  const visit = (path: string, isFolder: boolean) => {
    try {
      if (!isFolder) return void found.push(look(path));
      // Links are left out, since they could lead in a circle, and pipes, since reading one could wait for ever.
      for (const { name, isDirectory, isFile } of [...readDirSync(path)]) {
        if (isDirectory || isFile && name.endsWith(".jsonl")) {
          visit(joinPath(path, name), isDirectory);
        }
      }
    } catch {
      unreadable.push(path);
    }
  };
  visit(root, !statSync(root).isFile);
  return { found, unreadable };
}

function lookAt(path: string): TranscriptFile {
  using file = openSync(path);
  const { mtime } = file.statSync();
  const head = new Uint8Array(HEAD_BYTES);
  const read = file.readSync(head) ?? 0;
  const [, time = ""] = TIME.exec(new TextDecoder().decode(head.subarray(0, read))) ?? [];
  const changedMs = mtime?.getTime() ?? 0;
  return { path, changedMs, beginsMs: Date.parse(time) || changedMs };
}

/** A longer line is not read: it would take several times its size in memory. */
export const MAX_LINE_BYTES = 67_108_864;

/**
 * Yields the lines of a file that are not blank, as parsed JSON. A line that cannot be read has the value null, and
 * `fault` says why. Bytes that are not UTF-8 become U+FFFD.
 *
 * @param from Where to begin, in bytes. @param holding A line without this text has the value null.
 * @throws {Deno.errors.NotFound} And other errors of the file system.
 */
export function* transcriptLines(
  path: string,
  { from = 0, holding = "" }: { readonly from?: number; readonly holding?: string } = {},
) {
  for (const { text, ...line } of transcriptTexts(path, from)) {
    if (text?.trim() === "") continue;
    const read = text?.includes(holding) === false ? { value: null, fault: null } : parseLine(text);
    yield { ...line, ...read };
  }
}

/** Yields the lines of a file as texts, null for a line that is too long. @param from Where a line begins, in bytes. */
export function* transcriptTexts(path: string, from: number) {
  using file = openSync(path);
  file.seekSync(from, 0);
  const decoder = new TextDecoder();
  for (const { bytes, endsAt, ...line } of byteLines(file, { maxBytes: MAX_LINE_BYTES })) {
    const text = bytes === null ? null : decoder.decode(bytes);
    yield { ...line, text, endsAt: from + endsAt };
  }
}

/** Reads a transcript that grows: each call returns the values of the lines that were ended since the last call. */
export function transcriptTail(path: string): () => unknown[] {
  let from = 0;
  return () => {
    const lines = quietly(() => [...transcriptLines(path, { from })]) ?? [];
    const ended = lines.filter(({ isEnded }) => isEnded);
    from = ended.at(-1)?.endsAt ?? from;
    return ended.map(({ value }) => value);
  };
}

/** Parses a line. A fault does not repeat the message of `JSON.parse`, which would quote the text. */
function parseLine(text: string | null): { value: unknown; fault: string | null } {
  if (text === null) {
    return { value: null, fault: `it is longer than ${MAX_LINE_BYTES / 1_048_576} MiB` };
  }
  const value: unknown = quietly(() => JSON.parse(text));
  return value === undefined ? { value: null, fault: "it is not JSON" } : { value, fault: null };
}
