import assert from "node:assert/strict";
import { parse } from "yaml";
import { BUILTIN_WORKFLOWS, builtinPrompt } from "../../src/work/engine/workflow_files.ts";
import { previewWorkflow } from "../../src/work/preview.ts";
import { parseWorkflow } from "../../src/work/workflow.ts";
import { workflowText } from "../support/workflows.ts";

const TASK = {
  id: "a b",
  title: "Title",
  body: "x".repeat(600),
  type: "bug",
  priority: 0,
  tags: [],
};

const PROMPTS: Readonly<Record<string, string>> = {
  long: "{{ .task.body }}",
  later: "{{ .a.output }} {{ .given }}",
  circle: '{{ include "circle" }}',
  wrong: "{{ .nope.x }} {{ default `a` .neither }}",
};

function preview(yaml: string) {
  const result = parseWorkflow(parse(yaml));
  if ("errors" in result) throw new Error(result.errors.join("; "));
  const prompts = (name: string) => {
    const text = PROMPTS[name] ?? builtinPrompt(name);
    return text === null ? null : { text, source: name in PROMPTS ? "here" : "built-in" };
  };
  return previewWorkflow(result.workflow, { task: TASK, prompts });
}

const steps = (text: string) => preview(`name: x\ndescription: y\nsteps:\n${text}`);

Deno.test("previewWorkflow() shows what is known before anything has run", () => {
  const { steps: shown, errors, isValid } = steps(workflowText("previewed"));
  assert.deepEqual([errors, isValid], [[], true]);
  assert.deepEqual(
    shown.map((one) => [one.step.name, one.depth, one.wouldRun, one.isRendered, one.command]),
    [
      ["a", 0, true, true, 'echo "a b"'],
      ["l", 0, true, true, null],
      ["b", 1, null, false, "echo {{.a.output}}"],
      ["c", 1, true, true, null],
      ["d", 1, true, false, null],
      ["e", 0, false, true, null],
      ["f", 0, true, false, "x {{ raw .task.id }} {{ .nope }}"],
    ],
  );
  const excerpt = `${"x".repeat(499)}…`;
  assert.deepEqual([shown[3]!.promptSource, shown[3]!.promptExcerpt], ["here", excerpt]);
  assert.equal(shown[4]!.promptExcerpt, PROMPTS.later);
  assert.deepEqual([shown[5]!.promptSource, shown[5]!.promptExcerpt], ["inline", "Do Title\n"]);
  assert.deepEqual(shown[6]!.warnings, [
    '.nope: nothing has the name "nope"',
    "{{ raw .task.id }} is not quoted for the shell",
  ]);
});

Deno.test("previewWorkflow() tells what would go wrong", () => {
  const { errors, isValid } = steps(workflowText("wrong"));
  assert.equal(isValid, false);
  assert.deepEqual(errors, [
    'step "a": there is no prompt "none"',
    'step "b": {{ include "circle" }}: circular include detected: circle -> circle',
    'step "c": .nope.x: nothing has the name "nope"',
    'step "d": when "maybe" must come to true or false, not the text "maybe"',
    'step "e": when: .nope: nothing has the name "nope"',
    'step "f": workdir "../y" must lie below the worktree',
    'step "g": input x: .nope: nothing has the name "nope"',
  ]);
});

Deno.test("the workflows that come with the program have valid previews", () => {
  for (const yaml of BUILTIN_WORKFLOWS.values()) assert.deepEqual(preview(yaml).errors, []);
});
