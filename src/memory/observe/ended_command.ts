/** Decides which commands of a script passed and which one failed, from the exit code and the output. */
import { baseName } from "../../base/paths.ts";
import {
  calledWords,
  gitArguments,
  isHarmless,
  isOnlyLooking,
  looks,
  mustHavePassed,
  type ScriptCommand,
} from "./shell_words.ts";
import type { CommandKey } from "./observation.ts";
import { CHECK_TOOLS, TASKS_PASSED } from "./check_tools.ts";
import type { Surroundings } from "./command_folder.ts";
import { calledAs, commandKey, keyOf, runsScript } from "./command_key.ts";
import { CHECK_FAILED, PROGRAM_FAILED, WRONG_CALLS } from "./error_line.ts";
import { readTestRun, type TestRun } from "./test_run.ts";
import { ownValue } from "../../base/mapping.ts";

/** A script that a shell has run. */
export interface ScriptRun extends Surroundings {
  readonly command: string;
  readonly commands: readonly ScriptCommand[];
  readonly output: string;
  readonly exitCode: number | null;
  readonly outcome: "success" | "failure";
  /** What the command is about, as Claude described it; empty when Claude did not. */
  readonly about: string;
}

/** A command of a script that is not harmless, with its key. */
export interface Part {
  /** The index of the command in its script. */
  readonly at: number;
  readonly key: CommandKey;
}

export interface ScriptEnd {
  readonly parts: readonly Part[];
  /** The part that failed; null when no part failed, or when nobody can tell which. */
  readonly failed: Part | null;
  readonly hasFailed: boolean;
  readonly passed: readonly CommandKey[];
  /** Whether the end of some part is unknown. Commands that only look do not count. */
  readonly isUntold: boolean;
  /** The tests that the output counts; null when the script runs or counts none. */
  readonly tests: TestRun | null;
}

/** The most parts of a script that are read. */
const MAX_PARTS = 24;

/** How many of the output's last lines are searched for the message of a failed check. */
const MAX_LINES = 30;
const LOOKED_AT_CHARS = 400;
/** Words that report a failure, except in names of files and options. */
const FAILURE_WORDS =
  /(?<![\w./-])(?:fail(?:ed|ures?|ing|s)?|errors?|fatal|panic(?:ked)?|traceback|\w*(?:error|exception)|cannot|denied|refused|killed|aborted|could not|unable to|not found|no such file|timed out|undefined reference|segmentation fault)(?![./-]?\w)/i;
const NO_FAILURES = /\b(?:0|no) (?:fail(?:ed|ures?|ing|s)?|errors?)\b/gi;
/** Filters that show the end of their input. */
const SHOWS_END: ReadonlySet<string> = new Set(["tail", "cat", "tee"]);

/** Operations of git, with the operations that they conclude when they pass. */
const GIT_ENDS: Readonly<Record<string, readonly string[]>> = {
  "git commit": ["git merge", "git cherry-pick", "git revert", "git pull", "git am"],
  "git merge": ["git pull"],
  "git rebase": ["git pull"],
};

/** Reads from the exit code and the output which parts of a script passed and which one failed. */
export function readEnd(run: ScriptRun): ScriptEnd {
  const { commands, output, outcome } = run;
  const parts = partsOf(commands, run.root);
  const hidden = parts.filter(({ at }) => !mustHavePassed(commands, at));
  const countsTests = parts.some((part) =>
    part.key.check === "test" && (part.key.isRead === true || !hidden.includes(part))
  );
  const tests = countsTests ? readTestRun(output) : null;
  const hasFailed = outcome === "failure" || (tests?.failed ?? 0) > 0 ||
    hidden.length > 0 && saysCheckFailed(run, parts);
  const failed = hasFailed ? failedPart(run, parts, tests) : null;
  const told = hasFailed ? [] : hidden.filter((part) => saysSuccess(run, part, tests));
  const untold = hasFailed ? [] : hidden.filter((part) => !told.includes(part));
  const shown = [...told, ...untold.filter((part) => showsSuccess(run, part))];
  return {
    parts,
    failed,
    hasFailed,
    tests,
    passed: passedKeys(run, { parts, failed, hasFailed, shown }),
    isUntold: untold.some(({ at }) => !looks(commands[at]!)),
  };
}

function partsOf(commands: readonly ScriptCommand[], root: string | null): Part[] {
  const parts: Part[] = [];
  for (const [at, command] of commands.entries()) {
    if (isHarmless(command)) continue;
    const key = commandKey(commands, at, root);
    if (key !== null) parts.push({ at, key });
    if (parts.length === MAX_PARTS) break;
  }
  return parts;
}

/** Tells whether a script only ran checks and the output says that one of them failed. */
function saysCheckFailed({ output }: ScriptRun, parts: readonly Part[]): boolean {
  const checks = parts.filter(({ key }) => key.check !== null && key.isRead === true);
  return checks.length > 0 && checks.length === parts.length &&
    lastLines(output).some((line) => CHECK_FAILED.some((pattern) => pattern.test(line)));
}

function lastLines(output: string): string[] {
  return output.split("\n").filter((line) => line !== "").slice(-MAX_LINES)
    .map((line) => line.slice(0, LOOKED_AT_CHARS));
}

/**
 * Returns the part of a script that failed: the counted tests, the part whose program reports a failure, or the only
 * check when the output reports a failed check; null when nobody can tell.
 */
function failedPart(run: ScriptRun, all: readonly Part[], tests: TestRun | null): Part | null {
  const { commands, output, outcome } = run;
  const ofTests = all.filter(({ key }) => key.check === "test");
  if ((tests?.failed ?? 0) > 0 && ofTests.length > 0) return ofTests.at(-1)!;
  // A script has the exit code of its last chain of commands.
  const withStatus = all.filter(({ at }) => mustHavePassed(commands, at));
  const parts = outcome === "failure" && withStatus.length > 0 ? withStatus : all;
  if (parts.length < 2) return parts[0] ?? null;
  const reported = parts.findLast(({ at }) => {
    const [program = ""] = calledWords(commands[at]!.words);
    return PROGRAM_FAILED.some(([of, line]) => of.test(program) && line.test(output));
  });
  if (reported !== undefined) return reported;
  const checks = parts.filter(({ key }) => key.check !== null);
  return checks.length === 1 && saysCheckFailed(run, checks) ? checks[0]! : null;
}

/** Returns the key of a whole script, for a failure whose part is unknown. */
export function wholeKey(parts: readonly Part[]): CommandKey {
  const all = parts.map(({ key }) => [key.what, ...key.paths, ...key.chosen].join(" "));
  return keyOf(`all of ${all.join(" && ")}`);
}

interface EndOfParts extends Pick<ScriptEnd, "parts" | "failed" | "hasFailed"> {
  readonly shown: readonly Part[];
}

function passedKeys(run: ScriptRun, end: EndOfParts): CommandKey[] {
  const { command, commands, outcome } = run;
  const { parts, failed, hasFailed, shown } = end;
  const isChain = (from: number, to: number) =>
    commands.slice(from, to).every(({ after }) => after === "&&");
  const passed = parts.filter((part) => {
    if (shown.includes(part)) return true;
    if (!hasFailed) return outcome === "success" && mustHavePassed(commands, part.at);
    // Parts before the failed one have passed, if only `&&` stands between them.
    return failed !== null && part.at < failed.at && isChain(part.at, failed.at);
  });
  return [
    ...passed.map(({ key }) => key),
    ...(parts.length > 1 && passed.length === parts.length ? [wholeKey(parts)] : []),
    ...passed.flatMap(({ key }) => ownValue(GIT_ENDS, key.what) ?? []).map(keyOf),
    ...passed.map(({ at }) => keyOf(calledName(commands[at]!))),
    ...(outcome === "success" && !hasFailed ? [{ ...keyOf(command), isLine: true as const }] : []),
  ];
}

/** Returns the key of a wrong call. The next passing call of the program mends the failure, with any arguments. */
export function calledName({ words }: ScriptCommand): string {
  const [program = "", ...args] = calledWords(words);
  return `called ${calledAs(program, gitArguments(words) ?? args)}`;
}

/** Tells whether the output shows that a part passed whose exit code the shell hides. */
function showsSuccess(run: ScriptRun, part: Part): boolean {
  if (part.key.check === "test" || run.commands[part.at]!.before === "||") return false;
  return isEndSeen(run, part) && !FAILURE_WORDS.test(run.output.replace(NO_FAILURES, ""));
}

/** Tells whether the output says that a part passed, in words or by its counts. */
function saysSuccess(run: ScriptRun, { at, key }: Part, tests: TestRun | null): boolean {
  if (run.commands[at]!.before === "||") return false;
  if (key.check === "test" && tests !== null) return tests.failed === 0 && tests.passed !== 0;
  const line = calledWords(run.commands[at]!.words).join(" ");
  const lines = CHECK_TOOLS.find(({ call }) => call.test(line))?.passed ?? TASKS_PASSED;
  return lastLines(run.output).some((line) => lines.test(line));
}

/** Tells whether the output shows the end of what a part printed, and not only what a filter let through. */
function isEndSeen({ commands, output }: ScriptRun, { at }: Part): boolean {
  for (const { words: [program = "", ...args], before } of commands.slice(at + 1)) {
    if (before !== "|") break;
    if (program === "head") {
      const lines = Number(/\d+/.exec(args.join(" "))?.[0] ?? 10);
      if (output.split("\n").length >= lines) return false;
    } else if (!SHOWS_END.has(program)) return false;
  }
  return true;
}

/** Matches the variable that holds the status of the last command. */
const STATUS = /\$(?:\?|\{\?\})/;

/** Takes the last command off a script if it prints an exit code, and gives the script that code; other scripts stay. */
export function withPrintedStatus(run: ScriptRun, printed: string): ScriptRun {
  const { command, output } = run;
  const [last, ...others] = run.commands.toReversed();
  const line = printed.slice(printed.lastIndexOf("\n") + 1);
  const digits = last?.words[0] === "echo" && last.before === ";" ? statusIn(line, last) : null;
  if (last === undefined || digits === null || isOnlyLooking(run.commands)) return run;
  const commands = others.map((one, at) => at === 0 ? { ...one, after: "" } : one).reverse();
  if (commands.some((one, at) => !isHarmless(one) && !mustHavePassed(commands, at))) return run;
  return {
    ...run,
    command: command.slice(0, command.lastIndexOf(last.source)).replace(/[\s;]+$/, ""),
    commands,
    output: printed.slice(0, -line.length).trimEnd() + output.slice(printed.length),
    exitCode: Number(digits),
    outcome: Number(digits) === 0 ? "success" : "failure",
  };
}

/** Returns the number that a printed line has in the place of `$?`; null when `echo` prints other variables as well. */
function statusIn(line: string, { words }: ScriptCommand): string | null {
  const printing = words.slice(1).filter((word) => !/^-[en]+$/.test(word)).join(" ");
  const part = printing.split("\\n").find((one) => STATUS.test(one));
  const [before = "", behind = ""] = part?.split(STATUS) ?? [];
  if (part === undefined || /[$`]/.test(before + behind)) return null;
  const [start, end] = [before.trimStart(), behind.trimEnd()].map(RegExp.escape);
  return new RegExp(`^${start}(\\d{1,3})${end}$`).exec(line.trim())?.[1] ?? null;
}

/** Matches Python's error for `python -m pytest` without that module. Another Python may have the module. */
const NO_MODULE = /^\S*python[\d.]*(?:\.exe)?: No module named '?([\w.]+)/m;
const MAX_CHARS = 20_000;

/** Returns the only command of a script, if it failed because its call was wrong; null for any other script. */
export function wrongCall(
  commands: readonly ScriptCommand[],
  output: string,
): ScriptCommand | null {
  const [call, ...others] = commands.filter((command) => !isHarmless(command));
  if (call === undefined || others.length > 0) return null;
  const [name = "", ...args] = calledWords(call.words);
  const end = output.slice(-MAX_CHARS);
  if (NO_MODULE.exec(end)?.[1] === name) return call;
  // That another script passes says nothing about a script that is missing, or whose options are wrong.
  if (runsScript(name, args)) return null;
  const isWrong = WRONG_CALLS.some((says) => {
    const named = says.exec(end)?.slice(1).find((one) => one !== undefined);
    return named !== undefined && args.some((word) => isCalled(word, named));
  });
  return isWrong ? call : null;
}

/** Tells whether a message names a word of the command line. The message may give the word's whole path. */
function isCalled(word: string, what: string): boolean {
  const plain = word.replace(/\/(?:\.\.\.)?$/, "");
  return word.includes(what) || baseName(plain) === baseName(what.replace(/\/$/, ""));
}
