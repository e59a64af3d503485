/** Captures and sessions that are lost with their page: transcripts bring them back, and nothing is told twice. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { change } from "../../support/on_home.ts";
import { hook, type TempHome, tempHome } from "../../support/program.ts";
import { closeDatabase, spoil } from "../../support/spoilt.ts";
import { jsonLines, PROJECT, toolUseLines, transcriptsOf } from "../../support/transcripts.ts";
import { PAGE_BYTES, pagesOf, rowsIn } from "../../support/worked_database.ts";
import { run } from "../../support/verb.ts";
import { testWith } from "../../support/fixtures.ts";

const SESSION = "70da0000-0000-4000-8000-000000000002";
/** A session without a transcript. */
const UNTOLD = "70da0000-0000-4000-8000-000000000003";
const HOUR_MS = 3_600_000;

const test = testWith(tempHome);

function bash(command: string, output: string, error?: string) {
  const tool_response = { stdout: output, stderr: "", interrupted: false };
  return { tool_name: "Bash", tool_input: { command }, ...error ? { error } : { tool_response } };
}

function edit(name: string) {
  const [filePath, oldString, newString] = [`${PROJECT}/src/${name}.ts`, "let a;", "let b;"];
  return {
    tool_name: "Edit",
    tool_input: { file_path: filePath, old_string: oldString, new_string: newString },
    tool_response: { filePath, oldString, newString, structuredPatch: [] },
  };
}

const FAILED = "Exit code 1\nFAIL src/a.test.ts > adds\nAssertionError: expected 1 to be 2\n" +
  " Tests  1 failed | 3 passed (4)";

/** Tools that a session uses: a failure that an edit mends, and a command that is repeated. */
const USES = [
  edit("a"),
  bash("npx vitest run a", "", FAILED),
  bash("ls src", "a.ts\n"),
  edit("b"),
  bash("npx vitest run a", " Tests  4 passed (4)\n"),
  bash("ls src", "a.ts\n"),
  bash("npx vitest run a", "", FAILED),
];

/** Tells hooks and the transcript of a session what it did an hour ago. */
async function work(home: TempHome, sessionId: string, isTold: boolean): Promise<void> {
  const lines: unknown[] = [];
  const common = { cwd: PROJECT, sessionId };
  const tell = async (event: string, payload: object) => {
    const options = { env: { CLAUDE_PROJECT_DIR: PROJECT } };
    await hook(event, { session_id: sessionId, cwd: PROJECT, ...payload }, home, options);
  };
  await tell("SessionStart", { source: "startup" });
  for (const [n, use] of USES.entries()) {
    const id = `toolu_${sessionId.slice(-4)}${n}`;
    const event = "error" in use ? "PostToolUseFailure" : "PostToolUse";
    await tell(event, { ...use, tool_use_id: id });
    lines.push(...toolUseLines({ id, atMs: Date.now() - HOUR_MS, use }, common));
  }
  await tell("SessionEnd", { reason: "other" });
  if (!isTold) return;
  const path = join(transcriptsOf(home), "-home-ana-app", `${sessionId}.jsonl`);
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeTextFileSync(path, jsonLines(lines));
}

/** A home with two sessions of an hour ago. */
async function workedAnHourAgo(home: TempHome): Promise<void> {
  await work(home, SESSION, true);
  await work(home, UNTOLD, false);
  assert.equal((await run(home, "queue", "drain")).code, 0);
  for (const table of ["pending_queue", "hook_executions", "observations", "sessions"]) {
    const columns = table === "sessions" ? ["started_at_ms", "updated_at_ms"] : ["created_at_ms"];
    for (const column of columns) {
      change(home.database, `UPDATE ${table} SET ${column} = ${column} - ${HOUR_MS}`);
    }
  }
  closeDatabase(home.database);
}

/** Spoils every page of a table. */
function spoilTable(home: TempHome, table: string): void {
  for (const kind of ["internal", "leaf"] as const) {
    for (const page of pagesOf(home.database, table, kind)) {
      spoil(home.database, { at: (page - 1) * PAGE_BYTES, length: PAGE_BYTES });
    }
  }
}

test("what transcripts bring back of lost captures makes no observation twice", async (home) => {
  await workedAnHourAgo(home);
  const told = () =>
    rowsIn(home.database, "observations", "session_id, kind, title, text, repeats, resolved_by");
  const before = told();
  assert.ok(before.some((row) => row.includes('"fix"') && row.includes(SESSION)), before.join());
  assert.ok(before.some((row) => row.includes('"repeats":2')), before.join());
  spoilTable(home, "pending_queue");
  const { stdout } = await run(home, "doctor", "--fix");
  assert.match(stdout, /7 captures came from transcripts/);
  assert.match((await run(home, "queue", "drain")).stdout, /7 worked into memory, 0 failed/);
  assert.deepEqual(told(), before);
});

/** What is told of each session; only a transcript and the events of the hooks know the rest. */
function sessionsIn(home: TempHome): string[] {
  return rowsIn(home.database, "sessions", "session_id, short_id, status, project_dir");
}

test("sessions come back that are lost with their captures or alone, of transcripts and of what refers to them", async (home) => {
  await workedAnHourAgo(home);
  const before = sessionsIn(home);
  assert.equal(before.length, 2);
  const observed = rowsIn(home.database, "observations", "session_id, kind, title, repeats");
  spoilTable(home, "sessions");
  spoilTable(home, "pending_queue");
  const { stdout } = await run(home, "doctor", "--fix");
  assert.match(stdout, /7 captures came from transcripts; 2 sessions made again/);
  assert.equal((await run(home, "queue", "drain")).code, 0);
  assert.deepEqual(sessionsIn(home), before);
  assert.deepEqual(
    rowsIn(home.database, "observations", "session_id, kind, title, repeats"),
    observed,
  );
});

test("reconcile names a session of which only captures are there, and --backfill makes it again", async (home) => {
  await workedAnHourAgo(home);
  const before = sessionsIn(home);
  change(home.database, `DELETE FROM sessions WHERE session_id = '${SESSION}'`);
  const looked = await run(home, "reconcile");
  assert.equal(looked.code, 1);
  assert.match(looked.stdout, /^sessions {4}1 of which only captures were left$/m);
  assert.match(looked.stdout, /^next {8}conclaude reconcile --backfill$/m);
  const filled = await run(home, "reconcile", "--backfill");
  assert.match(filled.stdout, /^sessions {4}1 of which only captures were left, made again$/m);
  assert.deepEqual(sessionsIn(home), before);
  assert.equal((await run(home, "reconcile")).code, 0);
});
