import assert from "node:assert/strict";
import { beginWorkflow, finishAndAdvance } from "../../src/work/engine/advance.ts";
import { answer } from "../../src/work/engine/requests.ts";
import { failure } from "../../src/work/progress.ts";
import { parseWorkflow } from "../../src/work/workflow.ts";
import { openDatabase } from "../../src/db/database.ts";
import { transaction } from "../../src/db/transaction.ts";
import { askQuestion } from "../../src/work/questions_table.ts";
import { changeDependencies } from "../../src/work/task_changes_table.ts";
import { readTask } from "../../src/work/tasks_table.ts";
import { listSteps, readWorkflow } from "../../src/work/workflows_table.ts";
import { makeTask } from "../support/tasks.ts";

const AT = 1_700_000_000_000;
const LASTING = { leaseMs: 60_000, timeoutMs: 60_000, atMs: AT };
const AUTHOR = { by: "user", atMs: AT };

Deno.test("answer() keeps the answer when the step cannot go on, and leaves task and workflow as they were", async () => {
  using db = await openDatabase(":memory:", { busyTimeoutMs: 100 });
  const [task, other] = ["Ask", "Come first"].map((title) =>
    makeTask(db, { title, projectDir: "/p", atMs: AT })
  );
  const parsed = parseWorkflow({
    name: "one",
    description: "One agent.",
    steps: [{ name: "work", type: "agent", prompt: "Do it.\nThen stop." }],
  });
  assert.ok("workflow" in parsed);
  const plan = { workflow: parsed.workflow, prompts: {} };
  const workflow = transaction(db, () => beginWorkflow(db, task!, plan, LASTING));
  const [step] = listSteps(db, workflow.id);
  const id = transaction(db, () => {
    finishAndAdvance(db, workflow, step!, { outcome: failure("it asks", "block"), atMs: AT });
    return askQuestion(db, {
      type: "input",
      text: "Which colour?",
      options: [],
      source: "output",
      taskId: task!.id,
      workflowId: workflow.id,
      stepKey: "work",
      agentId: step!.agentId,
      sessionId: null,
      origin: null,
    }, AT)!;
  });
  // It waits for another task by now, so it cannot be claimed.
  transaction(db, () => changeDependencies(db, task!.id, { add: [other!.id], remove: [] }, AUTHOR));
  const { question, delivered, deliveryError } = transaction(
    db,
    () => answer(db, id, { ...LASTING, text: "Blue", by: "user" }),
  );
  assert.deepEqual([question.status, question.answer, delivered], ["answered", "Blue", false]);
  assert.match(deliveryError!, /depends on/);
  assert.equal(readTask(db, task!.id)!.status, "blocked");
  assert.equal(readWorkflow(db, workflow.id)!.status, "blocked");
});
