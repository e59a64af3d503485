/** The registry of sessions: who opens, ends and revives them, where they ran, and what the next one is told. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { endedPid, sleeper } from "../support/processes.ts";
import { query, queryValue, type Row, sessionOf, sessions } from "../support/look.ts";
import { hook, runProgram, type TempHome, tempHome } from "../support/program.ts";
import { needsRoot } from "../support/requirements.ts";
import { startHook } from "../support/process.ts";
import { pause } from "../support/wait.ts";
import { git, makeRepository } from "../support/git.ts";
import { testWith } from "../support/fixtures.ts";
import { change } from "../support/on_home.ts";

const DAY_MS = 86_400_000;

type Fields = Record<string, unknown>;

function start(home: TempHome, session_id: string, fields: Fields = {}, env = {}) {
  return hook("SessionStart", { session_id, source: "startup", ...fields }, home, { env });
}

function use(home: TempHome, session_id: string, fields: Fields = {}, env = {}) {
  return hook("PostToolUse", { session_id, tool_name: "Bash", ...fields }, home, { env });
}

function end(home: TempHome, session_id: string, reason = "other") {
  return hook("SessionEnd", { session_id, reason }, home);
}

/** What a new session of the project is told; the empty text when it is told nothing. */
async function contextAt(home: TempHome, cwd: string): Promise<string> {
  const { stdout } = await start(home, crypto.randomUUID(), { cwd });
  return stdout === "" ? "" : JSON.parse(stdout).hookSpecificOutput.additionalContext;
}

Deno.test("whichever event comes first opens the session", async () => {
  for (const event of ["PostToolUse", "SessionStart", "UserPromptSubmit", "Stop", "Unheard"]) {
    using home = tempHome();
    await hook(event, { session_id: "0198aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee", cwd: "/w" }, home);
    const [session, ...more] = sessions(home);
    assert.deepEqual(more, []);
    assert.equal(session!["status"], "active");
    assert.equal(session!["short_id"], "0198aaaa");
    assert.equal(session!["cwd"], "/w");
  }
});

const test = testWith(tempHome);

test("captures before, during and after SessionStart belong to one session", async (home) => {
  await use(home, "s1", { cwd: "/w" });
  const startedAtMs = sessionOf(home, "s1")["started_at_ms"];
  const used = { session_id: "s1", cwd: "/w", tool_name: "Bash" };
  await Promise.all([
    ...Array.from({ length: 4 }, () => startHook("PostToolUse", used, home)),
    startHook("SessionStart", { session_id: "s1", cwd: "/w", source: "resume" }, home),
    ...Array.from({ length: 4 }, () => startHook("PostToolUse", used, home)),
  ]);
  await use(home, "s1", { cwd: "/w" });
  assert.equal(sessions(home).length, 1);
  const session = sessionOf(home, "s1");
  assert.equal(session["started_at_ms"], startedAtMs);
  assert.equal(session["source"], "resume");
  assert.ok(Number(session["updated_at_ms"]) > Number(startedAtMs));
  assert.equal(queryValue(home, "SELECT count(*) FROM pending_queue"), 10);
  assert.equal(queryValue(home, "SELECT value FROM counters WHERE type = 'tool_uses'"), 10);
});

test("a session is ended by its first SessionEnd alone, and only a new start reopens it", async (home) => {
  await start(home, "s1");
  const { started_at_ms } = sessionOf(home, "s1");
  for (let i = 0; i < 5; i++) await hook("Stop", { session_id: "s1" }, home);
  assert.equal(sessionOf(home, "s1")["status"], "active");
  await end(home, "s1", "clear");
  const { ended_at_ms } = sessionOf(home, "s1");
  await end(home, "s1", "logout");
  await use(home, "s1");
  await hook("Stop", { session_id: "s1" }, home);
  const ended = { status: "ended", end_reason: "clear", ended_at_ms };
  assert.partialDeepStrictEqual(sessionOf(home, "s1"), ended);
  await start(home, "s1", { source: "resume" });
  const resumed = { status: "active", end_reason: null, ended_at_ms: null, started_at_ms };
  assert.partialDeepStrictEqual(sessionOf(home, "s1"), resumed);
  assert.equal(sessions(home).length, 1);
});

test("the end of a session that nobody knows is no error", async (home) => {
  const { code, stdout, stderr } = await end(home, "never-seen");
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
});

test("Stop notes how much waits in the queue", async (home) => {
  await use(home, "s1");
  await use(home, "s1");
  await use(home, "another");
  await hook("Stop", { session_id: "s1" }, home);
  const metadata = queryValue(
    home,
    "SELECT metadata FROM hook_executions WHERE hook_name = 'Stop'",
  );
  assert.equal(JSON.parse(String(metadata)).pending, 2);
});

test('a session ends with its reason, and with "other" where none is told', async (home) => {
  const cases = [
    ["s1", { reason: "clear" }, "clear"],
    ["s2", {}, "other"],
    ["s3", { reason: "" }, "other"],
    ["s4", { reason: 7 }, "other"],
  ] as const;
  for (const [session_id, fields, reason] of cases) {
    await hook("SessionEnd", { session_id, ...fields }, home);
    assert.equal(sessionOf(home, session_id)["end_reason"], reason, session_id);
  }
});

/** A repository with one commit on `main`, and a worktree of it on `feature/sign-in`. */
async function repositoryWithWorktree(home: TempHome) {
  const main = join(home.path, "app");
  const worktree = join(home.path, "elsewhere", "app-sign-in");
  Deno.mkdirSync(join(main, "src"), { recursive: true });
  makeRepository(main);
  await git(main, "commit", "-q", "--allow-empty", "-m", "First");
  await git(main, "worktree", "add", "-q", "-b", "feature/sign-in", worktree);
  Deno.mkdirSync(join(worktree, "deep", "er"), { recursive: true });
  return { main, worktree };
}

test.git("all worktrees of a repository are one project, each with its branch", async (home) => {
  const { main, worktree } = await repositoryWithWorktree(home);
  await start(home, "in-main", { cwd: join(main, "src") });
  await start(home, "in-worktree", { cwd: join(worktree, "deep", "er") });
  const [a, b] = [sessionOf(home, "in-main"), sessionOf(home, "in-worktree")];
  assert.equal(a["repository"], join(main, ".git"));
  assert.equal(b["repository"], a["repository"]);
  assert.equal(a["branch"], "main");
  assert.equal(b["branch"], "feature/sign-in");
  assert.equal(await contextAt(home, main), "", "nothing was done in either");
});

test.git("the branch is the one of the last event that had one", async (home) => {
  const { main } = await repositoryWithWorktree(home);
  await use(home, "s1", { cwd: main });
  await git(main, "switch", "-q", "-c", "fix/a/b#1");
  await use(home, "s1", { cwd: main });
  assert.equal(sessionOf(home, "s1")["branch"], "fix/a/b#1");
  await git(main, "checkout", "-q", "--detach");
  await use(home, "s1", { cwd: main });
  assert.equal(sessionOf(home, "s1")["branch"], "fix/a/b#1");
  assert.equal(sessionOf(home, "s1")["repository"], join(main, ".git"));
});

test("outside a repository, and in a broken one, a session has neither repository nor branch", async (home) => {
  const broken = join(home.path, "broken");
  Deno.mkdirSync(broken);
  Deno.writeTextFileSync(join(broken, ".git"), "gitdir: /nowhere/at/all\n");
  await use(home, "s1", { cwd: join(home.path, "plain") });
  await use(home, "s2", { cwd: broken });
  for (const id of ["s1", "s2"]) {
    assert.equal(sessionOf(home, id)["repository"], null);
    assert.equal(sessionOf(home, id)["branch"], null);
  }
});

test.unix("the next SessionStart finds that a session's process is gone", async (home) => {
  using living = sleeper();
  await start(home, "gone", {}, { CLAUDE_PID: String(await endedPid()) });
  await start(home, "living", {}, { CLAUDE_PID: String(living.pid) });
  await start(home, "of-no-process");
  const seenAtMs = sessionOf(home, "gone")["updated_at_ms"];
  await start(home, "next", {}, { CLAUDE_PID: String(Deno.pid) });
  const gone = sessionOf(home, "gone");
  assert.equal(gone["status"], "abandoned");
  assert.equal(gone["ended_at_ms"], seenAtMs);
  for (const id of ["living", "of-no-process", "next"]) {
    assert.equal(sessionOf(home, id)["status"], "active", id);
  }
});

test.unix("an abandoned session that shows life is active again", async (home) => {
  await start(home, "s1", {}, { CLAUDE_PID: String(await endedPid()) });
  await start(home, "next", {}, { CLAUDE_PID: String(Deno.pid) });
  assert.equal(sessionOf(home, "s1")["status"], "abandoned");
  await use(home, "s1", {}, { CLAUDE_PID: String(Deno.pid) });
  assert.equal(sessionOf(home, "s1")["status"], "active");
  assert.equal(sessionOf(home, "s1")["ended_at_ms"], null);
});

test.unix("a process that opens another session has left the one before", async (home) => {
  const env = { CLAUDE_PID: String(Deno.pid) };
  await start(home, "before", {}, env);
  await start(home, "after", { source: "clear" }, env);
  assert.equal(sessionOf(home, "before")["status"], "abandoned");
});

test.users("a process of another user is alive", async (home) => {
  Deno.chmodSync(home.path, 0o777);
  using root = sleeper();
  const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  const asNobody = (session_id: string, pid: number) =>
    hook("SessionStart", { session_id }, home, {
      env: { CLAUDE_PID: String(pid) },
      through: nobody,
    });
  await asNobody("of-root", root.pid);
  await asNobody("of-init", 1);
  const { code, stderr } = await asNobody("next", Deno.pid);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.equal(sessionOf(home, "of-root")["status"], "active");
  assert.equal(sessionOf(home, "of-init")["status"], "active");
});

/** Makes the system give out a process number again, to a process that lives until the end of the block. */
function sleeperWithPid(pid: number): (Disposable & { readonly pid: number }) | undefined {
  for (let attempt = 0; attempt < 200; attempt++) {
    Deno.writeTextFileSync("/proc/sys/kernel/ns_last_pid", String(pid - 1));
    const again = sleeper();
    if (again.pid === pid) return again;
    again[Symbol.dispose]();
  }
  return undefined;
}

function needsPidChoice(): string | null {
  try {
    Deno.openSync("/proc/sys/kernel/ns_last_pid", { write: true }).close();
    return null;
  } catch {
    return "needs a writable ns_last_pid";
  }
}

const it = testWith(tempHome, needsRoot() ?? needsPidChoice());

it("a session is abandoned when another process has got the number of its own", async (home) => {
  const first = sleeper();
  const env = { CLAUDE_PID: String(first.pid) };
  await start(home, "s1", {}, env);
  // A turn has ended: what tells the process from another one was kept beside it.
  await hook("Drain", { session_id: "s1", hook_event_name: "Stop" }, home, { env });
  first[Symbol.dispose]();
  await pause(50);
  using again = sleeperWithPid(first.pid);
  assert.ok(again, "the number was not given out again");
  await start(home, "next", {}, { CLAUDE_PID: String(Deno.pid) });
  assert.equal(sessionOf(home, "s1")["status"], "abandoned");
});

for (const pid of ["0", "-1", "1.5", "1e300", "abc", " ", "99999999999999999999", "0x10", "1e3"]) {
  test(`a process number of "${pid}" never costs an event`, async (home) => {
    await start(home, "s1", {}, { CLAUDE_PID: pid });
    await use(home, "s1", {}, { CLAUDE_PID: pid });
    await start(home, "next", {}, { CLAUDE_PID: pid });
    assert.equal(queryValue(home, "SELECT count(*) FROM hook_executions"), 3);
  });
}

test("the first prompt says what the session is about", async (home) => {
  const prompt = (text: string) =>
    hook("UserPromptSubmit", { session_id: "s1", prompt: text }, home);
  await prompt("<task-notification>done</task-notification>");
  await prompt("  Repair the\n\tsign-in  ");
  await prompt("Now the other thing");
  assert.equal(sessionOf(home, "s1")["title"], "Repair the sign-in");
});

test("SessionStart tells of this project only, newest first, with the time in words", async (home) => {
  const ages: Record<string, number> = {
    "just now": 0,
    "5m ago": 5 * 60_000 + 1000,
    "yesterday": DAY_MS + 1000,
    "4d ago": 4 * DAY_MS + 1000,
  };
  for (const [i, words] of Object.keys(ages).reverse().entries()) {
    const session_id = `s${i}`;
    await hook("UserPromptSubmit", { session_id, cwd: "/w", prompt: `Did ${words}` }, home);
    change(
      home,
      "UPDATE pending_queue SET created_at_ms = created_at_ms - ? WHERE session_id = ?",
      ages[words]!,
      session_id,
    );
  }
  const prompt = "Somewhere else";
  await hook("UserPromptSubmit", { session_id: "other", cwd: "/other", prompt }, home);
  // What a SessionStart works in by itself depends on how busy the machine is.
  await runProgram(["queue", "drain"], { env: { HOME: home.path } });
  const context = await contextAt(home, "/w");
  const told = context.split("\n").filter((line) => line.startsWith("- "));
  assert.deepEqual(
    told.map((line) => line.replace(/#\d+ /, "")),
    Object.keys(ages).slice(0, 3).map((words) => `- ${words}: Did ${words}`),
  );
  assert.doesNotMatch(context, /Somewhere else/);
});

test("a session's folder and permission mode are those of its last event", async (home) => {
  await use(home, "s1", { cwd: "/w", permission_mode: "default" });
  await use(home, "s1", { cwd: "/w/src", permission_mode: "acceptEdits" });
  await use(home, "s1");
  const row: Row = sessionOf(home, "s1");
  assert.equal(row["project_dir"], "/w");
  assert.equal(row["cwd"], "/w/src");
  assert.equal(row["permission_mode"], "acceptEdits");
  assert.equal(query(home, "SELECT 1 FROM sessions").length, 1);
});
