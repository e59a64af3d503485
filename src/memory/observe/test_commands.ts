/** Which commands run tests, and which only speak of them, or ask their runner something. */
import { type ScriptCommand, scriptCommands } from "./shell_words.ts";
import { nameOf, withoutLaunchers } from "./launchers.ts";
import { runnerCall } from "./test_runners.ts";

/** What runs tests, whatever it prints, in whatever it is wrapped. */
const TEST_COMMANDS: readonly RegExp[] = [
  /\b(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|swift|mix|flutter|zig|lein|sbt)\s+(?:run\s+|task\s+|workspace\s+\S+\s+)?(?:-\S+\s+)*(?:t|tst|tests?[:\w-]*)(?![:\w-])/,
  /\b(?:pytest|py\.test|tox|nox|jest|vitest|mocha|ava|tap|rspec|minitest|phpunit|pest|ctest|bats|busted|unittest)\b(?!\.(?!js\b)\w|-\w)/,
  /\b(?:playwright\s+test|cypress\s+run|cargo\s+nextest\s+run|python3?\s+-m\s+(?:unittest|pytest)|node\s+--test|rake\s+test|rails\s+test)\b/,
  /\b(?:gradlew?|mvnw?)\s+(?:\S+\s+)*(?:\S*:)?(?:test|verify)\b/,
  /\bmake\s+(?:\S+\s+)*(?:test|check)s?\b/,
  /\b(?:nx|turbo|lerna|bazel|bazelisk)\s+(?:\S+\s+)*(?:\S*[:=])?tests?\b/,
];
/** Programs that tests are only named to. */
const NOT_RUNNING: ReadonlySet<string> = new Set(
  ("echo printf cat head tail less more grep egrep fgrep rg ag ack find fd ls tree wc diff cmp sed awk cut sort which " +
    "whereis type man export set unset source . cd pushd rm cp mv ln mkdir rmdir touch chmod chown stat file test [ [[ " +
    "pip pip3 pipx gem brew apt apt-get dnf yum apk conda curl wget jq yq code vim vi nano open pgrep pkill kill killall ps gh")
    .split(" "),
);
/** What fetches or drops a package, whichever manager does it, or tells of one. */
const OF_PACKAGES =
  /^(?:install|add|uninstall|remove|i|ci|un|rm|view|info|why|outdated|update|upgrade|ls|list|pip|get|mod)$/;
const PACKAGERS: ReadonlySet<string> = new Set(
  "npm pnpm yarn bun uv poetry pdm pipenv hatch rye cargo go deno bundle composer dotnet mix flutter nx"
    .split(" "),
);
const RUNS_TEXT = /^(?:python[\d.]*|node|ruby|perl|php|deno)$/;
/** Words of the shell that stand before a command. */
const BEFORE: ReadonlySet<string> = new Set(
  "! if then else elif while until do { sudo nice".split(" "),
);
/** Flags by which a runner tells something, or gets ready, and runs no test. */
const ONLY_ASKED: ReadonlySet<string> = new Set(
  ("--version --help -h --collect-only --co --listTests --list --list-tests --list-suites --no-run --dry-run --showConfig " +
    "--show-config --markers --fixtures --setup-plan --init -list -DskipTests -DskipTests=true -Dmaven.test.skip=true " +
    "-Dmaven.test.skip").split(" "),
);

/** Of a long command what it begins and ends with is looked at: between may be a whole file. */
const MAX_COMMAND_CHARS = 2_000;
const MAX_READ_CHARS = 20_000;

/** Whether a script runs tests. */
export function isTestCommand(script: string): boolean {
  return scriptCommands(script).some(runsTests) ||
    script.length > MAX_READ_CHARS &&
      scriptCommands(script.slice(-MAX_COMMAND_CHARS)).some(runsTests);
}

/** Whether one command of a script runs tests. */
export function runsTests({ words }: Pick<ScriptCommand, "words">): boolean {
  const start = words.findIndex((word) => !BEFORE.has(word));
  const [program = "", ...args] = withoutLaunchers(words.slice(Math.max(0, start)));
  const name = nameOf(program);
  const [verb = "", next = ""] = args;
  if (NOT_RUNNING.has(name) || PACKAGERS.has(name) && OF_PACKAGES.test(verb)) return false;
  if (name === "git" && !(verb === "bisect" && next === "run")) return false;
  if (RUNS_TEXT.test(name) && /^(?:-[cepr]|eval)$/.test(verb)) return false;
  if (args.some((word) => ONLY_ASKED.has(word)) || isLeftOut(name, args)) return false;
  const runner = runnerCall([program, ...args])?.runner.name ?? "";
  // These do other things as well.
  if (runner !== "" && runner !== "gradle" && runner !== "mvn") return true;
  const text = words.join(" ");
  const parts = text.length <= 2 * MAX_COMMAND_CHARS
    ? [text]
    : [text.slice(0, MAX_COMMAND_CHARS), text.slice(-MAX_COMMAND_CHARS)];
  return parts.some((part) => TEST_COMMANDS.some((pattern) => pattern.test(part)));
}

/** `gradle build -x test`, `make -n test`, `go test -c` */
function isLeftOut(name: string, args: readonly string[]): boolean {
  if (/^gradlew?$/.test(name)) {
    return args.some((word, at) => /(?:^|:)test$/.test(word) && args[at - 1] === "-x");
  }
  return name === "make" && args.includes("-n") || name === "go" && args.includes("-c");
}
