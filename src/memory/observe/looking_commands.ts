/** Tells whether a shell command only looks for something, or tries something out. */

/** Programs that only look, try or wait. When one fails, something was not found. */
const LOOKING = wordSet(
  `which whereis type hash ls ll dir tree cat head tail less more stat file wc du df diff cmp jq yq
   grep egrep fgrep rg ag ack find fd locate sort uniq cut tr awk xargs readlink realpath dirname basename md5sum
   sha256sum test [ [[ true false exit return read pwd env printenv uname whoami id date sleep wait
   ps pgrep pkill kill killall lsof ss netstat ping nc dig host nslookup curl wget`,
);
/** Programs that only look when they are called with these subcommands or options. */
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
/** Options and subcommands with which no program changes anything. */
const ASKING = wordSet("--version --help -V -h version help");
/** Parts of a command that neither look nor do. */
const NEUTRAL = wordSet("cd echo printf pushd popd export set source .");
/** Words before a program that do not change what it does. */
const BEFORE = /^(?:\w+=\S* +|(?:sudo|time|!|timeout \S+|env(?= +(?:\w+=|-)\S* +\S)) +)+/;
const GIT_PLACE = /^git (?:-C \S+ |--no-pager )+/;
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;

/** Whether every part of a command only looks for something. */
export function isOnlyLooking(command: string): boolean {
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

/** The words of a text that blanks and line breaks separate. */
function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}
