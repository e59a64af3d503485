import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import {
  findQueueItems,
  listQueue,
  type QueueStatus,
  retryQueueItems,
  summarizeQueue,
  totalsOf,
} from "../../src/db/queue.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempDatabase);

const ALL = { sessionId: null, status: null, priority: null, limit: 100 };

test("listQueue() gives high before normal before low, each the oldest first", ({ db }) => {
  const save = (atMs: number, priority: "high" | "normal" | "low") =>
    saveEvent(db, { atMs, sessionId: `s${atMs}`, capture: { priority } });
  const low = save(1, "low");
  const high2 = save(4, "high");
  const normal = save(2, "normal");
  const high1 = save(3, "high");
  const ids = (filter: object) => listQueue(db, { ...ALL, ...filter }).map(({ id }) => id);
  assert.deepEqual(ids({}), [high1, high2, normal, low]);
  assert.deepEqual(ids({ status: "raw" }), [high1, high2, normal, low]);
  assert.deepEqual(ids({ limit: 2 }), [high1, high2]);
  assert.deepEqual(ids({ priority: "normal" }), [normal]);
  assert.deepEqual(ids({ sessionId: "s4" }), [high2]);
  assert.deepEqual(ids({ status: "done" }), []);
});

test("findQueueItems() finds by the whole id and by its beginning", (temp) => {
  const first = saveEvent(temp.db, { atMs: 1, capture: {} });
  const second = saveEvent(temp.db, { atMs: 1_000_000_000_000, capture: {} });
  const ids = (text: string) => findQueueItems(temp.db, text, 9).map(({ id }) => id);
  assert.deepEqual(ids(first), [first]);
  assert.deepEqual(ids(second.slice(0, 10)), [second]);
  assert.deepEqual(ids("0"), [first, second]);
  for (const nothing of ["", "f", "%", "_", "'"]) assert.deepEqual(ids(nothing), [], nothing);
});

test("retryQueueItems() lets only what has an error wait again, as if it were new", ({ db }) => {
  const failed = saveEvent(db, { capture: {} });
  const other = saveEvent(db, { capture: {} });
  const done = saveEvent(db, { capture: {} });
  for (const id of [failed, other]) setStatus(db, id, "error", 5);
  setStatus(db, done, "done", 5);
  assert.equal(retryQueueItems(db, [failed, done], 99), 1);
  assert.deepEqual(stateOf(db, failed), ["raw", 0, null, 99]);
  assert.deepEqual(stateOf(db, other), ["error", 3, "refused", 5]);
  assert.deepEqual(stateOf(db, done), ["done", 3, "refused", 5]);
  assert.equal(retryQueueItems(db, null, 99), 1);
  assert.deepEqual(stateOf(db, other), ["raw", 0, null, 99]);
});

test("totalsOf() adds up the groups, and the oldest is one that still waits", ({ db }) => {
  const done = saveEvent(db, { atMs: 10, capture: { payload: "{}" } });
  saveEvent(db, { atMs: 20, capture: { payload: "[1]", priority: "low" } });
  saveEvent(db, { atMs: 30, capture: { payload: "[22]" } });
  setStatus(db, done, "done", 40);
  assert.deepEqual(totalsOf(summarizeQueue(db)), {
    items: 3,
    byStatus: { raw: 2, processing: 0, done: 1, error: 0 },
    byPriority: { high: 2, normal: 0, low: 1 },
    rawBytes: 9,
    storedBytes: 9,
    oldestAtMs: 20,
  });
  assert.equal(totalsOf([]).oldestAtMs, null);
});

function setStatus(db: DatabaseSync, id: string, status: QueueStatus, atMs: number): void {
  db.prepare(
    `UPDATE pending_queue
        SET status = ?, attempts = 3, error_message = 'refused', updated_at_ms = ?
      WHERE id = ?`,
  ).run(status, atMs, id);
}

function stateOf(db: DatabaseSync, id: string) {
  const row = listQueue(db, ALL).find((item) => item.id === id)!;
  return [row.status, row.attempts, row.errorMessage, row.updatedAtMs];
}
