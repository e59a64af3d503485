/** How test runners read their command lines: one row a runner, and what only starts one. */

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
  row("go test", {
    quiet: "-v -cover -count= -timeout= -p= -parallel= -json -coverprofile=",
    narrowing: "-run= -skip= -short",
    stopping: "-failfast",
  }),
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
};
const MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const RUNS_IN_ENVIRONMENT: ReadonlySet<string> = new Set([
  "uv",
  "poetry",
  "pipenv",
  "hatch",
  "rye",
  "pdm",
]);
const MAX_LAUNCHERS = 6;

/** The test runner that a command calls, by whatever it is started; null when there is none that is known. */
export function runnerCall(words: readonly string[]): RunnerCall | null {
  const [program = "", ...args] = withoutLaunchers(words);
  const name = SAME[nameOf(program)] ?? nameOf(program);
  if (name === "cargo" || name === "go" || name === "deno" || name === "bun") {
    const rest = args[0]?.startsWith("+") ? args.slice(1) : args;
    const verb = rest[0] === "t" && name === "cargo" ? "test" : rest[0];
    const runner = BY_NAME.get(`${name} ${verb}`);
    if (runner !== undefined) return { runner, args: rest.slice(1) };
  }
  if (name === "deno" && args[0] === "task" && /^test\b/.test(args[1] ?? "")) {
    return script(`deno task ${args[1]}`, args.slice(2));
  }
  if (MANAGERS.has(name)) return managerCall(args);
  const runner = name === "script" ? undefined : BY_NAME.get(name);
  if (runner === undefined) return null;
  return { runner, args: name === "vitest" && args[0] === "run" ? args.slice(1) : args };
}

/** `npm test`, `pnpm run test:unit`: which manager it is makes no difference. */
function managerCall(args: readonly string[]): RunnerCall | null {
  const rest = args.slice(args.findIndex((word) => word !== "--silent" && word !== "-s"));
  const at = rest[0] === "run" || rest[0] === "run-script" ? 1 : 0;
  const name = rest[at] === "t" || rest[at] === "tst" ? "test" : rest[at];
  if (name === undefined || !/^test\b/.test(name)) return null;
  return script(name, rest.slice(at + 1));
}

function script(name: string, args: readonly string[]): RunnerCall {
  return { runner: { ...BY_NAME.get("script")!, name: `script ${name}` }, args };
}

/** A command without what only starts it: `npx`, `timeout 60`, `python -m`. */
export function withoutLaunchers(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let i = 0; i < MAX_LAUNCHERS; i++) {
    const inner = launched(rest);
    if (inner === null) return rest;
    rest = inner;
  }
  return rest;
}

/** What a launcher starts; null for a command that is none. */
function launched(words: readonly string[]): readonly string[] | null {
  const [first = "", second = "", third = ""] = words;
  const name = nameOf(first);
  if (/^(?:time|command|exec|nohup)$/.test(name)) return words.slice(1);
  if (name === "env" || name === "cross-env") {
    return withoutFirst(words.slice(1), (word) => /^\w+=/.test(word));
  }
  if (name === "timeout") return withoutFlags(words.slice(1)).slice(1);
  if (/^(?:npx|bunx|pnpx)$/.test(name)) return withoutFlags(words.slice(1));
  if (MANAGERS.has(name)) {
    if (/^(?:exec|dlx|x)$/.test(second)) return withoutFlags(words.slice(2));
    return /^(?:jest|vitest|mocha)$/.test(second) ? words.slice(1) : null;
  }
  if (RUNS_IN_ENVIRONMENT.has(name) && second === "run") return words.slice(2);
  if (name === "bundle" && second === "exec") return words.slice(2);
  if (/^(?:python[\d.]*|py)$/.test(name) && second === "-m") return words.slice(2);
  if (name === "coverage" && second === "run" && third === "-m") return words.slice(3);
  return name === "php" && /(?:^|\/)(?:phpunit|pest)$/.test(second) ? words.slice(1) : null;
}

function withoutFlags(words: readonly string[]): readonly string[] {
  return withoutFirst(words, (word) => word.startsWith("-"));
}

function withoutFirst(
  words: readonly string[],
  isGone: (word: string) => boolean,
): readonly string[] {
  const at = words.findIndex((word) => !isGone(word));
  return at < 0 ? [] : words.slice(at);
}

/** A program without its folder: `./node_modules/.bin/jest`. */
export function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).replace(/\.(?:exe|cmd|js)$/, "");
}
