/** Observes a shell command: it ran, failed, ran tests, or made commits. */
import { digestOf } from "../../base/fnv.ts";
import { shortPaths } from "../../base/paths.ts";
import { makeObserved, type Observed, type ObservedFacts, type ToolUse } from "./observation.ts";
import { plainOutput, shortened, textIn } from "../text.ts";
import { inItsFolder } from "./command_folder.ts";
import { countsText, factsOf, failingTitle, shownCommand, textOf } from "./command_text.ts";
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
import { isHarmless, scriptCommands, worksElsewhere } from "./shell_words.ts";
import { commitOf } from "./observe_commit.ts";

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
  const ended = {
    command,
    commands,
    outcome,
    root,
    shellFolder,
    about,
    ...outputOf(outcome, payload),
  };
  if (outcome === "success") {
    const end = unknownEnd(payload);
    if (end !== null) return observeUnknownEnd(ended, end);
  }
  const run = withOwnStatus(ended, payload["tool_response"]);
  const { passes = [], ...observed } = observeRun(run);
  if (isForeign) return observeForeignRun(observed, run);
  if (!worksElsewhere(commands)) return passes.length === 0 ? observed : { ...observed, passes };
  // Results in another state say nothing about the current state of the project.
  return observed.kind === "commit" ? observed : elsewhere(observed, observed.facts);
}

/** Gives a run the exit code that its script printed, if the shell hides the exit code. */
function withOwnStatus(run: ScriptRun, response: unknown): ScriptRun {
  const printed = typeof response === "string" ? response : textIn(response, "stdout");
  return run.outcome === "failure" ? run : withPrintedStatus(run, plainOutput(printed).trim());
}

function observeRun(run: ScriptRun): Observed {
  const end = readEnd(run);
  const commit = commitOf(run);
  if (commit !== null && !end.hasFailed) return { ...commit, passes: end.passed };
  const observed = observeEnd(run, end);
  return commit === null ? observed : { ...observed, besides: commit };
}

function observeEnd(run: ScriptRun, end: ScriptEnd): Observed {
  const { tests, failed, hasFailed, parts } = end;
  const ofTests = (failed === null ? parts : [failed]).some(({ key }) => key.check === "test");
  if (!ofTests) return hasFailed ? observeFailure(run, end) : observePlainRun(run, end);
  const ran = tests === null ? null : tests.failed + (tests.passed ?? 1);
  if (hasFailed && !ran && wrongCall(run.commands, run.output) !== null) {
    return observeFailure(run, end);
  }
  const last = run.output.slice(-MAX_END_CHARS);
  const foundNone = tests === null && FOUND_NONE.test(last) &&
    !(hasFailed && /\berrors?\b/i.test(last));
  if (ran === 0 || foundNone) {
    // A run without tests passes no tests.
    const passes = end.passed.filter(({ check, isLine }) => check !== "test" && isLine !== true);
    return { ...observePlainRun(run, end), outcome: null, passes };
  }
  const isKnown = hasFailed || tests !== null || !end.isUntold;
  return isKnown ? observeTests(run, end) : observePlainRun(run, end);
}

/** Observes a failed command that was not a test run. */
function observeFailure(run: ScriptRun, end: ScriptEnd): Observed {
  const { command, commands, output } = run;
  const error = errorLine(output);
  // The script of a failure with exit code 0 has hidden the real code.
  const code = run.exitCode || null;
  const isChain = commands.every(({ after }) => after === "&&" || after === "");
  const at = end.parts.length > 1 && isChain ? end.failed?.at : undefined;
  const name = at === undefined ? nameOfRun(run) : titled(commands[at]!.source, run);
  const shown = `\`${shortened(name, MAX_NAME_CHARS)}\` failed${
    code === null ? "" : ` (exit ${code})`
  }`;
  return makeObserved("failure", error === null ? shown : `${shown}: ${error}`, {
    outcome: "failure",
    text: textOf(run, KEPT_ERROR),
    ...keysOfFailure(run, end, factsOf(command, code, error)),
    passes: end.passed,
  });
}

/** Observes a test run, with its counts if the output holds them. */
function observeTests(run: ScriptRun, end: ScriptEnd): Observed {
  const { command, output, exitCode } = run;
  const { tests, hasFailed, isUntold, passed: passes } = end;
  const error = !hasFailed ? null : tests?.failed ? tellingErrorLine(output) : errorLine(output);
  const facts: ObservedFacts = {
    ...factsOf(command, isUntold || hasFailed && exitCode === 0 ? null : exitCode, error),
    ...(isUntold ? { isUntold } : {}),
    ...(tests === null ? {} : { failed: tests.failed, failing: tests.failing }),
    ...(tests?.passed == null ? {} : { passed: tests.passed }),
    ...(tests?.skipped ? { skipped: tests.skipped } : {}),
  };
  const name = shortened(nameOfRun(run), MAX_NAME_CHARS);
  const text = textOf({ ...run, about: "" }, hasFailed ? KEPT_ERROR : undefined);
  if (hasFailed) {
    const keys = keysOfFailure(run, end, facts);
    const title = failingTitle(name, facts);
    return makeObserved("test", title, { outcome: "failure", text, ...keys, passes });
  }
  return makeObserved("test", `Tests ${isUntold ? "ran" : "pass"}: ${name}${countsText(facts)}`, {
    outcome: isUntold ? null : "success",
    text,
    facts,
    sameAs: `test ${shownCommand(command)}`,
    passes,
  });
}

/** Observes a command that passed, or whose end is unknown. */
function observePlainRun(
  run: ScriptRun,
  { isUntold, passed: passes }: Pick<ScriptEnd, "isUntold" | "passed">,
): Observed {
  const { command, exitCode, about } = run;
  const name = titled(command, run);
  return makeObserved(
    "command",
    about === "" ? `Run ${name}` : `${about}: ${shortened(name, 90)}`,
    {
      outcome: isUntold ? null : "success",
      text: textOf(run),
      facts: {
        ...factsOf(command, isUntold ? null : exitCode, null),
        ...(isUntold ? { isUntold } : {}),
      },
      sameAs: `command ${shownCommand(command)}`,
      passes,
    },
  );
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

/** The name of a script in a title: of several lines, the only command that is not harmless; otherwise the script. */
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
function observeForeignRun(observed: Observed, run: ScriptRun): Observed {
  const { facts: { command = "", exitCode = null, error = null }, ...rest } =
    observed.kind === "commit" ? observePlainRun(run, { isUntold: false, passed: [] }) : observed;
  const { title, text, files, sameAs } = rest;
  const outcome = rest.outcome === "success" ? "success" : null;
  const found = makeObserved("command", title, { outcome, text, files, sameAs });
  return elsewhere(found, factsOf(command, exitCode, error));
}

function elsewhere(observed: Observed, facts: ObservedFacts): Observed {
  const sameAs = observed.sameAs === null ? null : `elsewhere ${observed.sameAs}`;
  return { ...observed, facts: { ...facts, isElsewhere: true }, sameAs };
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
function observeUnknownEnd(run: ScriptRun, end: string): Observed {
  const { command } = run;
  const commit = commitOf({ ...run, outcome: "failure" });
  return makeObserved("command", `\`${shortened(titled(command, run), 90)}\` ${end}`, {
    text: textOf(run),
    facts: {
      ...factsOf(command, null, null),
      ...(end === INTERRUPTED ? {} : { isStarted: true }),
    },
    sameAs: `command ${shownCommand(command)} ${end}`,
    ...(commit === null ? {} : { besides: commit }),
  });
}

/** Returns what a command printed, and its exit code; null when Claude Code tells none. */
function outputOf(outcome: "success" | "failure", payload: Readonly<Record<string, unknown>>) {
  const { error, tool_response: response } = payload;
  if (outcome === "failure") {
    const [head = "", code] = EXIT_CODE.exec(String(error ?? "")) ?? [];
    const output = plainOutput(String(error ?? "").slice(head.length)).trim();
    return { output, exitCode: code === undefined ? null : Number(code) };
  }
  const parts = typeof response === "string"
    ? [response]
    : [textIn(response, "stdout"), textIn(response, "stderr")];
  const output = plainOutput(parts.filter((part) => part.trim() !== "").join("\n")).trim();
  const { exit_code: code } = Object(response);
  return { output, exitCode: Number.isInteger(code) ? Number(code) : 0 };
}
