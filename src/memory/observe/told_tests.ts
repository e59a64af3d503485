/** What a command tells that runs tests. */
import { digestOf } from "../fnv.ts";
import type { Observed, ObservedFacts } from "../observation.ts";
import { headAndTail, shortened, titleLine } from "../text.ts";
import { commandKey, failureKey } from "./command_key.ts";
import { echoedScripts } from "./echoed_scripts.ts";
import { errorLine, tellingErrorLine } from "./error_line.ts";
import { errorSigns } from "./error_signs.ts";
import { saysBuildFailed } from "./failed_builds.ts";
import { countsText, failingTitle, MAX_RUN_CHARS } from "./failing_tests.ts";
import { whyNoTests } from "./no_tests.ts";
import { missedCoverage } from "./missed_coverage.ts";
import { failsAt } from "./fails_at.ts";
import { whatIsWrong } from "./same_failure.ts";
import { scriptCommands, tellsItsStatus } from "./shell_words.ts";
import { showsPassed } from "./shown_passes.ts";
import { slipOf } from "./slips.ts";
import { readTestRun, type TestRun } from "./test_runs.ts";
import { coverageKey, passedTargets, soleTarget, targetKey } from "./test_target.ts";
import {
  codeOfFailure,
  commandOf,
  factsOf,
  KEPT_ERROR,
  KEPT_OUTPUT,
  nameOfRun,
  plainCommand,
  type Run,
  textOf,
} from "./told_command.ts";

/** What a runner says that was set up to end at the first failure. */
const STOPPED_EARLY = /\bstopping after \d+ failures?\b/;

/** A run of tests. */
export function testOf(called: Run, about: string): Observed {
  const { command, commands, output, exitCode, outcome } = called;
  const run = readTestRun(output);
  const none = whyNoTests(called, run);
  if (none === "reached" || isMiscalled(called, run)) return commandOf(called, about);
  // What ran nothing has not passed, so that it mends nothing, and has not failed.
  if (none === "found") return { ...plainCommand(called, about), outcome: null, mends: null };
  // Behind a pipe the status is another program's.
  const failed = outcome === "failure" ||
    (run === null ? saysBuildFailed(commands, output) : run.failed > 0);
  const isShown = showsPassed(called, run);
  const isUntold = !failed && !tellsItsStatus(commands) && !isShown;
  const key = commandKey(command);
  const missed = failed && run !== null ? missedCoverage(run, output) : null;
  const error = missed ?? errorOf(output, { failed, isCounted: run !== null });
  const failing = run?.failing ?? [];
  const errors = failed && failing.length > 0 ? errorSigns(output) : [];
  const counts = run === null ? "" : countsText(run);
  const name = nameOfRun(called);
  const target = soleTarget(commands, run !== null && (!failed || run.failed > 0));
  // Go counts none: what a filter shows may be a part of them.
  const isCut = target?.runner === "go test" && commands.some(({ before }) => before === "|");
  const stopsEarly = failed && (target?.stopsEarly === true || STOPPED_EARLY.test(output));
  const isWhole = run !== null && run.failedIn !== null && target !== null && !isCut;
  const isAll = isWhole && run.ranAll && !stopsEarly && target.narrowing === "";
  const what = target === null ? key : missed === null ? targetKey(target) : coverageKey(target);
  const sameAs = failed ? failureKey(what) : `test ${what}`;
  const at = failed && run !== null && target !== null ? failsAt(target, run) : null;
  const facts: ObservedFacts = {
    ...factsOf(command, failed ? codeOfFailure(exitCode) : isUntold ? null : exitCode, error),
    ...(isUntold ? { isUntold } : {}),
    ...(run === null ? {} : { failed: run.failed, failing: run.failing }),
    ...(run?.passed == null ? {} : { passed: run.passed }),
    ...(run?.skipped ? { skipped: run.skipped } : {}),
    ...(errors.length === 0 ? {} : { errors }),
    ...(failed && isWhole ? { failedIn: run.failedIn } : {}),
    ...(failed && isWhole && run.failedAt !== null ? { failedAt: run.failedAt } : {}),
    ...(stopsEarly ? { stopsEarly } : {}),
    ...(at === null ? {} : { failsAt: at }),
    ...(failed ? { of: digestOf(sameAs) } : {}),
  };
  return {
    kind: "test",
    outcome: failed ? "failure" : isUntold ? null : "success",
    title: failed ? failingTitle(name, facts) : titleLine(
      `${isUntold ? "Tests ran" : "Tests pass"}: ${shortened(name, MAX_RUN_CHARS)}${counts}`,
    ),
    text: textOf(command, headAndTail(output, failed ? KEPT_ERROR : KEPT_OUTPUT)),
    files: [],
    facts,
    sameAs,
    ...(failed ? { wrong: whatIsWrong({ failing, error, errors }) } : {}),
    ...(failed && run !== null && target !== null
      ? { took: { target, failedIn: isAll ? run.failedIn : null, run } }
      : {}),
    ...failed || isUntold ? { mends: null } : mendsOfTests(called, { run, isShown }),
  };
}

function errorOf(
  output: string,
  { failed, isCounted }: { readonly failed: boolean; readonly isCounted: boolean },
): string | null {
  if (!failed) return null;
  return isCounted ? tellingErrorLine(output) : errorLine(output);
}

/** Whether the runner did not know what it was told to do, so that no test ran. */
function isMiscalled(called: Run, run: TestRun | null): boolean {
  const counted = run === null ? 0 : run.failed + (run.passed ?? 0);
  return called.outcome === "failure" && counted === 0 && slipOf(called) !== null;
}

/** What a run of tests mends that passes: nothing when none ran, or when its status is another program's. */
function mendsOfTests(
  { command, commands, output }: Pick<Run, "command" | "commands" | "output">,
  { run, isShown }: { readonly run: TestRun | null; readonly isShown: boolean },
): Pick<Observed, "mends" | "passes" | "taken"> {
  const passes = passedTargets(commands, run !== null || isShown);
  const isUntold = passes.length === 0 && soleTarget(commands, true) !== null;
  if (run?.passed === 0 || isUntold) return { mends: null };
  const mends = failureKey(commandKey(command));
  const called = echoedScripts(command, output)
    .flatMap((script) => passedTargets(scriptCommands(script), run !== null || isShown));
  const all = { mends, passes: [...passes, ...called] };
  return run === null ? all : { ...all, taken: run };
}
