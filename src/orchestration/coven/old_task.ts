/** A task of the older daemon, and what its words mean here. */
import { DEFAULT_PRIORITY, PRIORITIES, type TaskStatus, type TaskType } from "../task.ts";
import { MAX_BODY_CHARS, MAX_NAME_CHARS, MAX_TITLE_CHARS } from "../task_input.ts";
import type { OldRecord } from "./old_record.ts";

/** A task as the older daemon kept it, in our words. */
export interface OldTask {
  readonly id: string;
  readonly parentId: string | null;
  readonly title: string;
  readonly body: string;
  readonly type: TaskType;
  readonly status: TaskStatus;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly dependsOn: readonly string[];
  readonly workflow: string | null;
  readonly claimedBy: string | null;
  readonly reason: string | null;
  readonly summary: string | null;
  readonly createdAtMs: number | null;
  readonly updatedAtMs: number | null;
  readonly closedAtMs: number | null;
  readonly deletedAtMs: number | null;
}

/** Statuses of the older daemon and of the trackers that it read, without `-` and blanks. */
const STATUSES: Readonly<Record<string, TaskStatus>> = {
  open: "open",
  todo: "open",
  new: "open",
  ready: "open",
  pending: "open",
  deferred: "open",
  in_progress: "in_progress",
  doing: "in_progress",
  running: "in_progress",
  started: "in_progress",
  claimed: "in_progress",
  pending_merge: "pending_merge",
  review: "pending_merge",
  in_review: "pending_merge",
  blocked: "blocked",
  failed: "blocked",
  closed: "closed",
  done: "closed",
  completed: "closed",
  complete: "closed",
  resolved: "closed",
  cancelled: "closed",
  tombstone: "closed",
};

const TYPES: Readonly<Record<string, TaskType>> = {
  task: "task",
  chore: "task",
  docs: "task",
  question: "task",
  feature: "feature",
  epic: "feature",
  story: "feature",
  bug: "bug",
};

/**
 * Reads a task. What a field cannot mean here is replaced by the usual, and told.
 *
 * @param id The id where the record has none of its own. @param tell Takes what a person should know.
 * @returns A sentence when it is none.
 */
export function readOldTask(
  record: OldRecord,
  id: string | null,
  tell: (note: string) => void,
): OldTask | string {
  const own = record.text("id", "task_id", "taskId") ?? id;
  if (own === null) return "it has no id";
  const say = (note: string) => tell(`task ${own}: ${note}`);
  const body = record.text("body", "description") ?? "";
  const title = titleOf(record.text("title", "name"), { id: own, body, say });
  return {
    id: own,
    parentId: record.text("parent_id", "parentId", "parent"),
    title: title.title,
    body: title.body.slice(0, MAX_BODY_CHARS).toWellFormed(),
    type: wordOf(TYPES, record.text("type", "issue_type", "issueType"), {
      usual: "task",
      what: "type",
      say,
    }),
    status: wordOf(STATUSES, record.text("status", "state"), {
      usual: "open",
      what: "status",
      say,
    }),
    priority: priorityOf(record.value("priority"), say),
    tags: tagsOf(record.texts("tags", "labels"), say),
    dependsOn: dependenciesOf(record.value("depends_on", "dependsOn", "dependencies")),
    workflow: record.text("grimoire_hint", "grimoireHint", "grimoire"),
    claimedBy: record.text("claimed_by", "claimedBy", "assignee"),
    reason: record.text("reason", "block_reason", "blocked_reason", "blockedReason", "error"),
    summary: record.text("summary", "close_reason", "closeReason"),
    createdAtMs: record.time("created_at", "createdAt"),
    updatedAtMs: record.time("updated_at", "updatedAt"),
    closedAtMs: record.time("closed_at", "closedAt", "completed_at", "completedAt"),
    deletedAtMs: record.time("deleted_at", "deletedAt"),
  };
}

/** Fields that say nothing that is not said elsewhere, and that nobody has to be told of. */
export const SILENT_TASK_FIELDS: readonly string[] = ["depth", "claimed_at", "claimedAt"];

/** One line of at most the usual length; what goes beyond it begins the body. */
function titleOf(
  given: string | null,
  { id, body, say }: {
    readonly id: string;
    readonly body: string;
    readonly say: (note: string) => void;
  },
): { readonly title: string; readonly body: string } {
  const line = (given ?? "").replace(/\s+/g, " ").trim();
  if (line === "") {
    say("it has no title, and is called by its id");
    return { title: id.slice(0, MAX_TITLE_CHARS).toWellFormed(), body };
  }
  if (line.length <= MAX_TITLE_CHARS) return { title: line, body };
  say("its title is too long, and stands whole in its body");
  return {
    title: line.slice(0, MAX_TITLE_CHARS).toWellFormed(),
    body: `${line}\n\n${body}`.trimEnd(),
  };
}

function wordOf<Word extends string>(
  words: Readonly<Record<string, Word>>,
  given: string | null,
  { usual, what, say }: {
    readonly usual: Word;
    readonly what: string;
    readonly say: (note: string) => void;
  },
): Word {
  if (given === null) return usual;
  const name = given.trim().toLowerCase().replace(/[\s-]+/g, "_");
  if (Object.hasOwn(words, name)) return words[name]!;
  say(`its ${what} "${given}" is not known here; it becomes ${usual}`);
  return usual;
}

/** `2`, `"2"` or `"P2"`. */
function priorityOf(given: unknown, say: (note: string) => void): number {
  if (given === null) return DEFAULT_PRIORITY;
  const n = typeof given === "string" && /^p?\d$/i.test(given.trim())
    ? Number(given.trim().slice(-1))
    : given;
  const [min, max] = PRIORITIES;
  if (typeof n === "number" && Number.isInteger(n) && n >= min && n <= max) return n;
  say(`its priority ${JSON.stringify(given)} is not known here; it becomes ${DEFAULT_PRIORITY}`);
  return DEFAULT_PRIORITY;
}

function tagsOf(given: readonly string[], say: (note: string) => void): string[] {
  const tags = given.map((tag) => {
    // deno-lint-ignore no-control-regex
    const name = tag.replace(/[\u0000-\u001f\u007f,]+/g, " ").trim().slice(0, MAX_NAME_CHARS)
      .toWellFormed();
    if (name !== tag.trim()) say(`its tag ${JSON.stringify(tag)} becomes ${JSON.stringify(name)}`);
    return name;
  });
  return [...new Set(tags)].filter((tag) => tag !== "").sort();
}

/** A list of ids, or of `{depends_on_id, type}`: a parent is no dependency. */
function dependenciesOf(given: unknown): string[] {
  const list = Array.isArray(given) ? given : given === null ? [] : [given];
  const ids = list.flatMap((one) => {
    if (typeof one === "string") return [one];
    if (typeof one !== "object" || one === null) return [];
    const { depends_on_id, id, type } = one as Record<string, unknown>;
    const other = depends_on_id ?? id;
    return typeof other === "string" && type !== "parent-child" ? [other] : [];
  });
  return [...new Set(ids)];
}
