/** What a command tells of itself: that it ran, or failed. */
import { digestOf } from "../fnv.ts";
import type { Observed, ObservedFacts } from "../observation.ts";
import { headAndTail, shortened, titleLine } from "../text.ts";
import type { Surroundings } from "./command_folder.ts";
import { commandKey, failureKey, MAX_COMMAND_CHARS } from "./command_key.ts";
import { failedPart } from "./failed_part.ts";
import { errorLine } from "./error_line.ts";
import { hidesStatus } from "./hidden_status.ts";
import { saysBuildFailed } from "./failed_builds.ts";
import { showsBuildPassed } from "./passed_builds.ts";
import { whatIsWrong } from "./same_failure.ts";
import { isHarmless } from "./script_words.ts";
import { type ScriptCommand, tellsItsStatus } from "./shell_words.ts";
import { runsTests } from "./test_commands.ts";

/** The part of an output that is kept in words: what went wrong stands at the end. */
export const KEPT_OUTPUT = { head: 600, tail: 1_400 };
export const KEPT_ERROR = { head: 900, tail: 2_200 };

/** A command that has ended. */
export interface Run {
  readonly command: string;
  /** The same, taken apart. */
  readonly commands: readonly ScriptCommand[];
  readonly output: string;
  readonly exitCode: number | null;
  readonly outcome: "success" | "failure";
  readonly surroundings: Surroundings;
}

/** A command that runs no tests. */
export function commandOf(run: Run, about: string): Observed {
  const { command, commands, output, exitCode, outcome } = run;
  const key = commandKey(command);
  if (outcome === "failure" || saysBuildFailed(commands, output)) {
    const error = errorLine(output);
    const failedWith = codeOfFailure(exitCode);
    const code = failedWith === null ? "" : ` (exit ${failedWith})`;
    return {
      kind: "failure",
      outcome: "failure",
      title: titleLine(
        `\`${shortened(failedPart(run) ?? nameOfRun(run), 70)}\` failed${code}${
          error === null ? "" : `: ${error}`
        }`,
      ),
      text: textOf(command, headAndTail(output, KEPT_ERROR), about),
      files: [],
      facts: { ...factsOf(command, failedWith, error), of: digestOf(failureKey(key)) },
      sameAs: failureKey(key),
      wrong: whatIsWrong({ failing: [], error }),
      mends: null,
    };
  }
  return plainCommand(run, about);
}

/** A command that has not failed, as far as anybody knows. */
export function plainCommand(
  { command, commands, output, exitCode }: Run,
  about: string,
): Observed {
  const key = commandKey(command);
  const isShown = showsBuildPassed(commands, output);
  const isUntold = !isShown && hidesStatus(commands);
  return {
    kind: "command",
    outcome: isUntold ? null : "success",
    title: titleLine(about === "" ? `Run ${key}` : `${about}: ${shortened(key, 90)}`),
    text: textOf(command, headAndTail(output, KEPT_OUTPUT), about),
    files: [],
    facts: isUntold
      ? { ...factsOf(command, null, null), isUntold }
      : factsOf(command, exitCode, null),
    sameAs: `command ${key}`,
    // Behind a pipe, or before an `echo`, nobody knows whether it went well, unless it says so itself.
    mends: isShown || tellsItsStatus(commands) ? failureKey(key) : null,
  };
}

/** How a title calls a command that failed: of a script of lines the one that tells most, where that is sure. */
export function nameOfRun({ command, commands }: Pick<Run, "command" | "commands">): string {
  const telling = command.includes("\n") ? commands.filter((one) => !isHarmless(one)) : [];
  const [only] = telling;
  const one = telling.find(runsTests) ?? (telling.length === 1 ? only : undefined);
  return commandKey(one?.source ?? command);
}

/** The facts of every command. */
export function factsOf(
  command: string,
  exitCode: number | null,
  error: string | null,
): ObservedFacts {
  return {
    command: headOfCommand(command),
    ...(exitCode === null ? {} : { exitCode }),
    ...(error === null ? {} : { error }),
  };
}

/** What failed with a status of 0 has hidden its own. */
export function codeOfFailure(exitCode: number | null): number | null {
  return exitCode === 0 ? null : exitCode;
}

/** A command as its facts have it. */
export function headOfCommand(command: string): string {
  return shortened(command, MAX_COMMAND_CHARS);
}

/** A command with what it printed. */
export function textOf(command: string, output: string, about = ""): string {
  return [about, `$ ${headAndTail(command, { head: 1_500, tail: 500 })}`, output]
    .filter((part) => part !== "").join("\n");
}
