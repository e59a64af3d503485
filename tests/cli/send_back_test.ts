import assert from "node:assert/strict";
import { join } from "node:path";
import { busyStage, linesOf } from "../support/engine.ts";
import { workflowText } from "../support/workflows.ts";

const SESSION = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";

/** Writes a file, and in a session that goes on what it is told into another one. */
const WORKS = `
echo "$*" >>$LOG/args
case $* in
*--resume*) cat >told.txt ;;
*) cat >/dev/null; echo work >work.txt ;;
esac
echo '{"type":"result","session_id":"${SESSION}","result":"Done."}'`;

const REVIEWED = workflowText("reviewed");

Deno.test("work that is sent back goes on in its agent's session with the reason, and waits for a review anew", async () => {
  await using stage = await busyStage({ agent: WORKS, workflow: "" });
  const { folder, json, run, write, begin, reaches } = stage;
  const checks = join(folder, "log", "checks");
  const steps = REVIEWED.replace("$LOG_FILE", checks);
  write(".conclaude/workflows/w.yaml", `name: w\ndescription: A test\nsteps:\n${steps}`);
  const id = await begin("the shed");
  await reaches(id, "pending_merge");
  const without = await run(["workflow", "reject", id, "--send-back"]);
  assert.equal(without.code, 2);
  assert.match(without.stderr, /--reason/);
  const reason = "a.txt, line 3: louder\n\nThe rest is fine.";
  const { code, body } = await json([
    "workflow",
    "reject",
    id,
    "--send-back",
    "--reason",
    reason,
  ]);
  assert.deepEqual(
    [code, body.workflow.status, body.workflow.currentStep],
    [0, "running", "work"],
  );
  assert.deepEqual([body.task.status, body.task.claimedBy], [
    "in_progress",
    `workflow:${body.workflow.id}`,
  ]);
  const { worktree } = await reaches(id, "pending_merge");
  assert.deepEqual(linesOf(join(folder, "log", "args")), ["", `--resume ${SESSION}`]);
  assert.equal(Deno.readTextFileSync(join(worktree, "told.txt")), reason);
  assert.equal(Deno.readTextFileSync(join(worktree, "work.txt")), "work\n");
  assert.deepEqual(linesOf(checks), ["check", "check"]);
  const { events } = (await json(["event", "list", "--type", "workflow.rejected"])).body;
  assert.deepEqual(events.map((event: { data: { reason: string } }) => event.data.reason), [
    reason,
  ]);
  await run(["workflow", "approve", id]);
  await reaches(id, "completed");
  const again = await json(["workflow", "reject", id, "--send-back", "--reason", "no"]);
  assert.deepEqual([again.code, again.body.error.reason], [11, "INVALID_STATUS"]);
});

Deno.test("work that no agent did cannot be sent back, and still waits", async () => {
  await using stage = await busyStage({ workflow: workflowText("script-and-merge") });
  const { json, begin, reaches } = stage;
  const id = await begin();
  await reaches(id, "pending_merge");
  const { code, body } = await json(["workflow", "reject", id, "--send-back", "--reason", "no"]);
  assert.deepEqual([code, body.error.reason], [11, "INVALID_STATUS"]);
  assert.match(body.error.why, /no agent has worked on it/);
  assert.equal((await reaches(id, "pending_merge")).status, "pending_merge");
});
