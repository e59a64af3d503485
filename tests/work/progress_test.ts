import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "yaml";
import {
  failure,
  mergedOutcome,
  type Move,
  nextMove,
  outcomeOfAgent,
  outcomeOfScript,
  type ProcessEnd,
  runsAnew,
  type StepRecord,
  viewSteps,
} from "../../src/work/progress.ts";
import { renderText } from "../../src/work/template.ts";
import { parseWorkflow, type Workflow } from "../../src/work/workflow.ts";
import type { Plan } from "../../src/work/engine/advance.ts";
import type { StepOutcome, StepRow } from "../../src/work/workflows_table.ts";
import CASES from "../testdata/work_cases.json" with { type: "json" };
import { workflowText } from "../support/workflows.ts";

const TASK = { id: "t1", title: "Title", body: "", type: "bug", priority: 2, tags: ["a"] };

function workflowOf(steps: string): Workflow {
  const result = parseWorkflow(parse(`name: x\ndescription: y\nsteps:\n${steps}`));
  if ("errors" in result) throw new Error(result.errors.join("; "));
  return result.workflow;
}

const DONE: StepOutcome = {
  success: true,
  skipped: false,
  output: "",
  outputs: {},
  exitCode: 0,
  error: null,
  action: "continue",
};
const FAILED: StepOutcome = { ...DONE, success: false, exitCode: 3, output: "2 failed" };
const BLOCKED: StepOutcome = { ...FAILED, action: "block", error: "script exited with code 3" };
const LEAVES: StepOutcome = { ...DONE, action: "exit_loop" };

const END: ProcessEnd = { code: 0, timedOut: false, killed: null, fault: null };

/** A store with what a caller keeps: all attempts that ever were. */
class Run {
  records: StepRecord[] = [];
  readonly ran: string[] = [];

  constructor(readonly workflow: Workflow) {}

  get move(): Move {
    return nextMove(this.workflow, this.records, TASK);
  }

  write({ key, attempt, outcome }: Omit<StepRecord, "status">): void {
    const kept = JSON.parse(JSON.stringify(outcome));
    this.records.push({ key, attempt, status: "finished", outcome: kept });
  }

  /** Goes on until nothing can be run any more; `outcomes` are looked up by key, then by name. */
  goOn(outcomes: Readonly<Record<string, StepOutcome>> = {}): Move {
    for (let count = 0; count < 500; count++) {
      const { move } = this;
      if (move.kind === "record") this.write(move);
      else if (move.kind === "run") {
        this.ran.push(move.key);
        const outcome = outcomes[move.key] ?? outcomes[move.step.name] ?? DONE;
        this.write({ key: move.key, attempt: move.attempt, outcome });
      } else return move;
    }
    throw new Error("the workflow does not end");
  }

  retry(): void {
    this.records = this.records.map((one) =>
      runsAnew(one) ? { ...one, status: "superseded" as const } : one
    );
  }

  text(template: string): string {
    const { move } = this;
    if (move.kind !== "run") throw new Error(`nothing to run: ${move.kind}`);
    return renderText(template, move.context, { missing: "error" });
  }
}

const QUALITY = workflowText("quality");

Deno.test("nextMove() walks through steps and rounds in their order", () => {
  const run = new Run(workflowOf(QUALITY));
  const end = run.goOn({ "quality-loop#1/run-tests": FAILED, "run-tests": LEAVES });
  assert.deepEqual(end, { kind: "completed" });
  assert.deepEqual(run.ran, [
    "implement",
    "quality-loop#1/run-tests",
    "quality-loop#1/fix",
    "quality-loop#2/run-tests",
    "merge",
  ]);
  const loop = run.records.find(({ key }) => key === "quality-loop")!;
  assert.deepEqual([loop.outcome!.success, loop.outcome!.outputs], [true, { iterations: 2 }]);
});

Deno.test("a loop at its limit blocks, and a retry gives it as many rounds again", () => {
  const run = new Run(workflowOf(QUALITY));
  const reason = 'loop "quality-loop" reached its limit of 3 iterations';
  assert.deepEqual(run.goOn({ "run-tests": FAILED }), {
    kind: "blocked",
    key: "quality-loop",
    reason,
  });
  assert.equal(run.ran.length, 7);
  run.retry();
  assert.equal(run.goOn({ "run-tests": FAILED }).kind, "blocked");
  assert.deepEqual(
    run.ran.slice(7),
    [4, 5, 6].flatMap((round) => [
      `quality-loop#${round}/run-tests`,
      `quality-loop#${round}/fix`,
    ]),
  );
  run.retry();
  assert.deepEqual(run.goOn({ "run-tests": LEAVES }), { kind: "completed" });
});

Deno.test("a retry runs only the blocked step again", () => {
  const steps = workflowText("left-loop");
  const run = new Run(workflowOf(steps));
  assert.deepEqual(run.goOn({ c: BLOCKED }), {
    kind: "blocked",
    key: "l#1/c",
    reason: "script exited with code 3",
  });
  run.retry();
  const { move } = run;
  assert.ok(move.kind === "run");
  assert.deepEqual([move.key, move.attempt], ["l#1/c", 2]);
  assert.deepEqual(run.goOn({ c: LEAVES, merge: failure("no", "block") }), {
    kind: "blocked",
    key: "merge",
    reason: "no",
  });
  run.retry();
  assert.equal(run.goOn({ merge: mergedOutcome("abc") }).kind, "completed");
  assert.deepEqual(run.ran, ["a", "l#1/b", "l#1/c", "l#1/c", "merge", "merge", "after"]);
});

Deno.test("a crash at any point repeats exactly the step that had not finished", () => {
  const outcome = fc.constantFrom(DONE, FAILED, LEAVES, BLOCKED);
  const nested = workflowOf(workflowText("nested"));
  fc.assert(fc.property(fc.array(outcome, { maxLength: 40 }), (outcomes) => {
    const run = new Run(nested);
    for (const one of outcomes) {
      const { move } = run;
      // Asked again, also with the records in another order: the same answer.
      assert.deepEqual(nextMove(run.workflow, run.records.toReversed(), TASK), move);
      if (move.kind === "completed") return;
      if (move.kind === "blocked" || move.kind === "failed") run.retry();
      else {
        const finished = run.records.filter(({ status }) => status === "finished");
        assert.ok(!finished.some(({ key }) => key === move.key), move.key);
        const written = move.kind === "record" ? move.outcome : one;
        run.write({ key: move.key, attempt: move.attempt, outcome: written });
      }
    }
  }));
});

Deno.test("a false when skips the step; a wrong when fails the workflow", () => {
  const run = new Run(workflowOf(`
  - {name: a, type: script, command: a}
  - {name: b, type: script, command: b, when: "{{.previous.failed}}", output: text}
  - {name: c, type: script, command: c, when: maybe}`));
  const end = run.goOn();
  assert.deepEqual(run.ran, ["a"]);
  assert.deepEqual(run.records[1]!.outcome, { ...DONE, skipped: true, exitCode: null });
  assert.deepEqual(end, {
    kind: "failed",
    key: "c",
    reason: 'when "maybe" must come to true or false, not the text "maybe"',
  });
});

Deno.test("a script that may fail goes on, and the next step knows", () => {
  const run = new Run(workflowOf(`
  - {name: a, type: script, command: a, on_fail: continue}
  - {name: b, type: script, command: b}`));
  run.write({ key: "a", attempt: 1, outcome: FAILED });
  const template = "{{.previous.failed}} {{.previous.output}} {{.a.exit_code}} {{.a.success}}";
  assert.equal(run.text(template), "true 2 failed 3 false");
});

Deno.test("nextMove() gives a step the task, variables, finished steps and the rounds of loops", () => {
  const run = new Run(workflowOf(workflowText("two-loops")));
  const facts = "{{.task.id}} {{.bead.priority}} {{.task.labels.0}} {{.previous.success}}";
  assert.equal(run.text(facts), "t1 P2 a true");
  const text = 'Planned.\n```json\n{"success": true, "summary": "S", "outputs": {"n": 2}}\n```';
  const planned = outcomeOfAgent(END, { text, asks: false });
  run.write({ key: "plan", attempt: 1, outcome: planned });
  assert.equal(
    run.text("{{.plan-of.n}} {{.plan.outputs.n}} {{.plan.summary}} {{.outer.iteration}}"),
    "2 2 S 1",
  );
  const seen: string[] = [];
  for (let move = run.move; move.kind !== "completed"; move = run.move) {
    if (move.kind === "run") {
      seen.push(
        `${move.key}: ${
          run.text("{{.outer.iteration}}{{.inner-loop.iteration}}{{ .text | default `-` }}")
        }`,
      );
    }
    assert.ok(move.kind === "run" || move.kind === "record");
    const outcome = move.kind === "run" ? { ...DONE, output: `o${seen.length}` } : move.outcome;
    run.write({ key: move.key, attempt: move.attempt, outcome });
  }
  assert.deepEqual(seen, CASES.seenByLoops);
});

Deno.test("exit_loop outside of a loop goes on", () => {
  const run = new Run(workflowOf(`
  - {name: a, type: script, command: a, on_success: exit_loop}
  - {name: b, type: script, command: b}`));
  assert.equal(run.goOn({ a: LEAVES }).kind, "completed");
  assert.deepEqual(run.ran, ["a", "b"]);
});

Deno.test("outcomeOfScript() blocks on a failure unless the step goes on", () => {
  const step = { onFail: "block", exitLoopOnSuccess: true } as const;
  const end = { ...END, code: 3 };
  const blocked = outcomeOfScript(step, end, "hi\n");
  assert.deepEqual(blocked, {
    ...DONE,
    success: false,
    output: "hi",
    exitCode: 3,
    error: "script exited with code 3",
    action: "block",
  });
  assert.equal(outcomeOfScript({ ...step, onFail: "continue" }, end, "").action, "continue");
  assert.equal(outcomeOfScript(step, END, "").action, "exit_loop");
  const late = outcomeOfScript(step, { ...END, code: 143, timedOut: true }, "");
  assert.equal(late.error, "execution timed out");
  const killed = outcomeOfScript(step, { ...END, code: 137 }, "");
  assert.equal(killed.error, "script was ended by SIGKILL");
});

Deno.test("outcomeOfAgent() believes what the agent says last, then its exit code", () => {
  const outcome = (text: string, end: Partial<ProcessEnd> = {}, asks = false) =>
    outcomeOfAgent({ ...END, ...end }, { text, asks });
  assert.equal(outcome("Done.").success, true);
  assert.equal(outcome("Done.", { code: 1 }).error, "agent exited with code 1");
  const no = outcome('No. {"success": false, "error": "no way"}');
  assert.deepEqual([no.success, no.error, no.action], [false, "no way", "block"]);
  assert.equal(outcome('{"success": true}', { code: 1 }).success, true);
  assert.equal(outcome('{"success": true}', { timedOut: true }).error, "execution timed out");
  assert.match(outcome("Done.", {}, true).error!, /asked a question/);
  assert.equal(outcome('{"success": true}', {}, true).success, true);
});

const PLAN = CASES.waitingPlan as unknown as Plan;

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
  const outcome = DONE;
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
