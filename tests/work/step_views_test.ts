import assert from "node:assert/strict";
import { viewSteps } from "../../src/work/progress.ts";
import type { Plan } from "../../src/work/engine/advance.ts";
import type { StepRow } from "../../src/work/workflows_table.ts";

const PLAN = {
  workflow: {
    steps: [
      { name: "write", type: "agent" },
      { name: "quality", type: "loop", steps: [{ name: "test", type: "script" }] },
      { name: "merge", type: "merge" },
    ],
  },
} as unknown as Plan;

const row = (key: string, facts: Partial<StepRow> = {}): StepRow => ({
  key,
  attempt: 1,
  type: "script",
  status: "finished",
  outcome: null,
  agentId: null,
  startedAtMs: 0,
  endedAtMs: 1,
  ...facts,
});

Deno.test("viewSteps() shows the newest attempt of a step, whatever the order of the rows", () => {
  const tries = [
    row("write", { attempt: 2, agentId: "second", status: "running", endedAtMs: null }),
    row("write", { attempt: 1, agentId: "first" }),
  ];
  for (const rows of [tries, tries.toReversed()]) {
    const [write] = viewSteps(PLAN.workflow, rows);
    assert.deepEqual([write!.attempts, write!.agentId, write!.status], [2, "second", "running"]);
  }
});

Deno.test("a superseded step is pending and has no outcome", () => {
  const outcome = { kind: "done" };
  const [once] = viewSteps(PLAN.workflow, [row("write", { outcome })]);
  assert.deepEqual([once!.status, once!.outcome], ["finished", outcome]);
  const [again] = viewSteps(PLAN.workflow, [row("write", { outcome, status: "superseded" })]);
  assert.deepEqual([again!.status, again!.outcome, again!.attempts], ["pending", null, 1]);
});

Deno.test("a loop shows each round that was begun, and the coming steps of the running round", () => {
  const keysOf = (rows: readonly StepRow[]) =>
    viewSteps(PLAN.workflow, rows).map(({ key, depth, status }) => `${key} ${depth} ${status}`);
  assert.deepEqual(keysOf([]), [
    "write 0 pending",
    "quality 0 pending",
    "quality#1/test 1 pending",
    "merge 0 pending",
  ]);
  const loop = row("quality", { type: "loop", status: "running", endedAtMs: null });
  const rounds = [row("quality#1/test"), row("quality#2/test", { status: "running" })];
  assert.deepEqual(keysOf([loop, ...rounds]).slice(1, 4), [
    "quality 0 running",
    "quality#1/test 1 finished",
    "quality#2/test 1 running",
  ]);
  const left = row("quality", { type: "loop" });
  assert.deepEqual(keysOf([left]).slice(1), ["quality 0 finished", "merge 0 pending"]);
});
