/** What a workflow was begun with: its steps, and the texts of its prompts, as they were then. */
import type { DatabaseSync } from "node:sqlite";
import type { Workflow } from "../orchestration/workflow.ts";
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
