/** How test runners read their command lines: one row a runner. */

/** A runner, as far as it matters which tests a run of it takes. A flag with a value ends with `=`. */
export interface TestRunner {
  readonly name: string;
  /** Flags that change what is printed or how fast it goes, not which tests run. */
  readonly quiet: ReadonlySet<string>;
  /** Flags that take more tests, or look at more in them. */
  readonly widening: ReadonlySet<string>;
  /** Flags with a value that lead to another package, project or set-up. */
  readonly elsewhere: ReadonlySet<string>;
  /** Flags that take fewer tests. */
  readonly narrowing: ReadonlySet<string>;
  /** Flags that end a run at the first failure. */
  readonly stopping: ReadonlySet<string>;
  /** What words without a dash are: files and folders, or names of tests, or something else that a run is known by. */
  readonly words: "paths" | "narrowing" | "other";
  /** Words each of which does what those before it do, tests first: phases of a build. */
  readonly phases: readonly string[];
  /** Behind a path these characters go on to what is in it. */
  readonly within: string;
}

function row(
  name: string,
  flags: {
    readonly quiet: string;
    readonly narrowing: string;
    readonly stopping: string;
    readonly widening?: string;
    readonly elsewhere?: string;
  },
  { words = "paths", within = "/", phases = "" }: {
    readonly words?: TestRunner["words"];
    readonly within?: string;
    readonly phases?: string;
  } = {},
): TestRunner {
  const set = (text: string) => new Set(text.split(" "));
  return {
    name,
    quiet: set(flags.quiet),
    widening: set(flags.widening ?? ""),
    elsewhere: set(flags.elsewhere ?? ""),
    narrowing: set(flags.narrowing),
    stopping: set(flags.stopping),
    words,
    phases: phases === "" ? [] : phases.split(" "),
    within,
  };
}

/** Jest, Vitest, Mocha and the scripts of a package that call one. */
const JAVASCRIPT = {
  quiet:
    "--silent -s --verbose --ci --coverage --no-coverage --color --colors --no-color --runInBand -i --maxWorkers= " +
    "--run --watch=false --watchAll=false --no-watch --passWithNoTests --forceExit --detectOpenHandles --reporter= " +
    "--reporters= -R= --logHeapUsage --expand --recursive --exit --parallel --timeout= --testTimeout= --no-file-parallelism " +
    "-u --update --updateSnapshot --update-snapshots",
  narrowing:
    "-t= --testNamePattern= --grep= -g= -f= --fgrep= --testPathPattern= --testPathPatterns= --exclude= --changed " +
    "--onlyChanged -o --only-changed --testPathIgnorePatterns= --onlyFailures",
  stopping: "--bail -b --bail=",
};

/** Longer spellings of flags with a value. */
export const SHORT: Readonly<Record<string, string>> = { "--package": "-p" };
const CARGO_ELSEWHERE =
  "-p= --package= --manifest-path= --features= -F= --profile= --cargo-profile= --target= --config=";

/** The runners that are known. */
export const RUNNERS: readonly TestRunner[] = [
  row("pytest", {
    quiet:
      "-q --quiet -v --verbose -s -l --showlocals --no-header --no-summary --disable-warnings --ff --failed-first --tb= " +
      "--color= --durations= -r= --cov --cov= --cov-report= --no-cov --junitxml= -W= -p= -n= --numprocesses= --timeout= " +
      "--capture= --log-level= --log-cli-level= --full-trace --snapshot-update --force-regen",
    widening: "--count=",
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
  }, { within: "/:" }),
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
      "--no-capture --show-output --test-threads= --message-format= --target-dir=",
    widening: "--workspace --all --all-features --release -r",
    elsewhere: CARGO_ELSEWHERE,
    narrowing: "--all-targets --lib --bins --bin= --test= --tests --doc --exact --skip= --exclude=",
    stopping: "--fail-fast",
  }, { words: "narrowing" }),
  row("cargo nextest run", {
    quiet:
      "--no-fail-fast --locked --offline --color= --no-capture --nocapture -j= --jobs= --test-threads= --retries= " +
      "--status-level= --final-status-level= --failure-output= --success-output= --hide-progress-bar",
    widening: "--workspace --all --all-features --release -r --stress-count=",
    elsewhere: CARGO_ELSEWHERE,
    narrowing:
      "--exclude= --all-targets --lib --bins --bin= --test= --tests --skip= -E= --filter-expr= --filterset= --run-ignored=",
    stopping: "--fail-fast --max-fail=",
  }, { words: "narrowing" }),
  row("go test", {
    quiet:
      "-v -cover -timeout= -p= -parallel= -json -coverprofile= -covermode= -coverpkg= -shuffle= -trimpath",
    widening: "-race -count=",
    elsewhere: "-tags= -C= -mod= -modfile=",
    narrowing: "-run= -skip= -short",
    stopping: "-failfast",
  }),
  row("swift test", {
    quiet: "--parallel -v --verbose -q --quiet --enable-code-coverage",
    narrowing: "--filter= --skip= --specifier= -s=",
    stopping: "",
  }, { words: "narrowing" }),
  row("playwright test", {
    quiet:
      "--reporter= --workers= -j= --trace= --headed --quiet --retries= --timeout= --output= -u --update-snapshots",
    widening: "--repeat-each=",
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
  row("ctest", {
    quiet:
      "--output-on-failure -V -VV --verbose --extra-verbose -Q --quiet --progress -j= --parallel= --timeout= --no-tests= " +
      "--schedule-random --output-junit=",
    narrowing: "-R= --tests-regex= -E= --exclude-regex= -L= --label-regex= -LE= -I= --rerun-failed",
    stopping: "--stop-on-failure",
  }, { words: "other" }),
  row("dotnet test", {
    quiet:
      "--no-build --no-restore --nologo -v= --verbosity= -c= --configuration= -l= --logger= --collect= --blame " +
      "--results-directory= -r=",
    narrowing: "--filter=",
    stopping: "",
  }),
  // What they run is told by names of projects.
  ...["nx test", "turbo test"].map((name) =>
    row(name, {
      quiet:
        "--skip-nx-cache --verbose --no-cache --force --output-style= --output-logs= --parallel= --concurrency=",
      narrowing: "--testFile= --testNamePattern= --grep=",
      stopping: "--bail --nxBail",
    }, { words: "other" })
  ),
  row("bazel test", {
    quiet:
      "--test_output= --test_summary= --nocache_test_results --cache_test_results= --keep_going -k --jobs= --color= --curses=",
    widening: "--runs_per_test=",
    narrowing: "--test_filter= --test_tag_filters=",
    stopping: "--notest_keep_going",
  }, { words: "narrowing" }),
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
  }, { words: "other", phases: "test check build" }),
  row("mvn", {
    quiet:
      "-q --quiet -B --batch-mode -o --offline -ntp --no-transfer-progress -e --errors -U -fae --fail-at-end -T= " +
      "-DfailIfNoTests= -Dsurefire.failIfNoSpecifiedTests= -Dsurefire.useFile= -DtrimStackTrace=",
    elsewhere: "-pl= --projects= -f= --file= -P= --activate-profiles=",
    narrowing: "-Dtest=",
    stopping: "-ff --fail-fast",
  }, { words: "other", phases: "test package integration-test verify install deploy" }),
];

/** What a run is known by beside its tests, without its crates: cargo takes all where none is named. */
export function withoutCrates(
  { runner, other }: { readonly runner: string; readonly other: string },
): string {
  return runner.startsWith("cargo ") ? other.replace(/(?:^| )-p=\S+/g, "").trim() : other;
}
