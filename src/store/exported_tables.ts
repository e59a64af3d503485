/** The tables of which an export has every row, how their rows are written, and the tables of which it has none. */

/** The layout of the lines; a later layout has another number. */
export const EXPORT_FORMAT = 1;

/** What an export and an import know of a table. */
interface ExportedTable {
  /** The type of its lines. */
  readonly type: string;
  /** How the last line of an export, and reports, call the number of its rows. */
  readonly count: string;
  readonly table: string;
  /** The columns that name a row; null where only a number does, which means nothing in another database. */
  readonly key: readonly string[] | null;
  /** Without a key: the columns that make two rows the same, first the time, last what the row tells. */
  readonly sameBy?: readonly string[];
  /** The order of its rows, where that is not the order of the key, or of the number. */
  readonly order?: string;
  /** When a row was written last: a column, an expression, or a UUIDv7 in `id`; null where the row does not tell. */
  readonly time: string | null;
  /** Whether rows have numbers. Those without are read in one go, so a damaged page costs all that cannot be read so. */
  readonly hasNumbers: boolean;
  /** Whether rows belong to a session: of other tables nothing is in the export of one session. */
  readonly ofSession: boolean;
  /** Columns with JSON whose keys are ours: a `claimToken` is a number that counts, and no secret. */
  readonly json: readonly string[];
  /** Columns with JSON whose keys are anybody's: a `password` is a secret. */
  readonly foreignJson: readonly string[];
  /** Whether an import replaces a row that is older here. The version of a row is the latest of its times. */
  readonly isReplaced: boolean;
  /** The column that names the row which this one belongs to: it comes only together with that one's version. */
  readonly owner?: readonly [column: string, type: string];
}

/** A row of the table below; what is not said is as usual. @param key Null where a number names a row. */
function row<const Type extends string, const Count extends string>(
  [type, count, table]: readonly [type: Type, count: Count, table: string],
  key: string | null,
  time: string | null,
  more: Partial<Omit<ExportedTable, "type" | "count">> = {},
): ExportedTable & { readonly type: Type; readonly count: Count } {
  const usual = {
    hasNumbers: true,
    ofSession: false,
    json: [],
    foreignJson: [],
    isReplaced: time === "updated_at_ms",
  };
  return { ...usual, ...more, type, count, table, key: key?.split(" ") ?? null, time };
}

const OF_SESSION = { ofSession: true } as const;
const OF_TASK = { owner: ["task_id", "task"] } as const;
const WITHOUT_NUMBERS = { hasNumbers: false } as const;
const BY_AGE = { order: "created_at_ms, id" } as const;
const UPDATED = "updated_at_ms";

/** Every exported table, in the order in which an import wants them: what is referred to comes first. */
export const EXPORTED_TABLES = [
  row(["session", "sessions", "sessions"], "session_id", UPDATED, {
    ...OF_SESSION,
    order: "started_at_ms, session_id",
  }),
  row(["execution", "executions", "hook_executions"], "id", "id", {
    ...OF_SESSION,
    foreignJson: ["metadata"],
  }),
  // Its rows of `observation_files` come along in a column of their own, `observed_files`.
  row(["observation", "observations", "observations"], "uid", UPDATED, {
    ...OF_SESSION,
    order: "id",
    json: ["files", "observed_files"],
    foreignJson: ["facts"],
  }),
  row(["capture", "captures", "pending_queue"], "id", "id", {
    ...OF_SESSION,
    json: ["files_touched"],
  }),
  row(["task", "tasks", "tasks"], "id", UPDATED, BY_AGE),
  row(["taskChange", "taskChanges", "task_history"], null, "changed_at_ms", {
    ...OF_TASK,
    sameBy: ["changed_at_ms", "task_id", "changed_by", "changes"],
    json: ["changes"],
  }),
  row(["agent", "agents", "agents"], "id", UPDATED, {
    ...OF_SESSION,
    ...BY_AGE,
    json: ["command"],
  }),
  row(["workflow", "workflows", "workflows"], "id", UPDATED, { ...BY_AGE, json: ["definition"] }),
  row(
    ["question", "questions", "questions"],
    "id",
    "max(created_at_ms, coalesce(answered_at_ms, 0), coalesce(resolved_at_ms, 0))",
    { ...OF_SESSION, ...BY_AGE, json: ["options"], isReplaced: true },
  ),
  row(["event", "events", "events"], null, "created_at_ms", {
    sameBy: ["created_at_ms", "entity_id", "type", "entity_type", "data"],
    json: ["data"],
    owner: ["entity_id", ""],
  }),
  row(["counter", "counters", "counters"], "session_id type", UPDATED, {
    ...WITHOUT_NUMBERS,
    ...OF_SESSION,
  }),
  row(
    ["requirement", "requirements", "requirements"],
    "repository branch requirement session_id",
    UPDATED,
    { ...WITHOUT_NUMBERS, ...OF_SESSION, foreignJson: ["metadata"] },
  ),
  row(["taskTag", "taskTags", "task_tags"], "task_id tag", null, {
    ...WITHOUT_NUMBERS,
    ...OF_TASK,
  }),
  row(["taskDependency", "taskDependencies", "task_dependencies"], "task_id depends_on", null, {
    ...WITHOUT_NUMBERS,
    ...OF_TASK,
  }),
  row(
    ["workflowStep", "workflowSteps", "workflow_steps"],
    "workflow_id key attempt",
    "max(started_at_ms, coalesce(ended_at_ms, 0))",
    {
      ...WITHOUT_NUMBERS,
      order: "workflow_id, started_at_ms, key, attempt",
      json: ["outcome"],
      isReplaced: true,
      owner: ["workflow_id", "workflow"],
    },
  ),
  row(["summaryRequest", "summaryRequests", "sessions_to_summarize"], "session_id", null, {
    ...WITHOUT_NUMBERS,
    ...OF_SESSION,
  }),
];

/** What a line of an export is. */
export type ExportType = typeof EXPORTED_TABLES[number]["type"];

/** The name of the count of one kind of row. */
export type CountName = typeof EXPORTED_TABLES[number]["count"];

const BY_TYPE: ReadonlyMap<string, ExportedTable> = new Map(
  EXPORTED_TABLES.map((one): [string, ExportedTable] => [one.type, one]),
);

/** What is known of the table of a type. */
export function tableOf(type: ExportType): ExportedTable & { readonly count: CountName } {
  return BY_TYPE.get(type) as ExportedTable & { readonly count: CountName };
}

/** Whether lines of an export can be of this type. */
export function isExportType(type: string): type is ExportType {
  return BY_TYPE.has(type);
}

/** No rows of any kind. */
export function noCounts(): Record<CountName, number> {
  return Object.fromEntries(EXPORTED_TABLES.map(({ count }) => [count, 0])) as Record<
    CountName,
    number
  >;
}

/** The field of a line that a column becomes. A column `type` gives way to the type of the line: `taskType`. */
export function fieldOf(type: ExportType, column: string): string {
  return column === "type"
    ? `${type}Type`
    : column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The column that a field was: the other direction of {@linkcode fieldOf}. */
export function columnOf(type: ExportType, field: string): string {
  return field === `${type}Type`
    ? "type"
    : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

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
