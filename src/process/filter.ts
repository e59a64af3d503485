/** Gives a text to a shell command that a person has configured, and takes what it makes of it. */
import { messageOf } from "../errors.ts";
import { shellWords } from "./shell_words.ts";
import { endGroup, feed, startWords } from "./start.ts";

/** How a command has ended; whatever is not `ended` was ended with all that it had started. */
export type FilterEnd =
  | {
    readonly kind: "ended";
    readonly code: number;
    readonly stdout: string;
    /** Whether the answer was UTF-8. */
    readonly isUtf8: boolean;
    /** The beginning of it. */
    readonly stderr: string;
  }
  | { readonly kind: "late" }
  | { readonly kind: "tooLong" }
  | { readonly kind: "stopped" }
  | { readonly kind: "unstarted"; readonly why: string };

/** How a command is run. */
export interface FilterOptions {
  readonly input: string;
  readonly folder: string;
  /** Variables beside those of this process. */
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** An answer that is longer, in UTF-16 units, is not waited for. */
  readonly maxChars: number;
  /** `NAME=value` of the variables, by which what has left the group of the command is found when it is ended. */
  readonly mark: string;
  /** Ends the command when it is aborted. */
  readonly signal: AbortSignal;
}

/** What of the error output is kept, in UTF-16 units. */
const MAX_STDERR_CHARS = 4_096;

/** So long an output is waited for when the command is over: what it left behind may hold it open. */
const REST_MS = 500;

/**
 * Becomes the command, and lets a loop look every second, whose output is nobody's: when the process that waits for the command
 * is gone, or has not ended it long after its time, whatever is left of the group is ended. The loop ends with the command, and
 * is no child of it.
 */
const WATCHED = `parent=$1 seconds=$2; shift 2
( (
  n=0
  while kill -s 0 "$parent" && [ "$n" -lt "$seconds" ]; do
    sleep 1 && kill -s 0 "$$" || exit 0
    n=$((n + 1))
  done
  kill -s KILL -- "-$$"
) </dev/null >/dev/null 2>&1 & )
exec "$@"`;

/** So much longer than its time a command is left to the process that waits for it, in milliseconds. */
const WATCH_GRACE_MS = 10_000;

/** Words that run others, which do not outlive this process by more than a second. */
function watched(words: readonly string[], timeoutMs: number): readonly string[] {
  if (Deno.build.os === "windows") return words;
  const seconds = Math.ceil((timeoutMs + WATCH_GRACE_MS) / 1_000);
  return ["/bin/sh", "-c", WATCHED, "sh", String(Deno.pid), String(seconds), ...words];
}

/** Runs a command over a text, and no longer than this process lives. Never throws. */
export async function runFilter(command: string, options: FilterOptions): Promise<FilterEnd> {
  const { folder, variables, signal } = options;
  if (signal.aborted) return { kind: "stopped" };
  let child: Deno.ChildProcess;
  try {
    child = startWords(watched(shellWords(command), options.timeoutMs), {
      folder,
      variables,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    });
  } catch (thrown) {
    return { kind: "unstarted", why: messageOf(thrown) };
  }
  const early = Promise.withResolvers<FilterEnd>();
  const timer = setTimeout(() => early.resolve({ kind: "late" }), options.timeoutMs);
  const stop = () => early.resolve({ kind: "stopped" });
  signal.addEventListener("abort", stop);
  const stdout = new Head(child.stdout, options.maxChars);
  const stderr = new Head(child.stderr, MAX_STDERR_CHARS);
  stdout.isFull.then(() => early.resolve({ kind: "tooLong" }));
  feed(child, options.input);
  const ended = child.status.then(async ({ code }): Promise<FilterEnd> => {
    const rest = Promise.withResolvers<void>();
    const restTimer = setTimeout(rest.resolve, REST_MS);
    await Promise.race([Promise.all([stdout.ended, stderr.ended]), rest.promise]);
    clearTimeout(restTimer);
    const { text, isUtf8 } = stdout.read();
    if (text.length > options.maxChars) return { kind: "tooLong" };
    return { kind: "ended", code, stdout: text, isUtf8, stderr: stderr.read().text };
  });
  const end = await Promise.race([ended, early.promise]);
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
  if (end.kind !== "ended") await endGroup(child, options.mark);
  stdout.stop();
  stderr.stop();
  return end;
}

/** The beginning of an output; what follows is read and thrown away, so that who writes it is not held up. */
class Head {
  readonly ended: Promise<void>;
  readonly isFull: Promise<void>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #strict = new TextDecoder("utf-8", { fatal: true });
  #text = "";
  #isUtf8 = true;

  constructor(output: ReadableStream<Uint8Array>, maxChars: number) {
    this.#reader = output.getReader();
    const full = Promise.withResolvers<void>();
    this.isFull = full.promise;
    this.ended = this.#read(maxChars, full.resolve);
  }

  read(): { readonly text: string; readonly isUtf8: boolean } {
    const text = this.#text + this.#decoder.decode();
    return { text, isUtf8: this.#isUtf8 && this.#isSound(undefined) };
  }

  stop(): void {
    this.#reader.cancel().catch(() => {});
  }

  async #read(maxChars: number, full: () => void): Promise<void> {
    try {
      for (;;) {
        const { value, done } = await this.#reader.read();
        if (done) return;
        if (this.#text.length > maxChars) continue;
        this.#text += this.#decoder.decode(value, { stream: true });
        this.#isUtf8 &&= this.#isSound(value);
        if (this.#text.length > maxChars) full();
      }
    } catch {
      // Nobody waits for it any more.
    }
  }

  /** @param value The next bytes; undefined at the end. */
  #isSound(value: Uint8Array | undefined): boolean {
    try {
      this.#strict.decode(value, { stream: value !== undefined });
      return true;
    } catch {
      return false;
    }
  }
}
