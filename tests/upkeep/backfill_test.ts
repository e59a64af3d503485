/** Captures of transcripts, in a real database. */
import assert from "node:assert/strict";
import { type PastCapture, pastWriter } from "../../src/upkeep/transfer/backfill_table.ts";
import { openDatabase } from "../../src/db/database.ts";
import { saveObservation } from "../../src/memory/drain/observations_table.ts";

const SESSION = {
  sessionId: "s1",
  title: null,
  projectDir: "/p",
  repository: null,
  branch: "main",
  cwd: "/p",
  transcriptPath: null,
  startedAtMs: 1_000,
  updatedAtMs: 2_000,
  endedAtMs: 2_000,
};

function pastCapture(id: string): PastCapture {
  return {
    id,
    atMs: 1_500,
    branch: "main",
    capture: {
      toolName: "Bash",
      toolUseId: null,
      outcome: "success",
      priority: "normal",
      filesTouched: [],
      payload: "{}",
      cutBytes: 0,
    },
  };
}

Deno.test("pastWriter() writes each capture once, and none that memory is made of already", async () => {
  const db = await openDatabase(":memory:", { busyTimeoutMs: 100 });
  saveObservation(db, {
    uid: "worked in",
    sessionId: "s1",
    project: "/p",
    branch: "main",
    kind: "command",
    outcome: "success",
    title: "ls",
    text: "ls",
    terms: "",
    files: [],
    facts: {},
    sameAs: null,
    atMs: 1_500,
  });
  const write = pastWriter(db, SESSION.sessionId);
  assert.equal(write(SESSION, [pastCapture("a"), pastCapture("a"), pastCapture("worked in")]), 1);
  assert.equal(write(SESSION, [pastCapture("a"), pastCapture("b")]), 1);
  const rows = db.prepare("SELECT id, branch, created_at_ms AS atMs FROM pending_queue").all();
  assert.deepEqual(rows.map((row) => ({ ...row })), [
    { id: "a", branch: "main", atMs: 1_500 },
    { id: "b", branch: "main", atMs: 1_500 },
  ]);
});
