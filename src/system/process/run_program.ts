/** Runs a program to its end, in a process group of its own, and keeps its output. */
import type { Environment } from "../environment.ts";
import { messageOf } from "../../base/errors.ts";
import {
  endGroup,
  ENDING_SIGNALS,
  feed,
  type StartOptions,
  startWords,
  usualVariables,
} from "./start.ts";

/** How a program is run. Times are in milliseconds. */
export interface RunOptions extends Pick<StartOptions, "folder" | "environment"> {
  readonly variables?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The text for standard input, which is empty without it. */
  readonly input?: string;
  /** How many bytes of each output are kept; 0 throws the output away. The default is all. */
  readonly keep?: { readonly stdout: number; readonly stderr: number };
  /** Whether a program is ended when it prints more than `keep` allows on standard output. */
  readonly endsWhenFull?: boolean;
  /**
   * Once the program has ended, an output that is silent for this long is not read further: a background process may
   * hold it open.
   */
  readonly quietMs?: number;
  readonly signal?: AbortSignal;
  /** Whether the program is ended first when a signal ends this process. */
  readonly endsOnSignal?: boolean;
  /** As in {@linkcode endGroup}. */
  readonly mark?: string;
  /** Whether it starts no other process, so that it can simply be killed. */
  readonly isAlone?: boolean;
}

/** A program that has ended, or that is being ended. */
export interface Run {
  readonly end:
    | { readonly kind: "ended"; readonly code: number }
    | { readonly kind: "late" | "full" | "stopped" };
  readonly stdout: Output | null;
  readonly stderr: Output | null;
  /** Settles when all its processes have ended and its outputs are read. */
  readonly gone: Promise<void>;
}

const ALL = { stdout: Infinity, stderr: Infinity };
const QUIET_MS = 1000;
/** How long outputs are read at most after the program has ended, in milliseconds. */
const MAX_REST_MS = 1000;

/** Runs a program. @throws {Error} When it cannot be started. */
export async function run(words: readonly string[], options: RunOptions): Promise<Run> {
  const { keep = ALL, quietMs = QUIET_MS, input, signal } = options;
  const child = startWords(words, {
    folder: options.folder,
    variables: options.variables ?? {},
    stdout: keep.stdout > 0 ? "piped" : "null",
    stderr: keep.stderr > 0 ? "piped" : "null",
    ...options.environment === undefined ? {} : { environment: options.environment },
    ...input === undefined ? {} : { stdin: "piped" },
  });
  const stdout = keep.stdout > 0 ? new Output(child.stdout, keep.stdout) : null;
  const stderr = keep.stderr > 0 ? new Output(child.stderr, keep.stderr) : null;
  if (input !== undefined) void feed(child, input);
  const early = Promise.withResolvers<Run["end"]>();
  const timer = setTimeout(() => early.resolve({ kind: "late" }), options.timeoutMs);
  const stop = () => early.resolve({ kind: "stopped" });
  const signals = options.endsOnSignal === true ? ENDING_SIGNALS : [];
  signal?.addEventListener("abort", stop);
  for (const one of signals) Deno.addSignalListener(one, stop);
  if (options.endsWhenFull === true) stdout?.full.then(() => early.resolve({ kind: "full" }));
  const exited = child.status.then(({ code }) => ({ kind: "ended", code }) as const);
  const end = await Promise.race([exited, early.promise]);
  clearTimeout(timer);
  signal?.removeEventListener("abort", stop);
  const ending = async () => {
    if (end.kind !== "ended") {
      if (options.isAlone === true) child.kill("SIGKILL");
      else await endGroup(child, options.mark);
      await exited;
    }
    await readRest([stdout, stderr].filter((output) => output !== null), quietMs);
    // Until now a second signal must not end this process, which still has to save its record.
    for (const one of signals) Deno.removeSignalListener(one, stop);
  };
  return { end, stdout, stderr, gone: ending() };
}

async function readRest(outputs: readonly Output[], quietMs: number): Promise<void> {
  const ended = Promise.all(outputs.map((output) => output.ended)).then(() => true);
  const count = () => outputs.reduce((sum, { bytes }) => sum + bytes, 0);
  const untilMs = performance.now() + MAX_REST_MS;
  for (let before = -1; before !== count() && performance.now() < untilMs;) {
    before = count();
    const quiet = Promise.withResolvers<false>();
    const timer = setTimeout(() => quiet.resolve(false), quietMs);
    const isOver = await Promise.race([ended, quiet.promise]);
    clearTimeout(timer);
    if (isOver) return;
  }
  for (const output of outputs) output.stop();
}

const NEWLINE = 10;

/** One output: its beginning is kept, the rest is read and counted, so that the program is not held up. */
export class Output {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #kept: Uint8Array[] = [];
  #room: number;
  #newlines = 0;
  #last = NEWLINE;
  bytes = 0;
  /** Settles when the output has ended; is never rejected. */
  readonly ended: Promise<void>;
  /** Settles when more has come than is kept. */
  readonly full: Promise<void>;

  constructor(stream: ReadableStream<Uint8Array>, maxBytes: number) {
    this.#reader = stream.getReader();
    this.#room = maxBytes;
    const full = Promise.withResolvers<void>();
    this.full = full.promise;
    this.ended = this.#readAll(full.resolve);
  }

  stop(): void {
    this.#reader.cancel().catch(() => {});
  }

  /** Returns how many lines have come; the last one may have no line break. */
  get lineCount(): number {
    return this.#newlines + (this.#last === NEWLINE ? 0 : 1);
  }

  /** Tells whether all that has come is kept. */
  get isWhole(): boolean {
    return this.bytes === this.#kept.reduce((sum, { length }) => sum + length, 0);
  }

  /** Returns what is kept. @throws {TypeError} With `fatal`, when it is not UTF-8. */
  text(options: { readonly fatal: boolean } = { fatal: false }): string {
    const decoder = new TextDecoder("utf-8", options);
    return this.#kept.map((part) => decoder.decode(part, { stream: true })).join("") +
      decoder.decode();
  }

  async #readAll(tellFull: () => void): Promise<void> {
    try {
      for (;;) {
        const { value } = await this.#reader.read();
        if (value === undefined) return;
        const part = value.subarray(0, this.#room);
        if (part.length > 0) this.#kept.push(part);
        this.#room -= part.length;
        this.bytes += value.length;
        this.#last = value.at(-1) ?? this.#last;
        for (let at = value.indexOf(NEWLINE); at >= 0; at = value.indexOf(NEWLINE, at + 1)) {
          this.#newlines++;
        }
        if (part.length < value.length) tellFull();
      }
    } catch {
      // A broken pipe ends an output too.
    }
  }
}

/** How a program ended; `late` means that it was ended with all that it had started. */
export type WordsEnd =
  | {
    readonly kind: "ended";
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }
  | { readonly kind: "late" }
  | { readonly kind: "unstarted"; readonly why: string };

/** Runs a program, by default in the environment of this process. Never throws. */
export async function runWords(
  words: readonly string[],
  options: Pick<RunOptions, "folder" | "variables" | "environment" | "timeoutMs" | "input"> & {
    readonly endsOnSignal?: boolean;
  },
): Promise<WordsEnd> {
  try {
    const { end, stdout, stderr, gone } = await run(words, options);
    await gone;
    if (end.kind === "late") return { kind: "late" };
    if (end.kind !== "ended") return { kind: "unstarted", why: "it was interrupted" };
    return { ...end, stdout: stdout!.text(), stderr: stderr!.text() };
  } catch (thrown) {
    return { kind: "unstarted", why: messageOf(thrown) };
  }
}

/** Runs a line of the shell as Claude Code runs the command of a hook. Never throws. */
export function runShellLine(
  line: string,
  options: Parameters<typeof runWords>[1],
): Promise<WordsEnd> {
  const shell = Deno.build.os === "windows" ? "bash" : "/bin/sh";
  return runWords([shell, "-c", line], { ...options, endsOnSignal: true });
}

/**
 * Runs a tool of the system, such as git, in English and with few variables. Nobody waits for a tool that is late.
 * @returns Null when it could not be started, or did not end in time.
 */
export async function runTool(
  words: readonly string[],
  { environment, ...options }: Pick<RunOptions, "folder" | "timeoutMs" | "isAlone" | "input"> & {
    readonly environment: Pick<Environment, "variable">;
  },
): Promise<{ readonly code: number; readonly stdout: string } | null> {
  // Git must neither wait for its own locks nor take them.
  const fixed = { LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" };
  const passedOn = { ...fixed, ...usualVariables(environment.variable) };
  try {
    const { end, stdout, gone } = await run(words, {
      ...options,
      environment: { passedOn },
      keep: { stdout: Infinity, stderr: 0 },
    });
    if (end.kind === "ended") await gone;
    else gone.catch(() => {});
    return end.kind === "ended" ? { code: end.code, stdout: stdout!.text() } : null;
  } catch {
    return null;
  }
}
