import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { type HookRecord, saveRecords } from "../../src/db/captures.ts";
import { openDatabase } from "../../src/db/database.ts";
import { giveBackSpace, spaceUse } from "../../src/db/disk_space.ts";
import { compactPayloads, payloadText } from "../../src/db/payloads.ts";
import { readStoredPayload } from "../../src/db/queue.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { closeDatabase, spoil } from "../support/spoilt.ts";
import { seededRandom, sourceFiles, toolUseRecords } from "../support/tool_uses.ts";
import { pause } from "../support/wait.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempDatabase);

const SOURCES = new URL("../../src", import.meta.url).pathname;
const ENGINE = new URL("../../src/db/payloads.ts", import.meta.url).href;
const DATABASE = new URL("../../src/db/database.ts", import.meta.url).href;

function records(count: number, seed = 7): HookRecord[] {
  return toolUseRecords(count, {
    random: seededRandom(seed),
    files: sourceFiles(SOURCES),
    startMs: Date.now() - count * 20_000,
  });
}

test("compactPayloads() gives every payload back as it was, and has nothing to do twice", ({ db }) => {
  const mix = records(300);
  saveRecords(db, mix);
  const tiny = saveEvent(db, { capture: { payload: "{}" } });
  const steps: number[] = [];
  const done = compactPayloads(db, { onProgress: ({ compressed }) => steps.push(compressed) });
  assert.equal(done.compressed, 300);
  assert.ok(done.complete);
  assert.equal(steps.at(-1), 300);
  assertKept(db, mix);
  assert.equal(encodingOf(db, tiny), "json");
  assert.deepEqual(compactPayloads(db), { compressed: 0, savedBytes: 0, complete: true });
  assertSound(db);
});

test("compactPayloads() stops when its time is over and goes on later", (temp) => {
  const mix = records(200);
  saveRecords(temp.db, mix);
  let untilMs = Infinity;
  const first = compactPayloads(temp.db, {
    get untilMs() {
      return untilMs;
    },
    onProgress: () => untilMs = 0,
  });
  assert.ok(!first.complete && first.compressed > 0 && first.compressed < 200);
  assert.equal(first.compressed + compactPayloads(temp.db).compressed, 200);
  assertKept(temp.db, mix);
});

test("compactPayloads() does not take a damaged page for the end", async (temp) => {
  const payload = JSON.stringify({ text: "conclaude ".repeat(3000) });
  for (let i = 0; i < 5; i++) saveEvent(temp.db, { atMs: 1000 + i, capture: { payload } });
  temp.db.close();
  closeDatabase(temp.path);
  const pages = Deno.statSync(temp.path).size / 4096;
  // Four pages behind one another are in the chain of one payload.
  spoil(temp.path, { at: (pages - 6) * 4096, length: 4 * 4096 });
  const db = await openDatabase(temp.path, { busyTimeoutMs: 1000 });
  assert.throws(() => compactPayloads(db), /malformed/);
  db.close();
});

test.slow("compactPayloads() works beside another one and beside hooks that write", async (temp) => {
  const mix = records(400);
  saveRecords(temp.db, mix.slice(0, 300));
  const others = [startCompaction(temp.path), startCompaction(temp.path)];
  for (const record of mix.slice(300)) {
    saveRecords(temp.db, [record]);
    await pause(2);
  }
  for (const other of others) {
    const { code, stderr } = await other.output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  }
  compactPayloads(temp.db);
  assertKept(temp.db, mix);
  assertSound(temp.db);
});

test.slow("compactPayloads() that is killed at any moment loses nothing", async (temp) => {
  const mix = records(1500);
  saveRecords(temp.db, mix);
  const random = seededRandom(11);
  const counts: number[] = [];
  for (let round = 0; round < 6; round++) {
    const child = startCompaction(temp.path);
    const reader = child.stdout.getReader();
    for (let step = 0; step <= round % 3; step++) await reader.read();
    await new Promise((resolve) => setTimeout(resolve, random() * 40));
    child.kill("SIGKILL");
    await reader.cancel();
    await child.stderr.cancel();
    await child.status;
    using again = await reopened(temp.path);
    assertSound(again.db);
    assertKept(again.db, mix);
    counts.push(compressedIn(again.db));
  }
  assert.deepEqual(counts, counts.toSorted((a, b) => a - b));
  assert.ok(counts.some((count) => count > 0 && count < mix.length), `none in between: ${counts}`);
  assert.equal(compactPayloads(temp.db).compressed, mix.length - counts.at(-1)!);
  assertKept(temp.db, mix);
});

test.slow(
  "a realistic mix takes at most 0.5 of its JSON on disk, its queue at most 0.45",
  (temp) => {
    const { db, path } = temp;
    const emptyBytes = spaceUse(db).fileBytes;
    const mix = records(1000);
    saveRecords(db, mix);
    const jsonBytes = mix.reduce((sum, { capture }) => sum + byteLength(capture!.payload), 0);
    compactPayloads(db);
    assert.ok(giveBackSpace(db) > 0);
    const fileBytes = Deno.statSync(path).size + (fileSize(`${path}-wal`) ?? 0);
    const share = (fileBytes - emptyBytes) / jsonBytes;
    assert.ok(share <= 0.5, `the database takes ${share.toFixed(3)}`);
    const queueBytes = Number(
      db.prepare(
        `SELECT sum(pgsize) AS bytes FROM dbstat
        WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = 'pending_queue')`,
      ).get()!["bytes"],
    );
    const queueShare = queueBytes / jsonBytes;
    assert.ok(queueShare <= 0.45, `the queue takes ${queueShare.toFixed(3)}`);
  },
);

test.slow(
  "captures that are compacted in small portions leave no half empty pages behind",
  async (temp) => {
    const { db } = temp;
    const mix = records(600);
    for (let i = 0; i < mix.length; i += 30) {
      saveRecords(db, mix.slice(i, i + 30));
      compactPayloads(db);
    }
    const inPortions = spaceUse(db);
    using whole = await tempDatabase();
    saveRecords(whole.db, mix);
    compactPayloads(whole.db);
    giveBackSpace(whole.db);
    const used = inPortions.fileBytes - inPortions.freeBytes;
    assert.ok(used < 1.1 * spaceUse(whole.db).fileBytes, `${used} bytes`);
  },
);

test("giveBackSpace() leaves a little free room for later captures", (temp) => {
  const { db } = temp;
  saveRecords(db, records(200));
  const ids = db.prepare("SELECT id FROM pending_queue ORDER BY id LIMIT 20").all();
  for (const { id } of ids) db.prepare("DELETE FROM pending_queue WHERE id = ?").run(id!);
  const { fileBytes, freeBytes } = spaceUse(db);
  assert.ok(freeBytes > 0 && freeBytes < fileBytes / 4);
  assert.equal(giveBackSpace(db), 0);
  assert.equal(spaceUse(db).fileBytes, fileBytes);
});

test("giveBackSpace() does not wait for a reader", async (temp) => {
  const mix = records(200);
  saveRecords(temp.db, mix);
  compactPayloads(temp.db);
  using reader = await reopened(temp.path);
  reader.db.exec("BEGIN; SELECT count(*) FROM pending_queue");
  reader.db.prepare("SELECT count(*) FROM pending_queue").get();
  const startedMs = performance.now();
  giveBackSpace(temp.db);
  assert.ok(performance.now() - startedMs < 2000);
  reader.db.exec("COMMIT");
  assertKept(temp.db, mix);
});

/** A compaction in a process of its own, which writes a line after every step. */
function startCompaction(path: string): Deno.ChildProcess {
  const code = `
    import { compactPayloads } from ${JSON.stringify(ENGINE)};
    import { openDatabase } from ${JSON.stringify(DATABASE)};
    const db = await openDatabase(${JSON.stringify(path)}, { busyTimeoutMs: 5000 });
    compactPayloads(db, { onProgress: () => console.log("step") });
  `;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", `data:application/typescript,${encodeURIComponent(code)}`],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function reopened(path: string) {
  const db = await openDatabase(path, { busyTimeoutMs: 5000 });
  return { db, [Symbol.dispose]: () => db.close() };
}

function assertKept(db: DatabaseSync, mix: readonly HookRecord[]): void {
  for (const { id, capture } of mix) {
    assert.equal(payloadText(readStoredPayload(db, id)!), capture!.payload);
  }
}

function assertSound(db: DatabaseSync): void {
  assert.deepEqual(Object.values(db.prepare("PRAGMA integrity_check").get()!), ["ok"]);
}

function encodingOf(db: DatabaseSync, id: string): string {
  return readStoredPayload(db, id)!.encoding;
}

function compressedIn(db: DatabaseSync): number {
  const row = db.prepare("SELECT count(*) AS n FROM pending_queue WHERE encoding = 'br'").get();
  return Number(row!["n"]);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function fileSize(path: string): number | undefined {
  try {
    return Deno.statSync(path).size;
  } catch {
    return undefined;
  }
}
