/** What later steps find of a step that has finished. */
import { readContract } from "./contract.ts";
import type { StepOutcome } from "./progress.ts";
import type { TemplateValue } from "./template_syntax.ts";
import type { Step } from "./workflow.ts";

/** `previous` before anything has run: nothing has failed. */
export const NOTHING_BEFORE: TemplateValue = {
  success: true,
  failed: false,
  skipped: false,
  output: "",
  exit_code: 0,
};

/** A finished step as `previous`, and under its own name. */
export function outcomeValue(step: Step, outcome: StepOutcome): TemplateValue {
  const { success, skipped, output, outputs, exitCode, error } = outcome;
  return {
    success,
    failed: !success,
    skipped,
    output,
    exit_code: exitCode,
    error,
    outputs: outputs as TemplateValue,
    summary: (step.type === "agent" ? readContract(output)?.summary : null) ?? output,
    ...(step.type === "loop" ? { iteration: outputs.iterations as number ?? 0 } : {}),
  };
}

/** What the variable of a step's `output` holds: the outputs that an agent named, else what the step has printed. */
export function variableValue(outcome: StepOutcome): TemplateValue {
  const hasOutputs = Object.keys(outcome.outputs).length > 0;
  return hasOutputs ? outcome.outputs as TemplateValue : outcome.output;
}
