/** What coven, the older daemon, kept in JSON, as rows of an export: tasks, and as history workflows, agents, questions. */
import { messageOf } from "../errors.ts";
import { newId } from "../ids.ts";
import type { FoundFile } from "../project/found_file.ts";
import type { ExportType } from "../store/exported_tables.ts";
import type { ImportedColumns } from "../store/import_rows.ts";
import {
  AGENT,
  type FieldsOf,
  NO_PLACE,
  type NotTaken,
  QUESTION,
  readFields,
  STEP,
  TASK,
  WORKFLOW,
} from "./coven_fields.ts";
import { isMapping } from "./field_reader.ts";
import type { TaskStatus } from "./task.ts";
import { MAX_BODY_CHARS, MAX_TITLE_CHARS } from "./task_input.ts";
import type { Step } from "./workflow.ts";

/** The kinds of records: under which names `state.json` has them, and which folder has files of them. */
export const COVEN_KINDS = {
  task: { lists: ["tasks", "beads"], folder: null },
  workflow: { lists: ["workflows"], folder: "workflows" },
  agent: { lists: ["familiars", "agents"], folder: "familiars" },
  question: { lists: ["questions"], folder: "questions" },
} as const;

/** One of {@linkcode COVEN_KINDS}. */
export type CovenKind = keyof typeof COVEN_KINDS;

/** A row that is to be put in. */
export interface CovenRow {
  readonly type: ExportType;
  readonly columns: ImportedColumns;
}

/** What is asked of the place where the files lie, and of the database. */
export interface CovenFacts {
  /** The files of the state, by what they hold. */
  readonly files: Readonly<Record<"state" | CovenKind, readonly FoundFile[]>>;
  /** How the origin of one thing reads. */
  readonly originOf: (kind: CovenKind, id: string) => string;
  /** Our ids of what is here already, by origin. It stays as it is, once a run has come to its end. */
  readonly here: ReadonlyMap<string, string>;
  readonly isFinished: boolean;
  /** Where the tasks belong. */
  readonly home: { readonly project_dir: string; readonly repository: string | null };
  /** Where unfinished work of a task lies; null when nothing is left. */
  readonly workOf: (taskId: string, worktree: string | null) => string | null;
  /** The types of a workflow's steps by name, in their order, as far as its file tells. */
  readonly typesOf: (workflow: string) => ReadonlyMap<string, Step["type"]>;
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
  /** What is not here yet, in the order in which it can be put in. */
  readonly rows: CovenRow[];
  /** By our ids. */
  readonly newTasks: Map<string, NewTask>;
  /** How many are here already. */
  readonly here: Record<CovenKind, number>;
  readonly notTaken: NotTaken[];
  /** What a person should know of what is brought over. */
  readonly notes: string[];
  filesRead: number;
}

interface Item<Fields> {
  readonly id: string;
  /** Our id, where it is here already. */
  readonly known: string | undefined;
  readonly origin: string;
  readonly fields: FieldsOf<Fields>;
}

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
    here: { task: 0, workflow: 0, agent: 0, question: 0 },
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
  /** The records of a kind, each once: a file of its own is written more often than `state.json`, so it counts. */
  const collect = <Fields extends Parameters<typeof readFields>[0]>(
    kind: CovenKind,
    fields: Fields,
  ): Item<Fields>[] => {
    const items = new Map<string, Item<Fields>>();
    const tasks = new Set<unknown>();
    const take = (value: unknown, name: string | null, path: string) => {
      if (!isMapping(value)) return leave(path, "it is no JSON object");
      const left: NotTaken[] = [];
      const found = readFields(fields, value, (one) => left.push(one)) as FieldsOf<typeof WORKFLOW>;
      const id = found.id ?? name ?? found.task ?? null;
      if (id === null) return leave(path, "it has no id");
      // A task has one workflow there.
      const task = kind === "workflow" ? found.task ?? name : null;
      if (items.has(id) || tasks.has(task)) {
        return leave(path, `${kind} ${id} stands elsewhere too, and was read there`);
      }
      if (task !== null) tasks.add(task);
      for (const one of left) leave(`${kind} ${id}: ${one.name}`, one.why);
      const origin = facts.originOf(kind, id);
      items.set(id, {
        id,
        known: facts.here.get(origin),
        origin,
        fields: { ...found, ...(task === null ? {} : { task }) } as unknown as FieldsOf<Fields>,
      });
    };
    for (const file of facts.files[kind]) {
      const name = /([^/]*)\.[^.]*$/.exec(file.path)?.[1] ?? null;
      for (const value of read(file)) take(value, name, file.path);
    }
    for (const list of COVEN_KINDS[kind].lists) {
      const listed = whole[list] ?? [];
      if (typeof listed !== "object") leave(`state.json: ${list}`, "it is no list");
      else {
        for (const [name, value] of Object.entries(listed)) {
          take(value, Array.isArray(listed) ? null : name, `state.json: ${list}[${name}]`);
        }
      }
    }
    return [...items.values()];
  };
  const tasks = collect("task", TASK);
  const workflows = collect("workflow", WORKFLOW);
  const taskIds = new Map(tasks.map(({ id, known, fields }) => [
    id,
    known ?? newId(fields.createdAtMs ?? fields.updatedAtMs ?? facts.nowMs),
  ]));
  const write = (kind: CovenKind, { known, origin }: Item<unknown>, rows: readonly CovenRow[]) => {
    if (known !== undefined) state.here[kind]++;
    if (known !== undefined && facts.isFinished) return;
    const [first, ...others] = rows;
    state.rows.push({ ...first!, columns: { ...first!.columns, origin } }, ...others);
  };
  writeTasks(tasks, { facts, state, taskIds, workflows });
  for (const item of workflows) {
    if (taskIds.has(item.fields.task!)) {
      write("workflow", item, workflowRows(item, taskIds.get(item.fields.task!)!, facts));
    } else leave(`workflow ${item.id}`, `its task ${item.fields.task} is not there`);
  }
  // Some records name the step where the task belongs.
  const taskOf = (id: string | null) => taskIds.get(id?.replace(/-step-\d+$/, "") ?? "") ?? null;
  for (const item of collect("agent", AGENT)) {
    write("agent", item, [agentRow(item, taskOf(item.fields.task ?? item.id), facts.nowMs)]);
  }
  for (const item of collect("question", QUESTION)) {
    if (item.fields.text === null) leave(`question ${item.id}`, "it asks nothing");
    else write("question", item, [questionRow(item, taskOf(item.fields.task), facts.nowMs)]);
  }
  const lists: readonly string[] = Object.values(COVEN_KINDS).flatMap(({ lists }) => lists);
  for (const name of Object.keys(whole)) {
    if (!lists.includes(name) && !/version$|_at$/.test(name)) {
      leave(`state.json: ${name}`, NO_PLACE);
    }
  }
  return state;
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

/**
 * Whoever worked on a task is no agent of ours, so no claim is taken over: what was in work is open again, or blocked
 * where its worktree is still there, so that nobody begins anew what is half done. A merge that was not finished is
 * blocked, for a person to look at. Nothing waits for itself, over however many steps.
 */
function writeTasks(tasks: readonly Item<typeof TASK>[], { facts, state, taskIds, workflows }: {
  readonly facts: CovenFacts;
  readonly state: CovenState;
  readonly taskIds: ReadonlyMap<string, string>;
  readonly workflows: readonly Item<typeof WORKFLOW>[];
}): void {
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

/** One that had not ended ends now: its steps belong to a program that does not run any more. */
function workflowRows(
  { fields, known }: Item<typeof WORKFLOW>,
  task_id: string,
  { home, typesOf, nowMs }: CovenFacts,
): CovenRow[] {
  const { name, error, currentStep } = fields;
  const status = fields.status.toLowerCase().replace(/\W+/g, "_");
  const types = typesOf(name);
  const isCompleted = status === "completed";
  const hadEnded = isCompleted || status === "cancelled";
  // Steps are counted from 0 there.
  const step = currentStep === null || !/^\d+$/.test(currentStep)
    ? currentStep
    : [...types.keys()][Number(currentStep)] ?? `${Number(currentStep) + 1}`;
  const createdAtMs = fields.startedAtMs ?? fields.endedAtMs ?? nowMs;
  const id = known ?? newId(createdAtMs);
  const steps = stepRows(fields.steps, { workflow_id: id, types, createdAtMs });
  const was = `it was ${status.replaceAll("_", " ")}${step === null ? "" : ` at step ${step}`}`;
  const columns = {
    id,
    task_id,
    name,
    definition: JSON.stringify(definitionOf(name, steps)),
    status: isCompleted ? "completed" : "cancelled",
    current_step: isCompleted ? null : step,
    reason: isCompleted ? null : hadEnded ? error : imported(was, error),
    claim_token: 0,
    ...home,
    worktree: fields.worktree,
    branch: fields.branch,
    base_branch: fields.baseBranch,
    created_at_ms: createdAtMs,
    updated_at_ms: nowMs,
    ended_at_ms: hadEnded ? fields.endedAtMs ?? nowMs : nowMs,
  };
  return [{ type: "workflow", columns }, ...steps];
}

function imported(was: string, error: string | null): string {
  return `imported: ${was}${error === null ? "" : `: ${error}`}`;
}

/** Steps that came to something: a list of results with names, or a mapping of names to results. */
function stepRows(
  given: unknown,
  { workflow_id, types, createdAtMs }: {
    readonly workflow_id: string;
    readonly types: ReadonlyMap<string, Step["type"]>;
    readonly createdAtMs: number;
  },
): CovenRow[] {
  const rows = Object.entries(Object(given)).flatMap(([key, value], i) => {
    if (!isMapping(value)) return [];
    const fields = readFields(STEP, value, () => {});
    const status = fields.status?.toLowerCase() ?? "";
    const isDone = fields.success !== null || /^(?:completed|failed|skipped)$/.test(status);
    const name = fields.name ?? (Array.isArray(given) ? null : key);
    if (!isDone || name === null) return [];
    // Without times they stand in their order.
    const startedAtMs = fields.startedAtMs ?? fields.endedAtMs ?? createdAtMs + i;
    const outcome = {
      success: fields.success ?? status !== "failed",
      skipped: fields.skipped ?? status === "skipped",
      output: fields.output,
      outputs: {},
      exitCode: fields.exitCode,
      error: fields.error,
      action: fields.action,
    };
    const type = fields.type ?? types.get(name) ?? "script";
    const { endedAtMs } = fields;
    return [{ key: name, type, outcome: JSON.stringify(outcome), startedAtMs, endedAtMs }];
  });
  return rows.map(({ key, type, outcome, startedAtMs, endedAtMs }, i) => ({
    type: "workflowStep",
    columns: {
      workflow_id,
      key,
      attempt: rows.slice(0, i + 1).filter((one) => one.key === key).length,
      type,
      // Only the last try of a step counts.
      status: rows.slice(i + 1).some((one) => one.key === key) ? "superseded" : "finished",
      outcome,
      started_at_ms: startedAtMs,
      ended_at_ms: endedAtMs ?? startedAtMs,
    },
  }));
}

/** Of the steps of a workflow only those are known that it had done. */
function definitionOf(name: string, rows: readonly CovenRow[]) {
  const step = { when: null, timeoutMs: null, output: null, type: "script", command: "" };
  const script = { onFail: "block", exitLoopOnSuccess: false, env: {}, workdir: null };
  const names = new Set(rows.map(({ columns }) => columns["key"]));
  const steps = [...names].map((name) => ({ name, ...step, ...script }));
  const description = "Taken over from the older daemon: only the steps that it had done.";
  return { workflow: { name, description, timeoutMs: null, steps }, prompts: {} };
}

/** One that had not ended has failed, as far as we can know: its process is none of ours. */
function agentRow(
  { id, fields, known }: Item<typeof AGENT>,
  task_id: string | null,
  nowMs: number,
): CovenRow {
  const was = fields.status.toLowerCase();
  const hasEnded = ["completed", "killed", "failed"].includes(was);
  const process = fields.pid === null ? "" : ` as process ${fields.pid}`;
  const createdAtMs = fields.startedAtMs ?? fields.endedAtMs ?? nowMs;
  const columns = {
    id: known ?? newId(createdAtMs),
    kind: "agent",
    name: fields.name ?? /step-\d+$/.exec(id)?.[0] ?? "agent",
    status: hasEnded ? was : "failed",
    task_id,
    command: JSON.stringify([...fields.command, ...fields.arguments]),
    pid: fields.pid,
    worktree: fields.worktree,
    exit_code: fields.exitCode,
    error: hasEnded ? fields.error : imported(`it was ${was}${process}`, fields.error),
    created_at_ms: createdAtMs,
    started_at_ms: createdAtMs,
    ended_at_ms: fields.endedAtMs ?? nowMs,
    updated_at_ms: nowMs,
  };
  return { type: "agent", columns };
}

/** Nobody waits any more for the answer to one that is open. */
function questionRow(
  { id, fields }: Item<typeof QUESTION>,
  task_id: string | null,
  nowMs: number,
): CovenRow {
  const { answer, askedAtMs, answeredAtMs } = fields;
  const columns = {
    id,
    type: fields.type,
    text: fields.text!,
    options: JSON.stringify(fields.options),
    status: "resolved",
    source: "import",
    task_id,
    answer,
    answered_by: answer === null ? null : fields.answeredBy ?? "user",
    created_at_ms: askedAtMs ?? nowMs,
    answered_at_ms: answer === null ? null : answeredAtMs ?? nowMs,
    resolved_at_ms: answeredAtMs ?? nowMs,
  };
  return { type: "question", columns };
}
