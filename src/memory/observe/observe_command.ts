/** Observes a shell command: it ran, failed, ran tests, or made commits. */
import { digestOf } from "../../base/fnv.ts";
import { shortPaths } from "../../base/paths.ts";
import type { Observed, ObservedFacts, ToolUse } from "./observation.ts";
import { headAndTail, plainOutput, shortened, textIn, titleLine } from "../text.ts";
import { inItsFolder } from "./command_folder.ts";
import {
  countsText,
  factsOf,
  failingTitle,
  KEPT_OUTPUT,
  shownCommand,
  textOf,
} from "./command_text.ts";
import {
  calledName,
  readEnd,
  type ScriptEnd,
  type ScriptRun,
  wholeKey,
  withPrintedStatus,
  wrongCall,
} from "./ended_command.ts";
import { errorLine, tellingErrorLine, withoutVarying } from "./error_line.ts";
import { failureKey } from "./command_key.ts";
import { worksElsewhere } from "./git_words.ts";
import { commitOf } from "./observe_commit.ts";
import { isHarmless } from "./script_words.ts";
import { scriptCommands } from "./shell_words.ts";

const KEPT_ERROR = { head: 900, tail: 2_200 };
/** The longest name of a command in the title of a failure, in characters. */
const MAX_NAME_CHARS = 70;
const EXIT_CODE = /^Exit code (\d+)\n?/;
/** Matches the line number by which some runners name a test. */
const LINE = /:\d+$/;

/** Matches what runners print when they find no test. */
const FOUND_NONE =
  /^=*[ \t]*no tests ran\b|^=*[ \t]*\d+ deselected(?:, \d+ warnings?)? in |^collected 0 items$|^[ \t]*No tests? (?:files? )?(?:were )?found\b|^error: No test modules found|^Ran 0 tests\b|^No tests executed!|^No test matches the given testcase filter\b|^\?\s+\S+\s+\[no test files\]|^\[INFO\] (?:No tests to run|Tests are skipped)\.?$/m;
const MAX_END_CHARS = 20_000;

/** Observes a command of Bash or another shell; null for an empty command. */
export function observeCommand({ outcome, payload, root, isForeign }: ToolUse): Observed | null {
  const typed = textIn(payload["tool_input"], "command").trim();
  if (typed === "") return null;
  const about = textIn(payload["tool_input"], "description").trim();
  const shellFolder = textIn(payload, "cwd") || textIn(payload, "project_dir");
  const command = inItsFolder(typed, { root, shellFolder });
  const commands = scriptCommands(command);
  const ended = { command, commands, outcome, root, shellFolder, ...outputOf(outcome, payload) };
  const end = outcome === "failure" ? null : unknownEnd(payload);
  if (end !== null) return observeUnknownEnd(ended, { end, about });
  const run = withOwnStatus(ended, payload);
  const { passes, ...observed } = observeRun(run, about);
  if (isForeign) return observeForeignRun(observed, run, about);
  if (worksElsewhere(commands)) {
    // Results in another state say nothing about the current state of the project.
    return observed.kind === "commit" ? observed : {
      ...observed,
      facts: { ...observed.facts, isElsewhere: true },
      sameAs: observed.sameAs === null ? null : `elsewhere ${observed.sameAs}`,
    };
  }
  return passes === undefined || passes.length === 0 ? observed : { ...observed, passes };
}

/** Gives a run the exit code that its script printed, if the shell hides the exit code. */
function withOwnStatus(run: ScriptRun, payload: Readonly<Record<string, unknown>>): ScriptRun {
  if (run.outcome === "failure") return run;
  const response = payload["tool_response"];
  const printed = typeof response === "string" ? response : textIn(response, "stdout");
  const own = withPrintedStatus(run, plainOutput(printed).trim());
  return own === null
    ? run
    : { ...run, ...own, outcome: own.exitCode === 0 ? "success" : "failure" };
}

function observeRun(run: ScriptRun, about: string): Observed {
  const end = readEnd(run);
  const commit = commitOf(run);
  if (commit !== null && !end.hasFailed) return { ...commit, passes: end.passed };
  const observed = observeEnd(run, end, about);
  return commit === null ? observed : { ...observed, besides: commit };
}

function observeEnd(run: ScriptRun, end: ScriptEnd, about: string): Observed {
  const { tests, failed, hasFailed, parts } = end;
  const ofTests = failed === null
    ? parts.some(({ key }) => key.check === "test")
    : failed.key.check === "test";
  if (!ofTests) {
    return hasFailed ? observeFailure(run, end, about) : observePlainRun(run, end, about);
  }
  const last = run.output.slice(-MAX_END_CHARS);
  const ran = tests === null ? null : tests.failed + (tests.passed ?? 1);
  if (!hasFailed) {
    const ranNone = ran === 0 || tests === null && FOUND_NONE.test(last);
    // A run without tests passes no tests.
    if (ranNone) return observeNoTests(run, end, about);
    return tests === null && end.isUntold && !isOneCommand(run)
      ? observePlainRun(run, end, about)
      : observeTests(run, end, about);
  }
  const couldNotRun = (ran ?? 0) === 0 && wrongCall(run.commands, run.output) !== null;
  if (couldNotRun) return observeFailure(run, end, about);
  if (ran === 0 || tests === null && FOUND_NONE.test(last) && !/\berrors?\b/i.test(last)) {
    return observeNoTests(run, end, about);
  }
  return observeTests(run, end, about);
}

function observeNoTests(run: ScriptRun, end: ScriptEnd, about: string): Observed {
  const passes = end.passed.filter(({ check, isLine }) => check !== "test" && isLine !== true);
  return { ...observePlainRun(run, end, about), outcome: null, passes };
}

function isOneCommand({ commands }: ScriptRun): boolean {
  return commands.filter((command) => !isHarmless(command)).length === 1;
}

/** Observes a failed command that was not a test run. */
function observeFailure(run: ScriptRun, end: ScriptEnd, about: string): Observed {
  const { commands, output, exitCode } = run;
  const error = errorLine(output);
  // The script of a failure with exit code 0 has hidden the real code.
  const code = exitCode === 0 ? null : exitCode;
  const shown = code === null ? "" : ` (exit ${code})`;
  const at = end.parts.length > 1 && commands.every(({ after }) => after === "&&" || after === "")
    ? end.failed?.at
    : undefined;
  const name = at === undefined ? nameOfRun(run) : titled(commands[at]!.source, run);
  return {
    kind: "failure",
    outcome: "failure",
    title: titleLine(
      `\`${shortened(name, MAX_NAME_CHARS)}\` failed${shown}${error === null ? "" : `: ${error}`}`,
    ),
    text: textOf(run.command, headAndTail(output, KEPT_ERROR), about),
    files: [],
    ...keysOfFailure(run, end, { ...factsOf(run.command, code, error) }),
    passes: end.passed,
  };
}

/** Observes a test run, with its counts if the output holds them. */
function observeTests(run: ScriptRun, end: ScriptEnd, about: string): Observed {
  const { command, output, exitCode } = run;
  const { tests, hasFailed, isUntold } = end;
  const error = !hasFailed
    ? null
    : tests === null || tests.failed === 0
    ? errorLine(output)
    : tellingErrorLine(output);
  const code = isUntold || hasFailed && exitCode === 0 ? null : exitCode;
  const facts: ObservedFacts = {
    ...factsOf(command, code, error),
    ...(isUntold ? { isUntold: true as const } : {}),
    ...(tests === null ? {} : { failed: tests.failed, failing: tests.failing }),
    ...(tests?.passed == null ? {} : { passed: tests.passed }),
    ...(tests?.skipped ? { skipped: tests.skipped } : {}),
  };
  const name = shortened(nameOfRun(run), MAX_NAME_CHARS);
  const kept = headAndTail(output, hasFailed ? KEPT_ERROR : KEPT_OUTPUT);
  if (hasFailed) {
    return {
      kind: "test",
      outcome: "failure",
      title: failingTitle(name, facts),
      text: textOf(command, kept),
      files: [],
      ...keysOfFailure(run, end, facts),
      passes: end.passed,
    };
  }
  if (isUntold && tests === null) return observePlainRun(run, end, about);
  return {
    kind: "test",
    outcome: isUntold ? null : "success",
    title: titleLine(`${isUntold ? "Tests ran" : "Tests pass"}: ${name}${countsText(facts)}`),
    text: textOf(command, kept),
    files: [],
    facts,
    sameAs: `test ${shownCommand(command)}`,
    passes: end.passed,
  };
}

/** Observes a command that passed, or whose end is unknown. */
function observePlainRun(
  run: ScriptRun,
  { isUntold, passed }: Pick<ScriptEnd, "isUntold" | "passed">,
  about: string,
): Observed {
  const { command, output, exitCode } = run;
  const name = titled(command, run);
  return {
    kind: "command",
    outcome: isUntold ? null : "success",
    title: titleLine(about === "" ? `Run ${name}` : `${about}: ${shortened(name, 90)}`),
    text: textOf(command, headAndTail(output, KEPT_OUTPUT), about),
    files: [],
    facts: isUntold
      ? { ...factsOf(command, null, null), isUntold }
      : factsOf(command, exitCode, null),
    sameAs: `command ${shownCommand(command)}`,
    passes: passed,
  };
}

/** Returns the key of a failure, and the text that distinguishes it from other failures with the same key. */
function keysOfFailure(
  { command, commands, output }: ScriptRun,
  { failed, parts }: ScriptEnd,
  facts: ObservedFacts,
): Pick<Observed, "facts" | "sameAs" | "wrong"> {
  const wrong = wrongCall(commands, output);
  const key = failed?.key ?? (parts.length === 0 ? undefined : wholeKey(parts));
  const what = wrong !== null ? calledName(wrong) : key?.what ?? shownCommand(command);
  // When nobody can tell which part failed, the first check counts.
  const check = key?.check ?? parts.find((part) => part.key.check !== null)?.key.check ?? undefined;
  const taken = wrong !== null || key === undefined ? null : key;
  const { failing = [], error = "" } = facts;
  const names = failing.map((name) => name.replace(LINE, "")).toSorted();
  return {
    facts: {
      ...facts,
      ...(check === undefined ? {} : { check }),
      ...(taken === null || taken.paths.length === 0 ? {} : { paths: taken.paths }),
      ...(taken === null || taken.chosen.length === 0 ? {} : { chosen: taken.chosen }),
      of: digestOf(JSON.stringify([what, taken?.paths, taken?.chosen])),
    },
    sameAs: failureKey(what),
    wrong: JSON.stringify([
      taken?.check == null ? shownCommand(command) : [taken.paths, taken.chosen],
      names.length > 0 ? names : withoutVarying(error),
    ]),
  };
}

/** The name of a script in a title: its one line, or the only line that is not harmless. */
function nameOfRun(run: ScriptRun): string {
  const { command, commands } = run;
  const telling = command.includes("\n") ? commands.filter((one) => !isHarmless(one)) : [];
  return titled(telling.length === 1 ? telling[0]!.source : command, run);
}

/** A command in a title: paths inside of the project are relative to it. */
function titled(command: string, { root }: Pick<ScriptRun, "root">): string {
  return shortPaths(shownCommand(command), { folder: root ?? "", home: null });
}

/** Observes work in another project. A search finds it, but it opens and mends no failure here. */
function observeForeignRun(observed: Observed, run: ScriptRun, about: string): Observed {
  const made = observed.kind === "commit"
    ? observePlainRun(run, { isUntold: false, passed: [] }, about)
    : observed;
  const { title, text, files, facts: { command = "", exitCode, error }, sameAs } = made;
  return {
    kind: "command",
    outcome: made.outcome === "success" ? "success" : null,
    title,
    text,
    files,
    facts: { ...factsOf(command, exitCode ?? null, error ?? null), isElsewhere: true },
    sameAs: sameAs === null ? null : `elsewhere ${sameAs}`,
  };
}

/** How an interrupted command ended. Other commands of {@linkcode unknownEnd} go on in the background. */
const INTERRUPTED = "was interrupted";

/** Returns, for a title, what became of a command whose end is unknown; null for a command that ended. */
export function unknownEnd(payload: Readonly<Record<string, unknown>>): string | null {
  const response = payload["tool_response"];
  const { timedOutAfterMs, interrupted } = Object(response);
  if (interrupted === true) return INTERRUPTED;
  if (typeof timedOutAfterMs === "number") {
    return `went on in the background after ${Math.round(timedOutAfterMs / 1_000)} s`;
  }
  const isStarted = textIn(response, "backgroundTaskId") !== "" ||
    Object(payload["tool_input"]).run_in_background === true;
  return isStarted ? "started in the background" : null;
}

/** Observes a command whose end is unknown. Of its commits, only those that git has printed count. */
function observeUnknownEnd(
  run: ScriptRun,
  { end, about }: { readonly end: string; readonly about: string },
): Observed {
  const { command, output } = run;
  const key = shownCommand(command);
  const name = titled(command, run);
  const commit = commitOf({ ...run, outcome: "failure" });
  return {
    kind: "command",
    outcome: null,
    title: titleLine(`\`${shortened(name, 90)}\` ${end}`),
    text: textOf(command, headAndTail(output, KEPT_OUTPUT), about),
    files: [],
    facts: {
      ...factsOf(command, null, null),
      ...(end === INTERRUPTED ? {} : { isStarted: true as const }),
    },
    sameAs: `command ${key} ${end}`,
    ...(commit === null ? {} : { besides: commit }),
  };
}

function outputOf(
  outcome: "success" | "failure",
  payload: Readonly<Record<string, unknown>>,
): { readonly output: string; readonly exitCode: number | null } {
  if (outcome === "failure") {
    const error = typeof payload["error"] === "string" ? payload["error"] : "";
    const [head, code] = EXIT_CODE.exec(error) ?? ["", undefined];
    return {
      output: plainOutput(error.slice(head.length)).trim(),
      exitCode: code === undefined ? null : Number(code),
    };
  }
  const response = payload["tool_response"];
  const parts = typeof response === "string"
    ? [response]
    : [textIn(response, "stdout"), textIn(response, "stderr")];
  const { exit_code: code } = Object(response);
  return {
    output: plainOutput(parts.filter((part) => part.trim() !== "").join("\n")).trim(),
    exitCode: Number.isInteger(code) ? code : 0,
  };
}
