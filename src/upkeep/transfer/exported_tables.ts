/** The tables that an export holds, how their rows are written, and the tables that no export holds. */

/** The layout of the lines; a later layout has another number. */
export const EXPORT_FORMAT = 1;

/** What export and import know of a table. */
interface ExportedTable {
  /** The type of its lines. */
  readonly type: string;
  /** The name of the number of its rows, in the last line of an export and in reports. */
  readonly count: string;
  readonly table: string;
  /** The columns that name a row; null where only a number does: it means nothing in another database. */
  readonly key: readonly string[] | null;
  /** Without a key: two rows are the same if these columns are. The time comes first, the content last. */
  readonly sameBy?: readonly string[];
  /** When a row was last written: a column, an expression, or the UUIDv7 in `id`; null where the row has no time. */
  readonly time: string | null;
  /** Whether an import replaces an older row. The latest of its times is the version of a row. */
  readonly isReplaced: boolean;
  /** Whether rows have a rowid. A table without one is read in one go. */
  readonly hasNumbers: boolean;
  /** Whether rows belong to a session. The export of one session has no rows of other tables. */
  readonly ofSession: boolean;
  /** Columns with JSON whose keys are ours: a `claimToken` is a number, and no secret. */
  readonly json: readonly string[];
  /** Columns with JSON whose keys anybody may choose: a `password` is a secret. */
  readonly foreignJson: readonly string[];
  /** The column that names the row which this one belongs to. An import takes both or none. */
  readonly owner?: readonly [column: string, type: string];
}

type CountOf<Type extends string> = Type extends `${infer Stem}y` ? `${Stem}ies` : `${Type}s`;

/** A row of the table below. @param key Its columns with spaces between; null where a number names a row. */
function row<const Type extends string>(
  [type, table]: readonly [type: Type, table: string],
  key: string | null,
  time: string | null,
  more: Partial<Omit<ExportedTable, "type" | "count">> = {},
): ExportedTable & { readonly type: Type; readonly count: CountOf<Type> } {
  const count = `${type}s`.replace(/ys$/, "ies") as CountOf<Type>;
  return {
    ...{ hasNumbers: true, ofSession: false, json: [], foreignJson: [] },
    isReplaced: key !== null && time !== null && time !== "id",
    ...{ ...more, type, count, table, key: key?.split(" ") ?? null, time },
  };
}

const OF_SESSION = { ofSession: true } as const;
const OF_TASK = { owner: ["task_id", "task"] } as const;
const NO_NUMBERS = { hasNumbers: false } as const;
const UPDATED = "updated_at_ms";
const QUESTION_TIME =
  "max(created_at_ms, coalesce(answered_at_ms, 0), coalesce(resolved_at_ms, 0))";

/** Every exported table, in the order that an import needs: rows come after the rows that they refer to. */
export const EXPORTED_TABLES = [
  row(["session", "sessions"], "session_id", UPDATED, OF_SESSION),
  row(["execution", "hook_executions"], "id", "id", { ...OF_SESSION, foreignJson: ["metadata"] }),
  // `observed_files` is a list of its rows of `observation_files`.
  row(["observation", "observations"], "uid", UPDATED, {
    ...OF_SESSION,
    json: ["files", "observed_files"],
    foreignJson: ["facts"],
  }),
  row(["capture", "pending_queue"], "id", "id", { ...OF_SESSION, json: ["files_touched"] }),
  row(["task", "tasks"], "id", UPDATED),
  row(["taskChange", "task_history"], null, "changed_at_ms", {
    ...OF_TASK,
    sameBy: ["changed_at_ms", "task_id", "changed_by", "changes"],
    json: ["changes"],
  }),
  row(["agent", "agents"], "id", UPDATED, { ...OF_SESSION, json: ["command"] }),
  row(["workflow", "workflows"], "id", UPDATED, { json: ["definition"] }),
  row(["question", "questions"], "id", QUESTION_TIME, { ...OF_SESSION, json: ["options"] }),
  row(["event", "events"], null, "created_at_ms", {
    sameBy: ["created_at_ms", "entity_id", "type", "entity_type", "data"],
    json: ["data"],
    owner: ["entity_id", ""],
  }),
  row(["counter", "counters"], "session_id type", UPDATED, { ...NO_NUMBERS, ...OF_SESSION }),
  row(["requirement", "requirements"], "repository branch requirement session_id", UPDATED, {
    ...NO_NUMBERS,
    ...OF_SESSION,
    foreignJson: ["metadata"],
  }),
  row(["taskTag", "task_tags"], "task_id tag", null, { ...NO_NUMBERS, ...OF_TASK }),
  row(["taskDependency", "task_dependencies"], "task_id depends_on", null, {
    ...NO_NUMBERS,
    ...OF_TASK,
  }),
  row(
    ["workflowStep", "workflow_steps"],
    "workflow_id key attempt",
    "max(started_at_ms, coalesce(ended_at_ms, 0))",
    { ...NO_NUMBERS, json: ["outcome"], owner: ["workflow_id", "workflow"] },
  ),
  row(["summaryRequest", "sessions_to_summarize"], "session_id", null, {
    ...NO_NUMBERS,
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

/** Zero rows of each kind. */
export function noCounts(): Record<CountName, number> {
  return Object.fromEntries(EXPORTED_TABLES.map(({ count }) => [count, 0])) as Record<
    CountName,
    number
  >;
}

/** The field of a line for a column. A line has its own `type`, so a column `type` becomes `taskType` and so on. */
export function fieldOf(type: ExportType, column: string): string {
  return column === "type"
    ? `${type}Type`
    : column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The column for a field: the inverse of {@linkcode fieldOf}. */
export function columnOf(type: ExportType, field: string): string {
  return field === `${type}Type`
    ? "type"
    : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Tables that no export has, and why. The rows of `observation_files` are in the lines of the observations. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  config_cache: "read anew from the configuration files",
  branch_sizes: "measured anew",
  meta: "describes this one database, not its content",
  pauses: "lifts a rule in one session for a while; only the person of that session decides this",
  root_snapshots: "what the stop of a running session compares its folder with",
  trusted_folders: "folders of this one machine that a person trusts",
  session_processes: "processes of this one machine",
  person_tokens: "tokens that scripts of a person on this one machine show",
  prompt_queues: "how much a running session was told",
  forget_receipts: "describes this one database: what a person had removed from it",
  forgotten: "names what must not come back into this one database",
  summarizer_runs: "what this machine spent on summaries; its budget is counted by it",
  memory_index: "triggers of the observations fill it",
};
