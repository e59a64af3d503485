/** What coven, the older daemon, kept in JSON, as rows of an export: tasks, and as history workflows, agents, questions. */
import { messageOf } from "../errors.ts";
import { newId } from "../ids.ts";
import type { FoundFile } from "../project/found_file.ts";
import {
  AGENT,
  COVEN_KINDS,
  type CovenFacts,
  type CovenItem,
  type CovenKind,
  type CovenRow,
  type CovenState,
  type FieldsOf,
  NO_PLACE,
  type NotTaken,
  QUESTION,
  readFields,
  STEP,
  TASK,
  WORKFLOW,
} from "./coven_fields.ts";
import { writeTasks } from "./coven_tasks.ts";
import { isMapping } from "../orchestration/field_reader.ts";
import type { Step } from "../orchestration/workflow.ts";

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
  ): CovenItem<Fields>[] => {
    const items = new Map<string, CovenItem<Fields>>();
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
  const write = (
    kind: CovenKind,
    { known, origin }: CovenItem<unknown>,
    rows: readonly CovenRow[],
  ) => {
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

/** One that had not ended ends now: its steps belong to a program that does not run any more. */
function workflowRows(
  { fields, known }: CovenItem<typeof WORKFLOW>,
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
  { id, fields, known }: CovenItem<typeof AGENT>,
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
  { id, fields }: CovenItem<typeof QUESTION>,
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
