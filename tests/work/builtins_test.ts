import assert from "node:assert/strict";
import { parse } from "yaml";
import {
  BUILTIN_PROMPTS,
  BUILTIN_WORKFLOWS,
  builtinPrompt,
  builtinWorkflow,
  DEFAULT_WORKFLOW,
} from "../../src/work/engine/workflow_files.ts";
import { nextMove, outcomeOfScript, type StepRecord } from "../../src/work/progress.ts";
import { renderPrompt, renderScriptStep } from "../../src/work/render_step.ts";
import { parseWorkflow, type Workflow } from "../../src/work/workflow.ts";

const TASK = {
  id: "t1",
  title: "Title",
  body: "Body {{.x}}",
  type: "bug",
  priority: 1,
  tags: [],
};

function builtin(name: string): Workflow {
  const result = parseWorkflow(parse(builtinWorkflow(name)!));
  if ("errors" in result) throw new Error(result.errors.join("; "));
  return result.workflow;
}

/** Runs a workflow without executing anything, every agent with a text and every script with an exit code. */
function run(
  name: string,
  agentOutputs: Readonly<Record<string, unknown>>,
  exitCodes: number[],
): { readonly keys: string[]; readonly prompts: Map<string, string>; readonly end: string } {
  const workflow = builtin(name);
  const records: StepRecord[] = [];
  const keys: string[] = [];
  const prompts = new Map<string, string>();
  for (;;) {
    const move = nextMove(workflow, records, TASK);
    if (move.kind === "record") records.push({ ...move, status: "finished" });
    else if (move.kind !== "run") return { keys, prompts, end: move.kind };
    else {
      keys.push(move.key);
      const { step, key, attempt, context } = move;
      const outputs = agentOutputs;
      const end = { code: 0, timedOut: false, killed: null, fault: null };
      const script = { onFail: "block", exitLoopOnSuccess: false } as const;
      let outcome = outcomeOfScript(script, end, `output of ${key}`);
      if (step.type === "agent") {
        prompts.set(key, renderPrompt(step, context, builtinPrompt));
        outcome = { ...outcome, outputs };
      }
      if (step.type === "script") {
        assert.equal(renderScriptStep(step, context).command, 'sh -c "${CONCLAUDE_CHECK:-:}"');
        outcome = outcomeOfScript(step, { ...end, code: exitCodes.shift() ?? 0 }, "2 failed");
      }
      records.push({ key, attempt, status: "finished", outcome });
    }
  }
}

Deno.test("every workflow that comes with the program is valid, has its name, and names prompts that exist", () => {
  assert.ok(BUILTIN_WORKFLOWS.has(DEFAULT_WORKFLOW));
  for (const name of BUILTIN_WORKFLOWS.keys()) assert.equal(builtin(name).name, name);
  assert.equal(builtinWorkflow("implement-bead"), builtinWorkflow("implement"));
  assert.equal(builtinWorkflow("nope"), null);
});

Deno.test("implement repairs until the checks pass, and then merges", () => {
  const { keys, prompts, end } = run("implement", {}, [1, 0]);
  assert.deepEqual(keys, [
    "implement",
    "quality-loop#1/run-checks",
    "quality-loop#2/fix",
    "quality-loop#2/run-checks",
    "merge",
  ]);
  assert.equal(end, "completed");
  assert.match(prompts.get("implement")!, /Body \{\{\.x\}\}[\s\S]*"success": true/);
  assert.match(prompts.get("quality-loop#2/fix")!, /2 failed/);
});

Deno.test("implement waits for a person when the checks still fail after three rounds", () => {
  const { keys, end } = run("implement", {}, [1, 1, 1]);
  assert.deepEqual([keys.length, end], [6, "blocked"]);
});

Deno.test("prepare-pr applies a review only when the review asks for something", () => {
  assert.deepEqual(run("prepare-pr", {}, []).keys, [
    "review",
    "is-actionable",
    "run-checks",
    "describe",
  ]);
  const { keys, prompts } = run("prepare-pr", { actionable: true }, []);
  assert.equal(keys[2], "apply-review-fixes");
  assert.match(prompts.get("apply-review-fixes")!, /output of review/);
});

Deno.test("plan passes its findings to the step that makes tasks", () => {
  const { prompts } = run("plan", {}, []);
  assert.match(prompts.get("create-tasks")!, /output of analyze-spec[\s\S]*--parent t1/);
});

Deno.test("the check of a workflow passes where a project configures none", async () => {
  const command = 'sh -c "${CONCLAUDE_CHECK:-:}"';
  for (
    const [check, code] of [[undefined, 0], ["", 0], ["exit 3", 3], ["true && false", 1]] as const
  ) {
    const result = await new Deno.Command("/bin/sh", {
      args: ["-c", command],
      env: check === undefined ? {} : { CONCLAUDE_CHECK: check },
    }).output();
    assert.equal(result.code, code, check);
  }
});

Deno.test("prompts name no tool that a project may not have", () => {
  for (const [name, text] of [...BUILTIN_PROMPTS, ...BUILTIN_WORKFLOWS]) {
    assert.doesNotMatch(text, /\b(?:bd|npm|yarn|cargo|gh|pytest)\b/, name);
  }
});

Deno.test("renderScriptStep() keeps a script inside of its worktree, and its environment unquoted", () => {
  const step = {
    type: "script",
    name: "x",
    command: 'echo "$TITLE"',
    when: null,
    timeoutMs: null,
    output: null,
    onFail: "block",
    exitLoopOnSuccess: false,
    env: { TITLE: "{{ .task.title }}", NONE: "{{ .nope }}" },
    workdir: "{{ .dir }}",
  } as const;
  const context = { task: { title: "It's $x" }, dir: "a/b" };
  assert.deepEqual(renderScriptStep(step, context), {
    command: 'echo "$TITLE"',
    env: { TITLE: "It's $x", NONE: "" },
    workdir: "a/b",
    warnings: [],
  });
  for (const dir of ["/etc", "../x", "a/../../b", "~"]) {
    assert.throws(() => renderScriptStep(step, { ...context, dir }), /must lie below the worktree/);
  }
});
