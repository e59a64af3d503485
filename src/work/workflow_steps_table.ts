/** The steps of workflows that were begun. Changes are in the caller's transaction. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { insertRow, statement } from "../db/statement.ts";
import { changeWorkflow, tellWorkflow } from "./workflows_table.ts";

export interface StepRow {
  /** Its name, and the rounds of the loops around it: `quality#2/test`. */
  readonly key: string;
  /** From 1. */
  readonly attempt: number;
  readonly type: "agent" | "script" | "loop" | "merge";
  readonly status: "running" | "finished" | "superseded";
  /** Null while it runs. */
  readonly outcome: unknown;
  readonly agentId: string | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

/** The steps of a workflow in the order in which they were begun, also those that were run again. */
export function listSteps(db: DatabaseSync, workflowId: string): StepRow[] {
  return db.prepare(
    `SELECT key, attempt, type, status, outcome, agent_id AS agentId, started_at_ms AS startedAtMs,
            ended_at_ms AS endedAtMs
       FROM workflow_steps
      WHERE workflow_id = ?
      ORDER BY started_at_ms, coalesce(ended_at_ms, 9e15), key, attempt`,
  ).all(workflowId).map((row: Readonly<Record<string, SQLOutputValue>>) => ({
    ...row,
    outcome: row["outcome"] === null ? null : JSON.parse(String(row["outcome"])),
  })) as unknown as StepRow[];
}

export interface StepKey {
  readonly workflowId: string;
  readonly key: string;
  readonly attempt: number;
}

/** Keeps that a step is being run. */
export function beginStep(
  db: DatabaseSync,
  at: StepKey,
  { type, agentId, atMs }: Pick<StepRow, "type" | "agentId"> & { readonly atMs: number },
): void {
  const { workflowId, key, attempt } = at;
  insertRow(db, "workflow_steps", { ...at, type, status: "running", agentId, startedAtMs: atMs });
  changeWorkflow(db, workflowId, { currentStep: key }, {
    event: "workflow.step.started",
    atMs,
    data: { step: { key, attempt, type } },
  });
}

/** Keeps what a step came to. A step that was not begun, because nothing had to be run, is made. */
export function finishStep(
  db: DatabaseSync,
  { workflowId, key, attempt }: StepKey,
  { type, outcome, atMs }: Pick<StepRow, "type" | "outcome"> & { readonly atMs: number },
): void {
  statement(
    db,
    `INSERT INTO workflow_steps (workflow_id, key, attempt, type, status, outcome, started_at_ms, ended_at_ms)
     VALUES (?1, ?2, ?3, ?4, 'finished', ?5, ?6, ?6)
     ON CONFLICT (workflow_id, key, attempt) DO UPDATE SET status = 'finished', outcome = ?5, ended_at_ms = ?6`,
  ).run(workflowId, key, attempt, type, JSON.stringify(outcome), atMs);
  const step = { key, attempt, type, outcome };
  tellWorkflow(db, "workflow.step.completed", workflowId, { step }, atMs);
}

/** Lets a step be run again: its outcome counts no more. */
export function supersedeStep(
  db: DatabaseSync,
  { workflowId, key, attempt }: StepKey,
  atMs: number,
): void {
  db.prepare(
    `UPDATE workflow_steps
        SET status = 'superseded', ended_at_ms = coalesce(ended_at_ms, ?)
      WHERE workflow_id = ?
        AND key = ?
        AND attempt = ?`,
  ).run(atMs, workflowId, key, attempt);
}
