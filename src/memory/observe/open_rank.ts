/** How much a failure matters while nothing mends it: what was only tried or looked for is no open end. */
import { isOnlyLooking } from "../looking_commands.ts";
import { OPEN_RANKS } from "../open_ends.ts";
import type { Observed, ObservedFacts } from "../observation.ts";
import { wordSet } from "../word_set.ts";

/** What git says that had nothing to commit. */
const NOTHING_TO_COMMIT: readonly string[] = [
  "nothing to commit",
  "nothing added to commit",
  "no changes added",
];
/** What a failure says that is nobody's to mend: a person or a rule said no, or nothing was to be done. */
const REFUSED: readonly string[] = [
  ...NOTHING_TO_COMMIT,
  "doesn't want to proceed",
  "doesn't want to take",
  "was rejected",
  "interrupted by",
  "permission to use",
  "requires approval",
  "hook error",
  "hook blocked",
  "blocked by",
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

/** An observation with its rank, when it is a failure: worked out once, since every session that starts asks for it. */
export function withOpenRank(observed: Observed): Observed {
  const { kind, outcome, facts } = observed;
  if ((kind !== "failure" && kind !== "test") || outcome !== "failure") return observed;
  return { ...observed, facts: { ...facts, openRank: rankOf(observed) } };
}

/** Whether git failed only because there was nothing to commit: whatever is changed later is no fix of that. */
export function hadNothingToCommit(failure: Failure): boolean {
  return /\bgit\b/.test(failure.facts.command ?? "") && saysNothingToCommit(errorOf(failure));
}

/** Whether this is what git says of it. */
export function saysNothingToCommit(error: string): boolean {
  const said = error.toLowerCase();
  return NOTHING_TO_COMMIT.some((words) => said.includes(words));
}

interface Failure {
  readonly title: string;
  readonly facts: ObservedFacts;
}

function errorOf({ title, facts }: Failure): string {
  return (facts.error ?? title).toLowerCase();
}

function rankOf({ kind, title, facts }: Observed): number | null {
  const { command = "", tool = "", exitCode } = facts;
  const error = errorOf({ title, facts });
  if (REFUSED.some((words) => error.includes(words)) || ENDED_BY_SIGNAL.has(exitCode)) return null;
  if (facts.isElsewhere === true || facts.isTried === true) return null;
  // Tools of Claude Code itself fail by what they are asked; those of a server do somebody's work.
  if (tool !== "" && !tool.startsWith("mcp__")) return null;
  if (isOnlyLooking(command)) return null;
  if (kind === "test") return OPEN_RANKS.tests;
  if (command.split(/[^\w-]+/).some((word) => BUILDS.has(word))) return OPEN_RANKS.checks;
  const isThere = exitCode !== COMMAND_NOT_FOUND && !error.includes("command not found");
  return isThere ? OPEN_RANKS.others : null;
}
