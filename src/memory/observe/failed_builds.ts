/** Builds that fail where their status is another program's, behind a pipe for example: by lines that nothing else prints. */
import { isHarmless } from "./script_words.ts";
import { runsTests } from "./test_commands.ts";
import { MANAGERS, nameOf, withoutLaunchers } from "./launchers.ts";
import { runnerCall } from "./test_runners.ts";
import { type ScriptCommand, tellsItsStatus } from "./shell_words.ts";

/** Programs that build, check or test, whatever they are given. */
const BUILDERS: ReadonlySet<string> = new Set(
  ("make gmake ninja cmake meson bazel ant sbt mvn mvnw gradle gradlew msbuild xcodebuild just rake turbo nx lerna " +
    "gcc g++ cc c++ clang clang++ rustc javac kotlinc swiftc ghc tsc vue-tsc svelte-check webpack vite rollup esbuild " +
    "tsup next ng eslint biome oxlint stylelint mypy pyright ruff flake8 pylint golangci-lint rubocop tox nox ctest")
    .split(" "),
);
/** Programs of which some verbs do. */
const BUILDING_VERBS: Readonly<Record<string, RegExp>> = {
  cargo: /^(?:build|check|clippy|test|nextest|run|bench|doc|[bctr])$/,
  go: /^(?:build|vet|test|install|run|generate)$/,
  deno: /^(?:check|lint|fmt|test|compile)$/,
  dotnet: /^(?:build|test|publish|pack)$/,
  swift: /^(?:build|test)$/,
  docker: /^(?:build|buildx|compose)$/,
  node: /^--test/,
};
const BUILDING_SCRIPT =
  /^(?:build|bundle|compile|lint|check|types?|typecheck|type-check|test|verify|validate|ci|install)\b/;
/** What prepares a build, and shows nothing. */
const QUIET: ReadonlySet<string> = new Set(["mkdir", "rm", "cp", "mv", "touch"]);

/** Lines of compilers and linters, which no run of tests prints. */
const ERRORS: readonly RegExp[] = [
  // cargo, rustc
  /^error\[E\d{4}\]: /,
  /^error: (?:could not compile |aborting due to )/,
  /^\*\* BUILD FAILED \*\*/,
  /^(?:Build FAILED\.?| +[1-9]\d* Error\(s\))$/,
  // tsc, mypy, ruff, biome, deno; ruff counts what it has mended as well
  /^Found [1-9]\d* (?:errors?|problems?)\b(?!.*\b0 remaining)/,
  /^[^\s(]+\(\d+,\d+\): error TS\d+: /,
  /^[^\s:]+:\d+:\d+ - error TS\d+: /,
  /^error: (?:Type checking failed|Found [1-9]\d* not formatted)/,
  // eslint, stylelint, rubocop
  /^✖ \d+ problems? \([1-9]\d* errors?\b/,
  /^\d+ files? inspected, [1-9]\d* offenses? detected(?:$|, .* autocorrectable)/,
  // gcc, clang, javac, swiftc, mypy; go build, go vet
  /^[^\s:]+:\d+:(?:\d+:)? (?:fatal )?error: /,
  /^(?:vet: )?[^\s:]+\.go:\d+:\d+: /,
  // webpack, vite, next, docker
  /^webpack \S+ compiled with [1-9]\d* errors?\b/,
  /^(?:error during build:|Failed to compile\.?)$/,
  /^ERROR: failed to (?:solve|build)\b/,
];
/** Lines that say for certain that a build has failed, or the tests that it runs. */
const FAILED: readonly RegExp[] = [
  ...ERRORS,
  // make, ninja
  /^g?make: \*\*\* (?:.*\bError \d+|.*\bStop\.)/,
  /^ninja: build stopped: /,
  // maven, gradle, ant
  /^(?:\[(?:ERROR|INFO)\] )?(?:BUILD FAIL(?:URE|ED)\b|FAILURE: Build failed)/,
  // cargo, deno, unittest, phpunit, go test
  /^error: (?:test failed, |Test failed)/,
  /^FAILED \((?:failures|errors)=\d/,
  /^(?:FAILURES|ERRORS)!$/,
  /^(?:FAIL$|FAIL\t\S|--- FAIL: )/,
  // npm, pnpm, yarn, bun, just
  /^npm (?:ERR!|error) (?:code [A-Z\d]|Test failed|Lifecycle script|Exit status [1-9])/,
  /^\s?ELIFECYCLE\b.* failed\b/,
  /^error Command failed with exit code [1-9]/,
  /^error: (?:script "[^"]*" exited with code [1-9]|Recipe `[^`]*` failed)/,
];
/** Words of an output that something went wrong, but for those in names of files and options, and counts of nothing. */
const FAILURE_WORDS =
  /(?<![\w./-])(?:fail(?:ed|ures?|ing|s)?|errors?|fatal|panic(?:ked)?|traceback|\w*(?:error|exception)|cannot|denied|refused|killed|aborted|not found|no such file|timed out|undefined reference|segmentation fault)(?![./-]?\w)/i;
const NO_FAILURES = /\b(?:0|no) (?:fail(?:ed|ures?|ing|s)?|errors?)\b/gi;
/** Such lines stand at the end; maven says more behind them. */
const MAX_LINES = 30;
const LOOKED_AT_CHARS = 400;

/**
 * Whether an output says that the build has failed which a script ran, where its status does not tell. A script that shows
 * what it has not built, by `cat` or `git log` for example, never does.
 */
export function saysBuildFailed(commands: readonly ScriptCommand[], output: string): boolean {
  if (tellsItsStatus(commands) || !commands.some(builds)) return false;
  const isBuild = commands.every((command) =>
    builds(command) || isHarmless(command) || QUIET.has(command.words[0]!)
  );
  return isBuild && lastLines(output).some((line) => FAILED.some((pattern) => pattern.test(line)));
}

/** Whether an output speaks of anything that went wrong. */
export function speaksOfFailure(output: string): boolean {
  return FAILURE_WORDS.test(output.replace(NO_FAILURES, "")) ||
    lastLines(output).some((line) => FAILED.some((pattern) => pattern.test(line)));
}

/** Whether a script that failed has not come to its tests: a build before them has failed. */
export function failedBeforeTests(commands: readonly ScriptCommand[], output: string): boolean {
  const at = commands.findIndex(runsTests);
  if (at <= 0 || !commands.slice(0, at).every(({ after }) => after === "&&")) return false;
  return commands.slice(0, at).some(builds) &&
    lastLines(output).some((line) => ERRORS.some((pattern) => pattern.test(line)));
}

function builds({ words, before }: ScriptCommand): boolean {
  if (before === "|") return false;
  if (runnerCall(words) !== null) return true;
  const [program = "", ...args] = withoutLaunchers(words);
  const name = nameOf(program);
  const verb = args.find((word) => !word.startsWith("+")) ?? "";
  if (MANAGERS.has(name) || name === "deno" && verb === "task") {
    return BUILDING_SCRIPT.test(
      args.find((word) => !word.startsWith("-") && !/^(?:run|run-script|task)$/.test(word)) ?? "",
    );
  }
  return BUILDERS.has(name) ||
    Object.hasOwn(BUILDING_VERBS, name) && BUILDING_VERBS[name]!.test(verb);
}

function lastLines(output: string): string[] {
  const lines: string[] = [];
  for (let end = output.length; end > 0 && lines.length < MAX_LINES;) {
    const start = output.lastIndexOf("\n", end - 1) + 1;
    if (start < end) lines.push(output.slice(start, Math.min(end, start + LOOKED_AT_CHARS)));
    end = start - 1;
  }
  return lines;
}
