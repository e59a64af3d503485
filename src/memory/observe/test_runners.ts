/** How test runners read their command lines: one row a runner, and what only starts one. */

import { MANAGERS, nameOf, withoutLaunchers } from "./launchers.ts";

/** A runner, as far as it matters which tests a run of it takes. A flag with a value ends with `=`. */
export interface TestRunner {
  readonly name: string;
  /** Flags that change what is printed or how fast it goes, not which tests run. */
  readonly quiet: ReadonlySet<string>;
  /** Flags that take fewer tests. */
  readonly narrowing: ReadonlySet<string>;
  /** Flags that end a run at the first failure. */
  readonly stopping: ReadonlySet<string>;
  /** What words without a dash are: files and folders, or names of tests, or something else that a run is known by. */
  readonly words: "paths" | "narrowing" | "other";
  /** Behind a path these characters go on to what is in it. */
  readonly within: string;
}

/** A runner with the words behind it. */
export interface RunnerCall {
  readonly runner: TestRunner;
  readonly args: readonly string[];
}

function row(
  name: string,
  flags: { readonly quiet: string; readonly narrowing: string; readonly stopping: string },
  { words = "paths", within = "/" }: {
    readonly words?: TestRunner["words"];
    readonly within?: string;
  } = {},
): TestRunner {
  const set = (text: string) => new Set(text.split(" "));
  return {
    name,
    quiet: set(flags.quiet),
    narrowing: set(flags.narrowing),
    stopping: set(flags.stopping),
    words,
    within,
  };
}

/** Jest, Vitest, Mocha and the scripts of a package that call one. */
const JAVASCRIPT = {
  quiet:
    "--silent -s --verbose --ci --coverage --no-coverage --color --colors --no-color --runInBand -i --maxWorkers= " +
    "--run --watch=false --watchAll=false --no-watch --passWithNoTests --forceExit --detectOpenHandles --reporter= " +
    "--reporters= -R= --logHeapUsage --expand --recursive --exit --parallel --timeout= --testTimeout= --no-file-parallelism",
  narrowing:
    "-t= --testNamePattern= --grep= -g= -f= --fgrep= --testPathPattern= --testPathPatterns= --exclude= --changed " +
    "--onlyChanged -o --only-changed --testPathIgnorePatterns= --onlyFailures",
  stopping: "--bail -b --bail=",
};

const ROWS: readonly TestRunner[] = [
  row("pytest", {
    quiet:
      "-q --quiet -v --verbose -s -l --showlocals --no-header --no-summary --disable-warnings --ff --failed-first --tb= " +
      "--color= --durations= -r= --cov --cov= --cov-report= --no-cov --junitxml= -W= -p= -n= --numprocesses= --timeout= " +
      "--capture= --log-level= --log-cli-level= --full-trace",
    narrowing:
      "-k= -m= --deselect= --ignore= --ignore-glob= --lf --last-failed --sw --stepwise --nf",
    stopping: "-x --exitfirst --maxfail=",
  }, { within: "/:[" }),
  row("unittest", {
    quiet: "-v --verbose -q --quiet -b --buffer --locals",
    narrowing: "-k=",
    stopping: "-f --failfast",
  }, { within: "." }),
  ...["jest", "vitest", "mocha", "bun test", "script"].map((name) => row(name, JAVASCRIPT)),
  row("node --test", {
    quiet:
      "--test --test-reporter= --test-reporter-destination= --test-concurrency= --test-timeout= --no-warnings " +
      "--experimental-strip-types --experimental-test-coverage --enable-source-maps --test-force-exit",
    narrowing: "--test-name-pattern= --test-skip-pattern= --test-only --test-shard=",
    stopping: "",
  }),
  row("deno test", {
    quiet:
      "-A --allow-all --allow-read --allow-write --allow-net --allow-env --allow-run --allow-ffi " +
      "--allow-sys --no-check --quiet -q --parallel --trace-leaks --coverage --reporter= --no-lock --cached-only",
    narrowing: "--filter= --ignore=",
    stopping: "--fail-fast",
  }, { within: "/:" }),
  row("cargo test", {
    quiet:
      "-q --quiet -v --verbose --no-fail-fast --locked --offline --frozen -j= --jobs= --color= --nocapture " +
      "--no-capture --show-output --test-threads= --message-format=",
    narrowing: "--lib --bins --bin= --test= --tests --doc --exact --skip=",
    stopping: "--fail-fast",
  }, { words: "narrowing" }),
  row("cargo nextest run", {
    quiet:
      "--no-fail-fast --locked --offline --color= --no-capture --nocapture -j= --test-threads= --retries=",
    narrowing:
      "--lib --bins --bin= --test= --tests --skip= -E= --filter-expr= --filterset= --run-ignored=",
    stopping: "--fail-fast --max-fail=",
  }, { words: "narrowing" }),
  row("go test", {
    quiet: "-v -cover -count= -timeout= -p= -parallel= -json -coverprofile=",
    narrowing: "-run= -skip= -short",
    stopping: "-failfast",
  }),
  row("swift test", {
    quiet: "--parallel -v --verbose -q --quiet --enable-code-coverage",
    narrowing: "--filter= --skip= --specifier= -s=",
    stopping: "",
  }, { words: "narrowing" }),
  row("playwright test", {
    quiet: "--reporter= --workers= -j= --trace= --headed --quiet --retries= --timeout= --output=",
    narrowing: "-g= --grep= --grep-invert= --project= --last-failed --only-changed --shard=",
    stopping: "-x --max-failures=",
  }, { within: "/:" }),
  row("mix test", {
    quiet: "--color --no-color --trace --cover --slowest= --seed= --timeout= --formatter=",
    narrowing: "--only= --include= --exclude= --stale --failed",
    stopping: "--max-failures=",
  }, { within: "/:" }),
  row("bats", {
    quiet:
      "-p --pretty -t --tap -r --recursive -T --timing -j= --jobs= --formatter= -F= --verbose-run",
    narrowing: "-f= --filter= --filter-tags= --filter-status=",
    stopping: "--abort",
  }),
  // What they run is told by names of projects.
  ...["nx test", "turbo test", "bazel test"].map((name) =>
    row(name, {
      quiet:
        "--skip-nx-cache --verbose --no-cache --force --test_output= --nocache_test_results --cache_test_results= " +
        "--output-style= --output-logs= --parallel= --concurrency= --keep_going",
      narrowing: "--test_filter= --testFile= --testNamePattern= --grep=",
      stopping: "--bail --nxBail --notest_keep_going",
    }, { words: "other" })
  ),
  row("rspec", {
    quiet: "--color --no-color --colour -f= --format= -b --backtrace --profile -w --warnings -c",
    narrowing: "-e= --example= -t= --tag= --only-failures -n --next-failure",
    stopping: "--fail-fast",
  }, { within: "/:[" }),
  ...["phpunit", "pest"].map((name) =>
    row(name, {
      quiet: "--colors --colors= --testdox --no-coverage -v --verbose --debug --no-progress",
      narrowing: "--filter= --group= --exclude-group= --testsuite=",
      stopping: "--stop-on-failure --stop-on-error --stop-on-defect",
    })
  ),
  row("gradle", {
    quiet:
      "-q --quiet -i --info --stacktrace -s --no-daemon --console= --rerun-tasks --continue --parallel --offline",
    narrowing: "--tests=",
    stopping: "--fail-fast",
  }, { words: "other" }),
  row("mvn", {
    quiet: "-q --quiet -B --batch-mode -o --offline -ntp --no-transfer-progress -e --errors",
    narrowing: "-Dtest=",
    stopping: "-ff --fail-fast",
  }, { words: "other" }),
];
const BY_NAME: ReadonlyMap<string, TestRunner> = new Map(ROWS.map((row) => [row.name, row]));

/** Other names of what runs the same. */
const SAME: Readonly<Record<string, string>> = {
  "py.test": "pytest",
  gradlew: "gradle",
  mvnw: "mvn",
  bazelisk: "bazel",
};
/** Programs whose verb makes them runners of tests. */
const BY_VERB: ReadonlySet<string> = new Set(
  ["cargo", "go", "deno", "bun", "swift", "mix", "playwright", "nx", "turbo", "bazel"],
);
/** Flags of a manager before which package it runs a script in. */
const PLACE = /^(?:--(?:filter|workspace|prefix|dir|cwd|cd)|-[FwC])$/;
const PLACE_WITH_VALUE = /^--(?:filter|workspace|prefix|dir|cwd|cd)=/;

/** The test runner that a command calls, by whatever it is started; null when there is none that is known. */
export function runnerCall(words: readonly string[]): RunnerCall | null {
  const [program = "", ...args] = withoutLaunchers(words);
  const name = SAME[nameOf(program)] ?? nameOf(program);
  if (BY_VERB.has(name)) {
    const call = verbCall(name, args[0]?.startsWith("+") ? args.slice(1) : args);
    if (call !== null) return call;
  }
  if (name === "deno" && args[0] === "task" && /^test\b/.test(args[1] ?? "")) {
    return script(`deno task ${args[1]}`, args.slice(2));
  }
  if (name === "node" && args.includes("--test")) {
    return { runner: BY_NAME.get("node --test")!, args };
  }
  if (MANAGERS.has(name)) return managerCall(name, args);
  const runner = name === "script" ? undefined : BY_NAME.get(name);
  if (runner === undefined) return null;
  return { runner, args: name === "vitest" && args[0] === "run" ? args.slice(1) : args };
}

/** `cargo t`, `cargo nextest run`, `nx run app:test` */
function verbCall(name: string, [verb = "", ...rest]: readonly string[]): RunnerCall | null {
  const call = (runner: string, args: readonly string[]) => ({
    runner: BY_NAME.get(runner)!,
    args,
  });
  if (name === "cargo") {
    if (verb === "t") return call("cargo test", rest);
    if (verb === "nextest") {
      return rest[0] === "run" ? call("cargo nextest run", rest.slice(1)) : null;
    }
  }
  if (verb === "run") {
    const [what = "", ...behind] = rest;
    if (name === "turbo" && what === "test") return call("turbo test", behind);
    const [, project] = name === "nx" ? /^([^:]+):test(?::|$)/.exec(what) ?? [] : [];
    return project === undefined ? null : call("nx test", [project, ...behind]);
  }
  return verb === "test" ? call(`${name} test`, rest) : null;
}

/** `npm test`, `pnpm --filter a run test:unit`: which manager it is makes no difference. */
function managerCall(manager: string, args: readonly string[]): RunnerCall | null {
  const { place, rest } = placeOf(manager, args);
  const at = rest[0] === "run" || rest[0] === "run-script" ? 1 : 0;
  const name = rest[at] === "t" || rest[at] === "tst" ? "test" : rest[at];
  if (name === undefined || !/^test\b/.test(name)) return null;
  return script(place === "" ? name : `${name} of ${place}`, rest.slice(at + 1));
}

/** The package that a manager goes to, and what it is to do there. */
function placeOf(manager: string, args: readonly string[]) {
  const places: string[] = [];
  const rest: string[] = [];
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  for (let at = 0; at < own.length; at++) {
    const word = own[at]!;
    // Behind the script's name they are the script's own, but for npm.
    const isOurs = manager === "npm" || rest.every((before) => /^run(?:-script)?$/.test(before));
    if (isOurs && PLACE_WITH_VALUE.test(word)) places.push(word.slice(word.indexOf("=") + 1));
    else if (isOurs && PLACE.test(word) && !(word === "-w" && manager === "pnpm")) {
      places.push(own[++at] ?? "");
    } else if (word === "workspace" && rest.length === 0) places.push(own[++at] ?? "");
    else if (rest.length > 0 || !word.startsWith("-")) rest.push(word);
    else if (!/^(?:-s|--silent|--if-present)$/.test(word)) places.push(word);
  }
  return { place: places.sort().join(" "), rest: [...rest, ...args.slice(own.length)] };
}

function script(name: string, args: readonly string[]): RunnerCall {
  return { runner: { ...BY_NAME.get("script")!, name: `script ${name}` }, args };
}
