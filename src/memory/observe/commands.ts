/** What a shell command tells: that it ran, failed, tested, or committed. */
import type { Observed, ObservedFacts, ToolUse } from "../observation.ts";
import { digestOf } from "../fnv.ts";
import { headAndTail, plainOutput, shortened, textIn, titleLine } from "../text.ts";
import { chainParts } from "./chain_parts.ts";
import { inItsFolder } from "./command_folder.ts";
import { madeCommit } from "./commits.ts";
import { errorLine, tellingErrorLine } from "./error_line.ts";
import { saysBuildFailed } from "./failed_builds.ts";
import { whatIsWrong } from "./same_failure.ts";
import { isTestCommand, readTestRun, type TestRun } from "./test_runs.ts";
import { type ScriptCommand, scriptCommands, tellsItsStatus } from "./shell_words.ts";
import { passedTargets, soleTarget, targetKey } from "./test_target.ts";

/** The part of an output that is kept in words: what went wrong stands at the end. */
const KEPT_OUTPUT = { head: 600, tail: 1_400 };
const KEPT_ERROR = { head: 900, tail: 2_200 };
const MAX_COMMAND_CHARS = 1_000;

const EXIT_CODE = /^Exit code (\d+)\n?/;

/** Bash and its like. */
export function observeCommand({ outcome, payload, root }: ToolUse): Observed | null {
  const typed = textIn(payload["tool_input"], "command").trim();
  if (typed === "") return null;
  const shellFolder = textIn(payload, "cwd") || textIn(payload, "project_dir");
  const command = inItsFolder(typed, { root, shellFolder });
  const commands = scriptCommands(command);
  const run = { command, commands, outcome, ...outputOf(outcome, payload) };
  const told = toldOf(run, aboutOf(payload));
  if (outcome === "failure" || told.mends === null) return told;
  const parts = chainParts(command, commands, { root, shellFolder });
  return { ...told, mendsParts: parts.map((part) => failureKey(commandKey(part))) };
}

function toldOf(run: Run, about: string): Observed {
  const commit = commitOf(run);
  if (commit !== null && run.outcome === "success") return commit;
  const told = isTestCommand(run.command) ? testOf(run) : commandOf(run, about);
  return commit === null ? told : { ...told, besides: commit };
}

/**
 * A command without what does not change what it does: where its output goes. `npm test` and `npm test 2>&1 | tail -20`
 * are the same.
 */
export function commandKey(command: string): string {
  // Blanks first: a pattern that begins with any number of them looks at a run of them from each of its places.
  const line = command.replace(/\s+/g, " ")
    .replace(/ ?(?:\d?>&\d|&> ?\S+|\d?>>? ?\/dev\/null)/g, "");
  return withoutFilters(line)
    .replace(/ ?; ?echo [^;]*$/, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_COMMAND_CHARS);
}

/** What shortens an output does not change what a command does. */
const FILTER = / ?(?:tail|head|grep|cat|less|tee|sed)\b/y;

/** Without the filters at the end of a pipeline. */
function withoutFilters(line: string): string {
  let end = line.length;
  for (let bar = line.lastIndexOf("|"); bar >= 0; bar = line.lastIndexOf("|", bar - 1)) {
    FILTER.lastIndex = bar + 1;
    if (!FILTER.test(line)) break;
    end = line[bar - 1] === " " ? bar - 1 : bar;
    if (bar === 0) break;
  }
  return line.slice(0, end);
}

interface Run {
  readonly command: string;
  /** The same, taken apart. */
  readonly commands: readonly ScriptCommand[];
  readonly output: string;
  readonly exitCode: number | null;
  readonly outcome: "success" | "failure";
}

function testOf({ command, commands, output, exitCode, outcome }: Run): Observed {
  const run = readTestRun(output);
  // Behind a pipe the status is another program's.
  const failed = outcome === "failure" ||
    (run === null ? saysBuildFailed(commands, output) : run.failed > 0);
  const isUntold = !failed && !tellsItsStatus(commands) && (run === null || looksFailed(output));
  const key = commandKey(command);
  const error = !failed ? null : run === null ? errorLine(output) : tellingErrorLine(output);
  const counts = run === null ? "" : countsText(run);
  const what = failed ? "Tests fail" : isUntold ? "Tests ran" : "Tests pass";
  const why = run?.failing[0] ?? error;
  const target = soleTarget(commands, run !== null && (!failed || run.failed > 0));
  // Go counts none: what a filter shows may be a part of them.
  const isCut = target?.runner === "go test" && commands.some(({ before }) => before === "|");
  const isWhole = run !== null && run.failedIn !== null && target?.stopsEarly === false && !isCut;
  const sameAs = `${failed ? "failure" : "test"} ${target === null ? key : targetKey(target)}`;
  return {
    kind: "test",
    outcome: failed ? "failure" : isUntold ? null : "success",
    title: titleLine(
      `${what}: ${shortened(key, 70)}${counts}${failed && why ? `: ${why}` : ""}`,
    ),
    text: textOf(command, headAndTail(output, failed ? KEPT_ERROR : KEPT_OUTPUT)),
    files: [],
    facts: {
      ...factsOf(command, failed ? codeOfFailure(exitCode) : exitCode, error),
      ...(run === null ? {} : { failed: run.failed, failing: run.failing }),
      ...(run?.passed == null ? {} : { passed: run.passed }),
      ...(failed && isWhole ? { failedIn: run.failedIn } : {}),
      ...(failed ? { of: digestOf(sameAs) } : {}),
    },
    sameAs,
    ...(failed ? { wrong: whatIsWrong({ failing: run?.failing ?? [], error }) } : {}),
    ...(failed && isWhole && run.ranAll && target.narrowing === ""
      ? { took: { target, failedIn: run.failedIn } }
      : {}),
    ...failed || isUntold ? { mends: null } : mendsOfTests({ command, commands }, run),
  };
}

/** Whether an output speaks of failures, where no status tells; `0 failed` is none. */
function looksFailed(output: string): boolean {
  return /\b(?:fail(?:ed|ures?|ing|s)?|errors?)\b/i.test(
    output.replace(/\b(?:0|no) (?:fail(?:ed|ures?|ing|s)?|errors?)\b/gi, ""),
  );
}

/** What a run of tests mends that passes: nothing when none ran, or when its status is another program's. */
function mendsOfTests(
  { command, commands }: Pick<Run, "command" | "commands">,
  run: TestRun | null,
): Pick<Observed, "mends" | "passes"> {
  const passes = passedTargets(commands, run !== null);
  const isUntold = passes.length === 0 && soleTarget(commands, true) !== null;
  if (run?.passed === 0 || isUntold) return { mends: null };
  return { mends: failureKey(commandKey(command)), passes };
}

function countsText(
  { passed, failed }: { readonly passed: number | null; readonly failed: number },
): string {
  const parts = [
    ...passed === null ? [] : [`${passed} passed`],
    ...failed === 0 ? [] : [`${failed} failed`],
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function commandOf(
  { command, commands, output, exitCode, outcome }: Run,
  about: string,
): Observed {
  const key = commandKey(command);
  if (outcome === "failure" || saysBuildFailed(commands, output)) {
    const error = errorLine(output);
    const failedWith = codeOfFailure(exitCode);
    const code = failedWith === null ? "" : ` (exit ${failedWith})`;
    return {
      kind: "failure",
      outcome: "failure",
      title: titleLine(
        `\`${shortened(key, 70)}\` failed${code}${error === null ? "" : `: ${error}`}`,
      ),
      text: textOf(command, headAndTail(output, KEPT_ERROR), about),
      files: [],
      facts: { ...factsOf(command, failedWith, error), of: digestOf(failureKey(key)) },
      sameAs: failureKey(key),
      wrong: whatIsWrong({ failing: [], error }),
      mends: null,
    };
  }
  return {
    kind: "command",
    outcome: "success",
    title: titleLine(about === "" ? `Run ${key}` : `${about}: ${shortened(key, 90)}`),
    text: textOf(command, headAndTail(output, KEPT_OUTPUT), about),
    files: [],
    facts: factsOf(command, exitCode, null),
    sameAs: `command ${key}`,
    // Behind a pipe, or before an `echo`, nobody knows whether it went well.
    mends: tellsItsStatus(commands) ? failureKey(key) : null,
  };
}

function commitOf(run: Run): Observed | null {
  const commit = madeCommit(run);
  if (commit === null) return null;
  const { command, commands, output, outcome } = run;
  const { hash, subject, branch, origin } = commit;
  const name = `${hash === null ? "" : ` ${hash.slice(0, 7)}`}${
    branch === null ? "" : ` on ${branch}`
  }`;
  return {
    kind: "commit",
    outcome: "success",
    title: titleLine(`Commit${name}${subject === null ? ` ${origin}` : `: ${subject}`}`),
    text: textOf(command, headAndTail(output, KEPT_OUTPUT)),
    files: [],
    facts: { command: headOfCommand(command), commit: { hash, subject } },
    sameAs: hash === null && subject === null ? null : `commit ${hash ?? subject}`,
    // What failed behind it may be what had failed before.
    ...outcome === "failure"
      ? { mends: null }
      : { mends: failureKey(commandKey(command)), passes: passedTargets(commands, false) },
  };
}

/** What failures of a command have in common. */
export function failureKey(key: string): string {
  return `failure ${key}`;
}

function factsOf(command: string, exitCode: number | null, error: string | null): ObservedFacts {
  return {
    command: headOfCommand(command),
    ...(exitCode === null ? {} : { exitCode }),
    ...(error === null ? {} : { error }),
  };
}

/** What failed with a status of 0 has hidden its own. */
function codeOfFailure(exitCode: number | null): number | null {
  return exitCode === 0 ? null : exitCode;
}

function headOfCommand(command: string): string {
  return shortened(command, MAX_COMMAND_CHARS);
}

function textOf(command: string, output: string, about = ""): string {
  return [about, `$ ${headAndTail(command, { head: 1_500, tail: 500 })}`, output]
    .filter((part) => part !== "").join("\n");
}

function aboutOf(payload: Readonly<Record<string, unknown>>): string {
  return textIn(payload["tool_input"], "description").trim();
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
