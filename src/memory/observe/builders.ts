/** Which commands build, check or test, whatever comes of it. */
import { MANAGERS, nameOf, withoutLaunchers } from "./launchers.ts";
import type { ScriptCommand } from "./shell_words.ts";
import { runnerCall } from "./test_runners.ts";

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
export const QUIET: ReadonlySet<string> = new Set(["mkdir", "rm", "cp", "mv", "touch"]);

/** Programs that do what a project tells them: they may call any other. */
const RUN_OTHERS: ReadonlySet<string> = new Set(
  "make gmake ninja just rake turbo nx lerna tox nox pre-commit".split(" "),
);

/** Whether a command builds, checks or tests; what reads the output of one does not. */
export function builds({ words, before }: ScriptCommand): boolean {
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

/** Whether a command runs what a project has defined, so that other tools speak in its output. */
export function runsOthers({ words }: ScriptCommand): boolean {
  const [program = "", verb = ""] = withoutLaunchers(words);
  const name = nameOf(program);
  return MANAGERS.has(name) || RUN_OTHERS.has(name) || name === "deno" && verb === "task";
}

/** What these say at the end, by their names, when all has gone well: a build, or tests that are not counted. */
export const SAYS_ALL_WELL = {
  gradle: /^BUILD SUCCESSFUL\b/m,
  mvn: /^(?:\[INFO\] )?BUILD SUCCESS$/m,
} as const;
