/**
 * Tasks, workflows, agents and questions that come from elsewhere. Each is known by its origin, so that it comes once.
 * Changes are in the caller's transaction.
 */
import type { DatabaseSync } from "node:sqlite";
import type { TaskStatus, TaskType } from "../orchestration/task.ts";
import { recordEvent } from "./events.ts";
import { freeQuestionId, needQuestion, type Question } from "./questions.ts";
import { type Author, withoutBody, writeHistory } from "./task_changes.ts";
import { readTask } from "./tasks.ts";
import { tellWorkflow } from "./workflows.ts";

/** The tables of what can be imported. */
export type ImportedTable = "tasks" | "workflows" | "agents" | "questions";

/** The ids of what came from a place, by origin. @param prefix How its origins begin. */
export function readOrigins(
  db: DatabaseSync,
  table: ImportedTable,
  prefix: string,
): ReadonlyMap<string, string> {
  const rows = db.prepare(
    `SELECT origin, id
       FROM ${table}
      WHERE substr(origin, 1, length(?1)) = ?1`,
  ).all(prefix);
  return new Map(rows.map((row) => [String(row["origin"]), String(row["id"])]));
}

/** The id of what has this origin; null when there is nothing. */
export function findByOrigin(
  db: DatabaseSync,
  table: ImportedTable,
  origin: string,
): string | null {
  const row = db.prepare(`SELECT id FROM ${table} WHERE origin = ?`).get(origin);
  return row === undefined ? null : String(row["id"]);
}

/** A task that comes from elsewhere. */
export interface ImportedTask {
  readonly id: string;
  readonly origin: string;
  readonly parentId: string | null;
  readonly depth: number;
  readonly title: string;
  readonly body: string;
  readonly type: TaskType;
  readonly status: Exclude<TaskStatus, "in_progress" | "pending_merge">;
  readonly priority: number;
  readonly tags: readonly string[];
  /** Tasks that are there and not deleted, and that do not wait for this one. */
  readonly dependsOn: readonly string[];
  readonly workflow: string | null;
  readonly projectDir: string;
  readonly repository: string | null;
  readonly reason: string | null;
  readonly summary: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly closedAtMs: number | null;
  readonly deletedAtMs: number | null;
  /** What is different from how it was there. */
  readonly changes: readonly {
    readonly field: string;
    readonly old: unknown;
    readonly new: unknown;
  }[];
}

/** Writes a task down as it came, unclaimed, with the event that it is there. */
export function importTask(db: DatabaseSync, task: ImportedTask, { by, atMs }: Author): void {
  db.prepare(
    `INSERT INTO tasks (id, origin, parent_id, depth, title, body, type, status, priority, workflow, project_dir,
                        repository, reason, summary, created_at_ms, updated_at_ms, closed_at_ms, deleted_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    task.id,
    task.origin,
    task.parentId,
    task.depth,
    task.title,
    task.body,
    task.type,
    task.status,
    task.priority,
    task.workflow,
    task.projectDir,
    task.repository,
    task.reason,
    task.summary,
    task.createdAtMs,
    task.updatedAtMs,
    task.closedAtMs,
    task.deletedAtMs,
  );
  const addTag = db.prepare("INSERT OR IGNORE INTO task_tags (task_id, tag) VALUES (?, ?)");
  for (const tag of task.tags) addTag.run(task.id, tag);
  // Nothing waits for a task that was not there, so no circle has to be looked for.
  const addDependency = db.prepare(
    "INSERT OR IGNORE INTO task_dependencies (task_id, depends_on) VALUES (?, ?)",
  );
  for (const other of task.dependsOn) addDependency.run(task.id, other);
  if (task.changes.length > 0) writeHistory(db, task.id, task.changes, { by, atMs });
  recordEvent(db, {
    type: "task.created",
    entityType: "task",
    entityId: task.id,
    data: { task: withoutBody(readTask(db, task.id)!), by, origin: task.origin },
    atMs,
  });
}

/** A workflow that comes from elsewhere, and is over. */
export interface ImportedWorkflow {
  readonly id: string;
  readonly origin: string;
  readonly taskId: string;
  readonly name: string;
  /** JSON. */
  readonly definition: string;
  readonly status: "completed" | "cancelled";
  readonly currentStep: string | null;
  readonly reason: string | null;
  readonly projectDir: string;
  readonly repository: string | null;
  readonly worktree: string | null;
  readonly branch: string | null;
  readonly baseBranch: string | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number;
  readonly steps: readonly {
    readonly key: string;
    readonly attempt: number;
    readonly type: string;
    readonly isLast: boolean;
    /** JSON. */
    readonly outcome: string;
    readonly startedAtMs: number;
    readonly endedAtMs: number;
  }[];
}

/** Writes a workflow and its steps down as history, with the event that it is there. */
export function importWorkflow(
  db: DatabaseSync,
  workflow: ImportedWorkflow,
  { by, atMs }: Author,
): void {
  db.prepare(
    `INSERT INTO workflows (id, origin, task_id, name, definition, status, current_step, reason, claim_token,
                            project_dir, repository, worktree, branch, base_branch, created_at_ms, updated_at_ms,
                            ended_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    workflow.id,
    workflow.origin,
    workflow.taskId,
    workflow.name,
    workflow.definition,
    workflow.status,
    workflow.currentStep,
    workflow.reason,
    workflow.projectDir,
    workflow.repository,
    workflow.worktree,
    workflow.branch,
    workflow.baseBranch,
    workflow.createdAtMs,
    atMs,
    workflow.endedAtMs,
  );
  const addStep = db.prepare(
    `INSERT INTO workflow_steps (workflow_id, key, attempt, type, status, outcome, started_at_ms, ended_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const step of workflow.steps) {
    addStep.run(
      workflow.id,
      step.key,
      step.attempt,
      step.type,
      step.isLast ? "finished" : "superseded",
      step.outcome,
      step.startedAtMs,
      step.endedAtMs,
    );
  }
  const { origin } = workflow;
  tellWorkflow(db, "workflow.created", workflow.id, { by, origin }, atMs);
}

/** An agent that comes from elsewhere, and has ended. Its output stays where it is: it is none of our files. */
export interface ImportedAgent {
  readonly id: string;
  readonly origin: string;
  readonly taskId: string | null;
  readonly name: string;
  readonly status: "completed" | "failed" | "killed";
  readonly command: readonly string[];
  readonly pid: number | null;
  readonly worktree: string | null;
  /** Where it printed to; told in the event. */
  readonly output: string | null;
  readonly exitCode: number | null;
  readonly error: string | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number;
}

/** Writes an agent down as history, with the event that it is there. */
export function importAgent(db: DatabaseSync, agent: ImportedAgent, { by, atMs }: Author): void {
  const { origin, output, ...told } = agent;
  db.prepare(
    `INSERT INTO agents (id, origin, kind, name, status, task_id, command, pid, worktree, exit_code, error,
                         created_at_ms, started_at_ms, ended_at_ms, updated_at_ms)
     VALUES (?1, ?2, 'agent', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11, ?12, ?13)`,
  ).run(
    agent.id,
    origin,
    agent.name,
    agent.status,
    agent.taskId,
    JSON.stringify(agent.command),
    agent.pid,
    agent.worktree,
    agent.exitCode,
    agent.error,
    agent.createdAtMs,
    agent.endedAtMs,
    atMs,
  );
  recordEvent(db, {
    type: "agent.created",
    entityType: "agent",
    entityId: agent.id,
    data: { agent: { ...told, kind: "agent" }, by, origin, output },
    atMs,
  });
}

/** A question that comes from elsewhere, and that nobody waits for any more. */
export interface ImportedQuestion {
  readonly origin: string;
  readonly taskId: string | null;
  readonly type: Question["type"];
  readonly text: string;
  readonly options: readonly string[];
  readonly answer: string | null;
  readonly answeredBy: string | null;
  readonly createdAtMs: number;
  readonly answeredAtMs: number | null;
  readonly resolvedAtMs: number;
}

/** Writes a question down as history, with the event that it is there. */
export function importQuestion(
  db: DatabaseSync,
  question: ImportedQuestion,
  { by, atMs }: Author,
): void {
  const id = freeQuestionId(db, question.createdAtMs);
  db.prepare(
    `INSERT INTO questions (id, origin, type, text, options, status, source, task_id, answer, answered_by,
                            created_at_ms, answered_at_ms, resolved_at_ms)
     VALUES (?, ?, ?, ?, ?, 'resolved', 'import', ?, ?, ?, ?, ?, ?)`,
  ).run(
    id,
    question.origin,
    question.type,
    question.text,
    JSON.stringify(question.options),
    question.taskId,
    question.answer,
    question.answeredBy,
    question.createdAtMs,
    question.answeredAtMs,
    question.resolvedAtMs,
  );
  recordEvent(db, {
    type: "question.created",
    entityType: "question",
    entityId: id,
    data: { question: needQuestion(db, id), by, origin: question.origin },
    atMs,
  });
}
