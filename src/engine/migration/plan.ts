/** What bringing over the older daemon's state comes to, before anything is written. */
import { findRepository, lookUpwards } from "../../git/repository.ts";
import { builtinWorkflow } from "../../orchestration/builtins.ts";
import type { OldQuestion } from "../../orchestration/coven/old_runs.ts";
import { type OldState, readOldState, type Skipped } from "../../orchestration/coven/old_state.ts";
import {
  planAgent,
  type PlannedAgent,
  type PlannedStep,
  type PlannedWorkflow,
  planWorkflow,
} from "../../orchestration/coven/run_plan.ts";
import { type LeftWork, type PlannedTask, planTasks } from "../../orchestration/coven/task_plan.ts";
import { allSteps } from "../../orchestration/workflow.ts";
import { joinPath, resolvePath } from "../../paths.ts";
import { readImportMark } from "../../store/import_marks.ts";
import { readOrigins } from "../../store/imports.ts";
import type { DatabaseSync } from "node:sqlite";
import { parseFile } from "../workflow_files.ts";
import { type FilesPlan, planFiles } from "./copied_files.ts";
import { type OldPlace, readOldFiles, readOtherOldFiles } from "./old_files.ts";

/** How many there are of each kind. */
export interface Counts {
  readonly tasks: number;
  readonly workflows: number;
  readonly agents: number;
  readonly questions: number;
}

/** The kinds, in the order in which they are written. */
export const KINDS = ["tasks", "workflows", "agents", "questions"] as const;

/** All that is to be brought over. */
export interface MigrationPlan {
  readonly place: OldPlace;
  /** Where the tasks belong. */
  readonly home: { readonly projectDir: string; readonly repository: string | null };
  readonly tasks: readonly PlannedTask[];
  readonly workflows: readonly PlannedWorkflow[];
  readonly agents: readonly PlannedAgent[];
  readonly questions: readonly OldQuestion[];
  readonly files: FilesPlan;
  readonly skipped: readonly Skipped[];
  /** What a person should know of what is brought over. */
  readonly notes: readonly string[];
  /** How many files of the older daemon could be read. */
  readonly filesRead: number;
}

/** Reads everything and plans; nothing is written. */
export function planMigration(place: OldPlace): MigrationPlan {
  const other = readOtherOldFiles(place);
  const files = planFiles(place, other);
  const state = readOldState(readOldFiles(place));
  const notes: string[] = [...state.notes];
  const tasks = planTasks(state.tasks, {
    workOf: (taskId) => leftWork(state, place, taskId),
    workflows: state.workflows,
    tell: (note) => notes.push(note),
  });
  const known = new Set(state.tasks.map(({ id }) => id));
  const [workflows, lost] = [
    state.workflows.filter(({ taskId }) => known.has(taskId)),
    state.workflows.filter(({ taskId }) => !known.has(taskId)),
  ];
  const grimoires = new Map(other.grimoires.map(({ name, text }) => [name, text]));
  return {
    place,
    home: {
      projectDir: place.root,
      repository: findRepository(lookUpwards(place.root))?.commonDir ?? null,
    },
    tasks,
    workflows: workflows.map((old) =>
      planWorkflow(old, (name) => typesOf(grimoires.get(name) ?? builtinWorkflow(name)))
    ),
    agents: state.agents.map(planAgent),
    questions: state.questions,
    files,
    skipped: [
      ...state.skipped,
      ...lost.map(({ id, taskId }) => ({
        path: `workflow ${id}`,
        why: `its task ${taskId} is not there`,
      })),
      ...files.skipped,
    ],
    notes: [...notes, ...files.notes],
    filesRead: state.filesRead + files.filesRead,
  };
}

/** How the origin of one thing reads. */
export function originOf({ origin }: OldPlace, kind: typeof KINDS[number], id: string): string {
  return `${origin}:${kind.slice(0, -1)}:${id}`;
}

/** What of a plan is there already. */
export interface Present extends Counts {
  /** Whether a run came to its end. */
  readonly isFinished: boolean;
  readonly isThere: (kind: typeof KINDS[number], id: string) => boolean;
}

/** Looks what of a plan is there already. */
export function lookForPresent(db: DatabaseSync, plan: MigrationPlan): Present {
  const origins = new Map(
    KINDS.map((kind) => [kind, readOrigins(db, kind, originOf(plan.place, kind, ""))]),
  );
  const isThere: Present["isThere"] = (kind, id) =>
    origins.get(kind)!.has(originOf(plan.place, kind, id));
  const present = (kind: typeof KINDS[number], ids: readonly string[]) =>
    ids.filter((id) => isThere(kind, id)).length;
  return {
    tasks: present("tasks", plan.tasks.map(({ old }) => old.id)),
    workflows: present("workflows", plan.workflows.map(({ old }) => old.id)),
    agents: present("agents", plan.agents.map(({ old }) => old.id)),
    questions: present("questions", plan.questions.map(({ id }) => id)),
    isFinished: readImportMark(db, plan.place.origin) === "imported",
    isThere,
  };
}

/** What a plan holds. */
export function countPlanned(plan: MigrationPlan): Counts {
  return {
    tasks: plan.tasks.length,
    workflows: plan.workflows.length,
    agents: plan.agents.length,
    questions: plan.questions.length,
  };
}

/** The worktree of a task, where it is still there. */
function leftWork(state: OldState, place: OldPlace, taskId: string): LeftWork | null {
  const workflow = state.workflows.find((one) => one.taskId === taskId);
  const name = taskId.replace(/[^\w.-]/g, "-");
  const worktree = workflow?.worktree ?? joinPath(joinPath(place.folder, "worktrees"), name);
  const path = resolvePath(worktree, { folder: place.root });
  try {
    if (!Deno.statSync(path).isDirectory) return null;
  } catch {
    return null;
  }
  return { worktree: path, branch: workflow?.branch ?? null };
}

/** The types of a workflow's steps by name; empty when its file does not tell. */
function typesOf(text: string | null): ReadonlyMap<string, PlannedStep["type"]> {
  const parsed = text === null ? null : parseFile({ name: "", path: null, text });
  if (parsed === null || !("workflow" in parsed)) return new Map();
  return new Map([...allSteps(parsed.workflow.steps)].map(({ step }) => [step.name, step.type]));
}
