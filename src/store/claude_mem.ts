/** Reads the database of claude-mem, or of claude-mem-lite. Which columns it has depends on the version that made it. */
import { DatabaseSync } from "node:sqlite";
import { NO_SESSION } from "../memory/observation.ts";
import { isDamage } from "./export_salvage.ts";
import { openToLook } from "./identity.ts";

/** The tables that are read; those of claude-mem-lite, which has some of the same names, begin with `lite_`. */
export const CLAUDE_MEM_TABLES = [
  "observations",
  "session_summaries",
  "user_prompts",
  "lite_observations",
  "lite_sessions",
  "lite_learnings",
] as const;

/** One of {@linkcode CLAUDE_MEM_TABLES}. */
export type ClaudeMemTable = typeof CLAUDE_MEM_TABLES[number];

/** A row with all its columns; of what stands here by itself a version may have none. */
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
  /** Null, or missing, where a column is empty or there is none of this name. */
  readonly texts: Readonly<Record<string, string | null>>;
}

/** What the two ids of a session are called, newest name first: that of claude-mem's own, and that of Claude Code. */
const OWN_ID = "memory_session_id|sdk_session_id";
const CLAUDE_ID = "content_session_id|claude_session_id";

/**
 * How a table is read. In the SQL, `{a|b}` stands for the first of these columns that the table has, else NULL;
 * `{s:a|b}` for such a column of the row's session.
 */
interface Source {
  /** Columns without which it is a table of another program, and those of the sessions. */
  readonly needs: readonly string[];
  readonly sessionsNeed: readonly string[];
  /** The table of the sessions, its key, and the column that names one. */
  readonly sessions: string;
  readonly key: string;
  readonly of: string;
  readonly session: string;
  readonly project: string;
  readonly epoch: string;
  readonly createdAt: string;
  readonly where: string;
}

const MEM = {
  needs: ["id", OWN_ID],
  sessionsNeed: [],
  sessions: "sdk_sessions",
  key: OWN_ID,
  of: OWN_ID,
  session: `coalesce({s:${CLAUDE_ID}}, {${OWN_ID}}, '')`,
  project: "coalesce({merged_into_project}, {project}, {s:project}, '')",
  epoch: "{created_at_epoch}",
  createdAt: "{created_at}",
  where: "TRUE",
};
const LITE = {
  ...MEM,
  sessionsNeed: ["id", "project_dir"],
  sessions: "sessions",
  key: "id",
  of: "session_id",
  epoch: "NULL",
};

/**
 * What a row of claude-mem-lite is known by must not change while that program goes on: so a summary has the time at
 * which its session began, and a learning, which is of more and more sessions, has none of them.
 */
const SOURCES: Readonly<Record<ClaudeMemTable, Source>> = {
  observations: MEM,
  session_summaries: MEM,
  user_prompts: {
    ...MEM,
    needs: ["id", CLAUDE_ID],
    key: CLAUDE_ID,
    of: CLAUDE_ID,
    session: `coalesce({s:${CLAUDE_ID}}, {${CLAUDE_ID}}, '')`,
  },
  lite_observations: {
    ...LITE,
    needs: ["id", "session_id", "title"],
    session: "{session_id}",
    project: "coalesce({s:project_dir}, '')",
    createdAt: "coalesce({created_at}, {s:started_at})",
  },
  lite_sessions: {
    ...LITE,
    needs: ["id", "project_dir", "summary"],
    session: "{id}",
    project: "coalesce({project_dir}, '')",
    createdAt: "coalesce({started_at}, {ended_at})",
    where: "{summary} IS NOT NULL",
  },
  lite_learnings: {
    ...LITE,
    needs: ["id", "content"],
    session: `'${NO_SESSION}'`,
    project: `coalesce((
             SELECT iif(count(DISTINCT s.project_dir) = 1, min(s.project_dir), NULL)
               FROM json_each(iif(json_valid({source_sessions}), {source_sessions}, '[]')) AS source
               JOIN sessions AS s ON s.id = source.value), '')`,
    where: "coalesce({is_active}, 1) <> 0",
  },
};

const BATCH = 200;

/**
 * Opens another program's database for reading, so that closing it leaves it, and the files beside it, as they were. The
 * caller must close it.
 *
 * @throws {Error} What SQLite says.
 */
export function openForeign(path: string): DatabaseSync {
  // Only a connection that may write rolls back what a program that died had begun.
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

/** The tables that a database has; none where it is of another program. @throws {Error} What SQLite says. */
export function claudeMemTables(db: DatabaseSync): ClaudeMemTable[] {
  return CLAUDE_MEM_TABLES.filter((table) => sourceOf(db, table) !== null);
}

/** The other tables of a database that have rows: nothing of them is read. @throws {Error} What SQLite says. */
export function otherTables(db: DatabaseSync): string[] {
  return db.prepare(
    `SELECT name
       FROM pragma_table_list
      WHERE schema = 'main'
        AND type = 'table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY name`,
  ).all().map(({ name }) => String(name)).filter((name) =>
    !["sdk_sessions", "sessions"].includes(name) &&
    CLAUDE_MEM_TABLES.every((table) => nameOf(table) !== name) &&
    db.prepare(`SELECT 1 FROM "${name.replaceAll('"', '""')}" LIMIT 1`).get() !== undefined
  );
}

/** The names of the projects, those with the most rows first. @throws {Error} What SQLite says. */
export function claudeMemProjects(
  db: DatabaseSync,
  tables: readonly ClaudeMemTable[],
): string[] {
  const counts = new Map<string, number>();
  for (const table of tables) {
    const { project, where } = sourceOf(db, table)!;
    const rows = db.prepare(
      `SELECT ${project} AS name, count(*) AS n
         FROM ${nameOf(table)} AS row
        WHERE ${where}
        GROUP BY name`,
    ).all();
    for (const { name, n } of rows) {
      counts.set(String(name), (counts.get(String(name)) ?? 0) + Number(n));
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/**
 * The rows of a table, oldest first.
 *
 * @returns Whether the last row was reached: a damaged page may be in the way.
 */
export function* claudeMemRows(
  db: DatabaseSync,
  table: ClaudeMemTable,
): Generator<ClaudeMemRow, boolean> {
  const { session, project, epoch, createdAt, where } = sourceOf(db, table)!;
  const statement = db.prepare(
    `SELECT row.*, row.rowid AS "0place", ${session} AS "0session", ${project} AS "0project",
            ${epoch} AS "0epoch", ${createdAt} AS "0created"
       FROM ${nameOf(table)} AS row
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
    last = Number(rows.at(-1)!["0place"]);
    for (const row of rows) {
      yield {
        table,
        id: typeof row["id"] === "bigint" ? Number(row["id"]) : String(row["id"]),
        sessionId: String(row["0session"] ?? ""),
        project: String(row["0project"]),
        epoch: row["0epoch"] === null ? null : Number(row["0epoch"]),
        createdAt: textOrNull(row["0created"]),
        texts: Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, textOrNull(value)]),
        ),
      };
    }
  }
}

function textOrNull(value: unknown): string | null {
  return value == null || value instanceof Uint8Array ? null : String(value);
}

function nameOf(table: ClaudeMemTable): string {
  return table.replace(/^lite_/, "");
}

function columnsOf(db: DatabaseSync, table: string): ReadonlySet<string> {
  const rows = db.prepare("SELECT name FROM pragma_table_info(?)").all(table);
  return new Set(rows.map((row) => String(row["name"])));
}

/** How a table of this database is read; null when it has none, or one of another program. */
function sourceOf(db: DatabaseSync, table: ClaudeMemTable): Source | null {
  const source = SOURCES[table];
  const own = columnsOf(db, nameOf(table));
  const sessions = columnsOf(db, source.sessions);
  const first = (names: string, columns: ReadonlySet<string>) =>
    names.split("|").find((name) => columns.has(name));
  const isIts = source.needs.every((names) => first(names, own) !== undefined) &&
    source.sessionsNeed.every((name) => sessions.has(name));
  if (!isIts) return null;
  const [key, of] = [first(source.key, sessions), first(source.of, own)];
  const filled = (sql: string) =>
    sql.replace(/\{(s:)?([\w|]+)\}/g, (_, inSession, names) => {
      const column = first(names, inSession ? sessions : own);
      if (column === undefined || (inSession && key === undefined)) return "NULL";
      return inSession
        ? `(SELECT s.${column} FROM ${source.sessions} AS s WHERE s.${key} = row.${of} LIMIT 1)`
        : `row.${column}`;
    });
  const { session, project, epoch, createdAt, where } = source;
  return {
    ...source,
    session: filled(session),
    project: filled(project),
    epoch: filled(epoch),
    createdAt: filled(createdAt),
    where: filled(where),
  };
}

/** A project that a session was seen in. */
export interface SeenProject {
  /** The common git directory, or the folder where there is none. */
  readonly project: string;
  readonly projectDir: string;
}

/** Every project that a session was seen in, with each folder of it. */
export function seenProjects(db: DatabaseSync): SeenProject[] {
  return db.prepare(
    `SELECT DISTINCT coalesce(repository, project_dir) AS project, project_dir AS projectDir
       FROM sessions
      WHERE project_dir IS NOT NULL
      ORDER BY project, projectDir`,
  ).all() as unknown as SeenProject[];
}
