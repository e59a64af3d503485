import assert from "node:assert/strict";
import { join } from "node:path";
import { slowTest } from "../support/lanes.ts";
import { startHook, startProgram } from "../support/process.ts";
import { observed, tempHome } from "../support/program.ts";
import { putTranscripts } from "../support/transcripts.ts";
import { makeRepository } from "../support/git.ts";

/** At least one command line of every verb, as it is used without a terminal; `HOME` stands for the temporary one. */
const COMMAND_LINES: readonly string[] = [
  "--version",
  "--help",
  "install-hooks",
  "uninstall-hooks --dry-run",
  "migrate --dry-run",
  "status",
  "doctor",
  "doctor --fix",
  "session list",
  "session show 00000000",
  "audit list",
  "audit stats",
  "mcp",
  "queue list",
  "queue stats",
  "queue retry --all",
  "queue drain",
  "memory remember a note",
  "memory search note",
  "memory show 1",
  "memory timeline 1",
  "memory stats",
  "memory eval --self",
  "import transcripts HOME",
  "memory forget --text nothing --yes",
  "memory forget --session 00000000 --dry-run",
  "memory verify 00000000",
  "queue prune",
  "memory stats",
  "memory search nothing",
  "memory remember something",
  "import HOME/none.jsonl",
  "counter list",
  "config init",
  "config path",
  "config show --effective",
  "config validate",
  "config schema",
  "db path",
  "db check",
  "db migrate",
  "db backup HOME/backup.db",
  "db stats",
  "db checkpoint",
  "db vacuum",
  "db restore HOME/backup.db --yes",
  "db reset --yes",
  "guard list",
  "guard pause --session 00000000",
  "guard resume --session 00000000",
  "token",
  "explain Bash ls",
  "req init --preset advanced",
  "req status",
  "req satisfy commit_plan --session 00000000",
  "req approve branch_size_limit --branch main",
  "req explain branch_size_limit",
  "req show commit_plan",
  "req list",
  "req sessions",
  "req prune",
  "req clear --all",
  "req pause --session 00000000",
  "req resume --session 00000000",
  "req disable commit_plan",
  "req enable commit_plan",
  "retention run --dry-run",
  "retention run",
  "reconcile --backfill",
  "import transcripts HOME/.claude/projects",
  "export",
  "completions bash",
  "hook --help",
  "task create --title test",
  "task list",
  "event list",
  "workflow list",
  "workflow files",
  "workflow preview implement",
  "workflow show 00000000",
  "workflow retry 00000000",
  "agent list --all",
  "agent output 00000000",
  "agent kill 00000000",
  "question list --all",
  "question answer q-1 yes",
  "daemon status",
  "daemon start",
  "daemon logs",
  "daemon run",
  "daemon stop",
  "daemon stop",
];

/** The first command line of each verb. */
function firstOfEachVerb(): string[] {
  const byVerb = Map.groupBy(COMMAND_LINES, (line) => line.split(" ")[0]!);
  return [...byVerb.values()].map(([first]) => first!).filter((line) => !line.startsWith("--"));
}

slowTest("no verb asks for a permission that the program does not have", async () => {
  using home = tempHome();
  const project = join(home.path, "project");
  // A repository, so that git is asked.
  makeRepository(project, { branch: "topic" });
  const env = { HOME: home.path, TERM: "xterm-256color", CI: "true", FORCE_COLOR: "1" };
  const replace = { HOME: home.path, PROJECT: project };
  await startHook("SessionStart", observed("SessionStart.startup", replace), home);
  await startHook("PostToolUse", observed("PostToolUse.Edit", replace), home);
  putTranscripts(home, ["tools"]);
  for (const line of [...COMMAND_LINES, ...firstOfEachVerb().map((line) => `${line} --json`)]) {
    const args = line.replace("HOME", home.path).split(" ");
    const { stdout, stderr } = await startProgram(args, { env, cwd: project });
    assert.doesNotMatch(stdout + stderr, /NotCapable|Requires \S+ access|PermissionDenied/, line);
    assert.doesNotMatch(stderr, /^\s+at .*\.[jt]s:\d+/m, `${line} ends with a stack trace`);
  }
});

Deno.test("every verb is among the command lines above", async () => {
  using home = tempHome();
  const { stdout } = await startProgram(["--help"], { env: { HOME: home.path } });
  const commands = stdout.slice(stdout.indexOf("COMMANDS"));
  const verbs = [...commands.matchAll(/^ {2}([a-z][a-z-]*) {2,}/gm)].map(([, verb]) => verb!);
  assert.ok(verbs.length > 0);
  const tried = new Set(COMMAND_LINES.map((line) => line.split(" ")[0]));
  assert.deepEqual(verbs.filter((verb) => !tried.has(verb)), []);
});
