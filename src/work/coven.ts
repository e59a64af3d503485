/** Reads the folder of coven, the older daemon, and plans what to import. It names what it cannot use. */
import type { SQLInputValue } from "node:sqlite";
import { messageOf, quietly } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { isSameValue } from "../base/likeness.ts";
import { baseName, joinPath, parentOf, withParents } from "../base/paths.ts";
import { type ConfigEntry, faultsOf } from "../config/layer.ts";
import type { Plain } from "../config/yaml_tree.ts";
import { realPathSync } from "../system/files.ts";
import { readFolder, readFound } from "../system/found_file.ts";
import { isFolder } from "../system/on_disk.ts";
import { parseFile } from "./engine/workflow_files.ts";
import { isMapping, type Mapping, ownValue } from "../base/mapping.ts";
import { MAX_BODY_CHARS, MAX_NAME_CHARS, MAX_TITLE_CHARS } from "./task_input.ts";
import type { writeHistory } from "./task_changes_table.ts";
import { openIfOurs } from "../db/database_identity.ts";
import { readMeta } from "../db/statement.ts";

/** How each column of a task is read: the kind of its values, coven's names of the field, and the usual value. */
const TASK = {
  id: ["text", "id task_id"],
  parent_id: ["text", "parent_id parent"],
  title: ["line", "title name"],
  body: ["text", "body description", ""],
  type: ["type", "type issue_type", "task"],
  status: ["status", "status state", "open"],
  priority: ["priority", "priority", 2],
  tags: ["list", "tags labels"],
  needs: ["list", "depends_on dependencies"],
  workflow: ["text", "grimoire_hint grimoire"],
  claimed_by: ["text", "claimed_by assignee"],
  reason: ["text", "reason block_reason blocked_reason error"],
  summary: ["text", "summary close_reason"],
  created_at_ms: ["time", "created_at"],
  updated_at_ms: ["time", "updated_at"],
  closed_at_ms: ["time", "closed_at completed_at"],
  deleted_at_ms: ["time", "deleted_at"],
  /** Fields that the import computes anew or drops. */
  unused: ["text", "depth claimed_at"],
} as const;

const TYPES = {
  task: "task chore docs question",
  feature: "feature epic story",
  bug: "bug",
};

const STATUSES = {
  open: "open todo new ready pending deferred",
  in_progress: "in_progress doing running started claimed",
  pending_merge: "pending_merge review in_review",
  blocked: "blocked failed",
  closed: "closed done completed complete resolved cancelled tombstone",
};
/** Why a task with this status becomes blocked. */
const REASONS = {
  blocked: "imported: it was blocked",
  in_progress: "imported: its work was not finished",
  pending_merge: "imported: its merge was not finished",
};

/** Records that are left out, and why. */
const HISTORY = {
  workflows: "nothing goes on with them",
  familiars: "their processes belong to a program that does not run any more",
  questions: "nobody waits for an answer any more",
};

/** Coven's keys in camel case, and ours. */
const KEYS: Readonly<Record<string, string>> = {
  agentCommand: "orchestration.agentCommand",
  agentArgs: "orchestration.agentArgs",
  maxConcurrentAgents: "orchestration.maxConcurrentAgents",
  worktreeBasePath: "orchestration.worktreePath",
  agentTimeoutMs: "orchestration.agentTimeoutMinutes",
  preMergeChecks: "orchestration.check",
  agentPermissions: "orchestration.allowedTools",
  notifications: "orchestration.notify",
  default: "orchestration.defaultWorkflow",
  "store.eventRetentionHours": "store.eventRetentionHours",
  "store.taskRetentionDays": "store.taskRetentionDays",
  "store.taskSoftDeleteDays": "store.taskSoftDeleteDays",
  "store.workflowRetentionDays": "store.workflowRetentionDays",
  "store.claimTimeoutMinutes": "store.claimTimeoutMinutes",
};

const USUAL: Readonly<Record<string, unknown>> = {
  agentArgs: ["-p", "--output-format", "stream-json", "--verbose"],
  worktreeBasePath: ".coven/worktrees",
};

const OWN_LOG = "the daemon's log here has one level and a size that it keeps to";
/** Keys that have no counterpart, and why. */
const NO_KEYS: Readonly<Record<string, string>> = {
  pollInterval: "the daemon here does not poll",
  logLevel: OWN_LOG,
  logging: OWN_LOG,
  beadsSyncIntervalMs: "no other tracker is synchronised",
  mergeConflictMaxRetries: "a merge that conflicts waits for a person",
  outputRetentionDays: "output goes with its task",
  byType: "matchers say it: .conclaude/workflow-matchers.yaml",
};

/** The folders of files to take over, the names of the files, and their places here. */
const FILES = [
  ["grimoires", /\.ya?ml$/, "workflows/*.yaml"],
  ["spells", /\.md$/, "prompts/*.md"],
  ["", /^grimoire-matchers\.ya?ml$/, "workflow-matchers.yaml"],
] as const;

type Columns = Readonly<Record<string, SQLInputValue>>;

type CovenPlace = NonNullable<ReturnType<typeof findCoven>>;

/**
 * Finds `start` itself or the nearest `.coven` above it; null when there is none. `root`: its project. `origin`: the
 * prefix of its tasks' origins. `mark`: the key in `meta` of the decision about it, `imported` or `fresh`.
 */
export function findCoven(start: string) {
  const paths = withParents(start).map((folder) => joinPath(folder, ".coven"));
  const found = [...baseName(start) === ".coven" ? [start] : [], ...paths].find(isFolder);
  if (found === undefined) return null;
  const folder = realPathSync(found);
  const root = parentOf(folder);
  return { folder, root, origin: `coven:${root}:task:`, mark: `import:coven:${root}` };
}

/** Finds a `.coven` about which nobody has decided; null when there is none. */
export function undecidedCoven(from: string, database: string) {
  const place = findCoven(from);
  if (place === null || readFound(joinPath(place.folder, "state.json")) === undefined) return null;
  using db = openIfOurs(database);
  const mark = db && quietly(() => readMeta(db, place.mark)) || null;
  const notice = `old state in ${place.folder}: run \`conclaude migrate\` to bring it over, ` +
    "or `conclaude migrate --fresh` to begin without it";
  return mark === null ? { folder: place.folder, notice } : null;
}

/** What the import will write, and what it leaves out. */
export class CovenPlan {
  /** The rows of new tasks, and the changes that the import makes to them, for their history. */
  readonly tasks: { row: Columns; changes: Parameters<typeof writeHistory>[2] }[] = [];
  /** Rows of tags and dependencies, to write after all tasks. */
  readonly parts: { readonly type: string; readonly columns: Columns }[] = [];
  readonly writes: { readonly to: string; readonly text: string }[] = [];
  /** How many of our files have the same text already. */
  present = 0;
  /** The values for our configuration. */
  readonly entries: ConfigEntry[] = [];
  /** What is left out or changed, and why. */
  readonly notTaken: { readonly name: string; readonly why: string }[] = [];
  filesRead = 0;

  readonly leave = (name: string, why: string): void => void this.notTaken.push({ name, why });
}

/** Reads the object in a JSON file; an empty one when there is no usable file. */
function jsonIn(path: string, plan: CovenPlan): Mapping {
  const file = readFound(path);
  try {
    const value: unknown = JSON.parse(file?.text ?? "{}");
    if (!isMapping(value)) throw new Error("it holds no object");
    if (file?.text === null) plan.leave(path, file.problem);
    else if (file !== undefined) plan.filesRead++;
    return value;
  } catch (thrown) {
    plan.leave(path, `it is no JSON: ${messageOf(thrown)}`);
    return {};
  }
}

const text = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? `${value}`.toWellFormed() : null;
const line = (value: unknown) => text(value)?.replace(/\s+/g, " ").trim() ?? null;
const oneOf = (known: Readonly<Record<string, string>>) => (value: unknown) => {
  const word = line(value)?.toLowerCase().replace(/[ -]+/g, "_") ?? "";
  return Object.keys(known).find((name) => known[name]!.split(" ").includes(word)) ?? null;
};
/** Reads the values of fields by kind; null for a value that has no meaning here. */
const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  text,
  line,
  type: oneOf(TYPES),
  status: oneOf(STATUSES),
  priority: (value) => /^p?[0-4]$/i.test(text(value) ?? "") ? Number(text(value)!.at(-1)) : null,
  // Go's zero time (the year 1) is not a time.
  time: (value) => Math.max(0, Date.parse(text(value) ?? "")) || null,
  // A dependency may be `{depends_on_id, type}`. A tag may hold no blank and no comma.
  list: (value) =>
    [value].flat().map((one) =>
      isMapping(one) ? one["type"] === "parent-child" ? null : one["depends_on_id"] : one
    ).flatMap((one) => text(one)?.replace(/[\s,]+/g, " ").slice(0, MAX_NAME_CHARS) ?? []),
};

type Times = "created_at_ms" | "updated_at_ms" | "closed_at_ms" | "deleted_at_ms";
type Fields =
  & Record<Exclude<keyof typeof TASK, "needs" | "tags" | "status" | Times>, string | null>
  & Record<Times, number | null>
  & { readonly needs?: string[]; readonly tags?: string[]; status: keyof typeof STATUSES };
type Item = Fields & { readonly id: string };

function readFields(record: Mapping, leave: CovenPlan["leave"]): Fields {
  const left = new Set(Object.keys(record).filter((name) => (record[name] ?? "") !== ""));
  const entries = Object.entries(TASK).map(([key, [reader, names, usual = null]]) => {
    const all = names.split(" ").flatMap((name) => [name, inCamelCase(name)]);
    const name = all.find((one) => left.has(one));
    for (const one of all) left.delete(one);
    const value = name === undefined ? null : READERS[reader]!(record[name]);
    if (value === null && name !== undefined && usual !== null) {
      leave(name, `${JSON.stringify(record[name])} means nothing here; it becomes ${usual}`);
    }
    return [key, value ?? usual];
  });
  for (const name of left) leave(name, "nothing here is like it");
  return Object.fromEntries(entries);
}

function inCamelCase(name: string): string {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}

/** Plans the tasks. @param facts `here`: ids of tasks that an earlier run imported, by origin. */
export function planCovenTasks({ folder, root, origin }: CovenPlace, plan: CovenPlan, facts: {
  readonly here: ReadonlyMap<string, string>;
  readonly isFinished: boolean;
  readonly repository: string | null;
}): void {
  const { leave } = plan;
  const { tasks, beads, ...others } = jsonIn(joinPath(folder, "state.json"), plan);
  for (const [kind, why] of Object.entries(HISTORY)) {
    const files = readFolder(joinPath(folder, kind), /\.json$/).length;
    const count = files + Object.keys(Object(others[kind])).length;
    if (count > 0) leave(`${count} ${kind}`, why);
  }
  const items = new Map<string, Item>();
  for (const [list, listed] of Object.entries({ tasks, beads })) {
    for (const [name, value] of Object.entries(Object(listed))) {
      const at = `state.json: ${list}[${name}]`;
      const { id: given = null } = Object(value);
      const id = text(given) ?? (Array.isArray(listed) ? null : name);
      if (!isMapping(value)) leave(at, "it is no JSON object");
      else if (id === null) leave(at, "it has no id");
      else if (items.has(id)) leave(at, `task ${id} stands elsewhere too, and was read there`);
      else {
        const fields = readFields(value, (name, why) => leave(`task ${id}: ${name}`, why));
        const idHere = facts.here.get(origin + id) ?? newId(fields.created_at_ms ?? Date.now());
        items.set(id, { ...fields, id: idHere });
      }
    }
  }
  for (const [id, { tags, needs, unused: _unused, ...fields }] of items) {
    const { id: task_id, status, created_at_ms, updated_at_ms } = fields;
    const parent = parentIn(items, id);
    if (parent === undefined) leave(`task ${id}`, `${fields.parent_id} is no task above it`);
    const isHere = facts.here.has(origin + id);
    if (isHere && facts.isFinished) continue;
    const [title, body] = [fields.title || id, fields.body ?? ""];
    const whole = title.length > MAX_TITLE_CHARS ? `${title}\n\n${body}`.trimEnd() : body;
    const updatedAtMs = updated_at_ms ?? created_at_ms ?? Date.now();
    const row = {
      ...fields,
      ...standingOf(fields, joinPath(folder, `worktrees/${id.replace(/[^\w.-]/g, "-")}`)),
      ...parent ?? { parent_id: null, depth: 0 },
      origin: origin + id,
      claimed_by: null,
      project_dir: root,
      repository: facts.repository,
      title: title.slice(0, MAX_TITLE_CHARS).toWellFormed(),
      body: whole.slice(0, MAX_BODY_CHARS).toWellFormed(),
      created_at_ms: created_at_ms ?? updatedAtMs,
      updated_at_ms: updatedAtMs,
      closed_at_ms: status === "closed" ? fields.closed_at_ms ?? updatedAtMs : null,
    };
    const changes = [
      { field: "origin", old: null, new: id },
      { field: "status", old: status, new: row.status },
      { field: "claimed_by", old: fields.claimed_by, new: null },
    ].filter((one) => one.old !== one.new);
    if (!isHere) plan.tasks.push({ row, changes });
    if (!isHere && row.status !== status) leave(`task ${id}`, `${status} becomes ${row.status}`);
    const part = (type: string, columns: Columns) => void plan.parts.push({ type, columns });
    for (const tag of new Set(tags)) part("taskTag", { task_id, tag });
    for (const other of needs ?? []) {
      const depends_on = items.get(other)?.id;
      if (depends_on !== undefined) part("taskDependency", { task_id, depends_on });
      else leave(`task ${id}: that it waits for ${other}`, "it is not there");
    }
  }
}

/** Finds the parent and the depth of a task; undefined when the parent is missing or lies below the task. */
function parentIn(items: ReadonlyMap<string, Item>, id: string) {
  const parent = items.get(id)!.parent_id;
  const above = new Set<string>();
  for (let at = parent; at !== null && items.has(at); at = items.get(at)!.parent_id) {
    if (at === id || above.has(at)) return undefined;
    above.add(at);
  }
  if (parent === null) return { parent_id: null, depth: 0 };
  return items.has(parent) ? { parent_id: items.get(parent)!.id, depth: above.size } : undefined;
}

/**
 * Returns the status that a task gets here. Nobody works on it any more: a task in work becomes open, or blocked while
 * its working tree exists, so that nobody begins half-done work anew. An unfinished merge waits for a person.
 */
function standingOf(
  { status, reason, deleted_at_ms }: Pick<Fields, "status" | "reason" | "deleted_at_ms">,
  tree: string,
) {
  if (status === "closed") return { status, reason: null };
  const where = isFolder(tree) ? `; it is in ${tree}` : "";
  const isFree = status === "open" || status === "in_progress" && where === "";
  if (isFree || deleted_at_ms !== null) return { status: "open", reason: null };
  const why = REASONS[status] + where;
  return { status: "blocked", reason: status === "blocked" && reason || why };
}

/** Makes a converter of mappings; another value stays, for our schema to judge. */
const ofMapping = (convert: (value: Mapping) => unknown) => (value: unknown) =>
  isMapping(value) ? convert(value) : value;

/** Converters for keys whose values have another form here; null for a value that sets nothing. */
const CONVERT: Readonly<Record<string, (value: unknown) => unknown>> = {
  agentTimeoutMs: (value) => Math.ceil(Number(value) / 60_000),
  agentPermissions: ofMapping(({ allowedTools }) => allowedTools ?? null),
  notifications: ofMapping((ways) => {
    const all = Object.values(ways);
    return all.length === 0 ? null : all.some((way) => way !== "none");
  }),
  // Joins the commands before a merge to one shell line that stops at the first failure.
  preMergeChecks: ofMapping(({ enabled, commands }) => {
    const list = enabled === true ? [commands ?? []].flat() : [];
    return list.length < 2 ? list[0] ?? null : list.map((one) => `(${one})`).join(" && ");
  }),
};

/** Plans the files and the entries of the configuration. It never replaces a file of ours. */
export function planCovenFiles({ folder, root }: CovenPlace, plan: CovenPlan): void {
  for (const [part, names, target] of FILES) {
    for (const { path, ...file } of readFolder(joinPath(folder, part), names)) {
      const name = baseName(path).replace(/\.[^.]+$/, "");
      const text = file.text ?? "";
      const to = joinPath(root, `.conclaude/${target.replace("*", name)}`);
      const existing = readFound(to);
      const parsed = part === "grimoires" ? parseFile({ name, path, text }) : null;
      plan.filesRead += Number(file.text !== null);
      if (file.text === null) plan.leave(path, file.problem);
      else if (parsed !== null && "errors" in parsed) plan.leave(path, parsed.errors.join("; "));
      else if (existing === undefined) plan.writes.push({ to, text });
      else if (existing.text === text) plan.present++;
      else plan.leave(path, `${to} is there already and says something else; it stays`);
    }
  }
  const mapping = jsonIn(joinPath(folder, "grimoire-mapping.json"), plan);
  const { store, ...config } = jsonIn(joinPath(folder, "config.json"), plan);
  const inStore = Object.entries(Object(store)).map(([name, value]) => [`store.${name}`, value]);
  const given: Mapping = { ...mapping, ...config, ...Object.fromEntries(inStore) };
  for (const { path } of readFolder(folder, /^(?:secrets\.yaml|system-prompt\.md)$/)) {
    plan.leave(baseName(path), "it has no counterpart here");
  }
  for (const [name, theirs] of Object.entries(given)) {
    if ((theirs ?? "") === "") continue;
    const key = inCamelCase(name);
    const path = ownValue(KEYS, key)?.split(".") ?? [];
    const value = (ownValue(CONVERT, key) ?? ((same) => same))(theirs) as Plain;
    const why = path.length === 0
      ? ownValue(NO_KEYS, key) ?? "the key is not known"
      : isSameValue(theirs, ownValue(USUAL, key))
      ? "it is what the older daemon had anyway; ours has its own default"
      : value === null
      ? "it is switched off or empty"
      : faultsOf({ path, value });
    if (why !== "") plan.leave(name, why);
    else plan.entries.push({ name: path.join("."), path, value });
  }
}
