/** The tasks of coven as rows of ours: their tree, what they wait for, and the status that is left of a claimed one. */
import type { TaskStatus } from "../orchestration/task.ts";
import { MAX_BODY_CHARS, MAX_TITLE_CHARS } from "../orchestration/task_input.ts";
import type {
  CovenFacts,
  CovenItem,
  CovenRow,
  CovenState,
  FieldsOf,
  TASK,
  WORKFLOW,
} from "./coven_fields.ts";

type Links = Map<string, readonly string[]>;

/** Links one to another, unless that one leads to the first already. @returns Whether it did. */
function link(links: Links, from: string, to: string): boolean {
  const seen = new Set<string>([to]);
  for (const at of seen) for (const next of links.get(at) ?? []) seen.add(next);
  if (seen.has(from)) return false;
  links.set(from, [...links.get(from) ?? [], to]);
  return true;
}

/**
 * Whoever worked on a task is no agent of ours, so no claim is taken over: what was in work is open again, or blocked
 * where its worktree is still there, so that nobody begins anew what is half done. A merge that was not finished is
 * blocked, for a person to look at. Nothing waits for itself, over however many steps.
 */
export function writeTasks(
  tasks: readonly CovenItem<typeof TASK>[],
  { facts, state, taskIds, workflows }: {
    readonly facts: CovenFacts;
    readonly state: CovenState;
    readonly taskIds: ReadonlyMap<string, string>;
    readonly workflows: readonly CovenItem<typeof WORKFLOW>[];
  },
): void {
  const byId = new Map(tasks.map(({ id, fields }) => [id, fields]));
  const [parents, needed]: Links[] = [new Map(), new Map()];
  for (const { id, fields } of tasks) {
    const say = (note: string) => void state.notes.push(`task ${id}: ${note}`);
    const { parent } = fields;
    const above = byId.get(parent ?? "");
    const why = parent === null
      ? null
      : above === undefined
      ? "is not there"
      : above.deletedAtMs !== null && fields.deletedAtMs === null
      ? "was deleted"
      : link(parents!, id, parent)
      ? null
      : "is below it";
    if (why !== null) say(`its parent ${parent} ${why}; it stands at the top`);
    for (const other of fields.needs) {
      if (!byId.has(other)) say(`it waits for ${other} no more: not there`);
      // What is deleted holds nothing up.
      else if (byId.get(other)!.deletedAtMs === null && !link(needed!, id, other)) {
        say(`it waits for ${other} no more, since that one waits for it`);
      }
    }
  }
  const depthOf = (id: string) => {
    let depth = 0;
    for (let at = parents!.get(id)?.[0]; at !== undefined; at = parents!.get(at)?.[0]) depth++;
    return depth;
  };
  const beside: CovenRow[] = [];
  for (const { id, known, origin, fields } of tasks) {
    if (known !== undefined) state.here.task++;
    if (known !== undefined && facts.isFinished) continue;
    const workflow = workflows.find((one) => one.fields.task === id)?.fields;
    const { reason: told, ...standing } = standingOf(fields, {
      work: facts.workOf(id, workflow?.worktree ?? null),
      error: workflow?.error ?? null,
    });
    const title = fields.title.replace(/\s+/g, " ").trim();
    const isLong = title.length > MAX_TITLE_CHARS;
    if (isLong) state.notes.push(`task ${id}: its title is too long, and stands whole in its body`);
    const createdAtMs = fields.createdAtMs ?? fields.updatedAtMs ?? facts.nowMs;
    const updatedAtMs = fields.updatedAtMs ?? createdAtMs;
    const taskId = taskIds.get(id)!;
    const columns = {
      id: taskId,
      origin,
      parent_id: taskIds.get(parents!.get(id)?.[0] ?? "") ?? null,
      depth: depthOf(id),
      title: (title === "" ? id : title).slice(0, MAX_TITLE_CHARS).toWellFormed(),
      body: (isLong ? `${title}\n\n${fields.body}`.trimEnd() : fields.body)
        .slice(0, MAX_BODY_CHARS).toWellFormed(),
      type: fields.type,
      priority: fields.priority,
      workflow: fields.workflow,
      ...standing,
      reason: told,
      summary: fields.summary,
      ...facts.home,
      created_at_ms: createdAtMs,
      updated_at_ms: updatedAtMs,
      closed_at_ms: standing.status === "closed" ? fields.closedAtMs ?? updatedAtMs : null,
      deleted_at_ms: fields.deletedAtMs,
    };
    state.rows.push({ type: "task", columns });
    if (known === undefined) {
      state.newTasks.set(taskId, {
        id,
        was: fields.status,
        status: standing.status,
        isDeleted: fields.deletedAtMs !== null,
        claimedBy: fields.claimedBy,
      });
    }
    beside.push(
      ...fields.tags.map((tag) =>
        ({ type: "taskTag", columns: { task_id: taskId, tag } }) as const
      ),
      ...(needed!.get(id) ?? []).map((other) => ({
        type: "taskDependency",
        columns: { task_id: taskId, depends_on: taskIds.get(other)! },
      } as const)),
    );
  }
  state.rows.push(...beside);
}

/** What the status of old comes to, now that nobody of ours is at work. */
function standingOf(
  { status, reason, deletedAtMs }: FieldsOf<typeof TASK>,
  { work, error }: { readonly work: string | null; readonly error: string | null },
): { readonly status: TaskStatus; readonly reason: string | null } {
  if (status === "closed" || deletedAtMs !== null) {
    return { status: status === "closed" ? status : "open", reason: null };
  }
  switch (status) {
    case "in_progress":
      return work === null
        ? { status: "open", reason: null }
        : { status: "blocked", reason: `imported: its work was not finished; it is in ${work}` };
    case "pending_merge": {
      const where = work === null ? "" : `; the work is in ${work}`;
      return { status: "blocked", reason: `imported: its merge was not finished${where}` };
    }
    case "blocked":
      return { status, reason: reason ?? error ?? "imported: it was blocked" };
    default:
      return { status, reason: null };
  }
}
