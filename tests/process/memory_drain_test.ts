/** Captures on their way into memory, on the real program: killed, twice at once, without a session, late. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { saveRecords } from "../../src/db/captures.ts";
import { openDatabase } from "../../src/db/database.ts";
import { killDrains } from "../crash/drain.ts";
import { logOf, query } from "../support/look.ts";
import { change } from "../support/on_home.ts";
import { startHook, startProgram } from "../support/process.ts";
import { tempHome } from "../support/program.ts";
import { drainAt } from "../support/records.ts";
import { workRecords } from "../support/work_sessions.ts";
import { it, testWith } from "../support/fixtures.ts";
import { tempFolder } from "../support/folders.ts";

const START_MS = Date.UTC(2026, 0, 1);
const SESSION = "5e55a000-0000-4000-8000-000000000001";

/** A Bash use that Claude Code reports. */
function ran(command: string, stdout: string, cwd: string) {
  return {
    session_id: SESSION,
    cwd,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_response: { stdout, stderr: "" },
  };
}

async function drain(home: string): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await startProgram(["queue", "drain", "--json"], {
    env: { HOME: home },
  });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

it.slow("a drain that is killed again and again leaves what an undisturbed one leaves", async () => {
  using folder = tempFolder();

  const { kills, observations, differences } = await killDrains({
    folder: folder.path,
    captures: 1_500,
    kills: 16,
    seed: 7,
  });
  assert.deepEqual(differences, []);
  assert.ok(observations > 750);
  assert.ok(kills >= 5, `only ${kills} kills hit a drain at work`);
});

it.slow("a summary rewritten by many drains equals one written once", async () => {
  using folder = tempFolder();

  const records = workRecords(900, { seed: 5, project: "/home/ana/app", startMs: START_MS });
  const [often, once] = await Promise.all([60, records.length].map(async (size) => {
    using db = await openDatabase(join(folder.path, `${size}.db`), { busyTimeoutMs: 5_000 });
    for (let from = 0; from < records.length; from += size) {
      saveRecords(db, records.slice(from, from + size));
      drainAt(db);
    }
    const rows = db.prepare(
      `SELECT o.uid, o.title, o.text, o.files, o.created_at_ms, o.updated_at_ms,
                (SELECT group_concat(path) FROM (SELECT path FROM observation_files WHERE observation_id = o.id ORDER BY 1)) AS paths
           FROM observations AS o
          WHERE o.kind = 'summary'
          ORDER BY o.uid`,
    ).all();
    return rows;
  }));
  assert.ok(once!.length > 10);
  assert.deepEqual(often, once);
});

const test = testWith(tempHome);

test.slow("eight drains at once work every capture in once", async (home) => {
  await Deno.mkdir(join(home.path, ".conclaude"), { mode: 0o700 });
  const db = await openDatabase(home.database, { busyTimeoutMs: 5_000 });
  const records = workRecords(600, { seed: 3, project: "/home/ana/app", startMs: START_MS });
  saveRecords(db, records);
  db.close();
  const reports = await Promise.all(Array.from({ length: 8 }, () => drain(home.path)));
  const worked = reports.map(({ worked }) => Number(worked)).reduce((a, b) => a + b, 0);
  assert.equal(worked, records.length);
  const [{ done } = {}] = query(
    home,
    "SELECT count(*) AS done FROM pending_queue WHERE status = 'done' AND attempts = 1",
  );
  assert.equal(done, records.length);
});

test("a capture whose session was never begun makes the session, and an observation of its project", async (home) => {
  await startHook("PostToolUse", ran("ls", "a.txt", home.path), home);
  await drain(home.path);
  assert.deepEqual(
    query(home, "SELECT session_id, project, kind FROM observations WHERE kind <> 'summary'")
      .map((row) => ({ ...row })),
    [{ session_id: SESSION, project: home.path, kind: "command" }],
  );
  assert.equal(query(home, "SELECT status FROM sessions")[0]!["status"], "active");
});

test("the hook beside Stop says nothing, and works the turn into memory", async (home) => {
  await startHook("PostToolUse", ran("make docs", "built", home.path), home);
  const stop = {
    session_id: SESSION,
    cwd: home.path,
    last_assistant_message: "The docs are built.",
  };
  await startHook("Stop", { ...stop, hook_event_name: "Stop" }, home);
  const beside = await startHook("Drain", { ...stop, hook_event_name: "Stop" }, home);
  assert.deepEqual(beside, { code: 0, signal: null, stdout: "", stderr: "" });
  assert.deepEqual(
    query(home, "SELECT title FROM observations ORDER BY id").map(({ title }) => title),
    ["Run make docs", "The docs are built.", "Session: The docs are built."],
  );
  assert.deepEqual(
    query(home, "SELECT hook_name FROM hook_executions ORDER BY rowid")
      .map(({ hook_name }) => hook_name),
    ["PostToolUse", "Stop"],
  );
});

test("a drain that makes the search index anew says so: on the terminal, and in the log beside a Stop", async (home) => {
  const capture = (command: string) =>
    startHook("PostToolUse", ran(command, "done", home.path), home);
  const spoilIndex = () => change(home, "DROP TABLE memory_index");
  await capture("make docs");
  await drain(home.path);
  spoilIndex();
  await capture("make site");
  const { stderr } = await startProgram(["queue", "drain"], { env: { HOME: home.path } });
  assert.match(stderr, /^The search index is damaged \(.+\): making it anew .+\n$/);
  spoilIndex();
  await capture("make clean");
  const beside = { session_id: SESSION, cwd: home.path, hook_event_name: "Stop" };
  assert.equal((await startHook("Drain", beside, home)).stderr, "");
  assert.match(logOf(home), / warn .*The search index is damaged \(.+\): making it anew/);
  assert.deepEqual(
    query(home, "SELECT title FROM observations WHERE kind = 'command' ORDER BY id")
      .map(({ title }) => title),
    ["Run make docs", "Run make site", "Run make clean"],
  );
});

test("a SessionStart works nothing in, and tells waiting captures by their titles", async (home) => {
  const failure = {
    session_id: SESSION,
    cwd: home.path,
    hook_event_name: "PostToolUseFailure",
    tool_name: "Bash",
    tool_input: { command: "npm run pack" },
    error: "Exit code 2\nerror: no entry point",
  };
  await startHook("PostToolUseFailure", failure, home);
  const { stdout } = await startHook("SessionStart", {
    session_id: "5e55a000-0000-4000-8000-000000000002",
    cwd: home.path,
    hook_event_name: "SessionStart",
    source: "startup",
  }, home);
  assert.match(
    JSON.parse(stdout).hookSpecificOutput.additionalContext,
    /Captured, and not worked in yet:\n- just now: Bash npm run pack \(failed\)\n/,
  );
  assert.deepEqual(query(home, "SELECT 1 FROM observations"), []);
});
