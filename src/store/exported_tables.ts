/** The tables of which an export has every row, and those of which it has none. */

/** A table, its key, the order of its rows, and the column that says when one of them was written. */
export const TABLES = [
  {
    type: "session",
    table: "sessions",
    key: "session_id",
    order: "started_at_ms, session_id",
    time: "updated_at_ms",
  },
  { type: "execution", table: "hook_executions", key: "id", order: "id", time: "id" },
  // Before the captures, which name them.
  { type: "observation", table: "observations", key: "uid", order: "id", time: "updated_at_ms" },
  { type: "capture", table: "pending_queue", key: "id", order: "id", time: "id" },
  { type: "task", table: "tasks", key: "id", order: "created_at_ms, id", time: "updated_at_ms" },
  { type: "taskChange", table: "task_history", key: null, order: "id", time: "changed_at_ms" },
  { type: "agent", table: "agents", key: "id", order: "created_at_ms, id", time: "updated_at_ms" },
  {
    type: "workflow",
    table: "workflows",
    key: "id",
    order: "created_at_ms, id",
    time: "updated_at_ms",
  },
  {
    type: "question",
    table: "questions",
    key: "id",
    order: "created_at_ms, id",
    time: "max(created_at_ms, coalesce(answered_at_ms, 0), coalesce(resolved_at_ms, 0))",
  },
  { type: "event", table: "events", key: null, order: "id", time: "created_at_ms" },
] as const;

/** One of {@linkcode TABLES}. */
export type Table = typeof TABLES[number];

/** Tables without row numbers. They are read in one go, so a damaged page costs what cannot be read so. */
export const SMALL_TABLES = [
  {
    type: "requirement",
    table: "requirements",
    key: ["repository", "branch", "requirement", "session_id"],
    order: "repository, branch, requirement, session_id",
    time: "updated_at_ms",
  },
  {
    type: "taskTag",
    table: "task_tags",
    key: ["task_id", "tag"],
    order: "task_id, tag",
    time: null,
  },
  {
    type: "taskDependency",
    table: "task_dependencies",
    key: ["task_id", "depends_on"],
    order: "task_id, depends_on",
    time: null,
  },
  {
    type: "workflowStep",
    table: "workflow_steps",
    key: ["workflow_id", "key", "attempt"],
    order: "workflow_id, started_at_ms, key, attempt",
    time: "max(started_at_ms, coalesce(ended_at_ms, 0))",
  },
  {
    type: "summaryRequest",
    table: "sessions_to_summarize",
    key: ["session_id"],
    order: "session_id",
    time: null,
  },
] as const;

/** One of {@linkcode SMALL_TABLES}. */
export type SmallTable = typeof SMALL_TABLES[number];

/** What a row is. */
export type ExportType = Table["type"] | "counter" | SmallTable["type"];

/** Tables whose rows belong to a session; of the others nothing is in the export of one. */
export const OF_SESSIONS: ReadonlySet<string> = new Set([
  "sessions",
  "hook_executions",
  "observations",
  "pending_queue",
  "counters",
  "requirements",
  "agents",
  "questions",
  "sessions_to_summarize",
]);

/** What is in no export, and why nobody misses it there. `observation_files` is in the lines of the observations. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  config_cache: "made anew from the files of the configuration",
  branch_sizes: "measured anew",
  meta: "about the one database, not about what is in it",
  pauses: "lifts a rule for a session and a while; who takes an export over has not said that",
  root_snapshots: "what a running session is judged by at its stop, in the folder where it runs",
  trusted_folders: "what a person has said of folders of the one machine",
  session_processes: "processes of the one machine",
  person_tokens: "what a person's scripts on the one machine show",
  prompt_queues: "how far a running session was told something",
  forget_receipts: "about the one database: what was taken out of it",
  forgotten: "names what must not come back into the one database",
  summarizer_runs: "what this machine has spent on summaries, by which its budget is counted",
  memory_index: "made anew from the observations, by their triggers",
};

/** The columns that name a row in its table; null where a number does that is of no meaning elsewhere. */
export function keyOf(
  type: ExportType,
): { readonly table: string; readonly key: readonly string[] | null } {
  if (type === "counter") return { table: "counters", key: ["session_id", "type"] };
  const small = SMALL_TABLES.find((each) => each.type === type);
  if (small !== undefined) return small;
  const { table, key } = TABLES.find((each) => each.type === type)!;
  return { table, key: key === null ? null : [key] };
}
