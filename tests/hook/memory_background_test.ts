/** A command in the background tells of its end by a prompt that no person wrote, through the real hooks. */
import assert from "node:assert/strict";
import { query } from "../support/look.ts";
import { asked, said, send, start, type Workplace, workplace } from "../support/told_sessions.ts";

const began = (at: Workplace, command: string, id: string) =>
  send(at, "PostToolUse", {
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: { command, run_in_background: true },
    tool_response: { stdout: "", stderr: "", backgroundTaskId: "b98" },
  });

const ended = (at: Workplace, id: string, status: string, summary: string) =>
  asked(
    at,
    `<task-notification>\n<task-id>b98</task-id>\n<tool-use-id>${id}</tool-use-id>\n` +
      `<status>${status}</status>\n<summary>${summary}</summary>\n</task-notification>`,
  );

const FAILED = 'Background command "Build" failed with exit code 2';
const PASSED = 'Background command "Build" completed (exit code 0)';

function told(at: Workplace) {
  return query(
    at,
    `SELECT kind, outcome, title, outcome IS 'failure' AND resolved_by IS NULL AS isOpen
       FROM observations
      WHERE kind NOT IN ('summary', 'message') OR title LIKE 'Background%'
      ORDER BY id`,
  ).map(({ kind, outcome, title, isOpen }) => [kind, outcome, title, isOpen]);
}

Deno.test("a command that fails in the background is a failure, until it passes there or anywhere", async () => {
  using at = await workplace();
  await began(at, "npm run build", "toolu_1");
  await ended(at, "toolu_1", "failed", FAILED);
  await said(at, "It fails.");
  const failure = `\`npm run build\` failed (exit 2): ${FAILED}`;
  assert.deepEqual(told(at), [
    ["command", null, "`npm run build` started in the background", 0],
    ["failure", "failure", failure, 1],
  ]);
  assert.match(await start(at), /Left open on main:\n- #\d+ just now: `npm run build` failed/);
  await began(at, "npm run build", "toolu_2");
  await ended(at, "toolu_2", "completed", PASSED);
  await said(at, "It passes.");
  assert.deepEqual(told(at).slice(1), [
    ["failure", "failure", failure, 0],
    ["command", "success", "Run npm run build", 0],
  ]);
});

Deno.test("of a command that nobody knows the end is told in its own words, and nothing is open", async () => {
  using at = await workplace();
  await ended(at, "toolu_9", "failed", FAILED);
  await ended(at, "toolu_9", "killed", 'Background command "Serve" was stopped');
  await said(at, "Well.");
  assert.deepEqual(told(at).map((row) => row.slice(0, 3)), [
    ["failure", "failure", FAILED],
    ["message", null, 'Background command "Serve" was stopped'],
  ]);
  assert.doesNotMatch(await start(at), /Left open/);
});
