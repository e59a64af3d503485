/** The folder of coven, the older daemon, and its tasks as rows of ours. What cannot be used is named; nothing throws. */
import { messageOf } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { askDatabase } from "../doctor/place.ts";
import { isMapping, type Mapping } from "../../work/field_reader.ts";
import type { TaskStatus } from "../../work/task.ts";
import { MAX_BODY_CHARS, MAX_NAME_CHARS, MAX_TITLE_CHARS } from "../../work/task_input.ts";
import { baseName, joinPath, parentOf, withParents } from "../../base/paths.ts";
import { type FoundFile, readFolder, readFound } from "../../system/found_file.ts";
import { readImportMark } from "./import_marks_table.ts";
import type { ImportedColumns } from "./import_rows_table.ts";
import { realPathSync } from "../../system/files.ts";
import { isFolder } from "../../system/on_disk.ts";
import TABLES from "./coven.json" with { type: "json" };

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

/** What a person is told about it. */
export function covenNotice({ folder }: CovenPlace): string {
  return `old state in ${folder}: run \`conclaude migrate\` to bring it over, ` +
    "or `conclaude migrate --fresh` to begin without it";
}

/** The object that a JSON file holds, or why there is none. */
export function jsonObjectIn(file: FoundFile): Mapping | string {
  if (file.text === null) return file.problem;
  try {
    const value: unknown = JSON.parse(file.text.replace(/^\ufeff/, ""));
    return isMapping(value) ? value : "it holds no JSON object";
  } catch (thrown) {
    return file.text.trim() === "" ? "it is empty" : `it is no JSON: ${messageOf(thrown)}`;
  }
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

/** Reads the fields of a task. @param tell Is given each that is not brought over, or not as it is. */
function readFields(record: Mapping, tell: (name: string, why: string) => void): Fields {
  const holds = (name: string) => (record[name] ?? "") !== "";
  const left = new Set(Object.keys(record).filter(holds));
  const entries = Object.entries(TABLES.task).map(([key, [reader, names, usual = null]]) => {
    const all = String(names).split(" ").flatMap((name) => [
      name,
      name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
    ]);
    const name = all.find((one) => left.has(one));
    for (const one of all) left.delete(one);
    const value = name === undefined ? null : READERS[reader!]!(record[name]);
    if (value === null && name !== undefined && usual !== null) {
      tell(name, `${JSON.stringify(record[name])} means nothing here; it becomes ${usual}`);
    }
    return [key, value ?? usual];
  });
  for (const name of left) tell(name, "nothing here is like it");
  return Object.fromEntries(entries);
}

/**
 * Reads the state of coven.
 *
 * @param facts `here`: our ids of the tasks that came before, by origin. `isFinished`: whether that run came to its end.
 */
export function readCoven({ folder, root, origin }: CovenPlace, facts: {
  readonly here: ReadonlyMap<string, string>;
  readonly isFinished: boolean;
  readonly repository: string | null;
}): { readonly rows: CovenRow[]; readonly notTaken: NotTaken[]; readonly filesRead: number } {
  const notTaken: NotTaken[] = [];
  const leave = (name: string, why: string) => void notTaken.push({ name, why });
  const file = readFound(joinPath(folder, "state.json"));
  const found = file === undefined ? {} : jsonObjectIn(file);
  if (typeof found === "string") leave(file!.path, found);
  const { tasks, beads, ...others } = typeof found === "string" ? {} : found;
  for (const [kind, why] of Object.entries(TABLES.history)) {
    const files = readFolder(joinPath(folder, kind), /\.json$/).length;
    const count = files + Object.keys(Object(others[kind])).length;
    if (count > 0) leave(`${count} ${kind}`, why);
  }
  const items = new Map<string, Fields & { readonly taskId: string }>();
  for (const [list, listed] of Object.entries({ tasks, beads })) {
    for (const [name, value] of Object.entries(Object(listed))) {
      const untold: [string, string][] = [];
      const fields = isMapping(value) ? readFields(value, (...one) => untold.push(one)) : null;
      const id = fields?.id ?? (Array.isArray(listed) ? null : name);
      const at = `state.json: ${list}[${name}]`;
      if (fields === null) leave(at, "it is no JSON object");
      else if (id === null) leave(at, "it has no id");
      else if (items.has(id)) leave(at, `task ${id} stands elsewhere too, and was read there`);
      else {
        for (const [field, why] of untold) leave(`task ${id}: ${field}`, why);
        const taskId = facts.here.get(`${origin}:task:${id}`) ??
          newId(fields.createdAtMs ?? Date.now());
        items.set(id, { ...fields, taskId });
      }
    }
  }
  const rows: CovenRow[] = [];
  for (const [id, task] of items) {
    const depth = depthOf(id, items);
    if (depth === null) leave(`task ${id}: its parent ${task.parent}`, "it is not above the task");
    const isHere = facts.here.has(`${origin}:task:${id}`);
    const { status, claimedBy, taskId, createdAtMs, deletedAtMs } = task;
    if (isHere && facts.isFinished) continue;
    const standing = standingOf(task, joinPath(folder, `worktrees/${id.replace(/[^\w.-]/g, "-")}`));
    const title = (task.title ?? id).replace(/\s+/g, " ").trim();
    const body = title.length > MAX_TITLE_CHARS
      ? `${title}\n\n${task.body ?? ""}`.trimEnd()
      : task.body ?? "";
    const updatedAtMs = task.updatedAtMs ?? createdAtMs ?? Date.now();
    rows.push({
      type: "task",
      was: { id, status, claimedBy, isHere },
      columns: {
        id: taskId,
        origin: `${origin}:task:${id}`,
        parent_id: depth === null ? null : items.get(task.parent ?? "")?.taskId ?? null,
        depth: depth ?? 0,
        title: title.slice(0, MAX_TITLE_CHARS).toWellFormed(),
        body: body.slice(0, MAX_BODY_CHARS).toWellFormed(),
        type: task.type,
        priority: Number(task.priority),
        workflow: task.workflow,
        ...standing,
        summary: task.summary,
        project_dir: root,
        repository: facts.repository,
        created_at_ms: createdAtMs ?? updatedAtMs,
        updated_at_ms: updatedAtMs,
        closed_at_ms: standing.status === "closed" ? task.closedAtMs ?? updatedAtMs : null,
        deleted_at_ms: deletedAtMs,
      },
    });
    const columnsOf = { taskTag: task.tags ?? [], taskDependency: task.needs ?? [] };
    for (const tag of new Set(columnsOf.taskTag)) {
      rows.push({ type: "taskTag", columns: { task_id: taskId, tag } });
    }
    for (const other of columnsOf.taskDependency) {
      const needed = items.get(other);
      if (needed === undefined) leave(`task ${id}: that it waits for ${other}`, "it is not there");
      else {rows.push({
          type: "taskDependency",
          columns: { task_id: taskId, depends_on: needed.taskId },
        });}
    }
  }
  // What belongs to tasks comes after all of them.
  rows.sort((one, other) => Number(one.type !== "task") - Number(other.type !== "task"));
  return { rows, notTaken, filesRead: file === undefined || typeof found === "string" ? 0 : 1 };
}

/** How many parents a task has; null when its parent is not there, or lies below it. */
function depthOf(id: string, items: ReadonlyMap<string, Fields>): number | null {
  const above = new Set<string>();
  for (let at = items.get(id)!.parent; at !== null; at = items.get(at)!.parent) {
    if (!items.has(at) && above.size > 0) return above.size;
    if (!items.has(at) || at === id || above.has(at)) return null;
    above.add(at);
  }
  return above.size;
}

/**
 * The status here, where nobody is at work: what was in work is open again, or blocked where its working tree is still
 * there, so that nobody begins anew what is half done. A person looks at a merge that was not finished.
 */
function standingOf({ status, reason, deletedAtMs }: Fields, tree: string) {
  const where = isFolder(tree) ? `; it is in ${tree}` : "";
  if (status === "closed" || status === "open" || deletedAtMs !== null) {
    return { status: status === "closed" ? status : "open", reason: null } as const;
  }
  if (status === "in_progress" && where === "") return { status: "open", reason: null } as const;
  const why = {
    blocked: reason ?? "imported: it was blocked",
    in_progress: `imported: its work was not finished${where}`,
    pending_merge: `imported: its merge was not finished${where}`,
  };
  return { status: "blocked", reason: why[status] } as const;
}
