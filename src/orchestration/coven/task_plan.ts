/** What the tasks of the older daemon become: parents before their children, nothing claimed, nothing in a circle. */
import { DEEP, type TaskStatus } from "../task.ts";
import type { OldWorkflow } from "./old_runs.ts";
import type { OldTask } from "./old_task.ts";

/** A task as it is to be written, still with the ids of old. */
export interface PlannedTask {
  readonly old: OldTask;
  /** Null for a task that stands at the top. */
  readonly parentId: string | null;
  readonly depth: number;
  /** Those that are there, and that do not wait for this one in turn. */
  readonly dependsOn: readonly string[];
  readonly status: StandingStatus;
  readonly reason: string | null;
}

/** A status in which nobody is at work. */
type StandingStatus = Exclude<TaskStatus, "in_progress" | "pending_merge">;

/** Where unfinished work of a task lies. */
export interface LeftWork {
  readonly worktree: string;
  readonly branch: string | null;
}

/**
 * Plans the tasks. Whoever worked on one is no agent of ours, so no claim is taken over: what was in work is open again,
 * or blocked where its worktree is still there, so that nobody begins anew what is half done. A merge that was not
 * finished is blocked, for a person to look at.
 *
 * @param workOf What is left of a task's work; null when nothing is. @param tell Takes what a person should know.
 * @returns The tasks, each after its parent, and after what it waits for as far as that can be.
 */
export function planTasks(
  tasks: readonly OldTask[],
  { workOf, workflows, tell }: {
    readonly workOf: (taskId: string) => LeftWork | null;
    readonly workflows: readonly OldWorkflow[];
    readonly tell: (note: string) => void;
  },
): PlannedTask[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const parents = parentsOf(tasks, byId, tell);
  const depths = new Map<string, number>();
  const depthOf = (id: string): number => {
    // Over the parents by hand: a tree may be deeper than the stack.
    const above: string[] = [];
    let at: string | null = id;
    while (at !== null && !depths.has(at)) {
      above.push(at);
      at = parents.get(at) ?? null;
    }
    let depth = at === null ? -1 : depths.get(at)!;
    for (const one of above.reverse()) depths.set(one, ++depth);
    return depths.get(id)!;
  };
  const needed = dependenciesOf(tasks, byId, tell);
  const errors = new Map(workflows.map(({ taskId, error }) => [taskId, error]));
  const planned = tasks.map((old) => ({
    old,
    parentId: parents.get(old.id) ?? null,
    depth: depthOf(old.id),
    dependsOn: needed.get(old.id) ?? [],
    ...standingOf(old, { work: workOf(old.id), error: errors.get(old.id) ?? null }),
  }));
  const deepest = Math.max(0, ...planned.map(({ depth }) => depth));
  if (deepest > DEEP) tell(`the tree of tasks is ${deepest} levels deep`);
  return ordered(planned);
}

/** Each task after its parent, which comes first of all, and after what it waits for. */
function ordered(planned: readonly PlannedTask[]): PlannedTask[] {
  const byId = new Map(planned.map((task) => [task.old.id, task]));
  const order = new Set<PlannedTask>();
  const put = (task: PlannedTask) => {
    const line = [task];
    for (let at = task.parentId; at !== null; at = line.at(-1)!.parentId) line.push(byId.get(at)!);
    for (const one of line.reverse()) order.add(one);
  };
  const seen = new Set<PlannedTask>();
  const waiting = planned.toReversed();
  for (let task = waiting.at(-1); task !== undefined; task = waiting.at(-1)) {
    if (seen.has(task)) put(waiting.pop()!);
    else {
      seen.add(task);
      waiting.push(...task.dependsOn.map((id) => byId.get(id)!).filter((one) => !seen.has(one)));
    }
  }
  return [...order];
}

/** What the status of old comes to, now that nobody of ours is at work. */
function standingOf(
  { status, reason, deletedAtMs }: OldTask,
  { work, error }: { readonly work: LeftWork | null; readonly error: string | null },
): { readonly status: StandingStatus; readonly reason: string | null } {
  const place = work === null
    ? null
    : `${work.worktree}${work.branch === null ? "" : ` (branch ${work.branch})`}`;
  if (status === "closed" || deletedAtMs !== null) {
    return { status: status === "closed" ? "closed" : "open", reason: null };
  }
  switch (status) {
    case "in_progress":
      return place === null
        ? { status: "open", reason: null }
        : { status: "blocked", reason: `imported: its work was not finished; it is in ${place}` };
    case "pending_merge":
      return {
        status: "blocked",
        reason: `imported: its merge was not finished${
          place === null ? "" : `; the work is in ${place}`
        }`,
      };
    case "blocked":
      return { status, reason: reason ?? error ?? "imported: it was blocked" };
    default:
      return { status, reason: null };
  }
}

/** Each task's parent: none where that one is missing, or is below the task itself. */
function parentsOf(
  tasks: readonly OldTask[],
  byId: ReadonlyMap<string, OldTask>,
  tell: (note: string) => void,
): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { id, parentId, deletedAtMs } of tasks) {
    if (parentId === null) continue;
    const parent = byId.get(parentId);
    if (parent === undefined || (parent.deletedAtMs !== null && deletedAtMs === null)) {
      const why = parent === undefined ? "is not there" : "was deleted";
      tell(`task ${id}: its parent ${parentId} ${why}; it stands at the top`);
      continue;
    }
    let above: string | undefined = parentId;
    while (above !== undefined && above !== id) above = parents.get(above);
    if (above === id) tell(`task ${id}: its parent ${parentId} is below it; it stands at the top`);
    else parents.set(id, parentId);
  }
  return parents;
}

function dependenciesOf(
  tasks: readonly OldTask[],
  byId: ReadonlyMap<string, OldTask>,
  tell: (note: string) => void,
): Map<string, string[]> {
  const needed = new Map<string, string[]>();
  const waitsFor = (id: string, other: string): boolean => {
    const seen = new Set<string>();
    const waiting = [id];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (at === other) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      waiting.push(...needed.get(at) ?? []);
    }
    return false;
  };
  for (const { id, dependsOn } of tasks) {
    const missing = dependsOn.filter((other) => !byId.has(other));
    if (missing.length > 0) {
      tell(`task ${id}: it waits for ${missing.join(", ")} no more: not there`);
    }
    for (const other of dependsOn) {
      const task = byId.get(other);
      // What is deleted holds nothing up.
      if (task === undefined || task.deletedAtMs !== null) continue;
      if (waitsFor(other, id)) {
        tell(`task ${id}: it waits for ${other} no more, since that one waits for it`);
      } else needed.set(id, [...needed.get(id) ?? [], other]);
    }
  }
  return needed;
}
