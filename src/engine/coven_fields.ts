/** The fields of coven's records (the older daemon), a row each: their names there, and what their values mean here. */
import type { FoundFile } from "../project/found_file.ts";
import type { ExportType } from "../store/exported_tables.ts";
import type { ImportedColumns } from "../store/import_rows.ts";
import { isMapping } from "../orchestration/field_reader.ts";
import { DEFAULT_PRIORITY, PRIORITIES, type TaskStatus } from "../orchestration/task.ts";
import { MAX_NAME_CHARS } from "../orchestration/task_input.ts";
import type { Step } from "../orchestration/workflow.ts";

/** Something that is not brought over. */
export interface NotTaken {
  readonly name: string;
  readonly why: string;
}

/** Why a field is not brought over. */
export const NO_PLACE = "nothing here is like it";

/** A field: its names with `_` (those in camelCase count as well), what its values mean, and the usual value. */
interface Field<Value> {
  readonly names: readonly string[];
  /** Undefined for a value that means nothing here. */
  readonly read: (value: unknown) => Value | undefined;
  readonly usual: Value;
}

/** What was read of a record. */
export type FieldsOf<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never;
};

/** A smaller number of a moment counts seconds; a larger one has no room in a UUIDv7. */
const [SMALLEST_MS, LARGEST_MS] = [1e11, 2 ** 48];

const text = (value: unknown) =>
  typeof value === "number"
    ? String(value)
    : typeof value === "string"
    ? value.toWellFormed()
    : undefined;
const texts = (value: unknown) => [value].flat().flatMap((one) => text(one) ?? []);
const integer = (value: unknown) => Number.isSafeInteger(value) ? value as number : undefined;
/** Epoch milliseconds. Go's zero time (the year 1) is no time. */
export const time = (value: unknown): number | null => {
  const ms = typeof value === "string"
    ? Date.parse(value)
    : typeof value === "number"
    ? value < SMALLEST_MS ? value * 1000 : value
    : NaN;
  return ms > 0 && ms < LARGEST_MS ? Math.floor(ms) : null;
};
/** One of some words, whatever its case and whether blanks or dashes part it. @param known Words by what they mean. */
const word = <Meaning extends string>(known: Readonly<Record<Meaning, string>>) => {
  const meanings = new Map(
    (Object.entries(known) as [Meaning, string][])
      .flatMap(([meaning, words]) => words.split(" ").map((one) => [one, meaning] as const)),
  );
  return (value: unknown) =>
    meanings.get(text(value)?.trim().toLowerCase().replace(/[\s-]+/g, "_") ?? "");
};
/** `2`, `"2"` or `"P2"`. */
const priority = (value: unknown) => {
  const n = /^p?(\d)$/i.exec(text(value)?.trim() ?? "")?.[1];
  const [min, max] = PRIORITIES;
  return n !== undefined && Number(n) >= min && Number(n) <= max ? Number(n) : undefined;
};
/** A list of ids, or of `{depends_on_id, type}`: a parent is no dependency. */
const ids = (value: unknown) =>
  [value].flat().flatMap((one) => {
    if (!isMapping(one)) return typeof one === "string" ? [one] : [];
    const { depends_on_id, id, type } = one;
    return type === "parent-child" ? [] : text(depends_on_id ?? id) ?? [];
  });
/** A tag is one line without a comma. */
const tags = (value: unknown) =>
  [
    ...new Set(
      // deno-lint-ignore no-control-regex
      texts(value).map((tag) => tag.replace(/[\u0000-\u001f\u007f,]+/g, " ").trim())
        .map((tag) => tag.slice(0, MAX_NAME_CHARS).toWellFormed()),
    ),
  ].filter((tag) => tag !== "").sort();
const anything = (value: unknown) => value;

function field<Value>(
  names: string,
  read: (value: unknown) => Value | undefined,
  usual: NoInfer<Value>,
): Field<Value> {
  return { names: names.split(" "), read, usual };
}
const textAt = (names: string) => field<string | null>(names, text, null);
const timeAt = (names: string) => field<number | null>(names, time, null);

const STARTED = "started_at created_at";
const ENDED = "completed_at ended_at updated_at";

/** Tasks. Old trackers call them beads. */
export const TASK = {
  id: textAt("id task_id"),
  parent: textAt("parent_id parent"),
  title: field("title name", text, ""),
  body: field("body description", text, ""),
  type: field(
    "type issue_type",
    word({ task: "task chore docs question", feature: "feature epic story", bug: "bug" }),
    "task",
  ),
  status: field<TaskStatus>(
    "status state",
    word({
      open: "open todo new ready pending deferred",
      in_progress: "in_progress doing running started claimed",
      pending_merge: "pending_merge review in_review",
      blocked: "blocked failed",
      closed: "closed done completed complete resolved cancelled tombstone",
    }),
    "open",
  ),
  priority: field("priority", priority, DEFAULT_PRIORITY),
  tags: field("tags labels", tags, []),
  needs: field("depends_on dependencies", ids, []),
  workflow: textAt("grimoire_hint grimoire"),
  claimedBy: textAt("claimed_by assignee"),
  reason: textAt("reason block_reason blocked_reason error"),
  summary: textAt("summary close_reason"),
  createdAtMs: timeAt("created_at"),
  updatedAtMs: timeAt("updated_at"),
  closedAtMs: timeAt("closed_at completed_at"),
  deletedAtMs: timeAt("deleted_at"),
};

/** Workflows (grimoires that were run). */
export const WORKFLOW = {
  id: textAt("workflow_id id"),
  task: textAt("task_id bead_id"),
  name: field("grimoire_name grimoire name", text, "unknown"),
  status: field("status state", text, "running"),
  currentStep: textAt("current_step"),
  steps: field("completed_steps step_results steps", anything, null),
  worktree: textAt("worktree_path worktree"),
  branch: textAt("branch branch_name"),
  baseBranch: textAt("base_branch"),
  error: textAt("error reason"),
  startedAtMs: timeAt(STARTED),
  endedAtMs: timeAt(ENDED),
};

/** What a step of a workflow came to. */
export const STEP = {
  name: textAt("name step step_name"),
  type: field<Step["type"] | null>(
    "type",
    word({ agent: "agent", script: "script", loop: "loop", merge: "merge" }),
    null,
  ),
  status: textAt("status"),
  success: field<boolean | null>("success", truth, null),
  skipped: field<boolean | null>("skipped", truth, null),
  output: field("output", text, ""),
  exitCode: field<number | null>("exit_code", integer, null),
  error: textAt("error"),
  action: field(
    "action",
    word({ continue: "continue", exit_loop: "exit_loop", block: "block", fail: "fail" }),
    "continue",
  ),
  startedAtMs: timeAt("started_at"),
  endedAtMs: timeAt("completed_at ended_at"),
};

/** Agents (familiars). Their output stays where it is. */
export const AGENT = {
  id: textAt("id step_task_id process_id"),
  task: textAt("task_id"),
  name: textAt("step_name step name"),
  status: field("status state", text, "running"),
  pid: field<number | null>("pid", integer, null),
  command: field("command", texts, []),
  arguments: field("args arguments", texts, []),
  worktree: textAt("worktree worktree_path"),
  output: textAt("output_file"),
  exitCode: field<number | null>("exit_code", integer, null),
  error: textAt("error"),
  startedAtMs: timeAt(STARTED),
  endedAtMs: timeAt(ENDED),
};

/** Questions. */
export const QUESTION = {
  id: textAt("id question_id"),
  task: textAt("task_id agent_id"),
  type: field(
    "type question_type",
    word({
      confirmation: "confirmation",
      permission: "permission",
      choice: "choice decision",
      input: "input clarification blocked",
    }),
    "input",
  ),
  text: textAt("text question message"),
  options: field("options choices", texts, []),
  /** The answer tells the same. */
  status: textAt("status"),
  answer: textAt("answer response"),
  answeredBy: textAt("answered_by"),
  askedAtMs: timeAt("asked_at created_at"),
  answeredAtMs: timeAt("answered_at"),
};

/** Fields that say nothing that is not said elsewhere. */
const SILENT = new Set(["depth", "claimed_at", "claimedAt", "duration"]);

/**
 * Reads the fields of a record.
 *
 * @param tell Is given each field that is not brought over, or not as it is.
 */
export function readFields<Fields extends Readonly<Record<string, Field<unknown>>>>(
  fields: Fields,
  record: Readonly<Record<string, unknown>>,
  tell: (left: NotTaken) => void,
): FieldsOf<Fields> {
  const known = new Set(SILENT);
  const holds = (name: string) =>
    Object.hasOwn(record, name) && record[name] !== null && record[name] !== "";
  const entries = Object.entries(fields).map(([key, { names, read, usual }]) => {
    const all = names.flatMap((name) => [name, name.replace(/_(.)/g, (_, c) => c.toUpperCase())]);
    for (const name of all) known.add(name);
    const name = all.find(holds);
    if (name === undefined) return [key, usual];
    const value = read(record[name]);
    if (value === undefined) {
      const why = `${JSON.stringify(record[name])} means nothing here; it becomes ${usual}`;
      tell({ name, why });
    }
    return [key, value ?? usual];
  });
  for (const name of Object.keys(record).filter((one) => holds(one) && !known.has(one))) {
    tell({ name, why: NO_PLACE });
  }
  return Object.fromEntries(entries);
}

function truth(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

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

/** A record that was read. */
export interface CovenItem<Fields> {
  readonly id: string;
  /** Our id, where it is here already. */
  readonly known: string | undefined;
  readonly origin: string;
  readonly fields: FieldsOf<Fields>;
}
