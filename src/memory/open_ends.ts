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

/** Programs that look, try or wait: that they fail says what is not there. */
const LOOKING = wordSet(
  `which whereis type hash ls ll dir tree cat head tail less more stat file wc du df diff cmp jq yq
   grep egrep fgrep rg ag ack find fd locate sort uniq cut tr awk xargs readlink realpath dirname basename md5sum
   sha256sum test [ [[ true false exit return read pwd env printenv uname whoami id date sleep wait
   ps pgrep pkill kill killall lsof ss netstat ping nc dig host nslookup curl wget`,
);
/** … those that do by what they are told to. */
const LOOKING_VERBS: ReadonlyMap<string, ReadonlySet<string>> = new Map(Object.entries({
  "command": wordSet("-v -V"),
  "sed": wordSet("-n"),
  "python": wordSet("-c"),
  "python3": wordSet("-c"),
  "node": wordSet("-e -p"),
  "deno": wordSet("eval info"),
  "ruby": wordSet("-e"),
  "perl": wordSet("-e -ne -pe"),
  "php": wordSet("-r"),
  "git": wordSet(
    `status log diff show branch rev-parse rev-list ls-files ls-remote ls-tree merge-base describe config remote grep
     blame reflog cat-file check-ignore`,
  ),
  "git stash": wordSet("list show"),
  "git worktree": wordSet("list"),
  "gh": wordSet("api"),
  "gh pr": wordSet("view list status checks diff"),
  "gh issue": wordSet("view list status"),
  "gh run": wordSet("view list watch"),
  "docker": wordSet("ps logs inspect images info"),
  "docker compose": wordSet("ps logs"),
  "kubectl": wordSet("get describe logs"),
  "systemctl": wordSet("status is-active"),
  "npm": wordSet("ls list view info outdated why search"),
  "pnpm": wordSet("ls list view info outdated why"),
  "yarn": wordSet("list info outdated why"),
  "pip": wordSet("list show"),
  "cargo": wordSet("tree search metadata"),
  "go": wordSet("list doc env"),
}));
/** What any program is asked that is only looked at. */
const ASKING = wordSet("--version --help -V -h version help");
/** Parts of a command that neither look nor do. */
const NEUTRAL = wordSet("cd echo printf pushd popd export set source .");
/** Words before a program that do not change what it does. */
const BEFORE = /^(?:\w+=\S* +|(?:sudo|time|!|timeout \S+) +)+/;
const GIT_PLACE = /^git (?:-C \S+ |--no-pager )+/;
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;

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

/** Whether every part of a command only looks for something. */
function isOnlyLooking(command: string): boolean {
  if (command === "") return false;
  const parts = command.replace(QUOTED, "''").split(/&&|\|\|?|;|\n/)
    .map((part) => part.trim().replace(BEFORE, "").replace(GIT_PLACE, "git ").split(/\s+/))
    .filter(([program = ""]) => program !== "" && !NEUTRAL.has(program));
  return parts.length > 0 && parts.every(looks);
}

function looks([program = "", verb = "", next = ""]: readonly string[]): boolean {
  return LOOKING.has(program) || LOOKING_VERBS.get(program)?.has(verb) === true ||
    LOOKING_VERBS.get(`${program} ${verb}`)?.has(next) === true ||
    (next === "" && ASKING.has(verb));
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}
