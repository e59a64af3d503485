import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/database.ts";
import {
  advanceQueue,
  countBlock,
  countRound,
  isLasting,
  keepFirstPrompt,
  readQueue,
  readSnapshot,
  removeGateState,
  resetRow,
  saveSnapshot,
} from "../../src/policy/stops/stop_memory_table.ts";
import { DatabaseSync } from "node:sqlite";

const open = () => openDatabase(":memory:", { busyTimeoutMs: 100 });
const who = { sessionId: "s1", atMs: 5 };

Deno.test("countRound() counts up to the last round and begins anew", async () => {
  const db = await open();
  const counted = Array.from({ length: 7 }, () => countRound(db, 3, who));
  assert.deepEqual(counted, [1, 2, null, 1, 2, null, 1]);
  assert.equal(countRound(db, 1, who), null);
});

Deno.test("countBlock() lets all after the last through, until a new row begins", async () => {
  const db = await open();
  const count = () => countBlock(db, 2, who);
  assert.deepEqual([count(), count(), count(), count()], [1, 2, null, null]);
  resetRow(db, who.sessionId);
  assert.equal(count(), 1);
});

Deno.test("isLasting() tells a file from memory", async () => {
  assert.equal(isLasting(await open()), false);
  const path = await Deno.makeTempFile();
  const db = new DatabaseSync(path);
  assert.equal(isLasting(db), true);
  db.close();
  await Deno.remove(path);
});

Deno.test("only the last snapshot of a session and folder is kept", async () => {
  const db = await open();
  const key = { sessionId: "s1", root: "/p" };
  assert.equal(readSnapshot(db, key), null);
  saveSnapshot(db, key, { names: ["a", "b"], atMs: 1 });
  saveSnapshot(db, key, { names: ["c"], atMs: 2 });
  saveSnapshot(db, { ...key, root: "/q" }, { names: [], atMs: 2 });
  assert.deepEqual([...readSnapshot(db, key)!], ["c"]);
  db.exec("UPDATE root_snapshots SET names = '{'");
  assert.equal(readSnapshot(db, key), null);
});

Deno.test("the first prompt of a session stays, and its place in the messages moves", async () => {
  const db = await open();
  assert.equal(readQueue(db, "s1"), null);
  keepFirstPrompt(db, { sessionId: "s1", prompt: "one", atMs: 1 });
  keepFirstPrompt(db, { sessionId: "s1", prompt: "two", atMs: 2 });
  assert.deepEqual({ ...readQueue(db, "s1") }, { prompt: "one", position: 0, timesLeft: null });
  advanceQueue(db, "s1", { position: 1, timesLeft: 4, atMs: 3 });
  assert.deepEqual({ ...readQueue(db, "s1") }, { prompt: "one", position: 1, timesLeft: 4 });
});

Deno.test("the state of stops is removed with its session", async () => {
  const db = await open();
  saveSnapshot(db, { sessionId: "s1", root: "/p" }, { names: ["a"], atMs: 1 });
  keepFirstPrompt(db, { sessionId: "s1", prompt: "one", atMs: 1 });
  removeGateState(db, ["s1"]);
  assert.equal(readSnapshot(db, { sessionId: "s1", root: "/p" }), null);
  assert.equal(readQueue(db, "s1"), null);
});
