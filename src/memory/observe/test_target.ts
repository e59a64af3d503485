/** Which tests a command runs, so that a run that passes is known to have taken those that failed. */
import { chosenBy } from "./chosen_tests.ts";
import { areSameFolder } from "./same_folder.ts";
import { worksElsewhere } from "./git_words.ts";
import type { TestRun } from "./test_runs.ts";
import { environmentOf, folderBefore, folderIn, isHarmless, plainPath } from "./script_words.ts";
import { type ScriptCommand, tellsStatusOf } from "./shell_words.ts";
import { SHORT, type TestRunner, withoutCrates } from "./runner_rows.ts";
import { runnerCall } from "./test_runners.ts";
import { inToldFolder } from "./told_folder.ts";

/** What one run of tests takes. */
export interface TestTarget {
  readonly runner: string;
  /** The folder that the command went to before; the empty text when it went nowhere. */
  readonly folder: string;
  /** The variables that are set for it, as one text. */
  readonly environment: string;
  /** Files, folders and tests in them; none for all that there are. */
  readonly paths: readonly string[];
  /** Flags that take fewer tests, and those that nobody knows; as one text each. */
  readonly narrowing: string;
  readonly other: string;
  /** Those of them that lead to another package, project or set-up; as one text. */
  readonly places: string;
  /** Flags that take more tests, or look at more in them. */
  readonly widening: readonly string[];
  /** Flags that measure what is covered; as one text. */
  readonly coverage: string;
  /** The flags and words of which `narrowing` is made. */
  readonly flags: readonly string[];
  /** Whether it ends at the first failure, so that what failed may be more than it says. */
  readonly stopsEarly: boolean;
  /** Behind a path these characters go on to what is in it. */
  readonly within: string;
}

/** Flags that build the same tests in another way, or let each run many times. */
export const SET_UP =
  /^(?:--all-features|--release|-r|--?(?:count|repeat-each|stress-count|runs_per_test)=\d+)$/;
/** One time is no time more. */
const ONCE = /=[01]$/;

/** Each is told from the beginning of its script. */
const MAX_TARGETS = 40;

/** A run of tests in which some fail, and all of them are known. */
export interface TookTests extends FailedTests {
  /** What it says of the tests that passed. */
  readonly run: TestRun;
}

/** A failed run of tests. */
export interface FailedTests {
  readonly target: TestTarget;
  /** Every file or test that failed, as the runner names them; null when that is not known. */
  readonly failedIn: readonly string[] | null;
}

/**
 * The tests that a script took when it succeeded; none where another status came behind theirs, or where it took them in
 * another state than the one that it was called in.
 *
 * @param areCounted Whether its output has counted tests, so that they are known to have run whatever the status is.
 */
export function passedTargets(
  commands: readonly ScriptCommand[],
  areCounted: boolean,
): TestTarget[] {
  const targets = targetsOf(commands);
  const isOne = targets.filter((target) => target !== null).length === 1;
  return targets.filter((target, at) =>
    target !== null && (tellsStatusOf(commands, at) || areCounted && isOne)
  ).filter((target) => target !== null);
}

/**
 * The tests that a script takes; null when it takes none or several, takes them in another state, or does something else
 * that may fail.
 *
 * @param areCounted Whether its output has counted tests, so that it is they that failed.
 */
export function soleTarget(
  commands: readonly ScriptCommand[],
  areCounted: boolean,
): TestTarget | null {
  const targets = targetsOf(commands);
  const isAlone = commands.every((command, at) => targets[at] !== null || isHarmless(command));
  const runs = targets.filter((target) => target !== null);
  return runs.length === 1 && (areCounted || isAlone) ? runs[0]! : null;
}

/** The same for every spelling of a run of the same tests. */
export function targetKey(target: TestTarget): string {
  const { runner, folder, environment, paths, narrowing, other, widening } = target;
  const parts = [runner, folder, paths, narrowing, other, ...widening];
  return `tests ${JSON.stringify(environment === "" ? parts : [...parts, environment])}`;
}

/** The same for every spelling of a run that measures in the same way what those tests cover. */
export function coverageKey(target: TestTarget): string {
  return `coverage ${target.coverage} of ${targetKey(target)}`;
}

/** Whether a run that passes has taken all tests of one that failed. What is not known counts as no. */
export function hasTaken(passed: TestTarget, { target, failedIn }: FailedTests): boolean {
  const others = [target.other, withoutCrates(target)];
  const isSame = passed.runner === target.runner && others.includes(passed.other) &&
    isAsWide(passed, target);
  // The run of a script takes no paths that anybody knows.
  const isOfScript = callsRunner(target, passed) && passed.paths.length > 0;
  if (!isSame && !isOfScript || !areSamePlace(passed, target)) return false;
  const isNarrow = passed.narrowing !== "" && passed.narrowing !== target.narrowing;
  if (isNarrow && failedIn?.every(chosenBy(passed)) !== true) return false;
  if (passed.paths.length === 0) return true;
  const isIn = (path: string) => isWithin(path, passed);
  if (target.paths.length > 0 && target.paths.every(isIn)) return true;
  return failedIn !== null && failedIn.length > 0 &&
    failedIn.every((path) => isIn(plainPath(path)));
}

/** Whether two runs work in the same folder, and with the same variables. */
export function areSamePlace(one: TestTarget, other: TestTarget): boolean {
  return one.environment === other.environment && areSameFolder(one.folder, other.folder);
}

/** Whether a run takes all, and looks at all, that another one does by its flags. */
export function isAsWide(one: TestTarget, other: TestTarget): boolean {
  return hasAllOf(one, other.widening);
}

/** Whether a run has all of some flags that take more, or those with a larger number. */
export function hasAllOf({ widening }: TestTarget, flags: readonly string[]): boolean {
  return flags.every((flag) => {
    const [name, times] = flag.split("=");
    return widening.includes(flag) || times !== undefined && widening.some((own) => {
          const [ownName, ownTimes] = own.split("=");
          return ownName === name && Number(ownTimes) >= Number(times);
        });
  });
}

/** Whether a run is of a script of the project, which may call any runner, and the other one calls such a runner. */
export function callsRunner(script: TestTarget, { runner, other }: TestTarget): boolean {
  return script.runner.startsWith("script ") && !script.runner.includes(" of ") &&
    !runner.startsWith("script ") && script.other === "" && other === "";
}

/** Whether a path, or a test in it, is one of those that a run takes. */
export function isWithin(path: string, { paths, within }: TestTarget): boolean {
  return paths.some((taken) =>
    path === taken || path.startsWith(taken) && within.includes(path[taken.length]!)
  );
}

/** Flags that lead to another package, project or set-up. */
const ELSEWHERE =
  /^--?(?:p|pl|package|manifest-path|c|C|config|configuration|project|projects|selectProjects|root|rootDir|rootdir|roots|dir|cwd|prefix|test-dir|build-config|target|test|bin|example|features|F|no-default-features|framework|f|profile|cargo-profile|settings|s|env|environment|tags|group)(?:=|$)/;

function targetsOf(commands: readonly ScriptCommand[]): (TestTarget | null)[] {
  if (worksElsewhere(commands)) return commands.map(() => null);
  let left = MAX_TARGETS;
  return commands.map((_, at) => {
    const target = left > 0 ? targetOf(commands, at) : null;
    if (target !== null) left--;
    return target;
  });
}

function targetOf(commands: readonly ScriptCommand[], at: number): TestTarget | null {
  const told = inToldFolder(commands[at]!.words);
  const call = runnerCall(told.words);
  if (call === null) return null;
  const { runner, args } = call;
  const read = readArguments(runner, args);
  const paths = runner.name === "go test" ? goPackages(read.words) : read.words.map(plainPath);
  const isPath = runner.words === "paths";
  const phases = read.words.map((word) => runner.phases.indexOf(word));
  const named = isPath ? [] : read.words.filter((word, n) => word !== "clean" && phases[n] === -1);
  const narrowing = [...read.narrowing, ...runner.words === "narrowing" ? named : []];
  const projects = runner.words === "other" ? named : [];
  return {
    runner: runner.name,
    folder: folderIn(folderBefore(commands, at), told.folder),
    environment: environmentOf(commands, at),
    paths: isPath ? [...new Set(paths.filter((path) => path !== ""))].sort() : [],
    narrowing: asText(narrowing),
    flags: narrowing,
    other: asText([...read.other, ...projects]),
    places: asText([...read.other.filter((flag) => ELSEWHERE.test(flag)), ...projects]),
    widening: [...read.widening, ...runner.phases.slice(0, Math.max(-1, ...phases) + 1)],
    coverage: asText(read.coverage),
    stopsEarly: read.stopsEarly,
    within: runner.within,
  };
}

function readArguments(runner: TestRunner, args: readonly string[]) {
  const words: string[] = [];
  const narrowing: string[] = [];
  const other: string[] = [];
  const widening: string[] = [];
  const coverage: string[] = [];
  let stopsEarly = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (word === "--") continue;
    if (!word.startsWith("-")) {
      words.push(word);
      continue;
    }
    const { name, attached } = nameOfFlag(runner, word);
    const takesNext = attached === undefined && knows(runner, `${name}=`);
    const value = takesNext ? args[++at] ?? "" : attached;
    const flag = value === undefined ? name : `${SHORT[name] ?? name}=${value}`;
    if (/^--?cov/.test(flag)) coverage.push(flag);
    const isOf = (set: ReadonlySet<string>) =>
      set.has(flag) || set.has(name) || set.has(`${name}=`);
    if (isOf(runner.narrowing)) narrowing.push(flag);
    else if (isOf(runner.widening)) widening.push(...ONCE.test(flag) ? [] : [flag]);
    else if (isOf(runner.stopping)) stopsEarly = true;
    else if (isCluster(runner, word)) {
      stopsEarly ||= [...word.slice(1)].some((letter) => runner.stopping.has(`-${letter}`));
    } else if (!isOf(runner.quiet)) other.push(flag);
  }
  return { words, narrowing, other, coverage, widening: [...new Set(widening)].sort(), stopsEarly };
}

/** `--tb=short`, `-n4`: a flag and the value that is a part of it. */
function nameOfFlag(runner: TestRunner, word: string) {
  const equals = word.indexOf("=");
  if (equals > 0) return { name: word.slice(0, equals), attached: word.slice(equals + 1) };
  const short = word.slice(0, 2);
  return /^-\w./.test(word) && !knows(runner, word) && knows(runner, `${short}=`)
    ? { name: short, attached: word.slice(2) }
    : { name: word, attached: undefined };
}

function knows(
  { quiet, widening, elsewhere, narrowing, stopping }: TestRunner,
  flag: string,
): boolean {
  return [quiet, widening, elsewhere, narrowing, stopping].some((flags) => flags.has(flag));
}

/** `-vv`, `-xvs`: letters each of which chooses nothing. */
function isCluster({ quiet, stopping }: TestRunner, word: string): boolean {
  return /^-[a-zA-Z]{2,8}$/.test(word) &&
    [...word.slice(1)].every((letter) => quiet.has(`-${letter}`) || stopping.has(`-${letter}`));
}

/** A package by itself is `a/.`, one with all below it `a`; all of them are no path at all. */
export function goPackages(words: readonly string[]): string[] {
  const packages = words.length === 0 ? ["."] : words;
  if (packages.some((one) => one === "./..." || one === "...")) return [];
  return packages.map((one) =>
    one.endsWith("/...") ? plainPath(one.slice(0, -"/...".length)) : `${plainPath(one) || "."}/.`
  );
}

function asText(flags: readonly string[]): string {
  return flags.toSorted().join(" ");
}
