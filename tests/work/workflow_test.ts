import assert from "node:assert/strict";
import { parse } from "yaml";
import { allSteps, parseWorkflow, stepTimeoutMs, type Workflow } from "../../src/work/workflow.ts";
import { parseDuration } from "../../src/work/field_reader.ts";
import CASES from "../testdata/work_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";
import { workflowText } from "../support/workflows.ts";

const HEAD = "name: x\ndescription: y\n";

function errorsOf(yaml: string): readonly string[] {
  const result = parseWorkflow(parse(yaml));
  return "errors" in result ? result.errors : [];
}

function workflowOf(yaml: string): Workflow {
  const result = parseWorkflow(parse(yaml));
  if ("errors" in result) throw new Error(result.errors.join("; "));
  return result.workflow;
}

Deno.test("parseWorkflow() reads every field, and fills in the defaults", () => {
  const workflow = workflowOf(workflowText("ship"));
  assert.equal(workflow.timeoutMs, 7_200_000);
  const steps = [...allSteps(workflow.steps)];
  assert.deepEqual(
    steps.map(({ step, depth }) => [step.name, step.type, depth]),
    rowsOf<readonly [string, string, number]>(CASES.allSteps),
  );
  const common = { when: null, timeoutMs: null, output: null };
  assert.deepEqual(steps[0]!.step, {
    ...common,
    name: "plan",
    type: "agent",
    prompt: "plan",
    input: { title: "{{.task.title}}", depth: "3" },
    output: "plan",
  });
  assert.deepEqual(steps[2]!.step, {
    ...common,
    name: "check",
    type: "script",
    command: "make check",
    onFail: "continue",
    exitLoopOnSuccess: true,
    env: {},
    workdir: null,
  });
  const again = steps[4]!.step;
  assert.ok(again.type === "loop" && again.maxIterations === 10);
  assert.equal(again.onMaxIterations, "block");
  assert.deepEqual(steps[7]!.step, {
    ...common,
    name: "merge",
    type: "merge",
    requireReview: true,
    commitMessage: "Done: {{.task.title}}",
    preMerge: ["make test"],
  });
  const timeouts = steps.flatMap(({ step }) =>
    step.type === "loop" || step.type === "merge" ? [] : stepTimeoutMs(step, { agentMs: 7 })
  );
  assert.deepEqual(timeouts, [7, 300_000, 5_400_000, 9_000, 300_000]);
});

Deno.test("parseWorkflow() names the step that an error lies in", () => {
  const cases: Readonly<Record<string, string>> = CASES.workflowFaults;
  for (const [steps, expected] of Object.entries(cases)) {
    assert.deepEqual(errorsOf(`${HEAD}steps: ${steps}`), [expected], steps);
  }
});

Deno.test("parseWorkflow() refuses a value that is not a workflow", () => {
  assert.deepEqual(errorsOf("- a"), ["a workflow is a mapping with name, description and steps"]);
  assert.deepEqual(errorsOf("a: 1"), [
    "name is required",
    'unknown key "a"',
    "description is required",
    "steps are required: at least one",
  ]);
  assert.deepEqual(errorsOf("name: a/b\ndescription: x\nsteps: []"), [
    'name must not contain "/" or "\\"',
    "steps are required: at least one",
  ]);
  assert.deepEqual(errorsOf(`${HEAD}steps: {}`), ["steps must be a list"]);
});

Deno.test("parseDuration() reads durations as Go writes them", () => {
  const cases: Readonly<Record<string, number | null>> = CASES.durations;
  for (const [text, expected] of Object.entries(cases)) {
    assert.equal(parseDuration(text), expected, text);
  }
});
