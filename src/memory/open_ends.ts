/** Which failures are ends that were left open, and how much they matter: what was only tried or looked for is none. */
import { isOnlyLooking } from "./looking_commands.ts";
import type { ObservationKind, ObservedFacts } from "./observation.ts";
import { wordSet } from "./word_set.ts";

/** What has to be known of an observation. */
export interface MaybeOpen {
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly title: string;
  readonly facts: ObservedFacts;
  readonly resolvedBy: number | null;
}

/** What a failure says that is nobody's to mend: a person or a rule said no, or nothing was to be done. */
const REFUSED: readonly string[] = [
  "doesn't want to proceed",
  "doesn't want to take",
  "was rejected",
  "interrupted by",
  "permission to use",
  "requires approval",
  "hook error",
  "hook blocked",
  "blocked by",
  "nothing to commit",
  "nothing added to commit",
  "no changes added",
];
/** A shell's words for: interrupted, ended from outside. */
const ENDED_BY_SIGNAL: ReadonlySet<number | undefined> = new Set([130, 143]);
const COMMAND_NOT_FOUND = 127;

/** Builds, linters, type checks, wherever in a command they stand. */
const BUILDS = wordSet(
  `build compile check lint typecheck type-check tsc vue-tsc eslint biome prettier stylelint ruff mypy pyright flake8
   pylint black clippy vet golangci-lint rubocop shellcheck make cmake ninja bazel gradle gradlew mvn mvnw webpack
   xcodebuild msbuild pre-commit`,
);

/**
 * How much a failure matters that nothing has mended: 0 for tests, 1 for builds and checks, 2 for what else should have
 * worked. Null for what is no open end: mended, refused by somebody, or only a look for something.
 */
export function openEndRank(one: MaybeOpen): number | null {
  const { kind, outcome, title, facts, resolvedBy } = one;
  const isFailure = kind === "failure" || kind === "test";
  if (!isFailure || outcome !== "failure" || resolvedBy !== null) return null;
  const { command = "", tool = "", exitCode } = facts;
  const error = (facts.error ?? title).toLowerCase();
  if (REFUSED.some((words) => error.includes(words)) || ENDED_BY_SIGNAL.has(exitCode)) return null;
  // Tools of Claude Code itself fail by what they are asked; those of a server do somebody's work.
  if (tool !== "" && !tool.startsWith("mcp__")) return null;
  if (isOnlyLooking(command)) return null;
  if (kind === "test") return 0;
  if (command.split(/[^\w-]+/).some((word) => BUILDS.has(word))) return 1;
  const isThere = exitCode !== COMMAND_NOT_FOUND && !error.includes("command not found");
  return isThere ? 2 : null;
}
