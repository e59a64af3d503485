import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { listUntoldClaims, type UntoldClaim } from "../../src/db/team_outbox.ts";
import { transaction } from "../../src/db/transaction.ts";
import { listAgents } from "../../src/work/agents_table.ts";
import { obeyServer } from "../../src/work/task_claims_table.ts";
import { engineStage } from "../support/engine.ts";
import { pause, until } from "../support/wait.ts";

const WORKFLOW = "  - name: build\n    type: script\n    command: 'true'\n";

/** A project that is joined; nobody syncs it. */
function joinHere(db: DatabaseSync, project: string): void {
  db.prepare(
    `INSERT INTO team_projects (project, name, way, origin, joined_at_ms)
     VALUES (?, 'shop', '{"address":"postgres://ana@localhost:1/t"}', 'o1', 1)`,
  ).run(join(project, ".git"));
}

/** Waits until a workflow has claimed a task here. */
function claimOf(db: DatabaseSync, id: string): Promise<UntoldClaim> {
  return until(
    "the workflow has claimed the task",
    () => listUntoldClaims(db, { uid: id }).find(({ step }) => step === "claim"),
  );
}

Deno.test("agents of a shared task wait until the team's server has given the claim", async () => {
  await using stage = await engineStage({ workflow: WORKFLOW });
  const { db } = stage;
  joinHere(db, stage.project);
  const id = await stage.begin();
  await using _engine = await stage.startEngine();
  const claim = await claimOf(db, id);
  await pause(1_500);
  assert.deepEqual(listAgents(db, { taskId: id }).map(({ pid }) => pid), [null]);
  // The server gives it under another number.
  const word = { fence: claim.token + 6, holder: claim.holder, isHere: true };
  transaction(db, () => obeyServer(db, claim, { ...word, atMs: Date.now() }));
  await stage.reaches(id, "completed");
  const [done] = listUntoldClaims(db, { uid: id });
  assert.deepEqual([done?.step, done?.token], ["complete", claim.token + 6]);
});

Deno.test("a workflow ends when the team's server gave its task to somebody else", async () => {
  await using stage = await engineStage({ workflow: WORKFLOW });
  const { db } = stage;
  joinHere(db, stage.project);
  const id = await stage.begin();
  await using _engine = await stage.startEngine();
  const claim = await claimOf(db, id);
  const word = { fence: claim.token, holder: "b1", isHere: false };
  transaction(db, () => obeyServer(db, claim, { ...word, atMs: Date.now() }));
  await stage.reaches(id, "cancelled");
  const { body: { task } } = await stage.json(["task", "show", id]);
  assert.deepEqual([task.claimedBy, task.status], ["b1", "in_progress"]);
  assert.ok(listAgents(db, { taskId: id }).every(({ pid }) => pid === null));
});
