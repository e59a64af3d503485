/** What a workflow was begun with: its steps, and the texts of its prompts, as they were then. */
import type { DatabaseSync } from "node:sqlite";
import { allSteps, type Step, type Workflow } from "../orchestration/workflow.ts";
import { readDefinition } from "../store/workflows.ts";

/** Kept with the workflow, so that it is run to its end as it was begun, whatever becomes of the files. */
export interface Plan {
  readonly workflow: Workflow;
  /** By name. */
  readonly prompts: Readonly<Record<string, string>>;
}

/** The plan of a workflow. */
export function readPlan(db: DatabaseSync, workflowId: string): Plan {
  return JSON.parse(readDefinition(db, workflowId));
}

/** The step of a workflow that a key stands for: its name is what follows the rounds of the loops. */
export function stepOfKey(db: DatabaseSync, workflowId: string, key: string): Step {
  const name = key.slice(key.lastIndexOf("/") + 1);
  for (const { step } of allSteps(readPlan(db, workflowId).workflow.steps)) {
    if (step.name === name) return step;
  }
  throw new Error(`workflow ${workflowId} has no step ${name}`);
}
