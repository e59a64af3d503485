import assert from "node:assert/strict";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";

const DAY_MS = 86_400_000;
/** There are no tasks. */
const NO_TASKS = {
  deletedTasks: 0,
  tasks: 0,
  agents: 0,
  questions: 0,
  workflows: 0,
  events: 0,
  folders: 0,
};

Deno.test("retention run removes what --dry-run said, and active sessions never", async () => {
  using temp = await tempDatabase();
  const { db } = temp;
  const place = { home: temp.folder, database: temp.path };
  const longAgo = Date.now() - 40 * DAY_MS;
  saveEvent(db, { atMs: longAgo, sessionId: "old", capture: {}, counters: ["edits"] });
  saveEvent(db, { atMs: longAgo, sessionId: "gone", capture: {} });
  saveEvent(db, { atMs: longAgo, sessionId: "active", capture: {}, counters: ["edits"] });
  saveEvent(db, { sessionId: "fresh", capture: {} });
  db.exec(`UPDATE sessions SET status = 'ended', ended_at_ms = updated_at_ms
            WHERE session_id IN ('old', 'fresh')`);
  db.exec("DELETE FROM sessions WHERE session_id = 'gone'");
  const removed = { sessions: 1, executions: 2, captures: 2, counters: 1, ...NO_TASKS };
  assert.match(
    (await runVerb(["retention", "run", "--dry-run"], place)).stdout,
    /^Would remove 0 tasks for good .*; would delete 0 closed tasks, which can be restored\.$/m,
  );
  assert.deepEqual(await runVerbJson(["retention", "run", "--dry-run"], place), {
    dryRun: true,
    removed,
    retentionDays: 30,
  });
  assert.deepEqual(await runVerbJson(["retention", "run"], place), {
    dryRun: false,
    removed,
    retentionDays: 30,
  });
  const left = db.prepare("SELECT DISTINCT session_id AS id FROM pending_queue ORDER BY 1").all();
  assert.deepEqual(left.map(({ id }) => id), ["active", "fresh"]);
  const again = await runVerbJson(["retention", "run"], place);
  assert.deepEqual(again.removed, {
    sessions: 0,
    executions: 0,
    captures: 0,
    counters: 0,
    ...NO_TASKS,
  });
});

Deno.test("retention run keeps everything when the configuration says 0 days", async () => {
  using temp = await tempDatabase();
  Deno.writeTextFileSync(
    `${temp.folder}/.conclaude.yaml`,
    "store:\n  sessionRetentionDays: 0\n",
  );
  saveEvent(temp.db, { atMs: 1, capture: {} });
  temp.db.exec("UPDATE sessions SET status = 'ended', ended_at_ms = 1");
  const place = { home: temp.folder, database: temp.path };
  assert.deepEqual(await runVerbJson(["retention", "run"], place), {
    dryRun: false,
    removed: { sessions: 0, executions: 0, captures: 0, counters: 0, ...NO_TASKS },
    retentionDays: 0,
  });
});
