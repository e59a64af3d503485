/** Runs a command of the configuration and tells how it ended. */
import type { Environment } from "../environment.ts";
import { messageOf, quietly } from "../../base/errors.ts";
import { joinPath } from "../../base/paths.ts";
import { readText } from "../on_disk.ts";
import { type Output, run } from "./run_program.ts";
import { shellWords } from "./start.ts";
import type { CommandEnd, CommandRule, CommandRun, HeadOfOutput } from "./types.ts";

export interface CommandOptions {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The time that is left for all commands, in milliseconds. */
  readonly leftMs: number;
  readonly environment: Environment;
}

/** Once the command has ended, an output that is silent for this long, in milliseconds, is not read further. */
const QUIET_MS = 50;

/** The least time with which a command is started, in milliseconds. */
const LEAST_MS = 50;

/** How much of one output is kept, in bytes; Claude Code shows 10,000 characters of an answer. */
const MAX_HEAD_BYTES = 32_768;

export interface EndedCommand {
  readonly run: CommandRun;
  /**
   * Settles when all processes of the command have ended. Only after an interruption a caller has to wait for it: the
   * hook saves its record first, since it may have no more than a second left.
   */
  readonly gone: Promise<void>;
}

/**
 * Runs a command. When it takes too long, it is ended with all processes that it started. Background processes of a
 * command that ends by itself go on, and nobody waits for them. Never throws.
 */
export async function runCommand(
  command: CommandRule,
  options: CommandOptions,
): Promise<EndedCommand> {
  const startedAt = performance.now();
  const done = (
    end: CommandEnd,
    { gone = Promise.resolve(), ...rest }: Partial<CommandRun & EndedCommand> = {},
  ): EndedCommand => {
    const durationMs = Math.round(performance.now() - startedAt);
    return {
      run: { command, end, line: 0, stdout: null, stderr: null, durationMs, ...rest },
      gone,
    };
  };
  if (options.leftMs < LEAST_MS) {
    return done({ kind: "notStarted", why: "nothing is left of a hook's time" });
  }
  const limitMs = command.timeoutSeconds === null ? Infinity : command.timeoutSeconds * 1000;
  const timeoutMs = Math.min(limitMs, options.leftMs);
  const report = makeReport();
  try {
    const ran = await run(shellWords(command.script, [report.path]), {
      folder: options.folder,
      variables: options.variables,
      environment: options.environment,
      timeoutMs,
      endsOnSignal: true,
      quietMs: QUIET_MS,
      keep: {
        stdout: command.showStdout ? MAX_HEAD_BYTES : 0,
        stderr: command.showStderr ? MAX_HEAD_BYTES : 0,
      },
    });
    const { end, gone } = ran;
    if (end.kind === "stopped") return done({ kind: "interrupted" }, { line: report.line(), gone });
    await gone;
    const seconds = Math.max(1, Math.round(timeoutMs / 1000));
    return done(
      end.kind !== "ended"
        ? { kind: "timedOut", seconds, ofDeadline: limitMs > options.leftMs }
        : end.code === 0
        ? { kind: "passed" }
        : { kind: "failed", code: end.code },
      {
        line: report.line(),
        stdout: headOf(ran.stdout, command.maxOutputLines),
        stderr: headOf(ran.stderr, command.maxOutputLines),
      },
    );
  } catch (thrown) {
    return done({ kind: "notStarted", why: messageOf(thrown) });
  } finally {
    report.remove();
  }
}

/** Returns the beginning of an output, in whole lines where possible. */
function headOf(output: Output | null, maxLines: number | null): HeadOfOutput | null {
  if (output === null) return null;
  const lines = output.text().split("\n");
  // The last line is empty, or was cut off.
  if (lines.at(-1) === "" || (!output.isWhole && lines.length > 1)) lines.pop();
  const shown = lines.slice(0, maxLines ?? Infinity);
  return { text: shown.join("\n"), omittedLines: output.lineCount - shown.length };
}

/** Makes a file in which the script notes the line that it runs; `line()` is null when nothing could be written. */
function makeReport() {
  const folder = quietly(() => Deno.makeTempDirSync({ prefix: "conclaude-" }));
  if (folder === undefined) return { path: "/dev/null", line: () => null, remove: () => {} };
  const path = joinPath(folder, "line");
  return {
    path,
    line: () => {
      const line = Number.parseInt(readText(path) ?? "");
      return Number.isNaN(line) ? null : line;
    },
    // A folder that stays does no harm: the system clears its temporary folder.
    remove: () => quietly(() => Deno.removeSync(folder, { recursive: true })),
  };
}
