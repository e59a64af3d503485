/** Captures that cannot be worked into memory, and what else keeps memory from growing: tried again, told, mended. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { brotliCompressSync } from "node:zlib";
import { openDatabase } from "../../src/db/database.ts";
import { claimCaptures, DEATHS_APART_MS, releaseClaims } from "../../src/db/queue_work.ts";
import { hook, type TempHome, tempHome } from "../support/program.ts";
import { drainAt, saveEvent } from "../support/records.ts";
import { json, run } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";
import { configureUser } from "../support/on_home.ts";
import type { CheckRow } from "./support.ts";
import { removeFolder } from "../support/folders.ts";

const PAYLOAD = JSON.stringify({
  tool_input: { file_path: "/p/upload.ts", content: "export const tries = 3;\n".repeat(20) },
  tool_response: {},
});

async function memoryChecks(home: TempHome): Promise<CheckRow[]> {
  const { checks } = await json(home, "doctor");
  return checks.filter(({ name }: CheckRow) => name === "memory");
}

function state(db: DatabaseSync, id: string) {
  const row = db.prepare(
    `SELECT status, attempts, retry_at_ms AS retryAtMs, error_message AS why
       FROM pending_queue
      WHERE id = ?`,
  ).get(id);
  return row as unknown as {
    status: string;
    attempts: number;
    retryAtMs: number | null;
    why: string | null;
  };
}

/** How a payload is damaged on the disk, and what is said of it then. */
const DAMAGES = [
  ["a Brotli stream that is cut short", (db: DatabaseSync, id: string) => {
    const whole = brotliCompressSync(PAYLOAD);
    db.prepare("UPDATE pending_queue SET encoding = 'br', payload = ?, raw_bytes = ? WHERE id = ?")
      .run(whole.subarray(0, whole.length - 7), PAYLOAD.length, id);
  }],
  ["bytes of a Brotli stream that were changed", (db: DatabaseSync, id: string) => {
    const bytes = new Uint8Array(brotliCompressSync(PAYLOAD));
    bytes.fill(0xff, 4, 24);
    db.prepare("UPDATE pending_queue SET encoding = 'br', payload = ?, raw_bytes = ? WHERE id = ?")
      .run(bytes, PAYLOAD.length, id);
  }],
  [
    "JSON that breaks off",
    (db: DatabaseSync, id: string) =>
      void db.prepare("UPDATE pending_queue SET payload = ? WHERE id = ?").run(
        PAYLOAD.slice(0, 90),
        id,
      ),
  ],
] as const;

/** A home with its database open. */
async function openHome() {
  const home = tempHome();
  const db = await openDatabase(home.database, { busyTimeoutMs: 5_000 });
  return {
    home,
    db,
    [Symbol.dispose]() {
      db.close();
      home[Symbol.dispose]();
    },
  };
}

const it = testWith(openHome);

for (const [name, damage] of DAMAGES) {
  it(`${name}: tried three times with growing pauses, told by doctor, and worked in when it is mended`, async ({ home, db }) => {
    const bad = saveEvent(db, { capture: { payload: PAYLOAD } });
    damage(db, bad);
    const others = [1, 2, 3].map((n) =>
      saveEvent(db, { capture: { payload: PAYLOAD.replace("upload", `other${n}`) } })
    );
    const startMs = Date.now();
    let nowMs = startMs;
    const drain = () => drainAt(db, nowMs);
    assert.deepEqual([drain().worked, state(db, bad).status], [3, "raw"]);
    for (const id of others) {
      assert.equal(state(db, id).status, "done", "the others are not held up");
    }
    assert.equal(state(db, bad).retryAtMs, startMs + 5_000);
    const list = await run(home, "queue", "list", "--status", "raw");
    assert.match(list.stdout, /ERROR[\s\S]* again in [1-5] s: /);
    assert.equal((await json(home, "queue", "stats")).nextRetryAtMs, startMs + 5_000);

    nowMs = startMs + 4_999;
    assert.deepEqual([drain().failed, state(db, bad).attempts], [0, 1], "not before its time");
    nowMs = startMs + 5_000;
    assert.equal(drain().failed, 1);
    assert.equal(state(db, bad).retryAtMs, nowMs + 10_000);
    nowMs += 10_000;
    assert.equal(drain().failed, 1);
    const given = state(db, bad);
    assert.deepEqual([given.status, given.attempts, given.retryAtMs], ["error", 3, null]);
    nowMs += 3_600_000;
    assert.equal(drain().failed, 0, "it is not tried again by itself");

    const [check] = await memoryChecks(home);
    assert.equal(check!.status, "warn");
    assert.match(
      check!.message,
      /^1 capture was given up after errors: what is stored is damaged: /,
    );
    assert.equal(check!.next, "conclaude queue prune --unreadable");
    const stdout = (await run(home, "queue", "list", "--status", "error")).stdout;
    assert.match(stdout, /ERROR[\s\S]*what is stored is damaged/);

    db.prepare("UPDATE pending_queue SET encoding = 'json', payload = ? WHERE id = ?").run(
      PAYLOAD,
      bad,
    );
    assert.equal((await json(home, "queue", "retry", "--all")).retried, 1);
    assert.equal((await json(home, "queue", "drain")).worked, 1);
    assert.equal(state(db, bad).status, "done");
    assert.equal((await memoryChecks(home))[0]!.status, "ok");
    const found = db.prepare("SELECT count(*) AS n FROM observations WHERE kind = 'edit'").get();
    assert.equal(found!["n"], 4);
  });
}

it("a capture that the database refuses is given up like an unreadable one, and does not hold up others", async ({ home, db }) => {
  db.exec(
    `CREATE TRIGGER no_uploads BEFORE INSERT ON observations
     WHEN new.title LIKE '%upload%' BEGIN SELECT RAISE(ABORT, 'no uploads'); END`,
  );
  const bad = saveEvent(db, { capture: { payload: PAYLOAD } });
  saveEvent(db, { capture: { payload: PAYLOAD.replace("upload", "other") } });
  let nowMs = Date.now();
  const report = drainAt(db, nowMs);
  assert.deepEqual([report.worked, report.failed], [1, 1]);
  for (const pauseMs of [5_000, 10_000]) {
    nowMs += pauseMs;
    drainAt(db, nowMs);
  }
  assert.equal(state(db, bad).status, "error");
  assert.match((await memoryChecks(home))[0]!.message, /after errors: no uploads$/);
  db.exec("DROP TRIGGER no_uploads");
  await run(home, "queue", "retry", bad);
  assert.equal((await json(home, "queue", "drain")).worked, 1);
});

const test = testWith(tempHome);

test("doctor says when captures wait although hooks run", async (home) => {
  const db = await openDatabase(home.database, { busyTimeoutMs: 5_000 });
  saveEvent(db, { atMs: Date.now() - 2 * 3_600_000, capture: { payload: PAYLOAD } });
  assert.equal((await memoryChecks(home))[0]!.status, "ok", "no hook has run since");
  saveEvent(db, {});
  db.close();
  const [check] = await memoryChecks(home);
  assert.match(check!.message, /^1 capture has waited for more than an hour, although hooks run/);
  assert.equal(check!.next, "conclaude queue drain");
});

test("doctor names a lock that cannot be made, and the real drain says so as well", async (home) => {
  await hook("SessionStart", {
    session_id: "s",
    cwd: home.path,
    hook_event_name: "SessionStart",
    source: "startup",
  }, home);
  const lock = `${home.database}-drain`;
  removeFolder(lock);
  Deno.mkdirSync(lock);
  const [check] = await memoryChecks(home);
  assert.equal(check!.status, "warn");
  assert.ok(check!.message.includes(lock), check!.message);
  Deno.removeSync(lock);
  assert.equal((await memoryChecks(home))[0]!.status, "ok");
});

test("doctor says when the summarizer's command keeps failing, or has used up its day", async (home) => {
  const db = await openDatabase(home.database, { busyTimeoutMs: 5_000 });
  for (const n of [1, 2, 3, 4]) {
    saveEvent(db, { sessionId: `s${n}`, capture: { payload: PAYLOAD } });
  }
  db.exec("UPDATE sessions SET status = 'ended', ended_at_ms = updated_at_ms");
  db.close();
  await run(home, "queue", "drain");
  const configure = (command: string, more = "") =>
    configureUser(home, `memory: {summarizer: {command: ${JSON.stringify(command)}${more}}}\n`);
  configure("cat >/dev/null; exit 4");
  assert.equal((await memoryChecks(home))[0]!.status, "ok", "it has not run yet");
  assert.equal((await json(home, "queue", "drain")).summarizer.failed, 3, "then it is left");
  assert.match(
    (await memoryChecks(home))[0]!.message,
    /failed 3 times in a row: it left with status 4/,
  );
  configure("echo Short.", ", maxRunsPerDay: 4");
  assert.equal((await json(home, "queue", "drain")).summarizer.written, 1);
  const [check, ...more] = await memoryChecks(home);
  assert.match(check!.message, /used up the runs of today \(4 runs/);
  assert.deepEqual(more, [], "it works again");
});

test("status has a line about memory", async (home) => {
  const db = await openDatabase(home.database, { busyTimeoutMs: 5_000 });
  saveEvent(db, { capture: { payload: PAYLOAD } });
  db.close();
  assert.match(
    (await run(home, "status", "--verbose")).stdout,
    /^memory {9}0 observations, 1 capture waiting, 0 open failures$/m,
  );
  await run(home, "queue", "drain");
  assert.match(
    (await run(home, "status", "--verbose")).stdout,
    /^memory {9}2 observations, 0 captures waiting/m,
  );
});

/** A drain that is killed when it has taken its next captures. */
function dieOnce(db: DatabaseSync, nowMs: number): string[] {
  const ids = claimCaptures(db, nowMs, { maxRows: 64, maxBytes: 1_000_000 }).map(({ id }) => id);
  releaseClaims(db);
  return ids;
}

it("doctor names a capture that kills drains; a drain takes it alone and gives it up", async ({ home, db }) => {
  let atMs = Date.now() - 3_600_000;
  let deathMs = atMs + 1_000;
  const save = (name: string) =>
    saveEvent(db, { atMs: atMs++, capture: { payload: PAYLOAD.replace("upload", name) } });
  const bad = save("bad");
  const innocent = save("innocent");
  assert.deepEqual(dieOnce(db, deathMs), [bad, innocent]);
  for (let kill = 0; kill < 20; kill++) {
    assert.deepEqual(dieOnce(db, deathMs + kill), [bad], "alone, in its place");
  }
  assert.equal(state(db, bad).attempts, 1, "killed one after another, drains have died once");
  deathMs += 2 * DEATHS_APART_MS;
  assert.deepEqual(dieOnce(db, deathMs), [bad]);
  const [check] = await memoryChecks(home);
  assert.equal(check!.status, "warn");
  assert.ok(
    check!.message.includes(`${bad} (`) && !check!.message.includes(innocent),
    check!.message,
  );
  assert.equal(check!.next, "conclaude queue drain");

  const later = save("later");
  for (let round = 0; round < 3; round++) {
    deathMs += 2 * DEATHS_APART_MS;
    assert.deepEqual(dieOnce(db, deathMs), [bad]);
  }
  const report = drainAt(db);
  assert.deepEqual([report.worked, report.failed], [2, 1]);
  assert.deepEqual([innocent, later].map((id) => state(db, id).status), ["done", "done"]);
  assert.match(state(db, bad).why!, /^5 drains ended while they worked at it/);
  const [given] = await memoryChecks(home);
  assert.match(given!.message, /^1 capture was given up after errors: 5 drains ended/);
  assert.equal((await json(home, "queue", "retry", "--all")).retried, 1);
  assert.equal((await json(home, "queue", "drain")).worked, 1);
});

it("no session waits for a capture that killed a drain: the drain beside a turn takes it", async ({ home, db }) => {
  const takenMs = Date.now() - 2 * DEATHS_APART_MS;
  const bad = saveEvent(db, { atMs: takenMs - 1_000, capture: { payload: PAYLOAD } });
  dieOnce(db, takenMs);
  const fresh = saveEvent(db, { capture: { payload: PAYLOAD.replace("upload", "fresh") } });
  const fields = { session_id: crypto.randomUUID(), cwd: home.path };
  const env = { env: { HOME: home.path } };
  await hook("SessionStart", { ...fields, source: "startup" }, home, env);
  assert.deepEqual([state(db, bad).status, state(db, fresh).status], ["raw", "raw"]);
  await hook("Drain", { ...fields, hook_event_name: "Stop" }, home, env);
  assert.deepEqual([state(db, bad).status, state(db, bad).attempts], ["done", 2]);
  assert.equal(state(db, fresh).status, "done");
});

it("queue drain takes captures that killed earlier drains, as doctor says", async ({ home, db }) => {
  const bad = saveEvent(db, { atMs: 1, capture: { payload: PAYLOAD } });
  db.prepare("UPDATE pending_queue SET status = 'processing', attempts = 5 WHERE id = ?").run(bad);
  const { worked, failed } = await json(home, "queue", "drain");
  assert.deepEqual([worked, failed, state(db, bad).status], [1, 0, "done"]);
});
