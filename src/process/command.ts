/** Runs a command of the configuration to its end, however it ends. */
import type { Environment } from "../environment.ts";
import { messageOf } from "../errors.ts";
import type { CommandEnd, CommandRule, CommandRun, HeadOfOutput } from "./types.ts";
import { joinPath } from "../paths.ts";
import { shellWords } from "./shell_words.ts";
import { endGroup, ENDING_SIGNALS, startWords } from "./start.ts";

/** Where and for how long a command is run. */
export interface CommandOptions {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** What is left of the time of all commands, in milliseconds. */
  readonly leftMs: number;
  readonly environment: Environment;
}

/** How long an output may go on when the command is over: what it left behind in the background may hold it open. */
const QUIET_MS = 50;
const MAX_REST_MS = 1000;

/** Less is no time to run anything in, in milliseconds. */
const LEAST_MS = 50;

/** A command that was run. */
export interface EndedCommand {
  readonly run: CommandRun;
  /**
   * Settled when nothing of it runs any more. Only where it was interrupted is there anything to wait for: whoever ends a
   * hook from outside may give it no more than a second, and what has to be written comes first.
   */
  readonly gone: Promise<void>;
}

/**
 * Runs a command. What it has started is ended with it when it takes too long; what it leaves in the background when it
 * ends by itself lives on, and nobody waits for it. Never throws.
 */
export async function runCommand(
  command: CommandRule,
  options: CommandOptions,
): Promise<EndedCommand> {
  const startedAt = performance.now();
  const done = (
    end: CommandEnd,
    { gone = Promise.resolve(), ...rest }: Partial<CommandRun & EndedCommand> = {},
  ): EndedCommand => ({
    run: {
      command,
      end,
      line: 0,
      stdout: null,
      stderr: null,
      durationMs: Math.round(performance.now() - startedAt),
      ...rest,
    },
    gone,
  });
  if (options.leftMs < LEAST_MS) {
    return done({ kind: "notStarted", why: "nothing is left of a hook's time" });
  }
  const report = makeReport();
  try {
    const pipe = (wanted: boolean) => wanted ? "piped" : "null";
    const child = startWords(shellWords(command.script, [report.path]), {
      folder: options.folder,
      variables: options.variables,
      environment: options.environment,
      stdout: pipe(command.showStdout),
      stderr: pipe(command.showStderr),
    });
    const stdout = command.showStdout ? new OutputHead(child.stdout, command.maxOutputLines) : null;
    const stderr = command.showStderr ? new OutputHead(child.stderr, command.maxOutputLines) : null;
    const { end, gone } = await waitFor(child, timeLimit(command, options.leftMs));
    if (end.kind === "interrupted") return done(end, { line: report.line(), gone });
    await rest([stdout, stderr].filter((head) => head !== null));
    return done(end, {
      line: report.line(),
      stdout: stdout?.result() ?? null,
      stderr: stderr?.result() ?? null,
    });
  } catch (thrown) {
    return done({ kind: "notStarted", why: messageOf(thrown) });
  } finally {
    report.remove();
  }
}

interface Limit {
  readonly ms: number;
  readonly ofDeadline: boolean;
}

function timeLimit({ timeoutSeconds }: CommandRule, leftMs: number): Limit {
  const own = timeoutSeconds === null ? Infinity : timeoutSeconds * 1000;
  return own <= leftMs ? { ms: own, ofDeadline: false } : { ms: leftMs, ofDeadline: true };
}

/** Waits until the process has left, its time is over, or this process is told to leave. */
async function waitFor(
  child: Deno.ChildProcess,
  limit: Limit,
): Promise<{ readonly end: CommandEnd; readonly gone: Promise<void> }> {
  const early = Promise.withResolvers<CommandEnd>();
  const timer = setTimeout(() =>
    early.resolve({
      kind: "timedOut",
      seconds: Math.max(1, Math.round(limit.ms / 1000)),
      ofDeadline: limit.ofDeadline,
    }), limit.ms);
  const interrupt = () => early.resolve({ kind: "interrupted" });
  for (const signal of ENDING_SIGNALS) Deno.addSignalListener(signal, interrupt);
  const ended = child.status.then(({ code }): CommandEnd =>
    code === 0 ? { kind: "passed" } : { kind: "failed", code }
  );
  const end = await Promise.race([ended, early.promise]);
  clearTimeout(timer);
  const isOver = end.kind === "passed" || end.kind === "failed";
  const gone = (isOver ? Promise.resolve() : Promise.all([endGroup(child), ended])).then(() => {
    // Until then a second signal must not end this process before it has written what it knows.
    for (const signal of ENDING_SIGNALS) Deno.removeSignalListener(signal, interrupt);
  });
  if (end.kind !== "interrupted") await gone;
  return { end, gone };
}

/** Takes what has been written, and waits no longer than until nothing more comes. */
async function rest(heads: readonly OutputHead[]): Promise<void> {
  const ended = Promise.all(heads.map((head) => head.ended)).then(() => true);
  const written = () => heads.reduce((sum, { bytes }) => sum + bytes, 0);
  const untilMs = performance.now() + MAX_REST_MS;
  for (let before = -1; before !== written() && performance.now() < untilMs;) {
    before = written();
    const pause = new Promise<false>((resolve) => setTimeout(() => resolve(false), QUIET_MS));
    if (await Promise.race([ended, pause])) return;
  }
  for (const head of heads) head.stop();
}

/** A file in which the script writes down which line it has come to. */
interface Report {
  readonly path: string;
  /** Null where nothing could be written down: the temporary folder may be full, or not be there. */
  line(): number | null;
  remove(): void;
}

function makeReport(): Report {
  let folder = "";
  try {
    folder = Deno.makeTempDirSync({ prefix: "conclaude-" });
  } catch {
    return { path: "/dev/null", line: () => null, remove: () => {} };
  }
  const path = joinPath(folder, "line");
  return {
    path,
    line: () => {
      try {
        const line = Number.parseInt(Deno.readTextFileSync(path));
        return Number.isNaN(line) ? null : line;
      } catch {
        return null;
      }
    },
    remove: () => {
      try {
        Deno.removeSync(folder, { recursive: true });
      } catch {
        // The system clears its temporary folder by itself.
      }
    },
  };
}

/** Of one output this much is kept, in bytes; Claude Code shows 10,000 characters of an answer. */
const MAX_HEAD_BYTES = 32_768;
const NEWLINE = 10;

/**
 * Keeps the beginning of an output and counts the lines of the rest, so that a program can print without end. It is read
 * to its end all the same: a program whose output nobody takes would wait, or be ended by it.
 */
class OutputHead {
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

  /** Reads no more, whoever still writes. */
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
