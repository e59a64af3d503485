/** What becomes of failures in memory, through the real hooks: which are one, which are mended by what, and which are told. */
import assert from "node:assert/strict";
import { captures, query } from "../support/look.ts";
import { type Workplace, workplace } from "../support/told_sessions.ts";
import { testWith } from "../support/fixtures.ts";
import { join } from "node:path";
import { git } from "../support/git.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";

const ALPHA =
  "Exit code 1\nFAILED tests/test_a.py::test_alpha - ConnectionRefusedError: redis\n1 failed, 2 passed in 0.1s";
const BETA =
  "Exit code 1\nFAILED tests/test_b.py::test_beta - KeyError: user\n1 failed, 2 passed in 0.1s";

/** The failures that memory has, each with how often it was seen and what mended it. */
function failures(at: Workplace) {
  return query(
    at,
    `SELECT f.title, f.repeats, m.title AS mendedBy
       FROM observations AS f
       LEFT JOIN observations AS m ON m.id = f.resolved_by
      WHERE f.outcome = 'failure'
      ORDER BY f.id`,
  ).map(({ title, repeats, mendedBy }) => [title, repeats, mendedBy]);
}

/** What a new session is told is open. */
async function open(at: Workplace): Promise<string[]> {
  const told = await at.start();
  return /Left open on main:\n((?:- .*\n?)+)/.exec(told)?.[1]?.trim().split("\n")
    .map((line) => line.replace(/^- #\d+ just now(?:, said)?: /, "")) ?? [];
}

const test = testWith(workplace);

test("a test that fails after another one is a failure of its own, and each has its own fix", async (at) => {
  await at.failed("pytest", ALPHA);
  await at.edit("src/redis.py", "port = 6379\n");
  await at.failed("pytest", BETA);
  await at.edit("src/user.py", "user = 1\n");
  await at.ran("pytest", "3 passed in 0.1s");
  await at.said("It passes.");
  assert.deepEqual(failures(at), [
    [
      "Tests fail: pytest (2 passed, 1 failed): tests/test_a.py::test_alpha",
      1,
      "Fixed tests/test_a.py::test_alpha by src/redis.py",
    ],
    [
      "Tests fail: pytest (2 passed, 1 failed): tests/test_b.py::test_beta",
      1,
      "Fixed tests/test_b.py::test_beta by src/user.py",
    ],
  ]);
});

test("a failure that comes again is counted, also with other times, lines and counts", async (at) => {
  await at.failed("pytest", ALPHA);
  await at.failed("pytest -q", ALPHA.replace("2 passed in 0.1s", "5 passed in 2.7s"));
  await at.failed("npm run build", "Exit code 2\nsrc/a.ts(1,1): error TS2304: No name foo.");
  await at.failed("npm run build", "Exit code 2\nsrc/a.ts(7,3): error TS2304: No name foo.");
  await at.failed("make docs", "Exit code 2\n12:03:01 error: no theme, after 31 ms");
  await at.failed("make docs", "Exit code 2\n12:04:59 error: no theme, after 1.2 s");
  await at.said("It fails.");
  assert.deepEqual(failures(at).map(([, repeats]) => repeats), [2, 2, 2]);
});

test("when a command fails in several ways, the last failure is told as open, and one pass mends all", async (at) => {
  const compiles = "Exit code 101\nerror[E0425]: cannot find value `c` in this scope";
  await at.failed(
    "cargo test",
    "Exit code 101\ntest tests::adds ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored",
  );
  await at.edit("src/lib.rs", "a + c");
  await at.failed("cargo test", compiles);
  await at.failed("npm run build", "Exit code 2\nsrc/a.ts(1,1): error TS2304: No name foo.");
  await at.edit("src/a.ts", "bar");
  await at.failed("npm run build", "Exit code 2\nsrc/b.ts(9,9): error TS7006: Implicit any.");
  await at.said("Both fail.");
  assert.equal(failures(at).length, 4);
  assert.deepEqual(await open(at), [
    "Tests fail: cargo test: error[E0425]: cannot find value `c` in this scope",
    "`npm run build` failed (exit 2): src/b.ts(9,9): error TS7006: Implicit any.",
  ]);
  assert.match(await at.start(), /Last sessions:\n.*, 2 open$/m);
  await at.edit("src/b.ts", "x: string");
  await at.ran("npm run build", "built");
  await at.ran("cargo test", "test result: ok. 2 passed; 0 failed; 0 ignored");
  await at.said("Both pass.");
  assert.deepEqual(failures(at).map(([, , mendedBy]) => mendedBy), [
    "Fixed tests::adds by src/lib.rs",
    "Fixed error[E0425]: cannot find value `c` in this scope by src/a.ts, src/b.ts",
    "Fixed src/a.ts(1,1): error TS2304: No name foo. by src/a.ts",
    "Fixed src/b.ts(9,9): error TS7006: Implicit any. by src/b.ts",
  ]);
  assert.deepEqual(await open(at), []);
});

test("a script of parts that must all pass closes what its parts had left open, in their folders", async (at) => {
  await at.failed("npx tsc --noEmit", "Exit code 2\na.ts(1,1): error TS1: x");
  await at.failed("cd web && npm run build", "Exit code 2\nb.ts(1,1): error TS1: x");
  await at.failed("git push", "Exit code 1\n! [rejected] main -> main (fetch first)");
  await at.failed("npm run lint && npm run pack", "Exit code 1\nerror: no entry point");
  await at.failed(
    "npx vitest run",
    "Exit code 1\n FAIL  src/a.test.ts > adds\n Tests  1 failed | 3 passed (4)",
  );
  await at.edit("src/a.ts", "x");
  await at.ran("npx tsc --noEmit && echo OK", "OK");
  await at.ran(`cd ${at.project}/web && npm ci && npm run build`, "built");
  await at.ran("git pull --rebase && git push", "ok");
  await at.ran("npm run lint && npm run copy", "ok");
  await at.ran(
    "npx vitest run src/a.test.ts",
    " ✓ src/a.test.ts (2 tests) 3ms\n Tests  2 passed (2)",
  );
  await at.said("All of it went well.");
  assert.deepEqual(await open(at), [
    "`npm run lint && npm run pack` failed (exit 1): error: no entry point",
  ]);
});

test("cargo's failing tests are known by the heads of their outputs, where a filter cuts the list off", async (at) => {
  const tail =
    "---- tests::adds stdout ----\nthread 'tests::adds' panicked at src/lib.rs:4:9:\nno\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored";
  await at.failed("cargo test", `Exit code 101\ntest tests::adds ... FAILED\n\n${tail}`);
  await at.failed("cargo test 2>&1 | tail -8", `Exit code 101\n${tail}`);
  await at.said("It fails.");
  assert.deepEqual(failures(at), [[
    "Tests fail: cargo test (1 passed, 1 failed): tests::adds",
    2,
    null,
  ]]);
});

const began = (at: Workplace, command: string, id: string) =>
  at.send("PostToolUse", {
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: { command, run_in_background: true },
    tool_response: { stdout: "", stderr: "", backgroundTaskId: "b98" },
  });

const ended = (at: Workplace, id: string, status: string, summary: string) =>
  at.asked(
    `<task-notification>\n<task-id>b98</task-id>\n<tool-use-id>${id}</tool-use-id>\n` +
      `<status>${status}</status>\n<summary>${summary}</summary>\n</task-notification>`,
  );

const BUILD_FAILED = 'Background command "Build" failed with exit code 2';
const BUILD_PASSED = 'Background command "Build" completed (exit code 0)';

function observed(at: Workplace) {
  return query(
    at,
    `SELECT kind, outcome, title, outcome IS 'failure' AND resolved_by IS NULL AS isOpen
       FROM observations
      WHERE kind NOT IN ('summary', 'message') OR title LIKE 'Background%'
      ORDER BY id`,
  ).map(({ kind, outcome, title, isOpen }) => [kind, outcome, title, isOpen]);
}

test("a command that fails in the background is a failure, until it passes there or anywhere", async (at) => {
  await began(at, "npm run build", "toolu_1");
  await ended(at, "toolu_1", "failed", BUILD_FAILED);
  await at.said("It fails.");
  const failure = `\`npm run build\` failed (exit 2): ${BUILD_FAILED}`;
  assert.deepEqual(observed(at), [
    ["command", null, "`npm run build` started in the background", 0],
    ["failure", "failure", failure, 1],
  ]);
  assert.match(await at.start(), /Left open on main:\n- #\d+ just now: `npm run build` failed/);
  await began(at, "npm run build", "toolu_2");
  await ended(at, "toolu_2", "completed", BUILD_PASSED);
  await at.said("It passes.");
  assert.deepEqual(observed(at).slice(1), [
    ["failure", "failure", failure, 0],
    ["command", "success", "Run npm run build", 0],
  ]);
});

test("a command whose end is unknown says so, and leaves nothing open", async (at) => {
  await ended(at, "toolu_9", "failed", BUILD_FAILED);
  await ended(at, "toolu_9", "killed", 'Background command "Serve" was stopped');
  await at.said("Well.");
  assert.deepEqual(observed(at).map((row) => row.slice(0, 3)), [
    ["failure", "failure", BUILD_FAILED],
    ["message", null, 'Background command "Serve" was stopped'],
  ]);
  assert.doesNotMatch(await at.start(), /Left open/);
});

const TYPES = "Exit code 2\nsrc/a.ts(1,1): error TS2304: No name foo.";

/** A repository with two commits on `main`. */
async function withHistory(): Promise<Workplace> {
  const at = workplace();
  await Deno.writeTextFile(join(at.project, "a.ts"), "1\n");
  await at.inGit("add -A");
  for (const subject of ["one", "two"]) {
    await git(
      at.project,
      ...["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty"],
      ...["-m", subject],
    );
  }
  return at;
}

/** Each command with its branch, and whether it is a failure that nothing has mended. */
function branchesOf(at: Workplace) {
  return query(
    at,
    `SELECT json_extract(facts, '$.command') AS command, branch,
            outcome = 'failure' AND resolved_by IS NULL AS isOpen
       FROM observations
      WHERE kind IN ('failure', 'command', 'test')
      ORDER BY id`,
  ).map(({ command, branch, isOpen }) => [command, branch, isOpen]);
}

const it = testWith(withHistory);

it("a command that passes on a detached HEAD mends no failure of a branch", async (at) => {
  await at.failed("npm run build", TYPES);
  await at.inGit("checkout -q HEAD~1");
  await at.ran("npm run build", "ok");
  await at.failed("npm run lint", "Exit code 1\nerror: unused variable");
  await at.inGit("checkout -q main");
  await at.ran("npm run lint", "ok");
  await at.said("It was right one commit before.");
  assert.deepEqual(branchesOf(at), [
    ["npm run build", "main", 1],
    ["npm run build", null, 0],
    ["npm run lint", null, 1],
    ["npm run lint", "main", 0],
  ]);
});

it("a rebase that stopped, on no branch, is over when it was continued to its end, back on the branch", async (at) => {
  const stopped =
    "Exit code 1\nCONFLICT (content): Merge conflict in a.ts\nerror: could not apply 1a";
  await at.inGit("checkout -q --detach");
  await at.failed("git rebase other", stopped);
  await at.inGit("checkout -q main");
  await at.ran("git add a.ts && git rebase --continue", "Successfully rebased");
  await at.said("It is on top of other.");
  assert.deepEqual(branchesOf(at).map(([command, , isOpen]) => [command, isOpen]), [
    ["git rebase other", 0],
    ["git add a.ts && git rebase --continue", 0],
  ]);
});

test("outside of a repository, where nothing has a branch, what passes mends what failed", async (at) => {
  const project = join(at.path, "plain");
  await Deno.mkdir(project);
  await at.failed("npm run build", TYPES, { project });
  await at.ran("npm run build", "ok", { project });
  await at.said("It builds.", { project });
  assert.deepEqual(branchesOf(at), [["npm run build", null, 0], ["npm run build", null, 0]]);
});

it("a merge that stopped is open as long as it is under way, whoever ends it", async (at) => {
  const commit = ["commit", "-qam"];
  await at.inGit("checkout -q -b feat");
  await Deno.writeTextFile(join(at.project, "a.ts"), "2\n");
  await git(at.project, ...commit, "theirs");
  await at.inGit("checkout -q main");
  await Deno.writeTextFile(join(at.project, "a.ts"), "3\n");
  await git(at.project, ...commit, "ours");
  await assert.rejects(at.inGit("merge feat"));
  const stopped =
    "Exit code 1\nCONFLICT (content): Merge conflict in a.ts\nAutomatic merge failed; fix conflicts and then commit the result.";
  await at.failed("git merge feat", stopped);
  await at.said("There are conflicts.");
  const later = (n: number) =>
    at.start("startup", { session: `c0de0000-0000-4000-8000-00000000000${n}` });
  assert.match(await later(2), /Under way in git:\n- a merge has stopped in/);
  await Deno.writeTextFile(join(at.project, "a.ts"), "4\n");
  await git(at.project, ...commit, "merged");
  assert.doesNotMatch(await later(3), /Under way|Left open/);
  const { stdout } = await at.verb("memory", "stats", "--json");
  assert.equal(JSON.parse(stdout).openFailures, 0);
});

const SESSION = "5e55a000-0000-4000-8000-0000000000f0";

/** Claude Code's report of `npm run build`, with its shell in a folder. */
async function build(home: TempHome, cwd: string, error?: string): Promise<void> {
  const event = error === undefined ? "PostToolUse" : "PostToolUseFailure";
  const { code } = await hook(
    event,
    {
      session_id: SESSION,
      cwd,
      hook_event_name: event,
      tool_name: "Bash",
      tool_input: { command: "npm run build" },
      ...(error === undefined
        ? { tool_response: { stdout: "built", stderr: "" } }
        : { error: `Exit code 2\n${error}` }),
    },
    home,
    { env: { CLAUDE_PROJECT_DIR: home.path } },
  );
  assert.equal(code, 0);
}

async function openIn(home: TempHome): Promise<string[]> {
  const { code, stderr } = await runProgram(["queue", "drain"], { env: { HOME: home.path } });
  assert.equal(code, 0, stderr);
  return query(
    home,
    "SELECT title FROM observations WHERE outcome = 'failure' AND resolved_by IS NULL ORDER BY id",
  ).map(({ title }) => String(title));
}

Deno.test("a build that failed where the shell was is mended there, and not by the same words in another folder", async () => {
  using home = tempHome();
  await build(home, `${home.path}/api`, "error: no such type");
  await build(home, home.path, "error: no such file");
  const inApi = "`cd api && npm run build` failed (exit 2): error: no such type";
  const atTop = "`npm run build` failed (exit 2): error: no such file";
  assert.deepEqual(await openIn(home), [inApi, atTop]);
  await build(home, `${home.path}/web`);
  assert.deepEqual(await openIn(home), [inApi, atTop]);
  await build(home, home.path);
  assert.deepEqual(await openIn(home), [inApi]);
  await build(home, `${home.path}/api`);
  assert.deepEqual(await openIn(home), []);
});

Deno.test("a capture names the shell's folder only where that is not the project's", async () => {
  using home = tempHome();
  await build(home, home.path);
  await build(home, `${home.path}/api`);
  const folders = captures(home).map(({ payload }) => Object(payload).cwd);
  assert.deepEqual(folders, [undefined, `${home.path}/api`]);
});
