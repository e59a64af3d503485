/** Which failures are ends that were left open, and how much they matter: what was only tried or looked for is none. */
import type { ObservationKind, ObservedFacts } from "./observation.ts";

/** What has to be known of an observation. */
export interface MaybeOpen {
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly title: string;
  readonly facts: ObservedFacts;
  readonly resolvedBy: number | null;
}

/** Commands that look, try or wait: that they fail says what is not there. Each stands at the beginning of a command. */
const LOOKING: readonly RegExp[] = [
  /^(?:which|whereis|type|hash|command -[vV]|ls|ll|dir|tree|cat|head|tail|less|more|stat|file|wc|du|df|diff|cmp|jq|yq)\b/,
  /^(?:grep|egrep|fgrep|rg|ag|ack|find|fd|locate|sort|uniq|cut|tr|awk|xargs (?:grep|ls|cat|rg))\b/,
  /^(?:test|\[\[?|true|false|exit|return|read|pwd|env|printenv|uname|whoami|id|date|sleep|wait|timeout \d+ tail)(?=\s|$)/,
  /^(?:ps|pgrep|pkill|kill|killall|lsof|ss|netstat|ping|nc|dig|host|nslookup|curl|wget)\b/,
  /^(?:readlink|realpath|dirname|basename|md5sum|sha256sum|sed -n)\b/,
  /^(?:python3?|node|deno|ruby|perl|php|bun) (?:-c|-e|-p|-r|eval)\b/,
  /^git (?:-\S+ )*(?:status|log|diff|show|branch|rev-parse|rev-list|ls-\w+|merge-base|describe|config|remote|grep|blame|reflog|cat-file|check-ignore|stash (?:list|show)|worktree list)\b/,
  /^gh (?:\w+ (?:view|list|status|checks|diff)|api)\b/,
  /^(?:docker|podman|kubectl|systemctl) (?:ps|logs|inspect|images|info|get|describe|status|is-active|compose (?:ps|logs))\b/,
  /^(?:npm|pnpm|yarn|pip3?|cargo|go|brew|apt|dpkg) (?:ls|list|view|info|outdated|why|show|search|tree|doc|-[lsS])\b/,
  /^\S+ (?:--version|--help|-V|-h|version|help)$/,
];

/** Parts of a command that neither look nor do. */
const NEUTRAL = /^(?:cd|echo|printf|pushd|popd|export|set|source|\.)\b/;

/** What a failure says that is nobody's to mend: a person or a rule said no, or nothing was to be done. */
const REFUSED =
  /doesn't want to (?:proceed|take)|was rejected|interrupted|permission to use|requires approval|hook (?:error|blocked)|blocked by|nothing (?:added )?to commit|no changes added/i;
const NOT_THERE = /command not found|: not found$/;
/** A shell's words for: interrupted, ended from outside. */
const ENDED_BY_SIGNAL: ReadonlySet<number | undefined> = new Set([130, 143]);
const COMMAND_NOT_FOUND = 127;

/** Builds, linters, type checks, wherever in a command they stand. */
const BUILDS =
  /\b(?:build|compile|check|lint|typecheck|type-check|tsc|vue-tsc|eslint|biome|prettier|stylelint|ruff|mypy|pyright|flake8|pylint|black|clippy|vet|golangci-lint|rubocop|shellcheck|make|cmake|ninja|bazel|gradlew?|mvnw?|webpack|xcodebuild|msbuild|pre-commit)\b/;

/**
 * How much a failure matters that nothing has mended: 0 for tests, 1 for builds and checks, 2 for what else should have
 * worked. Null for what is no open end: mended, refused by somebody, or only a look for something.
 */
export function openEndRank(one: MaybeOpen): number | null {
  const { kind, outcome, title, facts, resolvedBy } = one;
  const isFailure = kind === "failure" || kind === "test";
  if (!isFailure || outcome !== "failure" || resolvedBy !== null) return null;
  const { command = "", tool = "", exitCode } = facts;
  const error = facts.error ?? title;
  if (REFUSED.test(error) || ENDED_BY_SIGNAL.has(exitCode)) return null;
  // Tools of Claude Code itself fail by what they are asked; those of a server do somebody's work.
  if (tool !== "" && !tool.startsWith("mcp__")) return null;
  if (isOnlyLooking(command)) return null;
  if (kind === "test") return 0;
  if (BUILDS.test(command)) return 1;
  return exitCode === COMMAND_NOT_FOUND || NOT_THERE.test(error) ? null : 2;
}

/** Whether every part of a command only looks for something. */
function isOnlyLooking(command: string): boolean {
  const parts = command
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "''")
    .split(/&&|\|\|?|;|\n/)
    .map((part) => part.trim().replace(/^(?:\w+=\S* +|(?:sudo|time|!|timeout \S+) +)+/, ""))
    .filter((part) => part !== "" && !NEUTRAL.test(part));
  return parts.length > 0 && parts.every((part) => LOOKING.some((looks) => looks.test(part)));
}
