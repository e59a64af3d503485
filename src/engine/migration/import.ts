/** Carries a planned migration out: one transaction for each thing, so that it may be ended anywhere and begun again. */
import type { DatabaseSync } from "node:sqlite";
import { isUserError } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { PlannedAgent, PlannedWorkflow } from "../../orchestration/coven/run_plan.ts";
import type { PlannedTask } from "../../orchestration/coven/task_plan.ts";
import type { OldQuestion } from "../../orchestration/coven/old_runs.ts";
import { transaction } from "../../store/database.ts";
import { readImportMark } from "../../store/import_marks.ts";
import {
  findByOrigin,
  importAgent,
  importQuestion,
  importTask,
  importWorkflow,
  readOrigins,
} from "../../store/imports.ts";
import { changeDependencies } from "../../store/task_dependencies.ts";
import { reparentTask } from "../../store/task_tree.ts";
import { readTask } from "../../store/tasks.ts";
import { type Counts, KINDS, type MigrationPlan, originOf } from "./plan.ts";

/** Who is named in histories and events. */
const MIGRATE = "migrate";

/** What was written. */
export interface ImportReport {
  readonly imported: Counts;
  readonly alreadyThere: Counts;
  /** What a person should know, beside what the plan has said. */
  readonly notes: readonly string[];
}

/**
 * Writes all rows of a plan that are not there yet. What is there stays as it is, but a task still gets the parent and
 * the dependencies that an earlier run could not give it.
 *
 * @param options `mask`: takes secrets out of texts. @throws {Error} What the database says.
 */
export function importRows(
  db: DatabaseSync,
  plan: MigrationPlan,
  options: { readonly mask: (text: string) => string; readonly nowMs: number },
): ImportReport {
  return new Importing(db, plan, options).run();
}

class Importing {
  readonly #db: DatabaseSync;
  readonly #plan: MigrationPlan;
  readonly #mask: (text: string) => string;
  readonly #author: { readonly by: string; readonly atMs: number };
  /** Our ids by those of old. */
  readonly #ids = new Map<string, string>();
  readonly #isNew = new Set<string>();
  readonly #imported = { tasks: 0, workflows: 0, agents: 0, questions: 0 };
  readonly #present = { tasks: 0, workflows: 0, agents: 0, questions: 0 };
  readonly #notes: string[] = [];

  constructor(
    db: DatabaseSync,
    plan: MigrationPlan,
    { mask, nowMs }: { readonly mask: (text: string) => string; readonly nowMs: number },
  ) {
    this.#db = db;
    this.#plan = plan;
    this.#mask = mask;
    this.#author = { by: MIGRATE, atMs: nowMs };
    const prefix = originOf(plan.place, "tasks", "");
    for (const [origin, id] of readOrigins(db, "tasks", prefix)) {
      this.#ids.set(origin.slice(prefix.length), id);
    }
  }

  run(): ImportReport {
    const { tasks, workflows, agents, questions, place } = this.#plan;
    // A run that was ended in the middle may have left tasks without what they wait for.
    const isFinished = readImportMark(this.#db, place.origin) === "imported";
    for (const task of tasks) {
      const isNew = this.#once("tasks", task.old.id, (origin) => this.#writeTask(task, origin));
      if (isNew) this.#isNew.add(task.old.id);
    }
    for (const task of tasks) this.#complete(task, isFinished);
    for (const one of workflows) {
      this.#once("workflows", one.old.id, (origin) => this.#writeWorkflow(one, origin));
    }
    for (const one of agents) {
      this.#once("agents", one.old.id, (origin) => this.#writeAgent(one, origin));
    }
    for (const one of questions) {
      this.#once("questions", one.id, (origin) => this.#writeQuestion(one, origin));
    }
    return { imported: this.#imported, alreadyThere: this.#present, notes: this.#notes };
  }

  /** Writes what is not there yet, in a transaction of its own. @returns Whether it is new. */
  #once(kind: typeof KINDS[number], id: string, write: (origin: string) => void): boolean {
    const origin = originOf(this.#plan.place, kind, id);
    const isNew = transaction(this.#db, () => {
      if (findByOrigin(this.#db, kind, origin) !== null) return false;
      write(origin);
      return true;
    });
    (isNew ? this.#imported : this.#present)[kind]++;
    return isNew;
  }

  #writeTask({ old, parentId, dependsOn, status, reason }: PlannedTask, origin: string): void {
    const parent = parentId === null ? undefined : readTask(this.#db, this.#ids.get(parentId)!);
    const isUnder = parent !== undefined &&
      (parent.deletedAtMs === null || old.deletedAtMs !== null);
    const createdAtMs = old.createdAtMs ?? old.updatedAtMs ?? this.#author.atMs;
    const updatedAtMs = old.updatedAtMs ?? createdAtMs;
    const id = newId(createdAtMs);
    importTask(this.#db, {
      ...old,
      id,
      origin,
      parentId: isUnder ? parent.id : null,
      depth: isUnder ? parent.depth + 1 : 0,
      title: this.#mask(old.title),
      body: this.#mask(old.body),
      tags: old.tags.map(this.#mask),
      dependsOn: this.#openTo(dependsOn),
      status,
      reason: this.#masked(reason),
      summary: this.#masked(old.summary),
      ...this.#plan.home,
      createdAtMs,
      updatedAtMs,
      closedAtMs: status === "closed" ? old.closedAtMs ?? updatedAtMs : null,
      changes: [
        { field: "origin", old: null, new: old.id },
        ...old.status === status ? [] : [{ field: "status", old: old.status, new: status }],
        ...old.claimedBy === null ? [] : [{ field: "claimed_by", old: old.claimedBy, new: null }],
        ...old.parentId === null || isUnder
          ? []
          : [{ field: "parent_id", old: old.parentId, new: null }],
      ],
    }, this.#author);
    this.#ids.set(old.id, id);
  }

  /** Gives a task what could not be given when it was written: others may have come after it. */
  #complete({ old, parentId, dependsOn }: PlannedTask, isFinished: boolean): void {
    const isNew = this.#isNew.has(old.id);
    const due = dependsOn.filter((id) => isNew || !isFinished || this.#isNew.has(id));
    const isOrphan = !isNew && parentId !== null && this.#isNew.has(parentId);
    if (due.length === 0 && !isOrphan) return;
    const id = this.#ids.get(old.id)!;
    const wanted = this.#openTo(due);
    const isComplete = wanted.every((other) => readTask(this.#db, id)?.dependsOn.includes(other));
    if (isComplete && !isOrphan) return;
    try {
      transaction(this.#db, () => {
        const task = readTask(this.#db, id);
        if (task === undefined || task.deletedAtMs !== null) return;
        changeDependencies(this.#db, id, { add: wanted, remove: [] }, this.#author);
        if (isOrphan && task.parentId === null) {
          reparentTask(this.#db, id, this.#ids.get(parentId)!, this.#author);
        }
      });
    } catch (thrown) {
      // Somebody has put these tasks into another order here.
      if (!isUserError(thrown)) throw thrown;
      this.#notes.push(`task ${old.id}: ${thrown.what}: ${thrown.why}`);
    }
  }

  /** Our ids of those that are there already and can be waited for. */
  #openTo(ids: readonly string[]): string[] {
    return ids.flatMap((id) => this.#ids.get(id) ?? [])
      .filter((id) => readTask(this.#db, id)?.deletedAtMs === null);
  }

  #writeWorkflow({ old, definition, steps, ...planned }: PlannedWorkflow, origin: string): void {
    const { atMs } = this.#author;
    const createdAtMs = old.startedAtMs ?? old.endedAtMs ?? atMs;
    // One that had not ended there ends now.
    const hadEnded = old.status === "completed" || old.status === "cancelled";
    importWorkflow(this.#db, {
      id: newId(createdAtMs),
      origin,
      taskId: this.#ids.get(old.taskId)!,
      name: old.name,
      definition: JSON.stringify(definition),
      status: planned.status,
      currentStep: planned.currentStep,
      reason: this.#masked(planned.reason),
      ...this.#plan.home,
      worktree: old.worktree,
      branch: old.branch,
      baseBranch: old.baseBranch,
      createdAtMs,
      endedAtMs: hadEnded ? old.endedAtMs ?? atMs : atMs,
      steps: steps.map((step, i) => {
        // Without times they stand in their order.
        const startedAtMs = step.startedAtMs ?? step.endedAtMs ?? createdAtMs + i;
        const { outcome } = step;
        return {
          key: step.name,
          attempt: step.attempt,
          type: step.type,
          isLast: step.isLast,
          outcome: JSON.stringify({
            ...outcome,
            output: this.#mask(outcome.output),
            error: this.#masked(outcome.error),
          }),
          startedAtMs,
          endedAtMs: step.endedAtMs ?? startedAtMs,
        };
      }),
    }, this.#author);
  }

  #writeAgent({ old, status, error }: PlannedAgent, origin: string): void {
    const { atMs } = this.#author;
    const createdAtMs = old.startedAtMs ?? old.endedAtMs ?? atMs;
    importAgent(this.#db, {
      id: newId(createdAtMs),
      origin,
      taskId: old.taskId === null ? null : this.#ids.get(old.taskId) ?? null,
      name: old.name,
      status,
      command: old.command.map(this.#mask),
      pid: old.pid,
      worktree: old.worktree,
      output: old.outputFile,
      exitCode: old.exitCode,
      error: this.#masked(error),
      createdAtMs,
      endedAtMs: old.endedAtMs ?? atMs,
    }, this.#author);
  }

  #writeQuestion(old: OldQuestion, origin: string): void {
    const { atMs } = this.#author;
    importQuestion(this.#db, {
      origin,
      taskId: old.taskId === null ? null : this.#ids.get(old.taskId) ?? null,
      type: old.type,
      text: this.#mask(old.text),
      options: old.options.map(this.#mask),
      answer: this.#masked(old.answer),
      answeredBy: old.answer === null ? null : old.answeredBy ?? "user",
      createdAtMs: old.askedAtMs ?? atMs,
      answeredAtMs: old.answer === null ? null : old.answeredAtMs ?? atMs,
      // Nobody waits any more for the answer to one that is open.
      resolvedAtMs: old.answeredAtMs ?? atMs,
    }, this.#author);
  }

  #masked(text: string | null): string | null {
    return text === null ? null : this.#mask(text);
  }
}
