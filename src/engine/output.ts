/**
 * The output of an agent: it writes into files of its own, and here its lines are numbered and kept. Where this stopped,
 * because the process was killed, is read from what is kept; so no line is lost and no number is given out twice.
 */
import type { AgentFiles } from "./agent_files.ts";

/** A line that an agent has written, as it is kept. */
export interface OutputLine {
  /** From 1, without gaps. */
  readonly seq: number;
  /** When it was read, RFC 3339. */
  readonly ts: string;
  readonly stream: "stdout" | "stderr";
  /** Without the end of the line; secrets are masked. */
  readonly data: string;
  /** Where the next line begins in the agent's own file, in bytes. */
  readonly next: number;
}

/** A line that was just read. */
export interface FreshLine {
  readonly stream: OutputLine["stream"];
  /** Where it begins in the agent's own file, in bytes: the same whenever it is read. */
  readonly at: number;
  /** As it is kept. */
  readonly data: string;
  /** As it was written. */
  readonly raw: string;
}

/** Read at once at most, in bytes: masking it takes some hundredths of a second, in which nothing else is done. */
const CHUNK_BYTES = 1 << 16;

/** A line without an end is cut here, in bytes, so that none can fill the memory. */
const MAX_LINE_BYTES = 4 << 20;

/** So much of the end of what is kept is looked at first to find out where it stopped, in bytes. */
const TAIL_BYTES = 1 << 18;

const STREAMS = ["stdout", "stderr"] as const;

/** Follows the output of one agent. */
export class OutputReader {
  readonly #files: AgentFiles;
  readonly #mask: (text: string) => string;
  readonly #next = { stdout: 0, stderr: 0 };
  #seq = 0;

  /** @param mask Takes secrets out of a line. */
  constructor(files: AgentFiles, mask: (text: string) => string) {
    this.#files = files;
    this.#mask = mask;
    this.#resume();
  }

  /** The number of the newest line; 0 before the first. */
  get lastSeq(): number {
    return this.#seq;
  }

  /**
   * Takes some of what the agent has written since: whoever calls does something else in between, so that an agent that
   * talks without end holds up nobody.
   *
   * @param options `isOver`: nothing more will come, so what has no end is a line, too. `look`: sees the lines before
   * they are kept, so that whatever it writes down of them is not missed when this process dies in between.
   * @returns Whether there was anything, and so may be more.
   */
  take(
    options: { readonly isOver: boolean; readonly look: (lines: readonly FreshLine[]) => void },
    nowMs: number,
  ): boolean {
    let took = false;
    for (const stream of STREAMS) {
      const { lines, next } = this.#read(stream, options.isOver);
      if (next === this.#next[stream]) continue;
      options.look(lines);
      this.#keep(stream, lines, { next, nowMs });
      took = true;
    }
    return took;
  }

  #keep(
    stream: OutputLine["stream"],
    lines: readonly FreshLine[],
    { next, nowMs }: { readonly next: number; readonly nowMs: number },
  ): void {
    const ts = new Date(nowMs).toISOString();
    let seq = this.#seq;
    const text = lines.map(({ data }, index) => {
      const kept: OutputLine = {
        seq: ++seq,
        ts,
        stream,
        data,
        next: lines[index + 1]?.at ?? next,
      };
      return JSON.stringify(kept) + "\n";
    }).join("");
    Deno.writeTextFileSync(this.#files.output, text, { append: true, mode: 0o600 });
    this.#seq = seq;
    this.#next[stream] = next;
  }

  /** The whole lines of a stream after those that were taken, up to a limit. */
  #read(
    stream: OutputLine["stream"],
    isOver: boolean,
  ): { readonly lines: readonly FreshLine[]; readonly next: number } {
    const start = this.#next[stream];
    const nothing = { lines: [], next: start };
    let bytes = readAt(this.#files[stream], start, CHUNK_BYTES);
    let end = bytes.lastIndexOf(10) + 1;
    if (end === 0 && bytes.length === CHUNK_BYTES) {
      bytes = readAt(this.#files[stream], start, MAX_LINE_BYTES);
      end = bytes.lastIndexOf(10) + 1;
      if (end === 0 && bytes.length === MAX_LINE_BYTES) end = bytes.length;
    }
    if (end === 0 && isOver) end = bytes.length;
    if (end === 0) return nothing;
    const lines: FreshLine[] = [];
    const decoder = new TextDecoder();
    for (let at = 0; at < end;) {
      const newline = bytes.indexOf(10, at);
      const stop = newline < 0 || newline >= end ? end : newline;
      const raw = decoder.decode(bytes.subarray(at, stop)).replace(/\r$/, "");
      lines.push({ stream, at: start + at, data: this.#mask(raw), raw });
      at = stop + 1;
    }
    return { lines, next: start + end };
  }

  /** Finds out how far an earlier process has come, and drops a line that it did not finish. */
  #resume(): void {
    const size = sizeOf(this.#files.output);
    if (size === 0) return;
    const start = Math.max(0, size - TAIL_BYTES);
    const tail = readAt(this.#files.output, start, size);
    const end = tail.lastIndexOf(10) + 1;
    if (start + end < size) Deno.truncateSync(this.#files.output, start + end);
    // A tail begins in the middle of a line.
    const first = start === 0 ? 0 : tail.indexOf(10) + 1;
    if (this.#takeOver(tail.subarray(first, end)) || start === 0) return;
    this.#takeOver(readAt(this.#files.output, 0, start + end));
  }

  /** @returns Whether both streams were among the lines. */
  #takeOver(bytes: Uint8Array): boolean {
    const seen = new Set<string>();
    for (const line of parseOutput(new TextDecoder().decode(bytes))) {
      this.#seq = line.seq;
      this.#next[line.stream] = line.next;
      seen.add(line.stream);
    }
    return STREAMS.every((stream) => seen.has(stream));
  }
}

/** The size of a file in bytes; 0 where there is none. */
export function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}

/**
 * The lines of an agent that are kept.
 *
 * @param options `since`: only those after this number. `limit`: at most so many.
 */
export function readOutput(
  path: string,
  { since, limit }: { readonly since: number; readonly limit: number },
): OutputLine[] {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch {
    return [];
  }
  const lines = parseOutput(text.slice(0, text.lastIndexOf("\n") + 1));
  return lines.filter(({ seq }) => seq > since).slice(0, limit);
}

function parseOutput(text: string): OutputLine[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** The bytes of a file from a place on; empty where there is no file. */
export function readAt(path: string, start: number, max: number): Uint8Array {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch {
    return new Uint8Array();
  }
  try {
    const size = file.statSync().size;
    if (size <= start) return new Uint8Array();
    file.seekSync(start, Deno.SeekMode.Start);
    const bytes = new Uint8Array(Math.min(max, size - start));
    let filled = 0;
    while (filled < bytes.length) {
      const read = file.readSync(bytes.subarray(filled));
      if (read === null) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  } finally {
    file.close();
  }
}
