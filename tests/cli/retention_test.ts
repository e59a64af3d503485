import assert from "node:assert/strict";
import { saveEvent, tempDatabase } from "../support/records.ts";
import { runVerb, runVerbJson } from "../support/verb.ts";
import { testWith } from "../support/fixtures.ts";

const DAY_MS = 86_400_000;
/** There are no tasks. */
const NO_TASKS = {
  observations: 0,
  tokenUse: 0,
  deletedTasks: 0,
  tasks: 0,
  agents: 0,
  questions: 0,
  workflows: 0,
  events: 0,
  folders: 0,
};

const test = testWith(tempDatabase);

test("retention run removes what --dry-run said, and active sessions never", async (temp) => {
  const { db } = temp;

  const longAgo = Date.now() - 40 * DAY_MS;
  saveEvent(db, { atMs: longAgo, sessionId: "old", capture: {}, counters: ["edits"] });
  saveEvent(db, { atMs: longAgo, sessionId: "gone", capture: {} });
  saveEvent(db, { atMs: longAgo, sessionId: "active", capture: {}, counters: ["edits"] });
  saveEvent(db, { sessionId: "fresh", capture: {} });
  db.exec(`UPDATE sessions SET status = 'ended', ended_at_ms = updated_at_ms
            WHERE session_id IN ('old', 'fresh')`);
  db.exec("DELETE FROM sessions WHERE session_id = 'gone'");
  const removed = { sessions: 1, executions: 2, captures: 2, counters: 1, ...NO_TASKS };
  assert.match(
    (await runVerb(["retention", "run", "--dry-run"], temp)).stdout,
    /^Would remove 0 tasks, .* for good; would delete 0 closed tasks, which can be restored\.$/m,
  );
  assert.deepEqual(await runVerbJson(["retention", "run", "--dry-run"], temp), {
    dryRun: true,
    removed,
    retentionDays: 30,
  });
  assert.deepEqual(await runVerbJson(["retention", "run"], temp), {
    dryRun: false,
    removed,
    retentionDays: 30,
  });
  const left = db.prepare("SELECT DISTINCT session_id AS id FROM pending_queue ORDER BY 1").all();
  assert.deepEqual(left.map(({ id }) => id), ["active", "fresh"]);
  const again = await runVerbJson(["retention", "run"], temp);
  assert.deepEqual(again.removed, {
    sessions: 0,
    executions: 0,
    captures: 0,
    counters: 0,
    ...NO_TASKS,
  });
});

test("retention run keeps everything when the configuration says 0 days", async (temp) => {
  Deno.writeTextFileSync(`${temp.folder}/.conclaude.yaml`, "store:\n  sessionRetentionDays: 0\n");
  saveEvent(temp.db, { atMs: 1, capture: {} });
  temp.db.exec("UPDATE sessions SET status = 'ended', ended_at_ms = 1");

  assert.deepEqual(await runVerbJson(["retention", "run"], temp), {
    dryRun: false,
    removed: { sessions: 0, executions: 0, captures: 0, counters: 0, ...NO_TASKS },
    retentionDays: 0,
  });
});

test("retention run works captures into memory before it removes them, and keeps those that cannot be worked in yet", async (temp) => {
  const { db } = temp;

  const atMs = Date.now() - 40 * DAY_MS;
  const payload = JSON.stringify({
    tool_input: { file_path: "/p/a.ts", content: "const tries = 3;" },
  });
  saveEvent(db, { atMs, sessionId: "told", capture: { payload } });
  saveEvent(db, { atMs, sessionId: "held", capture: { payload } });
  saveEvent(db, { atMs, sessionId: "orphan", capture: { payload } });
  db.exec("UPDATE sessions SET status = 'ended', ended_at_ms = updated_at_ms");
  db.exec("DELETE FROM sessions WHERE session_id = 'orphan'");
  // These two are tried again in a while.
  db.exec(`UPDATE pending_queue SET attempts = 1, retry_at_ms = ${Date.now() + 60_000}
            WHERE session_id IN ('held', 'orphan')`);
  const { removed } = await runVerbJson(["retention", "run"], temp);
  assert.equal(removed.sessions, 1);
  const ids = (sql: string) => db.prepare(sql).all().map(({ id }) => id);
  assert.deepEqual(ids("SELECT session_id AS id FROM sessions"), ["held"]);
  assert.deepEqual(ids("SELECT session_id AS id FROM pending_queue ORDER BY 1"), [
    "held",
    "orphan",
  ]);
  assert.deepEqual(ids("SELECT session_id AS id FROM observations WHERE kind = 'edit'"), ["told"]);

  db.exec("UPDATE pending_queue SET retry_at_ms = NULL");
  assert.equal((await runVerbJson(["retention", "run"], temp)).removed.captures, 2);
  assert.equal(ids("SELECT id FROM observations WHERE kind = 'edit'").length, 3);
});

test("retention run removes observations that are old enough, but never notes", async (temp) => {
  const { db } = temp;

  const payload = (name: string) =>
    JSON.stringify({ tool_input: { file_path: `/p/${name}.ts`, content: "const tries = 3;" } });
  for (let n = 0; n < 120; n++) {
    saveEvent(db, { atMs: Date.now() - 100 * DAY_MS, capture: { payload: payload(`old${n}`) } });
  }
  saveEvent(db, { capture: { payload: payload("new") } });
  await runVerb(["queue", "drain"], temp);
  await runVerb(["memory", "remember", "Tests need port 5433"], temp);
  db.exec(`UPDATE observations SET created_at_ms = 1, updated_at_ms = 1 WHERE kind = 'note'`);
  const count = () => Number(db.prepare("SELECT count(*) AS n FROM observations").get()!["n"]);
  const before = count();
  assert.equal((await runVerbJson(["retention", "run"], temp)).removed.observations, 0);
  assert.equal(count(), before, "without a word about it everything stays");
  const config = "memory:\n  retentionDays: 30\n";
  Deno.writeTextFileSync(`${temp.folder}/.conclaude.yaml`, config);
  assert.equal((await runVerbJson(["retention", "run"], temp)).removed.observations, 0);
  assert.equal(count(), before, "a project's file says nothing about it");
  Deno.mkdirSync(`${temp.folder}/.conclaude`, { recursive: true });
  Deno.writeTextFileSync(`${temp.folder}/.conclaude/config.yaml`, config);
  await runVerb(["config", "accept"], temp);
  assert.equal(
    (await runVerbJson(["retention", "run", "--dry-run"], temp)).removed.observations,
    120,
  );
  assert.equal(count(), before);
  assert.equal((await runVerbJson(["retention", "run"], temp)).removed.observations, 120);
  assert.equal(count(), before - 120);
  const kinds = db.prepare("SELECT kind FROM observations ORDER BY kind").all().map(({ kind }) =>
    kind
  );
  assert.deepEqual(kinds, ["edit", "note", "summary"]);
  const { results } = await runVerbJson(["memory", "search", "old7"], temp);
  assert.ok(
    results.every(({ title }: { title: string }) => !title.includes("old7")),
    "the index forgets, too",
  );
});
