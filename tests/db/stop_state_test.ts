import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/database.ts";
import {
  advanceQueue,
  countRound,
  isLasting,
  keepFirstPrompt,
  readQueue,
  readSnapshot,
  removeGateState,
  resetRow,
  saveSnapshot,
} from "../../src/policy/stops/stop_memory_table.ts";
import { holdOnce } from "../../src/policy/stops/stop_blocks.ts";
import { DatabaseSync } from "node:sqlite";

const open = () => openDatabase(":memory:", { busyTimeoutMs: 100 });
const who = { sessionId: "s1", atMs: 5 };

Deno.test("countRound() counts up to the last round and begins anew", async () => {
  const db = await open();
  const counted = Array.from({ length: 7 }, () => countRound(db, 3, who));
  assert.deepEqual(counted, [1, 2, null, 1, 2, null, 1]);
  assert.equal(countRound(db, 1, who), null);
});

Deno.test("holdOnce() lets all after the last through, until a new row begins", async () => {
  const path = await Deno.makeTempFile();
  const db = await openDatabase(path, { busyTimeoutMs: 100 });
  const held = () => holdOnce(2, { ...who, db, isContinued: true }).letThrough === null;
  assert.deepEqual([held(), held(), held(), held()], [true, true, false, false]);
  resetRow(db, who.sessionId);
  assert.equal(held(), true);
  db.close();
  await Deno.remove(path);
});

Deno.test("holdOnce() holds the first stop of a row where nothing can be counted", async () => {
  const memory = { ...who, db: await open() };
  const letThrough = (isContinued: boolean) => holdOnce(2, { ...memory, isContinued }).letThrough;
  assert.equal(letThrough(false), null);
  assert.equal(letThrough(true), "since nothing can be remembered without a database");
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
