/** Finds a text in every table but those of memory, and puts a mark in its place. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { TextMatcher } from "../memory/forget_text.ts";
import type { ChangedRows } from "./changed_rows.ts";
import { transaction } from "./database.ts";
import type { KeyedTable } from "./forgotten_keys.ts";
import { FORGET_KEY } from "./forgotten_names.ts";

/** Tables whose rows are removed as a whole elsewhere, or hold nothing of what was said. */
const OTHER_TABLES = new Set([
  "observations",
  "observation_files",
  "pending_queue",
  "sessions_to_summarize",
  "forget_receipts",
  "forgotten",
]);

/** Rows that can be made anew, or mean nothing with a mark in them: they go. */
const REMOVED_TABLES = new Set(["config_cache", "root_snapshots", "branch_sizes", "counters"]);

/** Columns that say what a row is, or which; a mark in them would break what refers to them. */
const NAMES_OF_ROWS =
  /^(?:id|.*_id|status|kind|type|scope|priority|subject|source|decision|entity_type|hook_name|satisfied_by|triggered_by|trigger_state|content_hash|process_mark|claude_process|depends_on|origin|key)$/;

/** The same of tables that name no session: events tell of what a session has asked and started. */
const OF_SESSIONS: Readonly<Record<string, string>> = {
  events: `entity_id IN (SELECT value FROM json_each(?1))
           OR entity_id IN (SELECT id FROM questions WHERE session_id IN (SELECT value FROM json_each(?1)))
           OR entity_id IN (SELECT id FROM agents WHERE session_id IN (SELECT value FROM json_each(?1)))`,
};

/** Whether a column names something; what a counter counts is anybody's word. */
function isName(table: string, column: string): boolean {
  return NAMES_OF_ROWS.test(column) && !(table === "counters" && column === "type");
}

const BATCH_ROWS = 200;

/** What the number of a row is called here, where the table has one. */
const PLACE = "place";

/** Its `keys` are {@linkcode PLACE} where its rows have numbers. */
interface Table extends KeyedTable {
  readonly texts: readonly string[];
  /** Which rows are of sessions, in SQL, `?1` being these as JSON; null where none is of any. */
  readonly ofSessions: string | null;
}

/** Which rows are looked at. */
export interface PlaceScope {
  readonly text: TextMatcher;
  /** Only rows of these sessions, and only of tables that have sessions; null looks at everything. */
  readonly sessions: readonly string[] | null;
  /** Rows that are changed for another reason, and counted for that. */
  readonly changed?: ChangedRows;
  /** Called after every batch. */
  readonly onStep?: () => void;
}

/** Rows in which the text stands, by table; nothing is changed. */
export function countPlaces(db: DatabaseSync, scope: PlaceScope): Record<string, number> {
  return eachTable(db, scope, () => {});
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Puts a mark in the place of the text, in short transactions; in rows of caches the row goes, and so it does where the
 * text is in its key.
 *
 * @param onKeys Called with the rows that have it there, in the transaction that removes them.
 * @returns Rows that were changed, by table.
 */
export function forgetPlaces(
  db: DatabaseSync,
  scope: PlaceScope,
  onKeys: (table: KeyedTable, rows: readonly Row[]) => void = () => {},
): Record<string, number> {
  const { text } = scope;
  return eachTable(db, scope, (table, rows) => {
    transaction(db, () => {
      const named = rows.filter((row) => isNamed(table, row, text));
      if (named.length > 0) onKeys(table, named);
      rows.forEach((row) => forgetIn(db, table, row, text));
    });
  });
}

function eachTable(
  db: DatabaseSync,
  { text, sessions, changed, onStep }: PlaceScope,
  onFound: (table: Table, rows: readonly Row[]) => void,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const table of tablesOf(db)) {
    if (sessions !== null && table.ofSessions === null) continue;
    for (const rows of batchesOf(db, table, sessions)) {
      const found = rows.filter((row) =>
        !isForgetKey(table, row) &&
        (isNamed(table, row, text) || table.texts.some((column) => stands(row[column], text)))
      );
      if (found.length > 0) {
        onFound(table, found);
        const counted = changed?.get(table.name);
        const news = found.filter((row) => !counted?.has(Number(row[PLACE])));
        if (news.length > 0) counts[table.name] = (counts[table.name] ?? 0) + news.length;
      }
      onStep?.();
    }
  }
  return counts;
}

/** Random letters, without which the names of what was forgotten mean nothing. */
function isForgetKey({ name }: Table, row: Row): boolean {
  return name === "meta" && row["key"] === FORGET_KEY;
}

/** Whether the text is in the key of a row. */
function isNamed({ name, keys }: Table, row: Row, text: TextMatcher): boolean {
  return keys.some((key) => !isName(name, key) && stands(row[key], text));
}

function stands(value: unknown, text: TextMatcher): boolean {
  return typeof value === "string" && text.replaceInJson(value) !== value;
}

function tablesOf(db: DatabaseSync): Table[] {
  const tables = db.prepare(
    `SELECT name, wr AS hasKey
       FROM pragma_table_list
      WHERE schema = 'main'
        AND type = 'table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  ).all();
  return tables.filter(({ name }) => !OTHER_TABLES.has(String(name))).map(({ name, hasKey }) => {
    const columns = db.prepare("SELECT name, type, pk FROM pragma_table_info(?)").all(String(name));
    const texts = columns.filter(({ type }) => type === "TEXT" || type === "ANY");
    const isKey = (column: Row) => Number(column["pk"]) > 0;
    return {
      name: String(name),
      keys: hasKey ? columns.filter(isKey).map((column) => String(column["name"])) : [PLACE],
      texts: texts.filter((column) =>
        !isKey(column) && !isName(String(name), String(column["name"]))
      )
        .map((column) => String(column["name"])),
      ofSessions: columns.some((column) => column["name"] === "session_id")
        ? "session_id IN (SELECT value FROM json_each(?1))"
        : OF_SESSIONS[String(name)] ?? null,
    };
  });
}

function* batchesOf(
  db: DatabaseSync,
  { name, keys, texts, ofSessions }: Table,
  sessions: readonly string[] | null,
): Generator<readonly Row[]> {
  const [condition, values] = sessions === null
    ? ["true", []]
    : [`(${ofSessions})`, [JSON.stringify(sessions)]];
  if (keys[0] !== PLACE) {
    const columns = [...keys, ...texts].join(", ");
    yield db.prepare(`SELECT ${columns} FROM ${name} WHERE ${condition}`).all(...values);
    return;
  }
  const next = db.prepare(
    `SELECT ${[`rowid AS ${PLACE}`, ...texts].join(", ")}
       FROM ${name}
      WHERE ${condition}
        AND rowid > ?
      ORDER BY rowid
      LIMIT ${BATCH_ROWS}`,
  );
  for (let after = 0;;) {
    const rows: readonly Row[] = next.all(...values, after);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = Number(last[PLACE]);
  }
}

function forgetIn(db: DatabaseSync, table: Table, row: Row, text: TextMatcher): void {
  const { name, keys, texts } = table;
  const where = keys.map((key) => `${key === PLACE ? "rowid" : key} = ?`).join(" AND ");
  const place = keys.map((key) => row[key]) as SQLInputValue[];
  if (REMOVED_TABLES.has(name) || isNamed(table, row, text)) {
    db.prepare(`DELETE FROM ${name} WHERE ${where}`).run(...place);
    return;
  }
  for (const column of texts) {
    const value = row[column];
    if (typeof value !== "string") continue;
    const forgotten = text.replaceInJson(value);
    if (forgotten === value) continue;
    db.prepare(`UPDATE ${name} SET ${column} = ? WHERE ${where}`).run(forgotten, ...place);
  }
}
