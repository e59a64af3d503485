import assert from "node:assert/strict";
import { newId } from "../../src/base/ids.ts";
import { drainSpool } from "../../src/operations/spool_drain.ts";
import { SPOOL_FORMAT, spooledFiles, spoolRecord, spoolSuffix } from "../../src/db/spool.ts";
import type { HookRecord } from "../../src/db/captures.ts";
import { openDatabase } from "../../src/db/database.ts";
import { hookRecord } from "../support/records.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(places);

const DATABASE = "/somewhere/conclaude.db";

function record(atMs: number, more: Partial<HookRecord> = {}): HookRecord {
  const execution = { hookName: `at-${atMs}`, toolName: null, toolUseId: null };
  const usual = hookRecord({ atMs, sessionId: "s", execution, counters: ["seen"] });
  return { ...usual, session: null, ...more };
}

async function places() {
  const root = await Deno.makeTempDir({ prefix: "conclaude-spool-" });
  const folders = [`${root}/first/spool`, `${root}/second/spool`];
  const db = await openDatabase(":memory:", { busyTimeoutMs: 100 });
  return {
    root,
    folders,
    db,
    target: { database: DATABASE, folders },
    names: () =>
      db.prepare("SELECT hook_name FROM hook_executions ORDER BY id")
        .all().map((row) => row["hook_name"]),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

test("drainSpool() takes in what waits in every folder, oldest first, and leaves nothing", (at) => {
  spoolRecord(record(3000), at.target);
  spoolRecord(record(1000), { database: DATABASE, folders: [at.folders[1]!] });
  spoolRecord(record(2000), at.target);
  assert.deepEqual(spooledFiles(at.target).map((path) => path.includes("/second/")), [
    true,
    false,
    false,
  ]);
  assert.deepEqual(drainSpool(at.db, at.target), { saved: 3, known: 0, damaged: [], left: 0 });
  assert.deepEqual(at.names(), ["at-1000", "at-2000", "at-3000"]);
  assert.deepEqual(spooledFiles(at.target), []);
});

test("drainSpool() does not take a record twice that a stopped drain had saved already", async (at) => {
  const path = spoolRecord(record(1000), at.target);
  const text = await Deno.readTextFile(path);
  drainSpool(at.db, at.target);
  await Deno.writeTextFile(path, text);
  assert.deepEqual(drainSpool(at.db, at.target), { saved: 0, known: 1, damaged: [], left: 0 });
  assert.equal(at.db.prepare("SELECT value FROM counters").get()!["value"], 1);
});

test("drainSpool() leaves the records of another database alone", (at) => {
  spoolRecord(record(1000), { database: "/other.db", folders: at.folders });
  assert.equal(drainSpool(at.db, at.target).saved, 0);
  assert.equal(spooledFiles({ database: "/other.db", folders: at.folders }).length, 1);
});

test("drainSpool() sets a damaged file aside and goes on with the others", async (at) => {
  spoolRecord(record(1000), at.target);
  const broken = `${at.folders[0]}/${newId(2000)}${spoolSuffix(DATABASE)}`;
  await Deno.writeTextFile(broken, '{"format":1,');
  spoolRecord(record(3000), at.target);
  const report = drainSpool(at.db, at.target);
  assert.equal(report.saved, 2);
  assert.deepEqual(report.damaged, [`${broken}.damaged`]);
  assert.equal(await Deno.readTextFile(`${broken}.damaged`), '{"format":1,');
});

test("drainSpool() sets one record aside that the tables refuse, and keeps the rest of its batch", (at) => {
  spoolRecord(record(1000), at.target);
  const execution = { ...record(2000).execution, status: "odd" as "success" };
  spoolRecord(record(2000, { execution }), at.target);
  spoolRecord(record(3000), at.target);
  const report = drainSpool(at.db, at.target);
  assert.deepEqual([report.saved, report.damaged.length], [2, 1]);
  assert.deepEqual(at.names(), ["at-1000", "at-3000"]);
});

test("drainSpool() leaves the record of a newer program for that program", async (at) => {
  const path = spoolRecord(record(1000), at.target);
  const newer = { ...JSON.parse(await Deno.readTextFile(path)), format: SPOOL_FORMAT + 1 };
  await Deno.writeTextFile(path, JSON.stringify(newer));
  assert.deepEqual(drainSpool(at.db, at.target), { saved: 0, known: 0, damaged: [], left: 0 });
  assert.deepEqual(JSON.parse(await Deno.readTextFile(path)), newer);
});

test("drainSpool() keeps everything when the database cannot take it", (at) => {
  spoolRecord(record(1000), at.target);
  at.db.exec("PRAGMA query_only = ON");
  assert.throws(() => drainSpool(at.db, at.target), /readonly/);
  assert.equal(spooledFiles(at.target).length, 1);
});

test("drainSpool() stops when its time is over", (at) => {
  for (let ms = 1; ms <= 120; ms++) spoolRecord(record(ms), at.target);
  assert.deepEqual(drainSpool(at.db, { ...at.target, untilMs: 0 }), {
    saved: 0,
    known: 0,
    damaged: [],
    left: 120,
  });
});

test("spoolRecord() takes the next folder when the first cannot hold it", (at) => {
  const path = spoolRecord(record(1000), {
    database: DATABASE,
    folders: ["/dev/null/spool", at.folders[1]!],
  });
  assert.ok(path.startsWith(at.folders[1]!));
  assert.throws(
    () => spoolRecord(record(1000), { database: DATABASE, folders: ["/dev/null/spool"] }),
    AggregateError,
  );
});

test.unix("spoolRecord() writes private files into private folders", async (at) => {
  const path = spoolRecord(record(1000), at.target);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  assert.equal((await Deno.stat(at.folders[0]!)).mode! & 0o777, 0o700);
});
