/** The database of claude-mem, or of claude-mem-lite, only read. Which columns it has depends on the version that made it. */
import { DatabaseSync } from "node:sqlite";
import {
  isLite,
  LITE_TABLES,
  liteSource,
  type LiteTable,
  type RowSource,
} from "./claude_mem_lite.ts";
import { isDamage } from "./export_salvage.ts";
import { openToLook } from "./identity.ts";

/** Tables that hold what claude-mem remembers; none of one program is one of the other. */
export const CLAUDE_MEM_TABLES = [
  "observations",
  "session_summaries",
  "user_prompts",
  ...LITE_TABLES,
] as const;

/** One of {@linkcode CLAUDE_MEM_TABLES}. */
export type ClaudeMemTable = typeof CLAUDE_MEM_TABLES[number];

/** A row of claude-mem, with the texts of the columns that its table has. */
export interface ClaudeMemRow {
  readonly table: ClaudeMemTable;
  readonly id: number | string;
  /** The session of Claude Code, where that is known; else the one that claude-mem had for it. */
  readonly sessionId: string;
  /** The name of the folder that the session worked in, or its whole path; empty when it is not known. */
  readonly project: string;
  /** As it is stored: epoch milliseconds, or seconds, and the same as text; null where there is none. */
  readonly epoch: number | null;
  readonly createdAt: string | null;
  /** Null where a column is empty, or its table has none of this name. */
  readonly texts: Readonly<Record<string, string | null>>;
}

/** The columns whose texts are wanted. */
const TEXTS: Readonly<Record<Exclude<ClaudeMemTable, LiteTable>, readonly string[]>> = {
  observations: [
    "type",
    "title",
    "subtitle",
    "text",
    "narrative",
    "facts",
    "concepts",
    "files_read",
    "files_modified",
  ],
  session_summaries: [
    "request",
    "investigated",
    "learned",
    "completed",
    "next_steps",
    "notes",
    "files_read",
    "files_edited",
  ],
  user_prompts: ["prompt_text"],
};

/** What the two ids of a session are called, newest name first: that of claude-mem's own, and that of Claude Code. */
const OWN_ID = ["memory_session_id", "sdk_session_id"];
const CLAUDE_ID = ["content_session_id", "claude_session_id"];

const BATCH = 200;

/**
 * Opens another program's database for reading, so that closing it leaves it, and the files beside it, as they were. The
 * caller must close it.
 *
 * @throws {Error} What SQLite says.
 */
export function openForeign(path: string): DatabaseSync {
  // Whoever may write rolls back what a program that died had begun.
  return isFilled(`${path}-journal`)
    ? new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    : openToLook(path);
}

function isFilled(path: string): boolean {
  try {
    return Deno.statSync(path).size > 0;
  } catch {
    return false;
  }
}

/** The tables of claude-mem, or of claude-mem-lite, that a database has; none in any other one. @throws {Error} What SQLite says. */
export function claudeMemTables(db: DatabaseSync): ClaudeMemTable[] {
  return CLAUDE_MEM_TABLES.filter((table) => sourceOf(db, table) !== null);
}

/** How many rows of each project there are, by name. @throws {Error} What SQLite says. */
export function claudeMemProjects(
  db: DatabaseSync,
  tables: readonly ClaudeMemTable[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const table of tables) {
    const { project, from, where } = sourceOf(db, table)!;
    const rows = db.prepare(
      `SELECT ${project} AS name, count(*) AS n
         FROM ${from}
        WHERE ${where}
        GROUP BY name`,
    ).all();
    for (const { name, n } of rows) {
      counts.set(String(name), (counts.get(String(name)) ?? 0) + Number(n));
    }
  }
  return counts;
}

/**
 * The rows of a table, oldest first, some at a time.
 *
 * @returns Whether the last row was reached: a damaged page may be in the way.
 */
export function* claudeMemRows(
  db: DatabaseSync,
  table: ClaudeMemTable,
): Generator<readonly ClaudeMemRow[], boolean> {
  const { session, project, epoch, createdAt, texts, from, where } = sourceOf(db, table)!;
  const statement = db.prepare(
    `SELECT row.rowid AS place, row.id, ${session} AS session, ${project} AS project, ${epoch} AS epoch, ${createdAt} AS created_at,
            ${texts.map((name) => `row.${name}`).join(", ")}
       FROM ${from}
      WHERE row.rowid > ?
        AND ${where}
      ORDER BY row.rowid
      LIMIT ${BATCH}`,
  );
  // No number may keep the others from being read.
  statement.setReadBigInts(true);
  for (let last = 0;;) {
    let rows: Record<string, unknown>[];
    try {
      rows = statement.all(last);
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      return false;
    }
    if (rows.length === 0) return true;
    last = Number(rows.at(-1)!["place"]);
    yield rows.map((row) => ({
      table,
      id: typeof row["id"] === "bigint" ? Number(row["id"]) : String(row["id"]),
      sessionId: String(row["session"] ?? ""),
      project: String(row["project"]),
      epoch: row["epoch"] === null ? null : Number(row["epoch"]),
      createdAt: textOrNull(row["created_at"]),
      texts: Object.fromEntries(
        texts.map((name) => [name, textOrNull(row[name])]),
      ),
    }));
  }
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined || value instanceof Uint8Array
    ? null
    : String(value);
}

/** Parts of a statement over a table as this database has it; null when it has none, or none of claude-mem. */
function sourceOf(db: DatabaseSync, table: ClaudeMemTable): RowSource | null {
  if (isLite(table)) return liteSource(table, (name) => columnsOf(db, name));
  const own = columnsOf(db, table);
  const sessions = columnsOf(db, "sdk_sessions");
  const names = table === "user_prompts" ? CLAUDE_ID : OWN_ID;
  const id = names.find((name) => own.has(name));
  if (id === undefined || !own.has("id")) return null;
  const key = names.find((name) => sessions.has(name));
  const claudeId = CLAUDE_ID.find((name) => sessions.has(name));
  const of = (column: string | undefined) =>
    key === undefined || column === undefined || !sessions.has(column)
      ? "NULL"
      : `(SELECT s.${column} FROM sdk_sessions AS s WHERE s.${key} = row.${id} LIMIT 1)`;
  const first = (...values: readonly string[]) => `coalesce(${values.join(", ")}, '')`;
  const has = (column: string) => own.has(column) ? `row.${column}` : "NULL";
  return {
    session: first(of(claudeId), `row.${id}`),
    project: first(has("merged_into_project"), has("project"), of("project")),
    epoch: has("created_at_epoch"),
    createdAt: has("created_at"),
    texts: TEXTS[table].filter((name) => own.has(name)),
    from: `${table} AS row`,
    where: "TRUE",
  };
}

function columnsOf(db: DatabaseSync, table: string): ReadonlySet<string> {
  const rows = db.prepare("SELECT name FROM pragma_table_info(?)").all(table);
  return new Set(rows.map((row) => String(row["name"])));
}
