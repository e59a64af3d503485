/** Commands that a configuration names, compiled: plain JSON, so that a hook takes it from the cache. */
import { count } from "../counts.ts";

/** One command of the configuration. */
export interface CommandRule {
  /** Its name, as in the configuration: `stop.commands[0]`. */
  readonly rule: string;
  /** For `bash -c`: what was configured, with a mark before every line that begins something. */
  readonly script: string;
  /** What each mark stands for, as it may be told: one line each. */
  readonly lines: readonly string[];
  /** Told when it fails; null for nothing beside what failed. */
  readonly message: string | null;
  readonly showStdout: boolean;
  readonly showStderr: boolean;
  /** Lines of each output that are told; null for as many as there is room for. */
  readonly maxOutputLines: number | null;
  /** Seconds; null for as long as the hook may take. */
  readonly timeoutSeconds: number | null;
  readonly showCommand: boolean;
  /** Whether its end is a notification of its own. */
  readonly notifies: boolean;
}

/** What is left of an output. */
export interface HeadOfOutput {
  readonly text: string;
  /** Lines that are not in the text. */
  readonly omittedLines: number;
}

/** How a command ended. */
export type CommandEnd =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly code: number }
  /** `ofDeadline`: its own time was not over, but the hook's. */
  | { readonly kind: "timedOut"; readonly seconds: number; readonly ofDeadline: boolean }
  /** There was no time left for it, or the shell could not be started. */
  | { readonly kind: "notStarted"; readonly why: string }
  /** Claude Code, or the person, ended the hook. */
  | { readonly kind: "interrupted" };

/** A command that was run. */
export interface CommandRun {
  readonly command: CommandRule;
  readonly end: CommandEnd;
  /** Which of `lines` it had come to; null where that cannot be told. */
  readonly line: number | null;
  /** Null for an output that nobody wants to see. */
  readonly stdout: HeadOfOutput | null;
  readonly stderr: HeadOfOutput | null;
  readonly durationMs: number;
}

/** The line that a command had come to, as it may be told; null where that is not known, or not wanted. */
export function lineOf({ command, line }: Pick<CommandRun, "command" | "line">): string | null {
  const { lines, showCommand } = command;
  // Of one line alone it is known without being told.
  const at = line ?? (lines.length === 1 ? 0 : null);
  return showCommand && at !== null ? lines[at] ?? null : null;
}

/** What is told of a command that failed: which, how, the configured message, and the outputs that are to be shown. */
export function failureText({ command, end, line, stdout, stderr }: CommandRun): string {
  const named = lineOf({ command, line });
  return [
    `${command.rule} ${endText(end)}${named === null ? "" : `: ${named}`}`,
    ...(command.message === null ? [] : [command.message]),
    ...outputText("Stdout", stdout),
    ...outputText("Stderr", stderr),
  ].join("\n");
}

/** How a command ended, as the rest of a sentence: `failed with exit code 3`. */
export function endText(end: CommandEnd): string {
  switch (end.kind) {
    case "passed":
      return "succeeded";
    case "failed":
      return `failed with exit code ${end.code}`;
    case "timedOut":
      return `timed out after ${end.seconds} ${end.seconds === 1 ? "second" : "seconds"}` +
        (end.ofDeadline ? ", all that is left of a hook's time" : "");
    case "notStarted":
      return `could not be run (${end.why})`;
    case "interrupted":
      return "was interrupted";
  }
}

function outputText(name: string, output: HeadOfOutput | null): string[] {
  if (output === null || (output.text === "" && output.omittedLines === 0)) return [];
  const text = output.text.replace(/\n$/, "");
  return output.omittedLines === 0
    ? [`${name}:`, text]
    : [`${name}:`, text, `... (${count(output.omittedLines, "line")} omitted)`];
}
