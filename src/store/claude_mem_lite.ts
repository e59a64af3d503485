/** How the tables of claude-mem-lite are read: another program than claude-mem, in the same place. */
import { NO_SESSION } from "../memory/observation.ts";

/** What it remembers, in its tables `observations`, `sessions` and `learnings`. */
export const LITE_TABLES = ["lite_observations", "lite_sessions", "lite_learnings"] as const;

/** One of {@linkcode LITE_TABLES}. */
export type LiteTable = typeof LITE_TABLES[number];

/** Parts of a statement over a table, whose rows are called `row`. */
export interface RowSource {
  readonly session: string;
  readonly project: string;
  readonly epoch: string;
  readonly createdAt: string;
  /** Columns. */
  readonly texts: readonly string[];
  readonly from: string;
  readonly where: string;
}

/** The columns whose texts are wanted, and those without which it is no table of claude-mem-lite. */
const TEXTS: Readonly<Record<LiteTable, readonly string[]>> = {
  lite_observations: [
    "tool_name",
    "title",
    "summary",
    "detail",
    "files_touched",
    "functions_changed",
  ],
  lite_sessions: ["summary"],
  lite_learnings: ["category", "content"],
};
const NEEDED: Readonly<Record<LiteTable, readonly string[]>> = {
  lite_observations: ["id", "session_id", "title"],
  lite_sessions: ["id", "project_dir", "summary"],
  lite_learnings: ["id", "content"],
};

/** Whether a table is one of claude-mem-lite. */
export function isLite(table: string): table is LiteTable {
  return (LITE_TABLES as readonly string[]).includes(table);
}

/**
 * Parts of a statement over a table as this database has it; null when it has none, or is of another program.
 *
 * What a row is known by must not change while claude-mem-lite goes on: so a summary has the time at which its session
 * began, and a learning, which is of more and more sessions, none of them.
 *
 * @param columnsOf The columns of a table; none when there is no such table.
 */
export function liteSource(
  table: LiteTable,
  columnsOf: (table: string) => ReadonlySet<string>,
): RowSource | null {
  const name = table.slice("lite_".length);
  const own = columnsOf(name);
  const sessions = columnsOf("sessions");
  const isIts = sessions.has("id") && sessions.has("project_dir") &&
    NEEDED[table].every((column) => own.has(column));
  if (!isIts) return null;
  const has = (column: string) => own.has(column) ? `row.${column}` : "NULL";
  const ofSession = (column: string) =>
    sessions.has(column)
      ? `(SELECT s.${column} FROM sessions AS s WHERE s.id = row.session_id LIMIT 1)`
      : "NULL";
  const shared = {
    epoch: "NULL",
    texts: TEXTS[table].filter((column) => own.has(column)),
    from: `${name} AS row`,
    where: "TRUE",
  };
  if (table === "lite_observations") {
    return {
      ...shared,
      session: "row.session_id",
      project: `coalesce(${ofSession("project_dir")}, '')`,
      createdAt: `coalesce(${has("created_at")}, ${ofSession("started_at")})`,
    };
  }
  if (table === "lite_sessions") {
    return {
      ...shared,
      session: "row.id",
      project: "coalesce(row.project_dir, '')",
      createdAt: `coalesce(${has("started_at")}, ${has("ended_at")})`,
      where: "row.summary IS NOT NULL",
    };
  }
  const sources = own.has("source_sessions")
    ? "iif(json_valid(row.source_sessions), row.source_sessions, '[]')"
    : "'[]'";
  return {
    ...shared,
    session: `'${NO_SESSION}'`,
    project: `coalesce((
             SELECT iif(count(DISTINCT s.project_dir) = 1, min(s.project_dir), NULL)
               FROM json_each(${sources}) AS source
               JOIN sessions AS s ON s.id = source.value), '')`,
    createdAt: has("created_at"),
    where: `coalesce(${has("is_active")}, 1) <> 0`,
  };
}
