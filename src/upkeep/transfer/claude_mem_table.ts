/** The memory of claude-mem, or of claude-mem-lite, as observations. Which columns a table has depends on its version. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { normalizeSessionId, UNKNOWN_SESSION_ID } from "../../base/ids.ts";
import { digestOf } from "../../base/fnv.ts";
import { NO_SESSION } from "../../memory/observe/observation.ts";
import { pathInProject } from "../../memory/project_paths.ts";
import { headAndTail, titleLine } from "../../memory/text.ts";
import { MAX_TIME_MS } from "../../base/time.ts";
import TABLES from "./claude_mem.json" with { type: "json" };
import { isDamage } from "../care/table_copy_table.ts";
import { openToLook } from "../../db/database_identity.ts";
import type { ImportedColumns } from "./import_rows_table.ts";
import { statSync } from "../../system/files.ts";
import { connect } from "../../db/connect.ts";

/** How one table is read; `a|b` stands for the first of these columns that a row has. */
export type ClaudeMemTable = typeof TABLES.tables[number];

type Row = Readonly<Record<string, SQLOutputValue>>;

/** A row, with what its session says of it. */
export interface ClaudeMemRow {
  readonly row: Row;
  readonly id: string;
  /** The session of Claude Code, where that is known; else the one that claude-mem had for it. */
  readonly sessionId: string;
  /** The name of the folder that the session worked in, or its whole path; empty when it is not known. */
  readonly project: string;
  readonly atMs: number;
}

/** Where what is taken over belongs: its project, and the folder that its paths are told from. */
export interface MemoryPlace {
  readonly project: string;
  readonly root: string;
}

const BATCH = 200;
const KEPT = { head: 48_000, tail: 16_000 };
const MAX_FILES = 200;
const CLAUDE_ID = "content_session_id|claude_session_id";

/**
 * Opens another program's database for reading, so that closing it leaves it, and the files beside it, as they were. The
 * caller must close it. @throws {Error} What SQLite says.
 */
export function openForeign(path: string): DatabaseSync {
  // Only a connection that may write rolls back what a program that died had begun.
  return isFilled(`${path}-journal`)
    ? connect(path, { readOnly: true, timeout: 5_000 })
    : openToLook(path);
}

function isFilled(path: string): boolean {
  try {
    return statSync(path).size > 0;
  } catch {
    return false;
  }
}

/** The tables that a database has, and the others of it that have rows. @throws {Error} What SQLite says. */
export function claudeMemTables(db: DatabaseSync): { tables: ClaudeMemTable[]; others: string[] } {
  const columns = new Map(
    db.prepare(
      `SELECT t.name AS name, (SELECT json_group_array(c.name) FROM pragma_table_info(t.name) AS c) AS columns
         FROM pragma_table_list AS t
        WHERE t.schema = 'main'
          AND t.type = 'table'
          AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY t.name`,
    ).all().map(({ name, columns }): [string, string[]] => [`${name}`, JSON.parse(`${columns}`)]),
  );
  const isLite = columns.get("sessions")?.includes("project_dir") ?? false;
  const tables = TABLES.tables.filter(({ name, table, needs }) =>
    name.startsWith("lite_") === isLite &&
    needs.every((names) => names.split("|").some((one) => columns.get(table)?.includes(one)))
  );
  const read = ["sessions", "sdk_sessions", ...tables.map(({ table }) => table)];
  const others = [...columns.keys()].filter((name) =>
    !read.includes(name) &&
    db.prepare(`SELECT 1 FROM "${name.replaceAll('"', '""')}" LIMIT 1`).get() !== undefined
  );
  return { tables, others };
}

/** The rows of a table, oldest first. @returns Whether the last row was reached: a damaged page may be in the way. */
export function* claudeMemRows(
  db: DatabaseSync,
  table: ClaudeMemTable,
): Generator<ClaudeMemRow, boolean> {
  const sessions = new Map<string, Row>();
  const statement = db.prepare(
    `SELECT rowid AS "0place", *
       FROM ${table.table}
      WHERE rowid > ?
      ORDER BY rowid
      LIMIT ${BATCH}`,
  );
  statement.setReadBigInts(true);
  try {
    const key = table.name.startsWith("lite_") ? "id" : table.of;
    for (const row of sessionRows(db, table.sessions)) sessions.set(first(row, key) ?? "", row);
    for (let last = 0;;) {
      const rows = statement.all(last);
      if (rows.length === 0) return true;
      last = Number(rows.at(-1)!["0place"]);
      for (const row of rows) {
        const found = rowOf(row, table, sessions);
        if (found !== null) yield found;
      }
    }
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return false;
  }
}

function sessionRows(db: DatabaseSync, table: string): Row[] {
  const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table);
  const statement = isThere === undefined ? null : db.prepare(`SELECT * FROM ${table}`);
  statement?.setReadBigInts(true);
  return statement?.all() ?? [];
}

/** The first of some columns, `a|b`, that holds anything. */
function first(row: Row | undefined, names: string): string | null {
  const name = names.split("|").find((one) => row?.[one] != null);
  const value = name === undefined ? null : row![name];
  return value === null || value instanceof Uint8Array ? null : String(value);
}

/** Of claude-mem-lite, which goes on, only what does not change: a summary has the time at which its session began. */
function rowOf(
  row: Row,
  { name, of }: ClaudeMemTable,
  sessions: ReadonlyMap<string, Row>,
): ClaudeMemRow | null {
  if (first(row, "is_active") === "0") return null;
  const session = sessions.get(first(row, of) ?? "");
  const isLearning = name === "lite_learnings";
  // A learning is of more and more sessions: it has a place as long as they are of one project.
  const folders = new Set(
    (isLearning ? listIn(first(row, of) ?? "[]") : [])
      .flatMap((id) => first(sessions.get(id), "project_dir") ?? []),
  );
  const project = isLearning
    ? folders.size === 1 ? [...folders][0]! : ""
    : first(row, "merged_into_project|project") ?? first(session, "project|project_dir") ?? "";
  const sessionId = isLearning ? NO_SESSION : first(session, CLAUDE_ID) ?? first(row, of) ?? "";
  const told = first(row, "created_at|started_at") ?? first(session, "started_at");
  const id = first(row, "id")!;
  return { row, id, sessionId, project, atMs: momentOf(first(row, "created_at_epoch"), told) };
}

/** Epoch milliseconds, from a number of any unit (1973 is the first year), or from a text. SQLite's own times are of UTC. */
function momentOf(epoch: string | null, text: string | null): number {
  let ms = Number(epoch ?? 0);
  ms = Math.floor(ms < 1e11 ? ms * 1_000 : ms < 1e14 ? ms : ms < 1e17 ? ms / 1e3 : ms / 1e6);
  if (ms <= 0 || ms > MAX_TIME_MS) {
    ms = Date.parse(
      (text ?? "").replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/, "$1T$2Z"),
    );
  }
  return ms > 0 && ms <= MAX_TIME_MS ? Math.floor(ms) : 0;
}

/**
 * A row as a row of `observations`; null when it says nothing that may be kept.
 *
 * @param options `mask`: takes out what must not be kept. `place`: where the project lies; null when it is not known.
 */
export function observationOf(
  { row, id, sessionId, project: name, atMs }: ClaudeMemRow,
  { table, mask, place }: {
    readonly table: ClaudeMemTable;
    readonly mask: (text: string) => string;
    readonly place: MemoryPlace | null;
  },
): ImportedColumns | null {
  const parts = table.parts.flatMap(([names, label = ""]) => {
    const given = first(row, names!)?.trim() ?? "";
    const list = label.endsWith(": ") || label === "- " ? listIn(given) : null;
    const text = list === null
      ? `${label}${given}`
      : label === "- "
      ? list.map((item) => `- ${item}`).join("\n")
      : `${label}${list.join(", ")}`;
    const isNothing = given === "" || given === "No observations captured." || list?.length === 0;
    return isNothing ? [] : [{ given, text }];
  });
  const text = mask(parts.map((part) => part.text).join("\n"));
  // Nothing but marks of what was taken out.
  const isEmpty = text.replace(/\[(?:private removed|redacted:[a-z\d-]+)\]/g, "").trim() === "";
  if (isEmpty) return null;
  const heading = mask(parts[0]!.given).replace(/^\[private removed\]\s*/, "").trim();
  const paths = table.files.flatMap((column) => listIn(first(row, column) ?? ""))
    .map((path) => pathInProject(mask(path), place?.root ?? null));
  const files = [...new Set(paths)].slice(0, MAX_FILES);
  const shownName = mask(name) || null;
  const project = place?.project ?? shownName;
  const kinds: Readonly<Record<string, string>> = TABLES.kinds;
  // What Claude Code itself sends in a person's place (`<task-notification>`) is a message.
  const isSent = table.kind === "prompt" && /^\s*<(?!private)[a-z-]+>/.test(parts[0]!.given);
  return {
    // Another database has other rows under the same numbers.
    uid: `claude-mem/${table.name}/${id}/${digestOf(`${sessionId} ${atMs}`).slice(0, 8)}`,
    session_id: normalizeSessionId(sessionId) ?? UNKNOWN_SESSION_ID,
    project,
    kind: isSent ? "message" : table.kind ?? kinds[first(row, table.kindOf ?? "") ?? ""] ?? "note",
    title: titleLine(
      heading === "" ? text : table.kind === "summary" ? `Session: ${heading}` : heading,
    ),
    text: headAndTail(text, KEPT),
    files: JSON.stringify(files),
    observed_files: JSON.stringify(files.map((path) => ({ path, digest: null }))),
    facts: JSON.stringify({ tool: "claude-mem" }),
    created_at_ms: atMs,
    // A row whose place is known is the newer version of the row that only has a name.
    updated_at_ms: project === shownName ? atMs : atMs + 1,
  };
}

/** A JSON list of texts or of `{name, action}`, as most versions have it; else the lines of a text. */
function listIn(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = text === "none" ? [] : text.split("\n");
  }
  return [value].flat().flatMap((item: unknown) => {
    const { name, action } = Object(item) as Readonly<Record<string, unknown>>;
    const told = typeof name === "string" ? action ? `${name} (${action})` : name : item;
    return typeof told === "string" && told.trim() !== "" ? [told.trim()] : [];
  });
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
