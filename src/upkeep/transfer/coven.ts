/**
 * The folder of coven, the older daemon: its tasks as rows, its workflows, prompts, matchers and configuration as files of
 * ours. What cannot be used is named; nothing throws.
 */
import { stringify } from "yaml";
import { messageOf } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { baseName, joinPath, parentOf, withParents } from "../../base/paths.ts";
import type { Plain } from "../../config/yaml_tree.ts";
import { realPathSync } from "../../system/files.ts";
import { readFolder, readFound } from "../../system/found_file.ts";
import { isFolder } from "../../system/on_disk.ts";
import { parseFile } from "../../work/engine/workflow_files.ts";
import { isMapping, type Mapping } from "../../work/field_reader.ts";
import type { TaskStatus } from "../../work/task.ts";
import { MAX_BODY_CHARS, MAX_NAME_CHARS, MAX_TITLE_CHARS } from "../../work/task_input.ts";
import { askDatabase } from "../doctor/place.ts";
import TABLES from "./coven.json" with { type: "json" };
import { readImportMark } from "./import_marks_table.ts";
import type { ImportedColumns } from "./import_rows_table.ts";

/** Something that is not brought over, or not as it was. */
export interface NotTaken {
  readonly name: string;
  readonly why: string;
}

/** A `.coven` with its links resolved, the project that it lies in, and how the origins of its tasks begin. */
export interface CovenPlace {
  readonly folder: string;
  readonly root: string;
  readonly origin: string;
}

/** A row that is to be put in; of a task also its id and its status there, and whether it is new here. */
export interface CovenRow {
  readonly type: "task" | "taskTag" | "taskDependency";
  readonly columns: ImportedColumns;
  readonly was?: { id: string; status: TaskStatus; claimedBy: string | null; isHere: boolean };
}

/** The nearest `.coven` upwards, or the one that was named; null when there is none. */
export function findCoven(start: string, isNamed = false): CovenPlace | null {
  const folders = isNamed ? [start] : withParents(start);
  const paths = folders.map((folder) => joinPath(folder, ".coven"));
  for (const path of baseName(start) === ".coven" ? [start, ...paths] : paths) {
    if (!isFolder(path)) continue;
    const folder = realPathSync(path);
    return { folder, root: parentOf(folder), origin: `coven:${parentOf(folder)}` };
  }
  return null;
}

/** The folder of coven here or above whose state nobody has brought over or left behind; null when there is none. */
export function undecidedCoven(folder: string, database: string): CovenPlace | null {
  const place = findCoven(folder);
  if (place === null || readFound(joinPath(place.folder, "state.json")) === undefined) return null;
  const mark = askDatabase({ database }, (db) => readImportMark(db, place.origin)) ?? null;
  return mark === null ? place : null;
}

/** The notice about old state, for the daemon. */
export function covenNotice({ folder }: CovenPlace): string {
  return `old state in ${folder}: run \`conclaude migrate\` to bring it over, ` +
    "or `conclaude migrate --fresh` to begin without it";
}

/** Is given what is not brought over, or not as it was. */
type Leave = (name: string, why: string) => void;

/** The object that a JSON file holds; null where there is no file, or none that can be used. */
function jsonObjectIn(path: string, leave: Leave): Mapping | null {
  const file = readFound(path);
  if (file === undefined) return null;
  try {
    if (file.text === null) leave(path, file.problem);
    else {
      const value: unknown = JSON.parse(file.text.replace(/^\ufeff/, ""));
      if (isMapping(value)) return value;
      leave(path, "it holds no JSON object");
    }
  } catch (thrown) {
    leave(path, `it is no JSON: ${messageOf(thrown)}`);
  }
  return null;
}

const text = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? `${value}`.toWellFormed() : null;
const oneOf = (known: Readonly<Record<string, string>>) => (value: unknown) => {
  const word = text(value)?.trim().toLowerCase().replace(/[\s-]+/g, "_") ?? "";
  return Object.keys(known).find((name) => known[name]!.split(" ").includes(word)) ?? null;
};
/** How the values of a field are read; null for one that means nothing here. */
const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  text,
  type: oneOf(TABLES.type),
  status: oneOf(TABLES.status),
  priority: (value) => /^p?([0-4])$/i.exec(text(value) ?? "")?.[1] ?? null,
  // Go's zero time (the year 1) is no time.
  time: (value) => Math.max(0, Date.parse(text(value) ?? "")) || null,
  // A dependency may be `{depends_on_id, type}`. A tag is one line without a comma.
  list: (value) =>
    [value].flat().map((one) =>
      isMapping(one) ? one["type"] === "parent-child" ? null : one["depends_on_id"] : one
    ).flatMap((one) => text(one)?.replace(/[\s,]+/g, " ").slice(0, MAX_NAME_CHARS) ?? []),
};

type Times = "createdAtMs" | "updatedAtMs" | "closedAtMs" | "deletedAtMs";
/** The fields of a task, as `coven.json` names them. */
type Fields =
  & Record<Exclude<keyof typeof TABLES.task, "needs" | "tags" | "status" | Times>, string | null>
  & Record<Times, number | null>
  & { readonly needs?: string[]; readonly tags?: string[]; readonly status: TaskStatus };

/** Reads the fields of a task. */
function readFields(record: Mapping, leave: Leave): Fields {
  const left = new Set(Object.keys(record).filter((name) => (record[name] ?? "") !== ""));
  const entries = Object.entries(TABLES.task).map(([key, [reader, names, usual = null]]) => {
    const all = String(names).split(" ")
      .flatMap((name) => [name, name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())]);
    const name = all.find((one) => left.has(one));
    for (const one of all) left.delete(one);
    const value = name === undefined ? null : READERS[reader!]!(record[name]);
    if (value === null && name !== undefined && usual !== null) {
      leave(name, `${JSON.stringify(record[name])} means nothing here; it becomes ${usual}`);
    }
    return [key, value ?? usual];
  });
  for (const name of left) leave(name, "nothing here is like it");
  return Object.fromEntries(entries);
}

type Task = Fields & { readonly taskId: string };

/**
 * Reads the tasks of coven.
 *
 * @param facts `here`: our ids of the tasks that came before, by origin. `isFinished`: whether that run came to its end.
 */
export function readCoven({ folder, root, origin }: CovenPlace, facts: {
  readonly here: ReadonlyMap<string, string>;
  readonly isFinished: boolean;
  readonly repository: string | null;
}): { readonly rows: CovenRow[]; readonly notTaken: NotTaken[]; readonly filesRead: number } {
  const notTaken: NotTaken[] = [];
  const leave: Leave = (name, why) => void notTaken.push({ name, why });
  const found = jsonObjectIn(joinPath(folder, "state.json"), leave);
  const { tasks, beads, ...others } = found ?? {};
  for (const [kind, why] of Object.entries(TABLES.history)) {
    const files = readFolder(joinPath(folder, kind), /\.json$/).length;
    const count = files + Object.keys(Object(others[kind])).length;
    if (count > 0) leave(`${count} ${kind}`, why);
  }
  const items = new Map<string, Task>();
  for (const [list, listed] of Object.entries({ tasks, beads })) {
    for (const [name, value] of Object.entries(Object(listed))) {
      const at = `state.json: ${list}[${name}]`;
      const untold: [string, string][] = [];
      const fields = isMapping(value) ? readFields(value, (...one) => untold.push(one)) : null;
      const id = fields?.id ?? (Array.isArray(listed) ? null : name);
      if (fields === null) leave(at, "it is no JSON object");
      else if (id === null) leave(at, "it has no id");
      else if (items.has(id)) leave(at, `task ${id} stands elsewhere too, and was read there`);
      else {
        for (const [field, why] of untold) leave(`task ${id}: ${field}`, why);
        const known = facts.here.get(`${origin}:task:${id}`);
        items.set(id, { ...fields, taskId: known ?? newId(fields.createdAtMs ?? Date.now()) });
      }
    }
  }
  const rows: CovenRow[] = [];
  const parts: CovenRow[] = [];
  for (const [id, task] of items) {
    const parent = parentIn(items, id);
    if (parent === undefined) {
      leave(`task ${id}: its parent ${task.parent}`, "it is not above the task");
    }
    const isHere = facts.here.has(`${origin}:task:${id}`);
    if (isHere && facts.isFinished) continue;
    const standing = standingOf(task, joinPath(folder, `worktrees/${id.replace(/[^\w.-]/g, "-")}`));
    const { status, claimedBy, taskId: task_id } = task;
    const columns = {
      ...columnsOf(id, task, standing),
      ...(parent ?? { parent_id: null, depth: 0 }),
    };
    const place = {
      origin: `${origin}:task:${id}`,
      project_dir: root,
      repository: facts.repository,
    };
    rows.push({
      type: "task",
      was: { id, status, claimedBy, isHere },
      columns: { ...columns, ...place },
    });
    for (const tag of new Set(task.tags)) {
      parts.push({ type: "taskTag", columns: { task_id, tag } });
    }
    for (const other of task.needs ?? []) {
      const needed = items.get(other)?.taskId;
      if (needed === undefined) leave(`task ${id}: that it waits for ${other}`, "it is not there");
      else parts.push({ type: "taskDependency", columns: { task_id, depends_on: needed } });
    }
  }
  // What belongs to tasks comes after all of them.
  return { rows: [...rows, ...parts], notTaken, filesRead: found === null ? 0 : 1 };
}

/** What the row of a task takes from its fields. */
function columnsOf(
  id: string,
  task: Task,
  standing: ReturnType<typeof standingOf>,
): ImportedColumns {
  const title = (task.title ?? id).replace(/\s+/g, " ").trim();
  const body = title.length > MAX_TITLE_CHARS
    ? `${title}\n\n${task.body ?? ""}`.trimEnd()
    : task.body ?? "";
  const updatedAtMs = task.updatedAtMs ?? task.createdAtMs ?? Date.now();
  return {
    id: task.taskId,
    title: title.slice(0, MAX_TITLE_CHARS).toWellFormed(),
    body: body.slice(0, MAX_BODY_CHARS).toWellFormed(),
    type: task.type,
    priority: Number(task.priority),
    workflow: task.workflow,
    ...standing,
    summary: task.summary,
    created_at_ms: task.createdAtMs ?? updatedAtMs,
    updated_at_ms: updatedAtMs,
    closed_at_ms: standing.status === "closed" ? task.closedAtMs ?? updatedAtMs : null,
    deleted_at_ms: task.deletedAtMs,
  };
}

/** The parent of a task, and how deep the task lies; undefined when its parent is not there, or lies below it. */
function parentIn(items: ReadonlyMap<string, Task>, id: string) {
  const parentOfTask = (one: string) => items.get(one)?.parent ?? null;
  const parent = parentOfTask(id);
  const above = new Set<string>();
  for (let at = parent; at !== null && items.has(at); at = parentOfTask(at)) {
    if (at === id || above.has(at)) return undefined;
    above.add(at);
  }
  if (parent !== null && above.size === 0) return undefined;
  return { parent_id: parent === null ? null : items.get(parent)!.taskId, depth: above.size };
}

/**
 * The status here, where nobody is at work: what was in work is open again, or blocked where its working tree is still
 * there, so that nobody begins anew what is half done. A person looks at a merge that was not finished.
 */
function standingOf({ status, reason, deletedAtMs }: Fields, tree: string) {
  const where = isFolder(tree) ? `; it is in ${tree}` : "";
  const isOpen = status === "open" || deletedAtMs !== null ||
    status === "in_progress" && where === "";
  if (status === "closed") return { status, reason: null } as const;
  if (isOpen) return { status: "open", reason: null } as const;
  const why = {
    blocked: reason ?? "imported: it was blocked",
    in_progress: `imported: its work was not finished${where}`,
    pending_merge: `imported: its merge was not finished${where}`,
  };
  return { status: "blocked", reason: why[status] } as const;
}

/** What is made of what people have written. */
export interface FilesPlan {
  readonly writes: { readonly from: string; readonly to: string; readonly text: string }[];
  /** How many files of ours say the same already. */
  present: number;
  /** What our configuration is to have: the key there, the path and the value here. */
  readonly entries: {
    readonly name: string;
    readonly path: readonly string[];
    readonly value: Plain;
  }[];
  readonly notTaken: NotTaken[];
  filesRead: number;
}

/** Folders and files of coven, and where they go below `.conclaude`. */
const FILES: readonly (readonly [folder: string, names: RegExp, to: (name: string) => string])[] = [
  ["grimoires", /\.ya?ml$/, (name) => `workflows/${name}.yaml`],
  ["spells", /\.md$/, (name) => `prompts/${name}.md`],
  ["", /^grimoire-matchers\.ya?ml$/, () => "workflow-matchers.yaml"],
];

/** Keys whose values have another form here. */
const CONVERT: Readonly<Record<string, (value: unknown) => unknown>> = {
  agentTimeoutMs: (value) => Math.ceil(Number(value) / 60_000),
  agentPermissions: (value) => Object(value).allowedTools,
  notifications: (value) => Object.values(Object(value)).some((way) => way !== "none"),
  // Commands that were run before a merge, as one line of the shell that stops at the first that fails.
  preMergeChecks: (value) => {
    const { enabled, commands } = Object(value);
    const list: unknown[] = enabled === true && Array.isArray(commands) ? commands : [];
    return list.length < 2 ? list[0] : list.map((one) => `(${one})`).join(" && ");
  },
};

/** Plans the files; nothing is written, and a file of ours is never replaced. */
export function planCovenFiles({ folder, root }: CovenPlace): FilesPlan {
  const plan: FilesPlan = { writes: [], present: 0, entries: [], notTaken: [], filesRead: 0 };
  const leave = (name: string, why: string) => void plan.notTaken.push({ name, why });
  const copy = (from: string, name: string, text: string) => {
    const to = joinPath(root, `.conclaude/${name}`);
    const there = readFound(to);
    if (there === undefined) plan.writes.push({ from, to, text });
    else if (there.text === text) plan.present++;
    else leave(from, `${to} is there already and says something else; it stays`);
  };
  for (const [part, names, placeOf] of FILES) {
    for (const { path, ...file } of readFolder(joinPath(folder, part), names)) {
      const name = baseName(path).replace(/\.[^.]+$/, "");
      const problem = file.text === null ? file.problem : problemIn(part, { name, path, ...file });
      if (problem !== null) {
        leave(path, problem);
        continue;
      }
      plan.filesRead++;
      copy(path, placeOf(name), file.text!);
    }
  }
  const read = (name: string) => {
    const found = jsonObjectIn(joinPath(folder, name), leave);
    if (found !== null) plan.filesRead++;
    return found ?? {};
  };
  const mapping = read("grimoire-mapping.json");
  const byType = Object.entries(Object(mapping["by_type"] ?? mapping["byType"]));
  if (byType.length > 0 && plan.writes.every(({ to }) => !to.endsWith("workflow-matchers.yaml"))) {
    const matchers = byType.map(([type, workflow]) => ({
      name: `type-${type}`,
      match: { type: [type === "epic" ? "feature" : type] },
      workflow,
    }));
    const from = joinPath(folder, "grimoire-mapping.json");
    copy(from, "workflow-matchers.yaml", stringify({ matchers }));
  } else if (byType.length > 0) {
    leave("grimoire-mapping.json: by_type", "there are matchers already");
  }
  convertConfig({ ...read("config.json"), defaultWorkflow: mapping["default"] }, plan);
  for (const name of ["secrets.yaml", "system-prompt.md"]) {
    if (readFound(joinPath(folder, name)) !== undefined) leave(name, "it has no counterpart here");
  }
  return plan;
}

/** What keeps a workflow from being one here; null when nothing does. */
function problemIn(
  part: string,
  file: { name: string; path: string; text: string },
): string | null {
  if (part !== "grimoires") return null;
  const parsed = parseFile(file);
  return "errors" in parsed ? parsed.errors.join("; ") : null;
}

function convertConfig(config: Readonly<Record<string, unknown>>, plan: FilesPlan): void {
  const keys: Readonly<Record<string, string>> = TABLES.config;
  const usual: Readonly<Record<string, unknown>> = TABLES.usual;
  const left: Readonly<Record<string, string>> = TABLES.left;
  const { store, ...others } = config;
  const inStore = Object.entries(Object(store)).map(([name, value]) => [`store.${name}`, value]);
  for (const [name, value] of Object.entries({ ...others, ...Object.fromEntries(inStore) })) {
    if ((value ?? "") === "") continue;
    const path = keys[name];
    const made = CONVERT[name]?.(value) ?? (name in CONVERT ? undefined : value);
    const why = path === undefined
      ? left[name] ?? "the key is not known"
      : JSON.stringify(value) === JSON.stringify(usual[name])
      ? "it is what the older daemon had anyway; ours has its own default"
      : made === undefined
      ? "it is switched off"
      : null;
    if (why !== null) plan.notTaken.push({ name, why });
    else plan.entries.push({ name: path!, path: path!.split("."), value: made as Plain });
  }
}
