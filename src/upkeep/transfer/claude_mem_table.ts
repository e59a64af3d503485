/** Reads the memory of claude-mem and claude-mem-lite, whose columns depend on the version. */
import { tableNames } from "../care/care_table.ts";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { digestOf } from "../../base/fnv.ts";
import { normalizeSessionId, UNKNOWN_SESSION_ID } from "../../base/ids.ts";
import { MAX_TIME_MS } from "../../base/time.ts";
import { NO_SESSION } from "../../memory/observe/observation.ts";
import { folderOfProject, pathInProject } from "../../memory/project_paths.ts";
import { headAndTail, titleLine } from "../../memory/text.ts";
import TABLES from "./claude_mem.json" with { type: "json" };
import { type ArrivingRow, termsOf } from "./import.ts";
import { isDamage, quotedName } from "../../db/table_copy.ts";
import { ownValue } from "../../base/mapping.ts";

/** The rules for reading one table; `a|b` means the first of these columns that a row has. */
export type ClaudeMemTable = typeof TABLES.tables[number];

type Row = Readonly<Record<string, SQLOutputValue>>;

/** A row, completed by its session. */
export type ClaudeMemRow = ReturnType<typeof rowOf>;

const BATCH = 200;
const TEXT_LIMITS = { head: 48_000, tail: 16_000 };
const CLAUDE_ID = "content_session_id|claude_session_id";

/** Finds the readable tables, and names the others that have rows. @throws {Error} SQLite's error. */
export function claudeMemTables(db: DatabaseSync): { tables: ClaudeMemTable[]; others: string[] } {
  const columnsOf = db.prepare("SELECT name FROM pragma_table_info(?)");
  const names = tableNames(db);
  const has = (table: string, columns: string) =>
    columnsOf.all(table).some(({ name }) => columns.split("|").includes(String(name)));
  const isLite = has("sessions", "project_dir");
  const known = TABLES.tables.filter(({ name }) => name.startsWith("lite_") === isLite);
  const read = ["sessions", "sdk_sessions", ...known.map(({ table }) => table)];
  return {
    tables: known.filter(({ table, needs }) => needs.every((columns) => has(table, columns))),
    others: names.filter((name) =>
      !read.includes(name) &&
      db.prepare(`SELECT 1 FROM ${quotedName(name)} LIMIT 1`).get() !== undefined
    ),
  };
}

/** Reads the rows of a table, oldest first, up to a damaged page. @param onDamage Called at a damaged page. */
export function* claudeMemRows(
  db: DatabaseSync,
  table: ClaudeMemTable,
  onDamage = () => {},
): Generator<ClaudeMemRow> {
  const read = (sql: string) => {
    const statement = db.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  const key = table.name.startsWith("lite_") ? "id" : table.of;
  try {
    const rows = read(`SELECT * FROM ${table.sessions}`).all();
    const sessions = new Map(rows.map((row): [string, Row] => [first(row, key) ?? "", row]));
    const next = read(
      `SELECT rowid AS "0place", *
         FROM ${table.table}
        WHERE rowid > ?
        ORDER BY rowid
        LIMIT ${BATCH}`,
    );
    for (let last = 0;;) {
      const batch = next.all(last);
      if (batch.length === 0) return;
      last = Number(batch.at(-1)!["0place"]);
      for (const row of batch) {
        if (first(row, "is_active") !== "0") yield rowOf(row, table, sessions);
      }
    }
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    onDamage();
  }
}

/** Returns the first value that is not null in some columns, `a|b`. */
function first(row: Row | undefined, names: string): string | null {
  const value = names.split("|").map((name) => row?.[name]).find((one) => one != null) ?? null;
  return value === null || value instanceof Uint8Array ? null : String(value);
}

/** Completes a row from its session. A summary of claude-mem-lite gets its session's start: its own time changes. */
function rowOf(row: Row, { name, of }: ClaudeMemTable, sessions: ReadonlyMap<string, Row>) {
  const session = sessions.get(first(row, of) ?? "");
  const timeText = first(row, "created_at|started_at") ?? first(session, "started_at");
  // A learning belongs to several sessions; it has a project if they share one.
  const isLearning = name === "lite_learnings";
  const folders = (isLearning ? listIn(first(row, of) ?? "[]") : [])
    .flatMap((one) => first(sessions.get(one), "project_dir") ?? []);
  return {
    row,
    id: first(row, "id")!,
    atMs: momentOf(first(row, "created_at_epoch"), timeText),
    /** Claude Code's id of the session if known, else claude-mem's id. */
    sessionId: isLearning ? NO_SESSION : first(session, CLAUDE_ID) ?? first(row, of) ?? "",
    /** The name or the path of the session's folder; empty if unknown. */
    project: new Set(folders).size === 1
      ? folders[0]!
      : first(row, "merged_into_project|project") ?? first(session, "project|project_dir") ?? "",
  };
}

/** Returns epoch milliseconds from a number of any unit (from 1973 on), or from a text; SQLite's times are UTC. */
function momentOf(epoch: string | null, text: string | null): number {
  const isTime = (ms: number) => ms > 0 && ms <= MAX_TIME_MS;
  const n = Number(epoch ?? 0);
  const ms = Math.floor(n < 1e11 ? n * 1_000 : n < 1e14 ? n : n < 1e17 ? n / 1e3 : n / 1e6);
  const utc = (text ?? "").replace(/^([\d-]{10})[ T]([\d:.]+)$/, "$1T$2Z");
  return [ms, Date.parse(utc)].find(isTime) ?? 0;
}

/** Makes an observation from a row; null if no text remains. @param known The row's project in this database. */
export function observationOf(
  { row, id, sessionId, project: name, atMs }: ClaudeMemRow,
  table: ClaudeMemTable,
  known: string | null,
  mask: (text: string) => string,
): ArrivingRow | null {
  const parts = table.parts.flatMap(([names, label = ""]) => {
    const raw = first(row, names!)?.trim() ?? "";
    const isList = label.endsWith(" ");
    const items = isList ? listIn(raw) : [raw];
    const isNothing = raw === "" || raw === "No observations captured." || items.length === 0;
    const text = label === "- "
      ? items.map((item) => `- ${item}`).join("\n")
      : `${label}${items.join(", ")}`;
    return isNothing ? [] : [{ raw, text }];
  });
  const text = mask(parts.map((part) => part.text).join("\n"));
  // The text holds nothing but masks.
  if (text.replace(/\[(?:private removed|redacted:[a-z\d-]+)\]/g, "").trim() === "") return null;
  const heading = mask(parts[0]!.raw).replace(/^\[private removed\]\s*/, "").trim() || text;
  const paths = table.files.flatMap((column) => listIn(first(row, column) ?? ""))
    .map((path) => pathInProject(mask(path), known === null ? null : folderOfProject(known)));
  const files = [...new Set(paths)];
  const shownName = mask(name) || null;
  const project = known ?? shownName;
  const kinds: Readonly<Record<string, string>> = TABLES.kinds;
  const columns = {
    // The digest is needed because another database has other rows under the same numbers.
    uid: `claude-mem/${table.name}/${id}/${digestOf(`${sessionId} ${atMs}`).slice(0, 8)}`,
    session_id: normalizeSessionId(sessionId) ?? UNKNOWN_SESSION_ID,
    project,
    kind: table.kind ?? ownValue(kinds, first(row, table.kindOf ?? "") ?? "") ?? "note",
    title: titleLine(table.kind === "summary" ? `Session: ${heading}` : heading),
    text: headAndTail(text, TEXT_LIMITS),
    files: JSON.stringify(files),
    observed_files: JSON.stringify(files.map((path) => ({ path, digest: null }))),
    facts: JSON.stringify({ tool: "claude-mem" }),
    created_at_ms: atMs,
    // A row with a known project is newer than the same row with only a project's name.
    updated_at_ms: project === shownName ? atMs : atMs + 1,
  };
  return { type: "observation", columns: { ...columns, terms: termsOf(columns) }, line: 0, text };
}

/** Reads a JSON list of texts or of `{name, action}`, as most versions write it, or else the lines of a text. */
function listIn(text: string): string[] {
  const lines = text === "none" ? [] : text.split("\n");
  const value = quietly((): unknown => JSON.parse(text));
  return [value === undefined ? lines : value].flat().flatMap((item: unknown) => {
    const { name, action } = Object(item);
    const text = name === undefined ? item : action ? `${name} (${action})` : name;
    return typeof text === "string" && text.trim() !== "" ? [text.trim()] : [];
  });
}
