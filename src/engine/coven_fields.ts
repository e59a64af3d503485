/** The fields of coven's tasks (coven is the older daemon), a row each: their names there, and what their values mean here. */
import { isMapping } from "../orchestration/field_reader.ts";
import { DEFAULT_PRIORITY, PRIORITIES, type TaskStatus } from "../orchestration/task.ts";
import { MAX_NAME_CHARS } from "../orchestration/task_input.ts";

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
/** Epoch milliseconds. Go's zero time (the year 1) is no time. */
const time = (value: unknown): number | null => {
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

function field<Value>(
  names: string,
  read: (value: unknown) => Value | undefined,
  usual: NoInfer<Value>,
): Field<Value> {
  return { names: names.split(" "), read, usual };
}
const textAt = (names: string) => field<string | null>(names, text, null);
const timeAt = (names: string) => field<number | null>(names, time, null);

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

/** Of workflows (grimoires that were run) only what tells where unfinished work lies, and why it stopped. */
export const WORKFLOW = {
  task: textAt("task_id bead_id"),
  worktree: textAt("worktree_path worktree"),
  branch: textAt("branch branch_name"),
  error: textAt("error reason"),
};

/** Fields that say nothing that is not said elsewhere. */
const SILENT = new Set(["depth", "claimed_at", "claimedAt"]);

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
