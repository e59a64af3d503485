/** What a SessionEnd clears away, and what it must not. */
import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/database.ts";
import { query, queryValue } from "../support/look.ts";
import { hook, runProgram, tempHome } from "../support/program.ts";
import { saveEvent } from "../support/records.ts";
import { configureUser } from "../support/on_home.ts";

const DAY_MS = 86_400_000;

const end = (cwd: string) => ({
  session_id: "fresh",
  cwd,
  hook_event_name: "SessionEnd",
  reason: "other",
});

Deno.test("SessionEnd removes no capture that is not worked in, however old, unless memory is off", async () => {
  using home = tempHome();
  const db = await openDatabase(home.database, { busyTimeoutMs: 1000 });
  const atMs = Date.now() - 60 * DAY_MS;
  saveEvent(db, { atMs, sessionId: "waits", capture: {} });
  saveEvent(db, { atMs, sessionId: "worked", capture: {} });
  db.exec("UPDATE sessions SET status = 'ended', ended_at_ms = updated_at_ms");
  db.exec("UPDATE pending_queue SET status = 'done' WHERE session_id = 'worked'");
  // It failed once, and waits for its next try: else the SessionEnd itself works it in.
  db.prepare("UPDATE pending_queue SET attempts = 1, retry_at_ms = ? WHERE session_id = 'waits'")
    .run(Date.now() + DAY_MS);
  db.close();
  await hook("SessionEnd", end(home.path), home);
  const kept = () => query(home, "SELECT session_id AS id FROM pending_queue").map(({ id }) => id);
  assert.deepEqual(kept(), ["waits"]);
  assert.equal(queryValue(home, "SELECT count(*) FROM sessions WHERE session_id = 'waits'"), 1);
  configureUser(home, "memory: { enabled: false }\n");
  await hook("SessionEnd", end(home.path), home);
  assert.deepEqual(kept(), [], "nothing will ever be made of it");
});

Deno.test("SessionEnd removes observations that are old enough, within its time", async () => {
  using home = tempHome();
  const db = await openDatabase(home.database, { busyTimeoutMs: 1000 });
  for (let n = 0; n < 80; n++) {
    saveEvent(db, {
      atMs: Date.now() - 20 * DAY_MS,
      capture: {
        payload: JSON.stringify({ tool_input: { file_path: `/p/f${n}.ts`, content: "x = 1" } }),
      },
    });
  }
  db.close();
  await runProgram(["queue", "drain"], { env: { HOME: home.path }, cwd: home.path });
  await runProgram(["memory", "remember", "stays"], { env: { HOME: home.path }, cwd: home.path });
  const dropped = () => queryValue(home, "SELECT count(*) FROM observations WHERE kind = 'edit'");
  assert.equal(dropped(), 80);
  await hook("SessionEnd", end(home.path), home);
  assert.equal(dropped(), 80);
  configureUser(home, "memory: { retentionDays: 10 }\n");
  const startedAt = performance.now();
  await hook("SessionEnd", end(home.path), home);
  assert.ok(performance.now() - startedAt < 3_000);
  assert.equal(dropped(), 0);
  assert.equal(queryValue(home, "SELECT count(*) FROM observations WHERE kind = 'note'"), 1);
});
