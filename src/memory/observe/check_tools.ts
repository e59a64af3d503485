/** Programs that build, lint or check types, and programs that run the tasks of a project: one row each. */
import type { Check } from "./observation.ts";

export interface CheckTool {
  /** The program with its subcommand, without its folder and without what only starts it (`npx`). */
  readonly call: RegExp;
  readonly check: Check;
  /** Whether its plain words are paths, relative to the folder in which it runs. */
  readonly takesPaths?: true;
  /** Options whose value names a package or a configuration. */
  readonly places?: string;
  /** Other options that take a value, so that this is not taken for a path. */
  readonly values?: string;
  /** The line that it prints when nothing is wrong. */
  readonly passed?: RegExp;
  readonly example: string;
}

/** The first row that matches counts. */
export const CHECK_TOOLS: readonly CheckTool[] = [
  {
    call: /^(?:tsc|vue-tsc|svelte-check)\b/,
    check: "type",
    places: "-p --project",
    values: "--pretty",
    passed: /^svelte-check found 0 errors\b/,
    example: "npx tsc --noEmit",
  },
  {
    call: /^(?:mypy|pyright|basedpyright|pyre|flow)\b/,
    check: "type",
    takesPaths: true,
    places: "--config-file -p --project",
    passed: /^(?:Success: no issues found in |0 errors, )/,
    example: "mypy src",
  },
  { call: /^deno check\b/, check: "type", takesPaths: true, example: "deno check main.ts" },
  {
    call:
      /^(?:eslint|stylelint|oxlint|prettier|flake8|pylint|black|isort|standardrb|shellcheck|ktlint|swiftlint)\b/,
    check: "lint",
    takesPaths: true,
    places: "--config",
    example: "npx eslint src",
  },
  {
    call: /^(?:ruff (?:check|format)|biome (?:check|lint|ci)|deno (?:lint|fmt))\b/,
    check: "lint",
    takesPaths: true,
    places: "--config",
    passed: /^All checks passed!$/,
    example: "ruff check .",
  },
  {
    call: /^rubocop\b/,
    check: "lint",
    takesPaths: true,
    passed: /^\d+ files? inspected, no offenses detected/,
    example: "bundle exec rubocop app",
  },
  {
    call: /^(?:golangci-lint run|go vet|staticcheck)\b/,
    check: "lint",
    takesPaths: true,
    places: "-c --config -tags",
    passed: /^0 issues\.$/,
    example: "go vet ./...",
  },
  {
    call: /^cargo (?:clippy|fmt)\b/,
    check: "lint",
    places: "-p --package --manifest-path --features",
    passed: /^[ \t]*Finished (?:`|dev\b|release\b)/,
    example: "cargo clippy --all-targets",
  },
  { call: /^pre-commit run\b/, check: "lint", example: "pre-commit run --all-files" },
  {
    call: /^cargo (?:build|check|doc|bench|b|c|d)\b/,
    check: "build",
    places: "-p --package --manifest-path --features --bin --target",
    passed: /^[ \t]*Finished (?:`|dev\b|debug\b|release\b|test\b|bench\b)/,
    example: "cargo build --release",
  },
  {
    call: /^go (?:build|install|generate)\b/,
    check: "build",
    takesPaths: true,
    places: "-tags",
    values: "-o -ldflags -gcflags -p",
    example: "go build ./...",
  },
  {
    call: /^(?:vite build|webpack|rollup|esbuild|tsup|next build|ng build|parcel build)\b/,
    check: "build",
    places: "-c --config",
    passed:
      /^(?:✓ built in \d|webpack \S+ compiled (?:successfully|with \d+ warnings?) in |Application bundle generation complete\.|Route \((?:app|pages)\))/,
    example: "npx vite build",
  },
  {
    call: /^docker (?:compose (?:-\S+ )*|buildx )?build\b/,
    check: "build",
    places: "-f --file -t --tag --target",
    example: "docker build -t app .",
  },
  {
    call: /^(?:dotnet (?:build|publish|pack)|msbuild|xcodebuild|swift build)\b/,
    check: "build",
    places: "--project -scheme -project -workspace -target --product",
    passed: /^(?:Build succeeded\b|\*\* BUILD SUCCEEDED \*\*|Build complete!)/,
    example: "dotnet build",
  },
  {
    call: /^(?:cmake --build|ninja|meson compile)\b/,
    check: "build",
    places: "--target",
    passed: /^\[100%\] Built target /,
    example: "cmake --build build",
  },
  {
    call: /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|javac|kotlinc|swiftc|ghc)\b/,
    check: "build",
    places: "-o",
    example: "gcc -o app main.c",
  },
];

/** Programs that run the tasks of a project, with the subcommands that do so. The task's name says what it does. */
const TASK_PROGRAMS: readonly (readonly [program: RegExp, verb: RegExp])[] = [
  [/^(?:npm|pnpm|yarn|bun|turbo|nx|lerna|composer)$/, /^run(?:-script)?$/],
  [/^deno$/, /^task$/],
  [/^(?:g?make|just|task|rake|invoke|tox|nox|gradlew?|mvnw?|sbt|ant)$/, /^$/],
];

/** The subcommands with which a program runs a task; empty ones where its first word is a task; null for other programs. */
export function taskVerbOf(program: string): RegExp | null {
  return TASK_PROGRAMS.find(([of]) => of.test(program))?.[1] ?? null;
}

/** Task programs that build, whatever their tasks are called. */
export const BUILDERS: ReadonlySet<string> = new Set(["make", "mvn", "gradle", "sbt", "ant"]);

/** The last line of such programs when the tasks passed. */
export const TASKS_PASSED = /^(?:BUILD SUCCESSFUL\b|(?:\[INFO\] )?BUILD SUCCESS$)/;

/** What a task checks, by its name; the first row that matches counts. */
export const TASK_CHECKS: readonly (readonly [name: RegExp, check: Check])[] = [
  [/lint|(?:^|[:_-])(?:fmt|format|style|prettier|eslint)/, "lint"],
  [/(?:^|[:_-])(?:types?|type-?check|tsc|mypy|check-types)(?![a-z])/, "type"],
  [/^(?:tests?|spec|e2e|check|verify|validate|ci)(?![a-z])|[:_-]tests?(?![a-z])|Test$/, "test"],
  [/(?:^|[:_-])(?:build|bundle|compile|assemble|dist|package|all)(?![a-z])/, "build"],
];
