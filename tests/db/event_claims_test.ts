import assert from "node:assert/strict";
import { type Claimant, claimEvent, releaseEvent } from "../../src/db/event_claims.ts";
import { MEMORY_OFF } from "../../src/db/captures.ts";
import { listCounters, readCounter, resetCounters, setCounter } from "../../src/db/counters.ts";
import { openDatabase } from "../../src/db/database.ts";

const open = () => openDatabase(":memory:", { busyTimeoutMs: 100 });
const first: Claimant = { sessionId: "s1", event: "e", pid: 11, beganAtMs: 1_000 };
const second: Claimant = { ...first, pid: 22, beganAtMs: 1_001 };
const at = (atMs: number, ...gone: number[]) => ({ gone: new Set(gone), atMs });

Deno.test("claimEvent() gives an event to one process, while it is at work and afterwards", async () => {
  const db = await open();
  assert.equal(claimEvent(db, first, at(1_010)), 11);
  assert.equal(claimEvent(db, second, at(1_011)), 11);
  releaseEvent(db, first, 1_020);
  assert.equal(claimEvent(db, second, at(1_021)), 0);
  assert.equal(claimEvent(db, { ...second, event: "f" }, at(1_021)), 22);
  assert.equal(claimEvent(db, { ...second, sessionId: "s2" }, at(1_021)), 22);
});

Deno.test("claimEvent() takes what was done before a process began for another event", async () => {
  const db = await open();
  claimEvent(db, first, at(1_010));
  releaseEvent(db, first, 1_020);
  assert.equal(claimEvent(db, { ...second, beganAtMs: 1_021 }, at(1_030)), 22);
});

Deno.test("claimEvent() takes over from a process that is gone, which cannot give the event back any more", async () => {
  const db = await open();
  claimEvent(db, first, at(1_010));
  assert.equal(claimEvent(db, second, at(1_011, 11)), 22);
  releaseEvent(db, first, 1_020);
  assert.equal(claimEvent(db, { ...first, pid: 33 }, at(1_021)), 22);
});

Deno.test("claims of events are listed and reset apart from counters, and clear no mark of the session", async () => {
  const db = await open();
  setCounter(db, { sessionId: "s1", type: MEMORY_OFF, value: 1, atMs: 0 });
  claimEvent(db, first, at(4_000_000));
  assert.equal(readCounter(db, "s1", MEMORY_OFF), 1);
  assert.deepEqual(listCounters(db, null), []);
  assert.equal(resetCounters(db, "s1", null), 0);
});
