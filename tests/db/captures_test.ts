import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import {
  type Capture,
  type HookRecord,
  saveRecord,
  saveRecords,
  type SessionTouch,
} from "../../src/db/captures.ts";
import { openDatabase } from "../../src/db/database.ts";
import { findSessions, type SessionRow } from "../../src/db/sessions.ts";
import { hookRecord, type RecordFacts } from "../support/records.ts";
import CASES from "../testdata/db_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const SESSION_ID = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";
const CAPTURE: Partial<Capture> = { payload: '{"tool_name":"Write","text":"ä"}' };

/** What a hook keeps of an event on the branch `main`. */
function record(
  atMs: number,
  session: Partial<SessionTouch> = {},
  more: RecordFacts = {},
): HookRecord {
  const place = { repository: "/p/.git", branch: "main" };
  return hookRecord({ atMs, sessionId: SESSION_ID, session: { ...place, ...session }, ...more });
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

/** Events in the order in which they are saved, and the session after them. */
const SESSIONS = rowsOf<
  readonly [
    rule: string,
    events: readonly Parameters<typeof record>[],
    session: Partial<SessionRow>,
  ]
>(CASES.sessionRows);

Deno.test("events make, change, end and reopen a session", async (t) => {
  for (const [rule, events, expected] of SESSIONS) {
    await t.step(rule, async () => {
      const { session } = await after(...events.map((event) => record(...event)));
      assert.partialDeepStrictEqual(session, expected);
    });
  }
});

Deno.test("the start mark of a process is forgotten with the process", async () => {
  const { db } = await after(
    record(1000, { claudePid: 10, claudeProcess: "start-10" }),
    record(2000, { claudePid: 10 }),
  );
  const mark = () => db.prepare("SELECT claude_pid, claude_process FROM sessions").get();
  assert.deepEqual({ ...mark() }, { claude_pid: 10, claude_process: "start-10" });
  saveRecord(db, record(3000, { claudePid: 11 }));
  assert.deepEqual({ ...mark() }, { claude_pid: 11, claude_process: null });
});

Deno.test("findSessions() takes full and short ids, and the short form of the short form", async () => {
  const { db } = await after(record(1000));
  assert.equal(findSessions(db, SESSION_ID).length, 1);
  assert.equal(findSessions(db, "cad0ac4d").length, 1);
  assert.equal(findSessions(db, "cad").length, 0);
});
