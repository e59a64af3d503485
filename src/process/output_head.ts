import type { HeadOfOutput } from "./types.ts";

/** Of one output this much is kept, in bytes; Claude Code shows 10,000 characters of an answer. */
const MAX_HEAD_BYTES = 32_768;
const NEWLINE = 10;

/**
 * Keeps the beginning of an output and counts the lines of the rest, so that a program can print without end. It is read
 * to its end all the same: a program whose output nobody takes would wait, or be ended by it.
 */
export class OutputHead {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #head = new Uint8Array(MAX_HEAD_BYTES);
  readonly #maxLines: number;
  #kept = 0;
  #newlines = 0;
  #last = NEWLINE;
  #bytes = 0;
  /** Settled when the output has ended; never rejected. */
  readonly ended: Promise<void>;

  constructor(stream: ReadableStream<Uint8Array>, maxLines: number | null) {
    this.#reader = stream.getReader();
    this.#maxLines = maxLines ?? Infinity;
    this.ended = this.#readAll();
  }

  /** How much has come so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reads no more. Whoever still writes has to see for itself. */
  stop(): void {
    this.#reader.cancel().catch(() => {});
  }

  /** What was kept, in whole lines where that can be. */
  result(): HeadOfOutput {
    const text = new TextDecoder().decode(this.#head.subarray(0, this.#kept));
    const whole = this.#bytes === this.#kept;
    const lines = text.split("\n");
    // Behind the last line break stands nothing, or a line that was cut off.
    if (lines.at(-1) === "" || (!whole && lines.length > 1)) lines.pop();
    const shown = lines.slice(0, this.#maxLines);
    const total = this.#newlines + (this.#last === NEWLINE ? 0 : 1);
    return { text: shown.join("\n"), omittedLines: total - shown.length };
  }

  async #readAll(): Promise<void> {
    try {
      for (;;) {
        const { value } = await this.#reader.read();
        if (value === undefined) return;
        this.#take(value);
      }
    } catch {
      // A broken pipe is an end.
    }
  }

  #take(chunk: Uint8Array): void {
    const part = chunk.subarray(0, MAX_HEAD_BYTES - this.#kept);
    this.#head.set(part, this.#kept);
    this.#kept += part.length;
    this.#bytes += chunk.length;
    this.#last = chunk.at(-1) ?? this.#last;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
      this.#newlines++;
    }
  }
}
