import assert from "node:assert/strict";
import fc from "fast-check";
import { listExecutions, summarizeExecutions, summarizeHooks } from "../../src/db/executions.ts";
import { testWith } from "../support/fixtures.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";

const ALL = {
  sessionId: null,
  hookName: null,
  toolName: null,
  status: null,
  sinceMs: null,
  limit: 100,
};

const test = testWith(tempDatabase);

test("listExecutions() gives the newest first and lets every filter narrow it", ({ db }) => {
  const start = saveEvent(db, {
    atMs: 1000,
    sessionId: "s1",
    execution: { hookName: "SessionStart", toolName: null },
  });
  const bash = saveEvent(db, {
    atMs: 2000,
    sessionId: "s1",
    execution: { toolName: "Bash", status: "failure", errorMessage: "boom" },
  });
  const write = saveEvent(db, { atMs: 3000, sessionId: "s2" });
  const ids = (filter: Partial<typeof ALL> | object) =>
    listExecutions(db, { ...ALL, ...filter }).map(({ id }) => id);
  assert.deepEqual(ids({}), [write, bash, start]);
  assert.deepEqual(ids({ limit: 1 }), [write]);
  assert.deepEqual(ids({ sessionId: "s1" }), [bash, start]);
  assert.deepEqual(ids({ hookName: "SessionStart" }), [start]);
  assert.deepEqual(ids({ toolName: "Bash" }), [bash]);
  assert.deepEqual(ids({ status: "failure" }), [bash]);
  assert.deepEqual(ids({ sinceMs: 2000 }), [write, bash]);
  assert.deepEqual(ids({ sinceMs: 2000, sessionId: "s1" }), [bash]);
});

test("listExecutions() shows a row whose metadata is no JSON object", (temp) => {
  saveEvent(temp.db);
  temp.db.exec("UPDATE hook_executions SET metadata = '{broken'");
  const [row] = listExecutions(temp.db, ALL);
  assert.deepEqual(row!.metadata, { unreadable: "{broken" });
});

Deno.test("summarizeHooks() agrees with percentiles taken by hand", async () => {
  const event = fc.record({
    hookName: fc.constantFrom("Stop", "PreToolUse", "PostToolUse"),
    status: fc.constantFrom("success", "blocked", "failure", "timeout", "skipped"),
    durationMs: fc.oneof(
      fc.integer({ min: 0, max: 5 }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
    ),
  });
  using temp = await tempDatabase();
  const { db } = temp;
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), (events) => {
      db.exec("DELETE FROM hook_executions");
      db.exec("BEGIN");
      const insert = db.prepare(
        `INSERT INTO hook_executions (id, session_id, hook_name, status, duration_ms, created_at_ms)
         VALUES (?, 's', ?, ?, ?, 1)`,
      );
      events.forEach(({ hookName, status, durationMs }) => {
        insert.run(crypto.randomUUID(), hookName, status, durationMs);
      });
      db.exec("COMMIT");
      const found = summarizeHooks(db, null).map((row) => ({ ...row }));
      assert.deepEqual(
        found.toSorted((a, b) => a.hookName < b.hookName ? -1 : 1),
        [...new Set(events.map(({ hookName }) => hookName))].sort().map((hookName) => ({
          hookName,
          ...byHand(events.filter((each) => each.hookName === hookName)),
        })),
      );
      assert.deepEqual({ ...summarizeExecutions(db, 0) }, byHand(events));
    }),
    { numRuns: 60 },
  );
});

test("summarizeExecutions() counts from a moment on and has no times without events", (temp) => {
  saveEvent(temp.db, { atMs: 1000 });
  saveEvent(temp.db, { atMs: 2000, execution: { durationMs: 7 } });
  assert.equal(summarizeExecutions(temp.db, 1001).count, 1);
  assert.equal(summarizeExecutions(temp.db, 1001).p50Ms, 7);
  assert.deepEqual({ ...summarizeExecutions(temp.db, 3000) }, byHand([]));
});

/** The smallest measured value that at least so many percent of all values are not above. */
function nearestRank(values: readonly number[], percent: number): number | null {
  return values.toSorted((a, b) => a - b).find((value) =>
    values.filter((each) => each <= value).length * 100 >= percent * values.length
  ) ?? null;
}

function byHand(events: readonly { readonly status: string; readonly durationMs: number }[]) {
  const times = events.map(({ durationMs }) => durationMs);
  const having = (...statuses: string[]) =>
    events.filter(({ status }) => statuses.includes(status)).length;
  return {
    count: events.length,
    failures: having("failure", "timeout"),
    blocked: having("blocked"),
    p50Ms: nearestRank(times, 50),
    p95Ms: nearestRank(times, 95),
    p99Ms: nearestRank(times, 99),
    maxMs: times.length === 0 ? null : Math.max(...times),
  };
}
