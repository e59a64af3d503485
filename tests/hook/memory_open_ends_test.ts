/** What a new session is told is open, of earlier ones and of other branches, through the real hooks. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { drainLockPath, takeLock } from "../../src/db/process_lock.ts";
import { git } from "../support/git.ts";
import { change, printed } from "../support/on_home.ts";
import { runProgram } from "../support/program.ts";
import {
  asked,
  edit,
  failed,
  inGit,
  ran,
  said,
  SECOND,
  send,
  start,
  talked,
  todos,
  verb,
  work,
  type Workplace,
  workplace,
} from "../support/told_sessions.ts";
import { testWith } from "../support/fixtures.ts";
import CASES from "../testdata/hook_cases.json" with { type: "json" };
import { rowsOf } from "../support/rows.ts";

const THIRD = { session: "c0de0000-0000-4000-8000-000000000003" };
const FOURTH = { session: "c0de0000-0000-4000-8000-000000000004" };

/** What a session is told once git has answered: where it is busy, it is not waited for. */
async function checked(at: Workplace): Promise<string> {
  for (let n = 0; n < 50; n++) {
    const told = await start(at);
    if (!told.includes("(not checked)")) return told;
  }
  throw new Error("git never answers");
}

/** An edit of a file makes 2 of its 1. */
const raised = (at: Workplace, file: string) =>
  send(at, "PostToolUse", {
    tool_name: "Edit",
    tool_input: { file_path: join(at.project, file), old_string: "1", new_string: "2" },
    tool_response: { originalFile: "1\n", structuredPatch: [] },
  });

const test = testWith(workplace);

test("a new branch is told what was done on the one that it came from, and that it was done there", async (at) => {
  await inGit(at, "commit -q --allow-empty -m begun");
  await work(at);
  await inGit(at, "checkout -q -b feat/z");
  const told = await checked(at);
  assert.match(told, /Left open elsewhere:\n- #\d+ just now on main: `npm run lint` failed/);
  assert.match(told, /Last sessions:\n- #\d+ just now on main: The login forgets its token/);
  assert.match(told, /- #\d+ just now on main, fix: Fixed TypeError/);
  // There is no such commit.
  assert.doesNotMatch(told, /, commit:/);
});

test("work that a session did before it changed the branch is told on a third branch", async (at) => {
  await work(at);
  await inGit(at, "checkout -q -b feat/y");
  await edit(at, "src/y.ts", "export const y = 1;\n");
  await said(at, "Begun.");
  await inGit(at, "checkout -q -b feat/z");
  const told = await start(at);
  assert.match(told, /on main, fix: Fixed TypeError/);
  assert.match(told, /Last sessions:\n- #\d+ just now on feat\/y: The login forgets its token/);
});

test("work without a branch, such as imported work, is told on every branch", async (at) => {
  await work(at);
  change(at, "UPDATE observations SET branch = NULL WHERE kind = 'fix'");
  assert.match(await start(at), /- #\d+ just now, fix: Fixed TypeError/);
});

test("failed searches, and commands that failed once and are no test or build, are not told; tests come first", async (at) => {
  await failed(
    at,
    "cargo test",
    "Exit code 101\ntest a ... FAILED\ntest result: FAILED. 1 passed; 1 failed",
  );
  await failed(at, "cargo build", "Exit code 101\nerror[E0425]: cannot find value `x`");
  for (let n = 0; n < 2; n++) await failed(at, "./deploy.sh", "Exit code 3\nno key");
  await failed(at, "./publish.sh", "Exit code 3\nno key");
  const probes = rowsOf<readonly [command: string, error: string]>(CASES.probes);
  for (const [command, error] of probes) await failed(at, command, error);
  await send(at, "PostToolUseFailure", {
    tool_name: "Read",
    tool_input: { file_path: "/x" },
    error: "File does not exist.",
  });
  await said(at, "Some of it fails.");
  const told = await start(at);
  const open = /Left open on main:\n((?:- .*\n)+)/.exec(told)?.[1]?.trimEnd().split("\n") ?? [];
  assert.deepEqual(
    open.map((line) => /cargo test|cargo build|deploy/.exec(line)?.[0] ?? line),
    ["cargo test", "cargo build", "deploy"],
  );
  assert.doesNotMatch(told, /nosuchprog|publish|nonexist|File does not exist|nothing to commit/);
});

test("a failing test is told although a hundred edits came after it", async (at) => {
  await failed(at, "cargo test", "Exit code 101\ntest result: FAILED. 1 passed; 1 failed");
  for (let n = 0; n < 40; n++) await edit(at, `src/m${n}.ts`, `export const m = ${n};\n`);
  await said(at, "Written.");
  const told = await start(at);
  assert.match(told, /Left open on main:\n- #\d+ just now: Tests fail: cargo test/);
  assert.match(told, /Last sessions:/);
  assert.ok((told.match(/, edit: /g) ?? []).length <= 6, told);
});

test("an edit is told until it is committed, or put back", async (at) => {
  const write = (name: string, text: string) => Deno.writeTextFile(join(at.project, name), text);
  await write("a.ts", "1\n");
  await write("b.ts", "1\n");
  await inGit(at, "add -A", "commit -qm begun");
  for (const name of ["a.ts", "b.ts"]) {
    await raised(at, name);
    await write(name, "2\n");
  }
  await said(at, "Both are changed.");
  assert.deepEqual((await start(at)).match(/edit: Edit \S+/g), [
    "edit: Edit b.ts",
    "edit: Edit a.ts",
  ]);
  await write("a.ts", "1\n");
  assert.deepEqual((await start(at)).match(/edit: Edit \S+/g), ["edit: Edit b.ts"]);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await inGit(at, "commit -qam both");
  assert.doesNotMatch(await start(at), /, edit:/);
});

test("an edit that was committed within the same second is not told", async (at) => {
  await inGit(at, "commit -q --allow-empty -m begun");
  await new Promise((resolve) => setTimeout(resolve, 1_000 - Date.now() % 1_000));
  await Deno.writeTextFile(join(at.project, "new.ts"), "export const a = 1;\n");
  await edit(at, "new.ts", "export const a = 1;\n");
  await inGit(at, "add new.ts", "commit -qm added");
  await ran(at, "git add -A && git commit -qm added", "");
  await said(at, "It is committed.");
  assert.doesNotMatch(await start(at), /, edit:/);
});

test("a todo stays open over sessions that do nothing, until it is done", async (at) => {
  await asked(at, "Make the upload resumable, please");
  await todos(at, { "make test_resume pass": "in_progress", "write docs": "pending" });
  await said(at, "Half done.");
  await talked(at, 1, { prompt: "what time is it", answer: "Noon." });
  const told = await start(at);
  assert.match(told, /task: make test_resume pass/);
  assert.match(told, /task: write docs/);
  assert.match(told, /: Make the upload resumable, please, 2 open$/m);
  assert.doesNotMatch(told, /what time is it/);
  await todos(at, { "write docs": "completed" }, THIRD);
  await said(at, "The docs are there.", THIRD);
  const later = await start(at);
  assert.match(later, /task: make test_resume pass/);
  assert.doesNotMatch(later, /task: write docs/);
  assert.match(later, /: Make the upload resumable, please, 1 open$/m);
  await inGit(at, "checkout -q -b resume");
  await todos(at, { "make test_resume pass": "completed" }, FOURTH);
  await said(at, "It passes.", FOURTH);
  for (const branch of ["resume", "main"]) {
    await git(at.project, "symbolic-ref", "HEAD", `refs/heads/${branch}`);
    const last = await start(at);
    assert.match(last, /: Make the upload resumable, please$/m);
    assert.doesNotMatch(last, /task:|Left open|\d open/, branch);
  }
});

test("sessions in which nothing was done push out none in which something was", async (at) => {
  await work(at);
  for (let n = 0; n < 15; n++) await talked(at, n);
  const told = await start(at);
  assert.match(told, /Last sessions:\n- #\d+ just now: The login forgets its token/);
  assert.doesNotMatch(told, /: hi$/m);
});

test("a command that passes in another session mends what failed before it, also when the clock was set back between", async (at) => {
  await failed(at, "cargo test", "Exit code 101\ntest result: FAILED. 1 passed; 1 failed");
  await said(at, "It fails.");
  change(
    at,
    "UPDATE observations SET created_at_ms = created_at_ms + 9e6, updated_at_ms = updated_at_ms + 9e6",
  );
  await ran(at, "cargo test", "test result: ok. 2 passed; 0 failed", THIRD);
  await said(at, "It passes.", THIRD);
  assert.doesNotMatch(await start(at), /Left open/);
});

test("work left on a deleted branch is no longer open; work done there is still known", async (at) => {
  await inGit(
    at,
    "commit -q --allow-empty -m begun",
    "checkout -q -b feat/z",
    "commit -q --allow-empty -m z",
  );
  await work(at);
  await todos(at, { "Flags for admins": "pending" });
  await said(at, "The flags are begun.");
  await inGit(at, "checkout -q main");
  assert.match(
    await start(at),
    /Left open elsewhere:\n(?:- .*\n)*- #\d+ \S+ \S+ on feat\/z: `npm run lint` failed/,
  );
  // Where a branch is kept does not matter.
  await inGit(at, "pack-refs --all");
  assert.match(await start(at), /Flags for admins/);
  await inGit(at, "branch -q -D feat/z");
  const told = await start(at);
  assert.doesNotMatch(told, /Left open|lint|Flags for admins|open$/m);
  assert.match(told, /on feat\/z, fix: Fixed TypeError/);
});

test("a failure is not told as open while captures that may mend it wait for a drain", async (at) => {
  await asked(at, "Let the app build");
  await failed(at, "make app", "Exit code 2\nerror: cannot find the header");
  await said(at, "It does not build yet.");
  assert.match(await start(at), /Left open on main:\n- #\d+ just now: `make app` failed/);
  await edit(at, "src/a.c", "1\n");
  await ran(at, "make app", "cc a.c");
  {
    // Somebody else is at work, so that nothing more is worked in.
    const lock = takeLock(drainLockPath(at.database), { waitMs: 1000 })!;
    assert.doesNotMatch(await start(at), /`make app` failed/);
    lock.release();
  }
  await send(at, "Drain", {});
  assert.doesNotMatch(await start(at), /make app/);
});

test("when a command fails in another way than before, only its last failure is open", async (at) => {
  await asked(at, "Let the app build");
  await failed(at, "make app", "Exit code 2\nerror: cannot find the header");
  await edit(at, "src/a.c", "1\n");
  await failed(at, "make app", "Exit code 2\nerror: undefined symbol");
  await said(at, "It fails in another place.");
  const told = await start(at);
  assert.match(told, /Left open on main:\n- #\d+ just now: `make app` failed .*undefined symbol/);
  assert.doesNotMatch(told, /cannot find the header|\(open\)/);
  assert.match(told, /, 1 open$/m);
});

test("failures of a deleted branch are counted nowhere", async (at) => {
  await inGit(at, "commit -q --allow-empty -m begun", "checkout -q -b feat");
  await asked(at, "Let the parser skip comments");
  await edit(at, "src/a.ts", "1\n");
  await failed(at, "npm run build", "Exit code 2\nerror TS2304: Cannot find name");
  await send(at, "Drain", {});
  await inGit(at, "checkout -q main");
  await edit(at, "src/b.ts", "1\n");
  await said(at, "Merged.");
  const counts = async () => {
    const { stdout } = await verb(at, "memory", "stats");
    return [
      /open failures +(\d+)/.exec(stdout)?.[1],
      /, (\d) open$/m.exec(await start(at))?.[1] ?? "0",
    ];
  };
  assert.deepEqual(await counts(), ["1", "1"]);
  await inGit(at, "branch -q -D feat");
  assert.deepEqual(await counts(), ["0", "0"]);
});

test("a failure of a renamed branch is open under the new name, until it passes there", async (at) => {
  await inGit(at, "commit -q --allow-empty -m begun", "checkout -q -b feat");
  await asked(at, "Let the parser skip comments");
  await failed(at, "npm run build", "Exit code 2\nerror TS2304: Cannot find name");
  await failed(at, "make docs", "Exit code 2\nmake: *** [docs] Error 1");
  await said(at, "It fails.");
  await inGit(at, "branch -m feat feature/add");
  const tried = await runProgram(["hook", "SessionStart", "--dry-run"], {
    env: { HOME: at.path, CLAUDE_PROJECT_DIR: at.project },
    cwd: at.project,
    stdin: JSON.stringify({ session_id: SECOND, cwd: at.project, source: "startup" }),
  });
  // Nothing is written by that, but the branch is known all the same.
  assert.match(tried.stdout, /Left open on feature\/add:\\n.*: `npm run build` failed/);
  assert.match(await start(at), /Let the parser skip comments, 2 open$/m);
  await ran(at, "make docs", "written", THIRD);
  await said(at, "The docs are written.", THIRD);
  const told = await start(at);
  assert.match(
    told,
    /Left open on feature\/add:\n- #\d+ just now: `npm run build` failed[^\n]*\nThe end/,
  );
  await ran(at, "npm run build", "built", FOURTH);
  await said(at, "It builds.", FOURTH);
  assert.doesNotMatch(await start(at), /Left open|\d open/);
});

test("work done on a deleted branch stays done", async (at) => {
  await inGit(at, "commit -q --allow-empty -m begun");
  await asked(at, "Import the customers");
  await todos(at, { "write docs": "pending" });
  await said(at, "The importer works.");
  await inGit(at, "checkout -q -b feat");
  await todos(at, { "write docs": "completed" }, THIRD);
  await said(at, "The docs are written.", THIRD);
  await inGit(at, "checkout -q main", "branch -q -D feat");
  const told = await start(at);
  assert.match(told, /: Import the customers$/m);
  assert.doesNotMatch(told, /Left open|\d open/);
});

test("the end of what Claude said last is quoted with its date, and not read for what it leaves", async (at) => {
  await work(at);
  await asked(at, "And the logout?");
  await edit(at, "src/logout.ts", "1\n");
  await said(at, `${"The logout is there. ".repeat(40)}\n\nStill open:\n- umlauts in names`);
  await talked(at, 1);
  const told = await start(at);
  const [, day, quote] =
    /The end of the last session, as Claude said it:\n- #\d+ just now, (\S+): "(.*)"\n/.exec(told)!;
  assert.equal(day, new Date().toISOString().slice(0, 10));
  assert.match(quote!, /^…(?:The )?(?:logout )?is there\. .*Still open: - umlauts in names$/);
  assert.ok(quote!.length <= 400);
  assert.doesNotMatch(told, /Hello\./);
  assert.match(told, /Last sessions:\n- .*, 1 open$/m);
});

test("an operation of git that has stopped is told, wherever it is under way", async (at) => {
  await inGit(at, "commit -q --allow-empty -m begun", "checkout -q -b other");
  await Deno.writeTextFile(join(at.project, "a"), "1\n");
  await inGit(at, "add a", "commit -qm one", "checkout -q main");
  await Deno.writeTextFile(join(at.project, "a"), "2\n");
  await inGit(at, "add a", "commit -qm two");
  await assert.rejects(inGit(at, "merge other"));
  const told = await start(at);
  assert.match(told, /Under way in git:\n- a merge has stopped in \S+\/app and is not concluded\n/);
  await inGit(at, "merge --abort");
  assert.equal(await start(at), "");
});

test("a task that is not done and a workflow that waits for a person are told by their ids", async (at) => {
  const create = ["task", "create", "--title", "Measure the tides", "--json"];
  const { id } = JSON.parse(await printed(at, at.project, ...create)).task;
  assert.match(await start(at), new RegExp(`- ${id.slice(-8)} just now: Measure the tides\\n`));
  change(
    at,
    `INSERT INTO workflows (id, task_id, name, definition, status, reason, claim_token, repository, created_at_ms,
                            updated_at_ms)
     SELECT 'workflow-1a2b3c4d', id, 'release', '{}', 'blocked', 'the review failed', 1, repository, created_at_ms,
            created_at_ms
       FROM tasks`,
  );
  assert.match(
    await start(at),
    /Workflows that wait for a person .*\n- 1a2b3c4d just now: release, blocked: the review failed\n/,
  );
});

test("a commit of another branch is told where this one has it not, and no branch has lost it", async (at) => {
  const made = async (subject: string) => {
    await inGit(at, `commit -q --allow-empty -m ${subject}`);
    const id = (await git(at.project, "rev-parse", "--short", "HEAD")).trim();
    await ran(at, `git commit -m ${subject}`, `[feat ${id}] ${subject}`);
  };
  await inGit(at, "commit -q --allow-empty -m begun", "checkout -q -b feat");
  await asked(at, "Let the export write JSON lines");
  await made("Exports");
  await made("Imports");
  await said(at, "Both are committed.");
  await inGit(at, "checkout -q main");
  const commits = async () =>
    Array.from(
      (await checked(at)).matchAll(/on feat, commit: Commit \S+ (\w+)/g),
      ([, one]) => one,
    );
  assert.deepEqual(await commits(), ["Imports", "Exports"]);
  assert.deepEqual(await commits(), ["Imports", "Exports"]);
  await inGit(at, "branch -f feat feat~1");
  assert.deepEqual(await commits(), ["Exports"]);
  await inGit(at, "merge -q feat");
  assert.deepEqual(await commits(), []);
});

test("a fix is told that took more than one try, or whose cause lay outside, until it is put back", async (at) => {
  const config = join(at.project, "config.ts");
  await Deno.writeTextFile(config, "1\n");
  await asked(at, "Let the server start again, please");
  await failed(at, "make check", "Exit code 1\nerror: missing brace");
  await edit(at, "src/a.ts", "1\n");
  await ran(at, "make check", "ok");
  await failed(
    at,
    "npm run serve",
    "Exit code 1\nError: listen EADDRINUSE: address already in use",
  );
  await raised(at, "config.ts");
  await Deno.writeTextFile(config, "2\n");
  await ran(at, "npm run serve", "listening");
  await said(at, "It starts.");
  const told = await start(at);
  assert.match(told, /fix: Fixed Error: listen EADDRINUSE/);
  assert.doesNotMatch(told, /fix: .*missing brace/);
  await Deno.writeTextFile(config, "3\n");
  assert.match(await start(at), /fix: .*EADDRINUSE.* \(its file has changed since\)\n/);
  await Deno.writeTextFile(config, "1\n");
  assert.doesNotMatch(await start(at), /, fix:/);
});
