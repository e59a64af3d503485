/** What a shell command tells: that it ran, failed, tested, or committed. */
import type { Observed, ToolUse } from "../observation.ts";
import { headAndTail, plainOutput, shortened, textIn, titleLine } from "../text.ts";
import { chainParts } from "./chain_parts.ts";
import { inItsFolder } from "./command_folder.ts";
import { commandKey, failureKey } from "./command_key.ts";
import { type Check, passedChecks } from "./checks.ts";
import { chained } from "./chained.ts";
import { type MadeCommit, madeCommits } from "./commits.ts";
import { committedFiles } from "./committed_files.ts";
import { speaksOfFailure } from "./failed_builds.ts";
import { endedOperations, failedOperation } from "./git_operations.ts";
import { gitArguments, worksElsewhere } from "./git_words.ts";
import { otherForms } from "./mending_forms.ts";
import { setAsideBy } from "./set_aside.ts";
import { isHarmless } from "./script_words.ts";
import { type ScriptCommand, scriptCommands, tellsItsStatus } from "./shell_words.ts";
import { mergedBranch } from "./merged_branch.ts";
import { callsOf, slipOf } from "./slips.ts";
import { takenBack } from "./taken_back.ts";
import { isTestCommand } from "./test_commands.ts";
import { showsBuildPassed, showsSuccess } from "./passed_builds.ts";
import { withPrintedStatus } from "./printed_status.ts";
import { passedTargets } from "./test_target.ts";
import {
  commandOf,
  factsOf,
  headOfCommand,
  KEPT_OUTPUT,
  plainCommand,
  type Run,
  textOf,
} from "./told_command.ts";
import { withTestsWithin } from "./tests_within.ts";
import { testOf } from "./told_tests.ts";
import { isOnlyTried } from "./tried_commands.ts";
import { INTERRUPTED, unknownEnd } from "./unknown_end.ts";

const EXIT_CODE = /^Exit code (\d+)\n?/;

const COMMAND_NOT_FOUND = 127;

/** What may have run tests itself, so that it was they that failed. */
const MAY_TEST =
  /\b(?:make|just|rake|task|nx|turbo|lerna|tox|nox|gradlew?|mvnw?|verify|validate|ci|all|pre-?commit|(?<!(?:cargo|deno|ruff) )check)\b/;

/** Bash and its like. */
export function observeCommand({ outcome, payload, root, isForeign }: ToolUse): Observed | null {
  const typed = textIn(payload["tool_input"], "command").trim();
  if (typed === "") return null;
  const shellFolder = textIn(payload, "cwd") || textIn(payload, "project_dir");
  const surroundings = { root, shellFolder };
  const command = inItsFolder(typed, surroundings);
  const commands = scriptCommands(command);
  const ended = { command, commands, outcome, surroundings, ...outputOf(outcome, payload) };
  const end = outcome === "failure" ? null : unknownEnd(payload);
  if (end !== null) return notAwaited(ended, { end, about: aboutOf(payload) });
  const run = withOwnStatus(ended, payload);
  const told = withState(toldOf(run, aboutOf(payload)), run);
  if (isForeign) return ofOtherProject(told, run, aboutOf(payload));
  if (worksElsewhere(commands)) return ofElsewhere(told);
  const parts = passedParts(told, run);
  const passed = told.mends === null || parts.length > 0 ? parts : [command];
  const also = [...parts, ...passed.flatMap(otherForms)];
  const checks = told.mends === null ? [] : checksBy(run);
  return {
    ...told,
    ...(also.length === 0 ? {} : { mendsParts: also.map(failureOfCommand) }),
    ...(checks.length === 0 ? {} : { checks }),
    ...(showsNoFailure(told, run, payload) ? { mendsShown: shownBy(run) } : {}),
  };
}

function checksBy({ command, commands, output }: Run): readonly Check[] {
  return passedChecks(command, { output, isShown: showsBuildPassed(commands, output) });
}

/** A run with the status that its script has printed, where the shell hides it. */
function withOwnStatus(run: Run, payload: Readonly<Record<string, unknown>>): Run {
  if (run.outcome === "failure") return run;
  const response = payload["tool_response"];
  const printed = typeof response === "string" ? response : textIn(response, "stdout");
  const own = withPrintedStatus(run, plainOutput(printed).trim());
  if (own === null) return run;
  return { ...run, ...own, outcome: own.exitCode === 0 ? "success" : "failure" };
}

/** Whether a command of which the end is not known has shown what it printed, and that speaks of no failure. */
function showsNoFailure(
  { facts }: Observed,
  { output }: Run,
  payload: Readonly<Record<string, unknown>>,
): boolean {
  const isShown = Object(payload["tool_response"]).isSummary !== true;
  return facts.isUntold === true && isShown && !speaksOfFailure(output);
}

/** What a command without a failure has shown mends, and how much that is. */
function shownBy({ command, commands, output }: Run): NonNullable<Observed["mendsShown"]> {
  return {
    of: failureOfCommand(command),
    lines: output === "" ? 0 : output.split("\n").length,
    isSuccess: showsSuccess(commands, output),
  };
}

function failureOfCommand(command: string): string {
  return failureKey(commandKey(command));
}

/** The parts of a script that have passed: all with it, and those before its tests when these ran and failed. */
function passedParts(told: Observed, { command, commands, surroundings }: Run): readonly string[] {
  const haveFailed = told.kind === "test" && told.facts.failed !== undefined;
  if (told.outcome === "failure" && !haveFailed) return [];
  const parts = chainParts(command, commands, surroundings);
  if (told.outcome === "failure") {
    return parts.slice(0, Math.max(0, parts.findIndex(isTestCommand)))
      .filter((part) => !MAY_TEST.test(part));
  }
  // Where no test ran, nothing is known of those alone.
  return told.mends === null ? parts.filter((part) => !isTestCommand(part)) : parts;
}

function toldOf(run: Run, about: string): Observed {
  const commit = commitOf(run);
  if (commit !== null && run.outcome === "success") return commit;
  const told = isTestCommand(run.command)
    ? testOf(run, about)
    : withTestsWithin(commandOf(run, about), run);
  return commit === null ? told : { ...told, besides: commit };
}

/** What a command has told with what it did to the operations of git and to the work, and whether it was only tried. */
function withState(told: Observed, run: Run): Observed {
  const aside = setAsideBy(run);
  const slip = run.outcome === "failure" ? slipOf(run) : null;
  const git = told.outcome === "failure" ? failedOperation(told, run) : null;
  const ended = told.outcome === "success" || told.facts.isUntold === true
    ? endedOperations(run)
    : told.besides?.kind === "commit"
    ? endedOperations({ ...run, commands: untilCommit(run.commands) })
    : [];
  const facts = {
    ...told.facts,
    ...(aside === null ? {} : { aside }),
    ...(git === null ? {} : { git }),
    ...(told.kind === "failure" && isOnlyTried(run) ? { isTried: true as const } : {}),
    ...(told.kind === "failure" && slip !== null ? { slip } : {}),
  };
  const calls = slip === null && facts.isTried !== true ? ranPrograms(told, run) : [];
  const back = takenBack(told, run);
  const merged = mergedBranch(run);
  return {
    ...told,
    facts,
    ...(calls.length === 0 ? {} : { calls }),
    ...(ended.length === 0 ? {} : { ended }),
    ...(back === null ? {} : { takenBack: back }),
    ...(merged === null ? {} : { merged }),
  };
}

/** The programs that a script has run for certain, as its calls count. */
function ranPrograms({ outcome, facts }: Observed, { commands }: Run): readonly string[] {
  const done = commands.filter((command) => !isHarmless(command));
  const { exitCode } = facts;
  // One that somebody refused has no status.
  const hasFailed = exitCode !== undefined && exitCode !== COMMAND_NOT_FOUND;
  const hasRun = outcome === "success" && tellsItsStatus(commands) ||
    done.length === 1 && (outcome !== "failure" || hasFailed);
  return hasRun ? callsOf(done) : [];
}

/** The part of a script that has gone well when a commit of it was made, whatever failed behind that. */
function untilCommit(commands: readonly ScriptCommand[]): ScriptCommand[] {
  const at = commands.findLastIndex(({ words }) => gitArguments(words)?.[0] === "commit");
  return commands.slice(0, at + 1).map((one, n) => n === at ? { ...one, after: "" } : one);
}

/** What was found in another state says nothing of the one that the project is in. */
function ofElsewhere(
  {
    passes: _passes,
    taken: _taken,
    took: _took,
    ended: _ended,
    takenBack: _back,
    merged: _merged,
    ...told
  }: Observed,
): Observed {
  if (told.kind === "commit") return told;
  return { ...told, facts: { ...told.facts, isElsewhere: true }, mends: null };
}

/** What was done in another project is only told when it is asked for: nothing of it is open here, or done. */
function ofOtherProject(told: Observed, run: Run, about: string): Observed {
  const made = told.kind === "commit" ? plainCommand(run, about) : told;
  const { title, text, files, facts: { command = "", exitCode, error }, sameAs } = made;
  return {
    kind: "command",
    outcome: made.outcome === "success" ? "success" : null,
    title,
    text,
    files,
    facts: { ...factsOf(command, exitCode ?? null, error ?? null), isElsewhere: true },
    sameAs: sameAs === null ? null : `elsewhere ${sameAs}`,
    mends: null,
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
    facts: {
      ...factsOf(command, null, null),
      ...(end === INTERRUPTED ? {} : { isStarted: true as const }),
    },
    sameAs: `command ${key} ${end}`,
    mends: null,
    ...(commit === null ? {} : { besides: commit }),
  };
}

/** What a command has committed: the first, with the others as what it tells besides. */
function commitOf(run: Run): Observed | null {
  const made = madeCommits(run);
  // Of several nobody knows which files are whose.
  const files = made.length === 1 ? committedFiles(run.output) : [];
  return chained(made.map((commit) => ({
    ...observedCommit(run, commit),
    files: files.map((path) => ({ path, digest: null })),
  })));
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
