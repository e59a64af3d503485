/**
 * The tasks of coven, the older daemon, as rows of ours: their tree, what they wait for, and the status that is left of a
 * claimed one.
 */
import { messageOf } from "../errors.ts";
import { newId } from "../ids.ts";
import { isMapping } from "../orchestration/field_reader.ts";
import { DEEP, type TaskStatus } from "../orchestration/task.ts";
import { MAX_BODY_CHARS, MAX_TITLE_CHARS } from "../orchestration/task_input.ts";
import type { FoundFile } from "../project/found_file.ts";
import type { ImportedColumns } from "../store/import_rows.ts";
import {
  type FieldsOf,
  NO_PLACE,
  type NotTaken,
  readFields,
  TASK,
  WORKFLOW,
} from "./coven_fields.ts";

/** A row that is to be put in. */
export interface CovenRow {
  readonly type: "task" | "taskTag" | "taskDependency";
  readonly columns: ImportedColumns;
}

/** The files of the state, by what they hold. */
export type CovenFiles = Readonly<
  Record<"state" | "workflows" | "familiars" | "questions", readonly FoundFile[]>
>;

/** What is asked of the place where the files lie, and of the database. */
export interface CovenFacts {
  readonly files: CovenFiles;
  /** How the origins of tasks begin. */
  readonly origin: string;
  /** Our ids of what is here already, by origin. It stays as it is, once a run has come to its end. */
  readonly here: ReadonlyMap<string, string>;
  readonly isFinished: boolean;
  /** Where the tasks belong. */
  readonly home: { readonly project_dir: string; readonly repository: string | null };
  /** Where unfinished work of a task lies; null when nothing is left. */
  readonly workOf: (taskId: string, worktree: string | null) => string | null;
  readonly nowMs: number;
}

/** A task that is new, and what is different from how it was there. */
export interface NewTask {
  readonly id: string;
  readonly was: TaskStatus;
  readonly status: TaskStatus;
  readonly isDeleted: boolean;
  readonly claimedBy: string | null;
}

/** What comes of the files. */
export interface CovenState {
  /** In the order in which they can be put in. */
  readonly rows: CovenRow[];
  /** By our ids. */
  readonly newTasks: Map<string, NewTask>;
  /** How many tasks are here already. */
  here: number;
  readonly notTaken: NotTaken[];
  /** What a person should know of what is brought over. */
  readonly notes: string[];
  filesRead: number;
}

/** Why records of the older daemon stay where they are, by where they are kept. */
const HISTORY = {
  workflows: "nothing goes on with them; why one has stopped is the reason of its task",
  familiars: "their processes belong to a program that does not run any more",
  questions: "nobody waits for an answer any more",
} as const;

/** A task that was read. */
interface Item {
  readonly id: string;
  /** Our id. */
  readonly taskId: string;
  readonly origin: string;
  readonly isHere: boolean;
  readonly fields: FieldsOf<typeof TASK>;
}

type Workflows = ReadonlyMap<string, FieldsOf<typeof WORKFLOW>>;

/** The object that a file holds, or why there is none. */
export function jsonObjectIn(file: FoundFile): Readonly<Record<string, unknown>> | string {
  if (file.text === null) return file.problem;
  try {
    // Editors of some systems begin a file with a mark.
    const value: unknown = JSON.parse(file.text.replace(/^\ufeff/, ""));
    return isMapping(value) ? value : "it holds no JSON object";
  } catch (thrown) {
    return file.text.trim() === "" ? "it is empty" : `it is no JSON: ${messageOf(thrown)}`;
  }
}

/** Reads the files. Never throws: what cannot be used is named, and the rest goes on. */
export function readCoven(facts: CovenFacts): CovenState {
  const state: CovenState = {
    rows: [],
    newTasks: new Map(),
    here: 0,
    notTaken: [],
    notes: [],
    filesRead: 0,
  };
  const leave = (name: string, why: string) => void state.notTaken.push({ name, why });
  const read = (file: FoundFile) => {
    const found = jsonObjectIn(file);
    if (typeof found === "string") leave(file.path, found);
    else state.filesRead++;
    return typeof found === "string" ? [] : [found];
  };
  const [whole = {}] = facts.files.state.flatMap(read);
  const { tasks, beads, ...others } = whole;
  const items = itemsIn([["tasks", tasks], ["beads", beads]], facts, leave);
  const workflows = new Map<string, FieldsOf<typeof WORKFLOW>>();
  for (const kind of ["workflows", "familiars", "questions"] as const) {
    const listed = Object.entries(Object(others[kind]));
    const inFiles = facts.files[kind].flatMap((file) =>
      read(file).map((value) => [/([^/]*)\.json$/.exec(file.path)?.[1] ?? "", value] as const)
    );
    const count = listed.length + inFiles.length;
    if (count > 0) leave(`${count} ${kind}`, HISTORY[kind]);
    // A file of its own is written more often than `state.json`, so it counts.
    for (const [name, value] of kind === "workflows" ? [...listed, ...inFiles] : []) {
      if (!isMapping(value)) continue;
      const fields = readFields(WORKFLOW, value, () => {});
      workflows.set(fields.task ?? name, fields);
    }
  }
  for (const name of Object.keys(others)) {
    if (!Object.hasOwn(HISTORY, name) && !/version$|_at$/.test(name)) {
      leave(`state.json: ${name}`, NO_PLACE);
    }
  }
  writeTasks(items, { facts, state, workflows });
  return state;
}

/** The tasks of the lists, each once. */
function itemsIn(
  lists: readonly (readonly [name: string, list: unknown])[],
  { here, origin, nowMs }: CovenFacts,
  leave: (name: string, why: string) => void,
): Item[] {
  const items = new Map<string, Item>();
  for (const [list, listed] of lists) {
    if (listed !== undefined && (typeof listed !== "object" || listed === null)) {
      leave(`state.json: ${list}`, "it is no list");
    }
    for (const [name, value] of Object.entries(Object(listed))) {
      const path = `state.json: ${list}[${name}]`;
      const left: NotTaken[] = [];
      const fields = isMapping(value) ? readFields(TASK, value, (one) => left.push(one)) : null;
      const id = fields?.id ?? (Array.isArray(listed) ? null : name);
      if (fields === null) leave(path, "it is no JSON object");
      else if (id === null) leave(path, "it has no id");
      else if (items.has(id)) leave(path, `task ${id} stands elsewhere too, and was read there`);
      else {
        for (const one of left) leave(`task ${id}: ${one.name}`, one.why);
        const known = here.get(`${origin}${id}`);
        const taskId = known ?? newId(fields.createdAtMs ?? fields.updatedAtMs ?? nowMs);
        const isHere = known !== undefined;
        items.set(id, { id, taskId, origin: `${origin}${id}`, isHere, fields });
      }
    }
  }
  return [...items.values()];
}

type Links = Map<string, readonly string[]>;

/** Links one to another, unless that one leads to the first already. @returns Whether it did. */
function link(links: Links, from: string, to: string): boolean {
  const seen = new Set<string>([to]);
  for (const at of seen) for (const next of links.get(at) ?? []) seen.add(next);
  if (seen.has(from)) return false;
  links.set(from, [...links.get(from) ?? [], to]);
  return true;
}

/** Which parent a task has and what it waits for, as far as that is there and leads in no circle. */
function linksOf(items: readonly Item[], notes: string[]) {
  const byId = new Map(items.map(({ id, fields }) => [id, fields]));
  const [parents, needed]: [Links, Links] = [new Map(), new Map()];
  for (const { id, fields } of items) {
    const { parent } = fields;
    const above = byId.get(parent ?? "");
    const why = parent === null
      ? null
      : above === undefined
      ? "is not there"
      : above.deletedAtMs !== null && fields.deletedAtMs === null
      ? "was deleted"
      : link(parents, id, parent)
      ? null
      : "is below it";
    if (why !== null) notes.push(`task ${id}: its parent ${parent} ${why}; it stands at the top`);
    for (const other of fields.needs) {
      const task = byId.get(other);
      const isLost = task === undefined
        ? "not there"
        // What is deleted holds nothing up.
        : task.deletedAtMs === null && !link(needed, id, other)
        ? "that one waits for it"
        : null;
      if (isLost !== null) notes.push(`task ${id}: it waits for ${other} no more: ${isLost}`);
    }
  }
  return { parents, needed };
}

/** Whoever worked on a task is no agent of ours, so no claim is taken over. */
function writeTasks(items: readonly Item[], { facts, state, workflows }: {
  readonly facts: CovenFacts;
  readonly state: CovenState;
  readonly workflows: Workflows;
}): void {
  const { parents, needed } = linksOf(items, state.notes);
  const taskIds = new Map(items.map(({ id, taskId }) => [id, taskId]));
  const depthOf = (id: string) => {
    let depth = 0;
    for (let at = parents.get(id)?.[0]; at !== undefined; at = parents.get(at)?.[0]) depth++;
    return depth;
  };
  const deepest = Math.max(0, ...items.map(({ id }) => depthOf(id)));
  if (deepest > DEEP) state.notes.push(`the tree of tasks is ${deepest} levels deep`);
  state.here = items.filter(({ isHere }) => isHere).length;
  const wanted = items.filter(({ isHere }) => !isHere || !facts.isFinished);
  for (const { id, taskId, origin, isHere, fields } of wanted) {
    const workflow = workflows.get(id);
    const standing = standingOf(fields, {
      work: facts.workOf(id, workflow?.worktree ?? null),
      branch: workflow?.branch ?? null,
      error: workflow?.error ?? null,
    });
    const title = fields.title.replace(/\s+/g, " ").trim();
    const isLong = title.length > MAX_TITLE_CHARS;
    if (isLong) state.notes.push(`task ${id}: its title is too long, and stands whole in its body`);
    const createdAtMs = fields.createdAtMs ?? fields.updatedAtMs ?? facts.nowMs;
    const updatedAtMs = fields.updatedAtMs ?? createdAtMs;
    const columns = {
      id: taskId,
      origin,
      parent_id: taskIds.get(parents.get(id)?.[0] ?? "") ?? null,
      depth: depthOf(id),
      title: (title === "" ? id : title).slice(0, MAX_TITLE_CHARS).toWellFormed(),
      body: (isLong ? `${title}\n\n${fields.body}`.trimEnd() : fields.body)
        .slice(0, MAX_BODY_CHARS).toWellFormed(),
      type: fields.type,
      priority: fields.priority,
      workflow: fields.workflow,
      ...standing,
      summary: fields.summary,
      ...facts.home,
      created_at_ms: createdAtMs,
      updated_at_ms: updatedAtMs,
      closed_at_ms: standing.status === "closed" ? fields.closedAtMs ?? updatedAtMs : null,
      deleted_at_ms: fields.deletedAtMs,
    };
    state.rows.push({ type: "task", columns });
    const [was, status, claimedBy] = [fields.status, standing.status, fields.claimedBy];
    const isDeleted = fields.deletedAtMs !== null;
    if (!isHere) state.newTasks.set(taskId, { id, was, status, isDeleted, claimedBy });
  }
  for (const { id, taskId, fields } of wanted) {
    for (const tag of fields.tags) {
      state.rows.push({ type: "taskTag", columns: { task_id: taskId, tag } });
    }
    for (const other of needed.get(id) ?? []) {
      const columns = { task_id: taskId, depends_on: taskIds.get(other)! };
      state.rows.push({ type: "taskDependency", columns });
    }
  }
}

/**
 * What the status of old comes to, now that nobody of ours is at work: what was in work is open again, or blocked where
 * its worktree is still there, so that nobody begins anew what is half done. A merge that was not finished is blocked, for
 * a person to look at.
 */
function standingOf(
  { status, reason, deletedAtMs }: FieldsOf<typeof TASK>,
  { work, branch, error }: Readonly<Record<"work" | "branch" | "error", string | null>>,
): { readonly status: TaskStatus; readonly reason: string | null } {
  const where = work === null || branch === null ? work : `${work} (branch ${branch})`;
  if (status === "closed" || deletedAtMs !== null) {
    return { status: status === "closed" ? status : "open", reason: null };
  }
  switch (status) {
    case "in_progress":
      return where === null
        ? { status: "open", reason: null }
        : { status: "blocked", reason: `imported: its work was not finished; it is in ${where}` };
    case "pending_merge": {
      const place = where === null ? "" : `; the work is in ${where}`;
      return { status: "blocked", reason: `imported: its merge was not finished${place}` };
    }
    case "blocked":
      return { status, reason: reason ?? error ?? "imported: it was blocked" };
    default:
      return { status, reason: null };
  }
}
