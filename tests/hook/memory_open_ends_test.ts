/** What a new session is told is open, of earlier ones and of other branches, through the real hooks. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { drainLockPath, takeLock } from "../../src/db/process_lock.ts";
import { git } from "../support/git.ts";
import { change, printed } from "../support/on_home.ts";
import { runProgram } from "../support/program.ts";
import { SECOND, type Workplace, workplace } from "../support/told_sessions.ts";
import { rowsOf, testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };

const THIRD = { session: "c0de0000-0000-4000-8000-000000000003" };
const FOURTH = { session: "c0de0000-0000-4000-8000-000000000004" };

/** What a session is told once git has answered: where it is busy, it is not waited for. */
async function checked(at: Workplace): Promise<string> {
  for (let n = 0; n < 50; n++) {
    const told = await at.start();
    if (!told.includes("(not checked)")) return told;
  }
  throw new Error("git never answers");
}

/** An edit of a file makes 2 of its 1. */
const raised = (at: Workplace, file: string) =>
  at.send("PostToolUse", {
    tool_name: "Edit",
    tool_input: { file_path: join(at.project, file), old_string: "1", new_string: "2" },
    tool_response: { originalFile: "1\n", structuredPatch: [] },
  });

const test = testWith(workplace);

test("a new branch is told what was done on the one that it came from, and that it was done there", async (at) => {
  await at.inGit("commit -q --allow-empty -m begun");
  await at.work();
  await at.inGit("checkout -q -b feat/z");
  const told = await checked(at);
  assert.match(told, /Left open elsewhere:\n- #\d+ just now on main: `npm run lint` failed/);
  assert.match(told, /Last sessions:\n- #\d+ just now on main: The login forgets its token/);
  assert.match(told, /- #\d+ just now on main, fix: Fixed TypeError/);
  // There is no such commit.
  assert.doesNotMatch(told, /, commit:/);
});

test("work that a session did before it changed the branch is told on a third branch", async (at) => {
  await at.work();
  await at.inGit("checkout -q -b feat/y");
  await at.edit("src/y.ts", "export const y = 1;\n");
  await at.said("Begun.");
  await at.inGit("checkout -q -b feat/z");
  const told = await at.start();
  assert.match(told, /on main, fix: Fixed TypeError/);
  assert.match(told, /Last sessions:\n- #\d+ just now on feat\/y: The login forgets its token/);
});

test("work without a branch, such as imported work, is told on every branch", async (at) => {
  await at.work();
  change(at, "UPDATE observations SET branch = NULL WHERE kind = 'fix'");
  assert.match(await at.start(), /- #\d+ just now, fix: Fixed TypeError/);
});

test("failed searches, and commands that failed once and are no test or build, are not told; tests come first", async (at) => {
  await at.failed(
    "cargo test",
    "Exit code 101\ntest a ... FAILED\ntest result: FAILED. 1 passed; 1 failed",
  );
  await at.failed("cargo build", "Exit code 101\nerror[E0425]: cannot find value `x`");
  for (let n = 0; n < 2; n++) await at.failed("./deploy.sh", "Exit code 3\nno key");
  await at.failed("./publish.sh", "Exit code 3\nno key");
  const probes = rowsOf<readonly [command: string, error: string]>(CASES.probes);
  for (const [command, error] of probes) await at.failed(command, error);
  await at.send("PostToolUseFailure", {
    tool_name: "Read",
    tool_input: { file_path: "/x" },
    error: "File does not exist.",
  });
  await at.said("Some of it fails.");
  const told = await at.start();
  const open = /Left open on main:\n((?:- .*\n)+)/.exec(told)?.[1]?.trimEnd().split("\n") ?? [];
  assert.deepEqual(
    open.map((line) => /cargo test|cargo build|deploy/.exec(line)?.[0] ?? line),
    ["cargo test", "cargo build", "deploy"],
  );
  assert.doesNotMatch(told, /nosuchprog|publish|nonexist|File does not exist|nothing to commit/);
});

test("a failing test is told although a hundred edits came after it", async (at) => {
  await at.failed("cargo test", "Exit code 101\ntest result: FAILED. 1 passed; 1 failed");
  for (let n = 0; n < 40; n++) await at.edit(`src/m${n}.ts`, `export const m = ${n};\n`);
  await at.said("Written.");
  const told = await at.start();
  assert.match(told, /Left open on main:\n- #\d+ just now: Tests fail: cargo test/);
  assert.match(told, /Last sessions:/);
  assert.ok((told.match(/, edit: /g) ?? []).length <= 6, told);
});

test("an edit is told until it is committed, or put back", async (at) => {
  const write = (name: string, text: string) => Deno.writeTextFile(join(at.project, name), text);
  await write("a.ts", "1\n");
  await write("b.ts", "1\n");
  await at.inGit("add -A", "commit -qm begun");
  for (const name of ["a.ts", "b.ts"]) {
    await raised(at, name);
    await write(name, "2\n");
  }
  await at.said("Both are changed.");
  assert.deepEqual((await at.start()).match(/edit: Edit \S+/g), [
    "edit: Edit b.ts",
    "edit: Edit a.ts",
  ]);
  await write("a.ts", "1\n");
  assert.deepEqual((await at.start()).match(/edit: Edit \S+/g), ["edit: Edit b.ts"]);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await at.inGit("commit -qam both");
  assert.doesNotMatch(await at.start(), /, edit:/);
});

test("an edit that was committed within the same second is not told", async (at) => {
  await at.inGit("commit -q --allow-empty -m begun");
  await new Promise((resolve) => setTimeout(resolve, 1_000 - Date.now() % 1_000));
  await Deno.writeTextFile(join(at.project, "new.ts"), "export const a = 1;\n");
  await at.edit("new.ts", "export const a = 1;\n");
  await at.inGit("add new.ts", "commit -qm added");
  await at.ran("git add -A && git commit -qm added", "");
  await at.said("It is committed.");
  assert.doesNotMatch(await at.start(), /, edit:/);
});

test("a todo stays open over sessions that do nothing, until it is done", async (at) => {
  await at.asked("Make the upload resumable, please");
  await at.todos({ "make test_resume pass": "in_progress", "write docs": "pending" });
  await at.said("Half done.");
  await at.talked(1, { prompt: "what time is it", answer: "Noon." });
  const told = await at.start();
  assert.match(told, /task: make test_resume pass/);
  assert.match(told, /task: write docs/);
  assert.match(told, /: Make the upload resumable, please, 2 open$/m);
  assert.doesNotMatch(told, /what time is it/);
  await at.todos({ "write docs": "completed" }, THIRD);
  await at.said("The docs are there.", THIRD);
  const later = await at.start();
  assert.match(later, /task: make test_resume pass/);
  assert.doesNotMatch(later, /task: write docs/);
  assert.match(later, /: Make the upload resumable, please, 1 open$/m);
  await at.inGit("checkout -q -b resume");
  await at.todos({ "make test_resume pass": "completed" }, FOURTH);
  await at.said("It passes.", FOURTH);
  for (const branch of ["resume", "main"]) {
    await git(at.project, "symbolic-ref", "HEAD", `refs/heads/${branch}`);
    const last = await at.start();
    assert.match(last, /: Make the upload resumable, please$/m);
    assert.doesNotMatch(last, /task:|Left open|\d open/, branch);
  }
});

test("sessions in which nothing was done push out none in which something was", async (at) => {
  await at.work();
  for (let n = 0; n < 15; n++) await at.talked(n);
  const told = await at.start();
  assert.match(told, /Last sessions:\n- #\d+ just now: The login forgets its token/);
  assert.doesNotMatch(told, /: hi$/m);
});

test("a command that passes in another session mends what failed before it, also when the clock was set back between", async (at) => {
  await at.failed("cargo test", "Exit code 101\ntest result: FAILED. 1 passed; 1 failed");
  await at.said("It fails.");
  change(
    at,
    "UPDATE observations SET created_at_ms = created_at_ms + 9e6, updated_at_ms = updated_at_ms + 9e6",
  );
  await at.ran("cargo test", "test result: ok. 2 passed; 0 failed", THIRD);
  await at.said("It passes.", THIRD);
  assert.doesNotMatch(await at.start(), /Left open/);
});

test("work left on a deleted branch is no longer open; work done there is still known", async (at) => {
  await at.inGit(
    "commit -q --allow-empty -m begun",
    "checkout -q -b feat/z",
    "commit -q --allow-empty -m z",
  );
  await at.work();
  await at.todos({ "Flags for admins": "pending" });
  await at.said("The flags are begun.");
  await at.inGit("checkout -q main");
  assert.match(
    await at.start(),
    /Left open elsewhere:\n(?:- .*\n)*- #\d+ \S+ \S+ on feat\/z: `npm run lint` failed/,
  );
  // Where a branch is kept does not matter.
  await at.inGit("pack-refs --all");
  assert.match(await at.start(), /Flags for admins/);
  await at.inGit("branch -q -D feat/z");
  const told = await at.start();
  assert.doesNotMatch(told, /Left open|lint|Flags for admins|open$/m);
  assert.match(told, /on feat\/z, fix: Fixed TypeError/);
});

test("a failure is not told as open while captures that may mend it wait for a drain", async (at) => {
  await at.asked("Let the app build");
  await at.failed("make app", "Exit code 2\nerror: cannot find the header");
  await at.said("It does not build yet.");
  assert.match(await at.start(), /Left open on main:\n- #\d+ just now: `make app` failed/);
  await at.edit("src/a.c", "1\n");
  await at.ran("make app", "cc a.c");
  {
    // Somebody else is at work, so that nothing more is worked in.
    const lock = takeLock(drainLockPath(at.database), { waitMs: 1000 })!;
    assert.doesNotMatch(await at.start(), /`make app` failed/);
    lock.release();
  }
  await at.send("Drain", {});
  assert.doesNotMatch(await at.start(), /make app/);
});

test("when a command fails in another way than before, only its last failure is open", async (at) => {
  await at.asked("Let the app build");
  await at.failed("make app", "Exit code 2\nerror: cannot find the header");
  await at.edit("src/a.c", "1\n");
  await at.failed("make app", "Exit code 2\nerror: undefined symbol");
  await at.said("It fails in another place.");
  const told = await at.start();
  assert.match(told, /Left open on main:\n- #\d+ just now: `make app` failed .*undefined symbol/);
  assert.doesNotMatch(told, /cannot find the header|\(open\)/);
  assert.match(told, /, 1 open$/m);
});

test("failures of a deleted branch are counted nowhere", async (at) => {
  await at.inGit("commit -q --allow-empty -m begun", "checkout -q -b feat");
  await at.asked("Let the parser skip comments");
  await at.edit("src/a.ts", "1\n");
  await at.failed("npm run build", "Exit code 2\nerror TS2304: Cannot find name");
  await at.send("Drain", {});
  await at.inGit("checkout -q main");
  await at.edit("src/b.ts", "1\n");
  await at.said("Merged.");
  const counts = async () => {
    const { stdout } = await at.verb("memory", "stats");
    return [
      /open failures +(\d+)/.exec(stdout)?.[1],
      /, (\d) open$/m.exec(await at.start())?.[1] ?? "0",
    ];
  };
  assert.deepEqual(await counts(), ["1", "1"]);
  await at.inGit("branch -q -D feat");
  assert.deepEqual(await counts(), ["0", "0"]);
});

test("a failure of a renamed branch is open under the new name, until it passes there", async (at) => {
  await at.inGit("commit -q --allow-empty -m begun", "checkout -q -b feat");
  await at.asked("Let the parser skip comments");
  await at.failed("npm run build", "Exit code 2\nerror TS2304: Cannot find name");
  await at.failed("make docs", "Exit code 2\nmake: *** [docs] Error 1");
  await at.said("It fails.");
  await at.inGit("branch -m feat feature/add");
  const tried = await runProgram(["hook", "SessionStart", "--dry-run"], {
    env: { HOME: at.path, CLAUDE_PROJECT_DIR: at.project },
    cwd: at.project,
    stdin: JSON.stringify({ session_id: SECOND, cwd: at.project, source: "startup" }),
  });
  // Nothing is written by that, but the branch is known all the same.
  assert.match(tried.stdout, /Left open on feature\/add:\\n.*: `npm run build` failed/);
  assert.match(await at.start(), /Let the parser skip comments, 2 open$/m);
  await at.ran("make docs", "written", THIRD);
  await at.said("The docs are written.", THIRD);
  const told = await at.start();
  assert.match(
    told,
    /Left open on feature\/add:\n- #\d+ just now: `npm run build` failed[^\n]*\nThe end/,
  );
  await at.ran("npm run build", "built", FOURTH);
  await at.said("It builds.", FOURTH);
  assert.doesNotMatch(await at.start(), /Left open|\d open/);
});

test("work done on a deleted branch stays done", async (at) => {
  await at.inGit("commit -q --allow-empty -m begun");
  await at.asked("Import the customers");
  await at.todos({ "write docs": "pending" });
  await at.said("The importer works.");
  await at.inGit("checkout -q -b feat");
  await at.todos({ "write docs": "completed" }, THIRD);
  await at.said("The docs are written.", THIRD);
  await at.inGit("checkout -q main", "branch -q -D feat");
  const told = await at.start();
  assert.match(told, /: Import the customers$/m);
  assert.doesNotMatch(told, /Left open|\d open/);
});

test("the end of what Claude said last is quoted with its date, and not read for what it leaves", async (at) => {
  await at.work();
  await at.asked("And the logout?");
  await at.edit("src/logout.ts", "1\n");
  await at.said(`${"The logout is there. ".repeat(40)}\n\nStill open:\n- umlauts in names`);
  await at.talked(1);
  const told = await at.start();
  const [, day, quote] =
    /The end of the last session, as Claude said it:\n- #\d+ just now, (\S+): "(.*)"\n/.exec(told)!;
  assert.equal(day, new Date().toISOString().slice(0, 10));
  assert.match(quote!, /^…(?:The )?(?:logout )?is there\. .*Still open: - umlauts in names$/);
  assert.ok(quote!.length <= 400);
  assert.doesNotMatch(told, /Hello\./);
  assert.match(told, /Last sessions:\n- .*, 1 open$/m);
});

test("an operation of git that has stopped is told, wherever it is under way", async (at) => {
  await at.inGit("commit -q --allow-empty -m begun", "checkout -q -b other");
  await Deno.writeTextFile(join(at.project, "a"), "1\n");
  await at.inGit("add a", "commit -qm one", "checkout -q main");
  await Deno.writeTextFile(join(at.project, "a"), "2\n");
  await at.inGit("add a", "commit -qm two");
  await assert.rejects(at.inGit("merge other"));
  const told = await at.start();
  assert.match(told, /Under way in git:\n- a merge has stopped in \S+\/app and is not concluded\n/);
  await at.inGit("merge --abort");
  assert.equal(await at.start(), "");
});

test("a task that is not done and a workflow that waits for a person are told by their ids", async (at) => {
  const create = ["task", "create", "--title", "Measure the tides", "--json"];
  const { id } = JSON.parse(await printed(at, at.project, ...create)).task;
  assert.match(await at.start(), new RegExp(`- ${id.slice(-8)} just now: Measure the tides\\n`));
  change(
    at,
    `INSERT INTO workflows (id, task_id, name, definition, status, reason, claim_token, repository, created_at_ms,
                            updated_at_ms)
     SELECT 'workflow-1a2b3c4d', id, 'release', '{}', 'blocked', 'the review failed', 1, repository, created_at_ms,
            created_at_ms
       FROM tasks`,
  );
  assert.match(
    await at.start(),
    /Workflows that wait for a person .*\n- 1a2b3c4d just now: release, blocked: the review failed\n/,
  );
});

test("a commit of another branch is told where this one has it not, and no branch has lost it", async (at) => {
  const made = async (subject: string) => {
    await at.inGit(`commit -q --allow-empty -m ${subject}`);
    const id = (await git(at.project, "rev-parse", "--short", "HEAD")).trim();
    await at.ran(`git commit -m ${subject}`, `[feat ${id}] ${subject}`);
  };
  await at.inGit("commit -q --allow-empty -m begun", "checkout -q -b feat");
  await at.asked("Let the export write JSON lines");
  await made("Exports");
  await made("Imports");
  await at.said("Both are committed.");
  await at.inGit("checkout -q main");
  const commits = async () =>
    Array.from(
      (await checked(at)).matchAll(/on feat, commit: Commit \S+ (\w+)/g),
      ([, one]) => one,
    );
  assert.deepEqual(await commits(), ["Imports", "Exports"]);
  assert.deepEqual(await commits(), ["Imports", "Exports"]);
  await at.inGit("branch -f feat feat~1");
  assert.deepEqual(await commits(), ["Exports"]);
  await at.inGit("merge -q feat");
  assert.deepEqual(await commits(), []);
});

test("a fix is told that took more than one try, or whose cause lay outside, until it is put back", async (at) => {
  const config = join(at.project, "config.ts");
  await Deno.writeTextFile(config, "1\n");
  await at.asked("Let the server start again, please");
  await at.failed("make check", "Exit code 1\nerror: missing brace");
  await at.edit("src/a.ts", "1\n");
  await at.ran("make check", "ok");
  await at.failed("npm run serve", "Exit code 1\nError: listen EADDRINUSE: address already in use");
  await raised(at, "config.ts");
  await Deno.writeTextFile(config, "2\n");
  await at.ran("npm run serve", "listening");
  await at.said("It starts.");
  const told = await at.start();
  assert.match(told, /fix: Fixed Error: listen EADDRINUSE/);
  assert.doesNotMatch(told, /fix: .*missing brace/);
  await Deno.writeTextFile(config, "3\n");
  assert.match(await at.start(), /fix: .*EADDRINUSE.* \(its file has changed since\)\n/);
  await Deno.writeTextFile(config, "1\n");
  assert.doesNotMatch(await at.start(), /, fix:/);
});
