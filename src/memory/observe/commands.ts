/** What a shell command tells: that it ran, failed, tested, or committed. */
import type { Observed, ObservedFacts, ToolUse } from "../observation.ts";
import { digestOf } from "../fnv.ts";
import { headAndTail, plainOutput, shortened, textIn, titleLine } from "../text.ts";
import { chainParts } from "./chain_parts.ts";
import { commandKey, failureKey, MAX_COMMAND_CHARS } from "./command_key.ts";
import { inItsFolder, type Surroundings } from "./command_folder.ts";
import { type MadeCommit, madeCommits } from "./commits.ts";
import { errorLine, tellingErrorLine } from "./error_line.ts";
import { saysBuildFailed } from "./failed_builds.ts";
import { endedOperations, failedOperation } from "./git_operations.ts";
import { worksElsewhere } from "./git_words.ts";
import { whyNoTests } from "./no_tests.ts";
import { whatIsWrong } from "./same_failure.ts";
import { isTestCommand } from "./test_commands.ts";
import { readTestRun, type TestRun } from "./test_runs.ts";
import { setAsideBy } from "./set_aside.ts";
import { type ScriptCommand, scriptCommands, tellsItsStatus } from "./shell_words.ts";
import { passedTargets, soleTarget, targetKey } from "./test_target.ts";
import { unknownEnd } from "./unknown_end.ts";

/** The part of an output that is kept in words: what went wrong stands at the end. */
const KEPT_OUTPUT = { head: 600, tail: 1_400 };
const KEPT_ERROR = { head: 900, tail: 2_200 };

const EXIT_CODE = /^Exit code (\d+)\n?/;

/** Bash and its like. */
export function observeCommand({ outcome, payload, root }: ToolUse): Observed | null {
  const typed = textIn(payload["tool_input"], "command").trim();
  if (typed === "") return null;
  const shellFolder = textIn(payload, "cwd") || textIn(payload, "project_dir");
  const surroundings = { root, shellFolder };
  const command = inItsFolder(typed, surroundings);
  const commands = scriptCommands(command);
  const run = { command, commands, outcome, surroundings, ...outputOf(outcome, payload) };
  const end = outcome === "failure" ? null : unknownEnd(payload);
  if (end !== null) return notAwaited(run, { end, about: aboutOf(payload) });
  const told = withGit(toldOf(run, aboutOf(payload)), run);
  if (worksElsewhere(commands)) return ofElsewhere(told);
  if (outcome === "failure" || told.mends === null) return told;
  const parts = chainParts(command, commands, surroundings);
  return { ...told, mendsParts: parts.map((part) => failureKey(commandKey(part))) };
}

function toldOf(run: Run, about: string): Observed {
  const commit = commitOf(run);
  if (commit !== null && run.outcome === "success") return commit;
  const told = isTestCommand(run.command) ? testOf(run, about) : commandOf(run, about);
  return commit === null ? told : { ...told, besides: commit };
}

/** What a command has told with what it did to the operations of git, and to the work that is under way. */
function withGit(told: Observed, run: Run): Observed {
  const aside = setAsideBy(run);
  const git = told.kind === "failure" ? failedOperation(run) : null;
  const ended = told.outcome === "success" ? endedOperations(run) : [];
  const facts = {
    ...told.facts,
    ...(aside === null ? {} : { aside }),
    ...(git === null ? {} : { git }),
  };
  return { ...told, facts, ...(ended.length === 0 ? {} : { ended }) };
}

/** What was found in another state says nothing of the one that the project is in. */
function ofElsewhere(
  { passes: _passes, taken: _taken, took: _took, ended: _ended, ...told }: Observed,
): Observed {
  if (told.kind === "commit") return told;
  return { ...told, facts: { ...told.facts, isElsewhere: true }, mends: null };
}

interface Run {
  readonly command: string;
  /** The same, taken apart. */
  readonly commands: readonly ScriptCommand[];
  readonly output: string;
  readonly exitCode: number | null;
  readonly outcome: "success" | "failure";
  readonly surroundings: Surroundings;
}

function testOf(called: Run, about: string): Observed {
  const { command, commands, output, exitCode, outcome } = called;
  const run = readTestRun(output);
  const none = whyNoTests(called, run);
  if (none === "reached") return commandOf(called, about);
  // What ran nothing has not passed, so that it mends nothing, and has not failed.
  if (none === "found") return { ...plainCommand(called, about), outcome: null, mends: null };
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
      ...(run?.skipped ? { skipped: run.skipped } : {}),
      ...(failed && isWhole ? { failedIn: run.failedIn } : {}),
      ...(failed ? { of: digestOf(sameAs) } : {}),
    },
    sameAs,
    ...(failed ? { wrong: whatIsWrong({ failing: run?.failing ?? [], error }) } : {}),
    ...(failed && isWhole && run.ranAll && target.narrowing === ""
      ? { took: { target, failedIn: run.failedIn, run } }
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
): Pick<Observed, "mends" | "passes" | "taken"> {
  const passes = passedTargets(commands, run !== null);
  const isUntold = passes.length === 0 && soleTarget(commands, true) !== null;
  if (run?.passed === 0 || isUntold) return { mends: null };
  const mends = failureKey(commandKey(command));
  return run === null ? { mends, passes } : { mends, passes, taken: run };
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

function commandOf(run: Run, about: string): Observed {
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
  return plainCommand(run, about);
}

function plainCommand({ command, commands, output, exitCode }: Run, about: string): Observed {
  const key = commandKey(command);
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

/** A command whose end nobody knows: only what git itself has said of a commit before it is sure. */
function notAwaited(
  run: Run,
  { end, about }: { readonly end: string; readonly about: string },
): Observed {
  const { command, output } = run;
  const key = commandKey(command);
  const commit = commitOf({ ...run, outcome: "failure" });
  return {
    kind: "command",
    outcome: null,
    title: titleLine(`\`${shortened(key, 90)}\` ${end}`),
    text: textOf(command, headAndTail(output, KEPT_OUTPUT), about),
    files: [],
    facts: factsOf(command, null, null),
    sameAs: `command ${key} ${end}`,
    mends: null,
    ...(commit === null ? {} : { besides: commit }),
  };
}

/** What a command has committed: the first, with the others as what it tells besides. */
function commitOf(run: Run): Observed | null {
  return madeCommits(run).reduceRight<Observed | null>((later, commit) => {
    const told = observedCommit(run, commit);
    return later === null ? told : { ...told, besides: later };
  }, null);
}

function observedCommit({ command, commands, output, outcome }: Run, commit: MadeCommit): Observed {
  const { hash, subject, branch, origin, isAmended } = commit;
  const name = `${hash === null ? "" : ` ${hash.slice(0, 7)}`}${
    branch === null ? "" : ` on ${branch}`
  }${isAmended && origin !== "amended" ? ", amended" : ""}`;
  return {
    kind: "commit",
    outcome: "success",
    title: titleLine(`Commit${name}${subject === null ? ` ${origin}` : `: ${subject}`}`),
    text: textOf(command, headAndTail(output, KEPT_OUTPUT)),
    files: [],
    facts: {
      command: headOfCommand(command),
      commit: { hash, subject, ...(isAmended ? { amended: true } : {}) },
    },
    sameAs: hash === null && subject === null ? null : `commit ${hash ?? subject}`,
    // What failed behind it may be what had failed before.
    ...outcome === "failure"
      ? { mends: null }
      : { mends: failureKey(commandKey(command)), passes: passedTargets(commands, false) },
  };
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
