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

const USUAL = {
  hasNumbers: true,
  ofSession: false,
  json: [],
  foreignJson: [],
  isReplaced: false,
} as const;
const WITHOUT_NUMBERS = { ...USUAL, hasNumbers: false } as const;
const OF_TASK = { owner: ["task_id", "task"] } as const;

/** Every exported table, in the order in which an import wants them: what is referred to comes first. */
export const EXPORTED_TABLES = [
  {
    ...USUAL,
    type: "session",
    count: "sessions",
    table: "sessions",
    key: ["session_id"],
    order: "started_at_ms, session_id",
    time: "updated_at_ms",
    ofSession: true,
    isReplaced: true,
  },
  {
    ...USUAL,
    type: "execution",
    count: "executions",
    table: "hook_executions",
    key: ["id"],
    time: "id",
    ofSession: true,
    foreignJson: ["metadata"],
  },
  {
    // Its rows of `observation_files` come along in a column of their own, `observed_files`.
    ...USUAL,
    type: "observation",
    count: "observations",
    table: "observations",
    key: ["uid"],
    time: "updated_at_ms",
    ofSession: true,
    json: ["files", "observed_files"],
    foreignJson: ["facts"],
    isReplaced: true,
  },
  {
    ...USUAL,
    type: "capture",
    count: "captures",
    table: "pending_queue",
    key: ["id"],
    time: "id",
    ofSession: true,
    json: ["files_touched"],
  },
  {
    ...USUAL,
    type: "task",
    count: "tasks",
    table: "tasks",
    key: ["id"],
    order: "created_at_ms, id",
    time: "updated_at_ms",
    isReplaced: true,
  },
  {
    ...USUAL,
    ...OF_TASK,
    type: "taskChange",
    count: "taskChanges",
    table: "task_history",
    key: null,
    sameBy: ["changed_at_ms", "task_id", "changed_by", "changes"],
    time: "changed_at_ms",
    json: ["changes"],
  },
  {
    ...USUAL,
    type: "agent",
    count: "agents",
    table: "agents",
    key: ["id"],
    order: "created_at_ms, id",
    time: "updated_at_ms",
    ofSession: true,
    json: ["command"],
    isReplaced: true,
  },
  {
    ...USUAL,
    type: "workflow",
    count: "workflows",
    table: "workflows",
    key: ["id"],
    order: "created_at_ms, id",
    time: "updated_at_ms",
    json: ["definition"],
    isReplaced: true,
  },
  {
    ...USUAL,
    type: "question",
    count: "questions",
    table: "questions",
    key: ["id"],
    order: "created_at_ms, id",
    time: "max(created_at_ms, coalesce(answered_at_ms, 0), coalesce(resolved_at_ms, 0))",
    ofSession: true,
    json: ["options"],
    isReplaced: true,
  },
  {
    ...USUAL,
    type: "event",
    count: "events",
    table: "events",
    key: null,
    sameBy: ["created_at_ms", "entity_id", "type", "entity_type", "data"],
    time: "created_at_ms",
    json: ["data"],
    owner: ["entity_id", ""],
  },
  {
    ...WITHOUT_NUMBERS,
    type: "counter",
    count: "counters",
    table: "counters",
    key: ["session_id", "type"],
    time: "updated_at_ms",
    ofSession: true,
    isReplaced: true,
  },
  {
    ...WITHOUT_NUMBERS,
    type: "requirement",
    count: "requirements",
    table: "requirements",
    key: ["repository", "branch", "requirement", "session_id"],
    time: "updated_at_ms",
    ofSession: true,
    foreignJson: ["metadata"],
    isReplaced: true,
  },
  {
    ...WITHOUT_NUMBERS,
    ...OF_TASK,
    type: "taskTag",
    count: "taskTags",
    table: "task_tags",
    key: ["task_id", "tag"],
    time: null,
  },
  {
    ...WITHOUT_NUMBERS,
    ...OF_TASK,
    type: "taskDependency",
    count: "taskDependencies",
    table: "task_dependencies",
    key: ["task_id", "depends_on"],
    time: null,
  },
  {
    ...WITHOUT_NUMBERS,
    type: "workflowStep",
    count: "workflowSteps",
    table: "workflow_steps",
    key: ["workflow_id", "key", "attempt"],
    order: "workflow_id, started_at_ms, key, attempt",
    time: "max(started_at_ms, coalesce(ended_at_ms, 0))",
    json: ["outcome"],
    isReplaced: true,
    owner: ["workflow_id", "workflow"],
  },
  {
    ...WITHOUT_NUMBERS,
    type: "summaryRequest",
    count: "summaryRequests",
    table: "sessions_to_summarize",
    key: ["session_id"],
    time: null,
    ofSession: true,
  },
] as const satisfies readonly ExportedTable[];

/** What a line of an export is. */
export type ExportType = typeof EXPORTED_TABLES[number]["type"];

/** The name of the count of one kind of row. */
export type CountName = typeof EXPORTED_TABLES[number]["count"];

const BY_TYPE: ReadonlyMap<string, ExportedTable> = new Map(
  EXPORTED_TABLES.map((one) => [one.type, one]),
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
