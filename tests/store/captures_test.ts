import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { newId } from "../../src/ids.ts";
import {
  type Capture,
  type HookRecord,
  saveRecord,
  saveRecords,
  type SessionTouch,
} from "../../src/store/captures.ts";
import { openDatabase } from "../../src/store/database.ts";
import { findSessions } from "../../src/store/sessions.ts";

const SESSION_ID = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";

const TOUCH: SessionTouch = {
  effect: "touch",
  source: null,
  title: null,
  projectDir: "/p",
  repository: "/p/.git",
  branch: "main",
  cwd: "/p",
  permissionMode: null,
  transcriptPath: null,
  claudePid: null,
  claudeProcess: null,
  endReason: null,
};

const CAPTURE: Capture = {
  toolName: "Write",
  toolUseId: "toolu_1",
  outcome: "success",
  priority: "high",
  filesTouched: ["/p/a.ts"],
  payload: '{"tool_name":"Write","text":"ä"}',
  cutBytes: 0,
};

function record(
  atMs: number,
  session: Partial<SessionTouch> = {},
  more: Partial<HookRecord> = {},
): HookRecord {
  return {
    id: newId(atMs),
    atMs,
    sessionId: SESSION_ID,
    session: { ...TOUCH, ...session },
    execution: {
      hookName: "Test",
      toolName: null,
      toolUseId: null,
      status: "success",
      durationMs: 1.5,
      errorMessage: null,
      errorStack: null,
      metadata: {},
    },
    capture: null,
    counters: [],
    ...more,
  };
}

async function after(...records: readonly HookRecord[]) {
  const db = await openDatabase(":memory:", { busyTimeoutMs: 100 });
  for (const each of records) saveRecord(db, each);
  return { db, session: findSessions(db, SESSION_ID)[0]! };
}

function count(db: DatabaseSync, table: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()!["n"]);
}

Deno.test("saveRecord() keeps one row of each kind when a hook is retried", async () => {
  const twice = record(1000, {}, { capture: CAPTURE, counters: ["tool_uses"] });
  const { db } = await after(twice);
  assert.equal(saveRecord(db, twice), false);
  assert.equal(count(db, "hook_executions"), 1);
  assert.equal(count(db, "pending_queue"), 1);
  assert.equal(db.prepare("SELECT value FROM counters").get()!["value"], 1);
});

Deno.test("saveRecord() notes the size of a payload in bytes, not in characters", async () => {
  const { db } = await after(record(1000, {}, { capture: CAPTURE }));
  assert.equal(
    db.prepare("SELECT raw_bytes FROM pending_queue").get()!["raw_bytes"],
    new TextEncoder().encode(CAPTURE.payload).length,
  );
});

Deno.test("saveRecords() saves all of a batch or nothing", async () => {
  const { db } = await after();
  const bad = record(1001, {}, { capture: { ...CAPTURE, priority: "urgent" as "high" } });
  assert.throws(() => saveRecords(db, [record(1000), bad]), /CHECK constraint/);
  assert.equal(count(db, "hook_executions"), 0);
});

Deno.test("a session is made by whichever event comes first", async () => {
  const { session } = await after(record(1000));
  assert.equal(session.status, "active");
  assert.equal(session.shortId, "cad0ac4d");
  assert.equal(session.startedAtMs, 1000);
});

Deno.test("updated_at moves with every event, and never back", async () => {
  const { session } = await after(record(2000), record(3000), record(2500));
  assert.equal(session.updatedAtMs, 3000);
  assert.equal(session.startedAtMs, 2000);
});

Deno.test("SessionEnd ends a session, and a second one keeps the first end", async () => {
  const { session } = await after(
    record(1000),
    record(2000, { effect: "end", endReason: "clear" }),
    record(3000, { effect: "end", endReason: "other" }),
  );
  assert.deepEqual([session.status, session.endedAtMs, session.endReason], [
    "ended",
    2000,
    "clear",
  ]);
});

Deno.test("a late event does not reopen an ended session, a resume does", async () => {
  const ended = [record(1000), record(2000, { effect: "end", endReason: "other" })];
  const late = await after(...ended, record(2100));
  assert.equal(late.session.status, "ended");
  const resumed = await after(...ended, record(2200, { effect: "revive", source: "resume" }));
  assert.deepEqual(
    [resumed.session.status, resumed.session.endedAtMs, resumed.session.endReason],
    ["active", null, null],
  );
  assert.equal(resumed.session.startedAtMs, 1000);
  assert.equal(resumed.session.source, "resume");
});

Deno.test("a resume that was drained late, from before the end, does not reopen the session", async () => {
  const { session } = await after(
    record(1000),
    record(3000, { effect: "end", endReason: "other" }),
    record(2000, { effect: "revive", source: "resume" }),
  );
  assert.equal(session.status, "ended");
});

Deno.test("an abandoned session that shows life is active again", async () => {
  const { db } = await after(record(1000));
  db.exec("UPDATE sessions SET status = 'abandoned', ended_at_ms = updated_at_ms");
  saveRecord(db, record(5000));
  const [session] = findSessions(db, SESSION_ID);
  assert.deepEqual([session!.status, session!.endedAtMs], ["active", null]);
});

Deno.test("the branch follows the newest event that has one", async () => {
  const moved = await after(record(1000), record(2000, { branch: "feature/auth" }));
  assert.equal(moved.session.branch, "feature/auth");
  const detached = await after(record(1000), record(2000, { branch: null }));
  assert.equal(detached.session.branch, "main");
  const unknown = await after(record(1000), record(2000, { repository: null, branch: null }));
  assert.equal(unknown.session.branch, "main");
});

Deno.test("the mark of a process is forgotten with the process", async () => {
  const { db } = await after(
    record(1000, { claudePid: 10, claudeProcess: "start-10" }),
    record(2000, { claudePid: 10 }),
  );
  const mark = () => db.prepare("SELECT claude_pid, claude_process FROM sessions").get();
  assert.deepEqual({ ...mark() }, { claude_pid: 10, claude_process: "start-10" });
  saveRecord(db, record(3000, { claudePid: 11 }));
  assert.deepEqual({ ...mark() }, { claude_pid: 11, claude_process: null });
});

Deno.test("the first title stays", async () => {
  const { session } = await after(
    record(1000, { title: "first" }),
    record(2000, { title: "second" }),
  );
  assert.equal(session.title, "first");
});

Deno.test("findSessions() takes full and short ids, and the short form of the short form", async () => {
  const { db } = await after(record(1000));
  assert.equal(findSessions(db, SESSION_ID).length, 1);
  assert.equal(findSessions(db, "cad0ac4d").length, 1);
  assert.equal(findSessions(db, "cad").length, 0);
});
