/** What people and Claude are told of a command of the configuration that was run. */
import { count } from "../counts.ts";
import type { CommandEnd, CommandRun, HeadOfOutput } from "../process/types.ts";

/** The line at which a command ended; null where it is not known, or the configuration hides it. */
export function lineOf({ command, line }: Pick<CommandRun, "command" | "line">): string | null {
  const { lines, showCommand } = command;
  // A command of one line can only have ended there.
  const at = line ?? (lines.length === 1 ? 0 : null);
  return showCommand && at !== null ? lines[at] ?? null : null;
}

/** The report of a failed command: which, how, the configured message, and the outputs that are to be shown. */
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
