import assert from "node:assert/strict";
import { drainAt, saveEvent, saveUse, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";
import type { DatabaseSync } from "node:sqlite";

const SESSION = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";
const AT = Date.now() - 86_400_000;
const OTHER = "5e551011-0000-4000-8000-00000000000b";
const LONG = "src/a/very/long/folder/".repeat(4);

const COUNTED = ["node count.js", { error: "Exit code 1\nError: no file to count" }] as const;

const test = testWith(tempDatabase);

/** Says something, edits, fails a test and mends it, fails a command and leaves it, and ends. */
async function live(db: DatabaseSync): Promise<void> {
  let atMs = AT;
  const next = () => ({ atMs: atMs += 60_000 });
  const use = (tool: string, payload: object) => saveUse(db, tool, payload, next());
  const run = (command: string, how: object) => use("Bash", { tool_input: { command }, ...how });
  use("UserPromptSubmit", { prompt: `Make retries ${"very ".repeat(60)}patient` });
  const edit = (file: string, text: string) =>
    use("Edit", {
      tool_input: { file_path: `/p/${file}`, old_string: "a\nb", new_string: text },
      tool_response: {},
    });
  edit(`${LONG}retry.ts`, "one\ntwo\nthree");
  run("deno test", { error: "Exit code 1\nFAILED | 3 passed | 1 failed (5ms)" });
  edit("src/retry.ts", "four");
  run("deno test", { tool_response: { stdout: "ok | 4 passed | 0 failed (5ms)" } });
  run("git commit -m 'Retry thrice'", {
    tool_response: { stdout: "[main 1a2b3c4] Retry thrice\n 1 file changed" },
  });
  run("deno lint", { error: "Exit code 1\nerror: unused variable" });
  run(...COUNTED);
  use("UserPromptSubmit", { prompt: "Always use four spaces. Go on" });
  use("Stop", { last_assistant_message: "Retries wait longer now." });
  saveEvent(db, {
    ...next(),
    session: { effect: "end", endReason: "logout" },
    execution: { hookName: "SessionEnd", toolName: null, toolUseId: null },
  });
  await drainAt(db, atMs);
}

test("session show tells the story of a session, and every line fits 80 columns", async (temp) => {
  await live(temp.db);

  const { story, session, counters, agents } = await runVerbJson(["session", "show", "cad0"], temp);
  assert.deepEqual([session.sessionId, counters, agents], [SESSION, [], []]);
  assert.equal(story.asked.count, 2);
  assert.match(story.asked.first, /^Make retries very/);
  assert.deepEqual(
    story.files.map(({ path, added, removed }: Record<string, unknown>) => [
      String(path).replace(LONG, ""),
      added,
      removed,
    ]).toSorted(),
    [["retry.ts", 3, 2], ["src/retry.ts", 1, 2]],
  );
  assert.deepEqual(story.tests, { green: 1, red: 1 });
  assert.match(story.commits[0].title, /Retry thrice/);
  const isMended = story.failed.map((one: { mendedBy: number | null }) => one.mendedBy !== null);
  assert.deepEqual(isMended, [true, false, false]);
  assert.match(story.open.join(), /^`deno lint` failed[^,]*$/);
  assert.equal(story.last, "Retries wait longer now.");
  assert.equal(story.end, "by the person");
  const { stdout } = await runVerb(["session", "show", "cad0"], temp);
  for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
  assert.ok(stdout.split("\n").length <= 40);
  assert.match(stdout, /^ended {4}by the person$/m);
  assert.match(stdout, /^Asked \(the first of 2 prompts\)\n {2}Make retries/m);
  assert.match(stdout, /^ {6}\+1 {4}−2 {2}src\/retry\.ts$/m);
  assert.match(stdout, /^ {2}2 test runs: 1 green, 1 red$/m);
  assert.match(stdout, /^Left open\n {2}#\d+ .*deno lint/m);
  // A command that failed once, and is no check, is not told as open.
  assert.match(stdout, /^Failed\n {2}mended .*\n {2}not mended .*count\.js.*\n {2}What counts/m);
  assert.equal(stdout.split("deno lint").length, 2, "a failure that was left open is told once");
  assert.match(stdout, /`conclaude session log cad0ac4d`$/m);
  const { stdout: whole } = await runVerb(["session", "show", "cad0", "--verbose"], temp);
  assert.match(whole, /^status {8}ended \(logout\)$/m);
  // Once it fails in another session, too, it is open.
  const again = { tool_input: { command: COUNTED[0] }, ...COUNTED[1] };
  saveUse(temp.db, "Bash", again, { sessionId: OTHER });
  await drainAt(temp.db);
  const { story: later } = await runVerbJson(["session", "show", OTHER], temp);
  assert.match(later.open.join(), /node count\.js/);
});

test("a session whose captures wait says so", async (temp) => {
  saveUse(temp.db, "UserPromptSubmit", { prompt: "Make a clock" });

  const { stdout } = await runVerb(["session", "show", "cad0"], temp);
  assert.match(stdout, /^1 capture not worked in yet: `conclaude queue drain`$/m);
  assert.match(stdout, /^ended {4}not yet: it is active$/m);
});
