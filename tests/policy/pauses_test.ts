import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/database.ts";
import { isPaused, listPauses, removePause, savePause } from "../../src/policy/pauses_table.ts";
import { removeGateState } from "../../src/policy/store.ts";
import { testWith } from "../support/fixtures.ts";

const PAUSE = {
  sessionId: "s1",
  subject: "guards",
  reason: null,
  createdAtMs: 1_000,
  endsAtMs: 2_000,
} as const;

const test = testWith(() => openDatabase(":memory:", { busyTimeoutMs: 100 }));

test("a pause holds for its session and subject until its end", (db) => {
  savePause(db, PAUSE);
  const holds = (sessionId: string, subject: "guards" | "requirements", atMs: number) =>
    isPaused(db, { sessionId, subject, atMs });
  assert.ok(holds("s1", "guards", 1_999));
  assert.ok(!holds("s1", "guards", 2_000));
  assert.ok(!holds("s2", "guards", 1_500));
  assert.ok(!holds("s1", "requirements", 1_500));
});

test("a later pause replaces the earlier one, and ends when it is removed", (db) => {
  savePause(db, PAUSE);
  savePause(db, { ...PAUSE, reason: "longer", endsAtMs: 9_000 });
  assert.deepEqual(listPauses(db, 5_000).map(({ reason }) => reason), ["longer"]);
  assert.ok(removePause(db, "s1", "guards"));
  assert.ok(!removePause(db, "s1", "guards"));
  assert.deepEqual(listPauses(db, 0), []);
});

test("a pause is removed with its session", (db) => {
  savePause(db, PAUSE);
  removeGateState(db, ["s1"]);
  assert.deepEqual(listPauses(db, 0), []);
});
