/**
 * Finds what is forgotten in tables outside of memory: the audit trail, titles of sessions, questions, and every text column
 * of every table. A place names rows of one table and the change to them: a preview counts these rows, and forgetting
 * changes them.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { FORGOTTEN_MARK, type TextMatcher } from "../../memory/forget_text.ts";
import { transaction } from "../../db/transaction.ts";
import {
  defineTextFunctions,
  type ForgetFilter,
  namesIn,
  UNDER_A_FILE,
} from "../../memory/store.ts";
import { readablePayload } from "../../db/payloads.ts";
import { FORGET_KEY } from "./forgotten_names_table.ts";
import { statement } from "../../db/statement.ts";
import { forgottenCaptures, nameKeys } from "./stay_away_table.ts";

/** Rows of one table, and the change that forgets what they hold. */
interface Place {
  readonly table: string;
  /** Its SQL up to the condition. */
  readonly change: string;
  readonly where: string;
  readonly values: readonly SQLInputValue[];
  /** The columns of the key, where rows are removed because their key holds the text; the receipt names such rows first. */
  readonly named?: readonly string[];
}

/** How the rows of places are counted or changed. */
export interface PlaceChange {
  /** `look` only counts. */
  readonly mode: "look" | "forget";
  /** The receipt that names rows which are removed by their keys; null in a look. */
  readonly receiptId: string | null;
  /** The numbers of rows that several places change, by table: none is counted twice. */
  readonly changed: Map<string, Set<number>>;
}

/** Tables whose rows several places change. All have row numbers. */
const SHARED = new Set(["hook_executions", "sessions"]);

/** An audit row keeps what happened and when, and loses what it quotes. */
const WITHOUT_QUOTES = `UPDATE hook_executions
                           SET metadata = '{"forgotten":true}', error_stack = NULL,
                               error_message = iif(error_message IS NULL, NULL, '${FORGOTTEN_MARK}')`;
const HAS_QUOTES = `metadata NOT IN ('{}', '{"forgotten":true}')`;

/** Counts the rows of places by table and, when that is asked for, changes them: each place in one transaction. */
export function changePlaces(
  db: DatabaseSync,
  places: readonly Place[],
  how: PlaceChange,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const place of places) {
    const { table } = place;
    const count = how.mode === "look" || db.isTransaction
      ? changePlace(db, place, how)
      : transaction(db, () => changePlace(db, place, how));
    if (count > 0) counts[table] = (counts[table] ?? 0) + count;
  }
  return counts;
}

function changePlace(
  db: DatabaseSync,
  { table, change, where, values, named }: Place,
  { mode, changed, receiptId }: PlaceChange,
): number {
  const isForgotten = mode === "forget";
  if (isForgotten && named !== undefined && receiptId !== null) {
    const rows = db.prepare(`SELECT ${named.join(", ")} FROM ${table} WHERE ${where}`)
      .all(...values);
    if (rows.length > 0) nameKeys(db, receiptId, { table: { name: table, keys: named }, rows });
  }
  const number = SHARED.has(table) ? "rowid" : "1";
  const rows = db.prepare(
    isForgotten
      ? `${change} WHERE ${where} RETURNING ${number}`
      : `SELECT ${number} FROM ${table} WHERE ${where}`,
  ).all(...values);
  if (!SHARED.has(table)) return rows.length;
  const known = changed.get(table) ?? new Set();
  changed.set(table, known);
  const before = known.size;
  for (const { rowid } of rows) known.add(Number(rowid));
  return known.size - before;
}

/** The titles of sessions that are called after prompts among these observations. */
export function titlesAfter(db: DatabaseSync, observations: readonly number[]): Place[] {
  return db.prepare(
    `SELECT session_id AS sessionId, title, text
       FROM observations
      WHERE kind = 'prompt'
        AND id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(observations)).map(({ sessionId, title, text }) => ({
    table: "sessions",
    change: "UPDATE sessions SET title = NULL",
    where: `session_id = ?1
          AND (instr(?2, rtrim(title, '…')) > 0 OR instr(?3, rtrim(title, '…')) > 0)`,
    values: [String(sessionId), String(title), String(text).replace(/\s+/g, " ")],
  }));
}

/** Shorter texts are the same by chance. */
const MIN_TOLD_CHARS = 12;
/** So much of a long text is compared: either text may have been cut behind it. */
const COMPARED_CHARS = 200;
/** Fields that say where something happened, not what was done. */
const PLACE_KEY = /^(?:cwd|transcript_path|session_id|hook_event_name|permission_mode)$|_dir$/;

/**
 * The rows of the audit trail about captures: those of their tool uses, and those of their sessions that tell the same and
 * belong to no capture that stays. A person was asked, it was refused first, a subagent said it at its end. Call it before
 * the captures are removed.
 */
export function auditOf(db: DatabaseSync, captures: readonly string[]): Place {
  const ids = JSON.stringify(captures);
  const told = new Map<unknown, Set<string>>();
  const rows = db.prepare(
    `SELECT id, session_id AS sessionId, tool_use_id AS toolUseId, encoding, payload, raw_bytes AS rawBytes
       FROM pending_queue
      WHERE id IN (SELECT value FROM json_each(?))`,
  ).all(ids);
  for (const row of rows) {
    const known = told.get(row["sessionId"]) ?? new Set();
    told.set(row["sessionId"], known);
    if (row["toolUseId"] !== null) known.add(String(row["toolUseId"]));
    for (const text of ownTexts(readablePayload(row))) known.add(text);
  }
  const tells = (sessionId: unknown, metadata: unknown) =>
    ownTexts(String(metadata)).some((text) =>
      told.get(sessionId)?.values().some((other) =>
        other.includes(text.slice(0, COMPARED_CHARS)) ||
        other.length <= COMPARED_CHARS && text.includes(other)
      )
    );
  db.function("tells_same", (sessionId, metadata) => Number(tells(sessionId, metadata)));
  return {
    table: "hook_executions",
    change: WITHOUT_QUOTES,
    where: `${HAS_QUOTES}
          AND session_id IN (SELECT value FROM json_each(?2))
          AND (id IN (SELECT value FROM json_each(?1))
               OR tool_use_id IN (SELECT tool_use_id FROM pending_queue WHERE id IN (SELECT value FROM json_each(?1)))
               OR NOT EXISTS (
                    SELECT 1
                      FROM pending_queue AS q
                     WHERE q.session_id = hook_executions.session_id
                       AND (q.id = hook_executions.id OR q.tool_use_id = hook_executions.tool_use_id)
                       AND q.id NOT IN (SELECT value FROM json_each(?1)))
                  AND tells_same(session_id, metadata))`,
    values: [ids, JSON.stringify([...told.keys()])],
  };
}

/** The texts in JSON that are long enough to be its own, and the ids of subagents; none where it cannot be read. */
function ownTexts(json: string | null): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(json ?? "{}", (key, value) => {
      const text = typeof value === "string" ? value.trim() : "";
      if (/^agent_?id$/i.test(key) && text !== "") texts.push(`agent ${text}`);
      else if (text.length >= MIN_TOLD_CHARS && !PLACE_KEY.test(key)) texts.push(text);
      return value;
    });
  } catch {
    // `doctor` names a damaged row.
  }
  return texts;
}

/** The places of a choice outside of observations and captures. @param sessions See {@linkcode textPlaces}. */
export function placesOf(
  db: DatabaseSync,
  filter: ForgetFilter,
  sessions: readonly string[] | null,
): readonly Place[] {
  const { ids, files, text } = filter;
  if (text !== null) return textPlaces(db, text, sessions);
  return ids !== null ? [] : files !== null ? [auditNaming(filter, files)] : sessionPlaces(filter);
}

/** The rows of the audit trail that name a file, also of what was asked for and never done. */
function auditNaming(
  { sessionId, project, sinceMs, untilMs }: ForgetFilter,
  files: readonly string[],
): Place {
  const names = namesIn(
    "iif(json_valid(metadata), metadata, '{}'), '$.files'",
    "(SELECT project_dir FROM sessions AS s WHERE s.session_id = hook_executions.session_id)",
  );
  return {
    table: "hook_executions",
    change: WITHOUT_QUOTES,
    where: `${HAS_QUOTES}
          AND (?1 IS NULL OR session_id = ?1)
          AND (?2 IS NULL
               OR session_id IN (SELECT session_id FROM sessions WHERE coalesce(repository, project_dir) = ?2))
          AND created_at_ms BETWEEN ?3 AND ?4
          AND EXISTS (SELECT 1 FROM (${names}) AS touched WHERE ${UNDER_A_FILE})`,
    values: [sessionId, project, ...between(sinceMs, untilMs), JSON.stringify(files)],
  };
}

/** What else a whole session, project or time has left. Events come first: they are found through their questions. */
function sessionPlaces({ sessionId, project, sinceMs, untilMs }: ForgetFilter): Place[] {
  const sessions = `session_id IN (
            SELECT ?1
             WHERE ?1 IS NOT NULL AND ?2 IS NULL
             UNION
            SELECT session_id
              FROM sessions
             WHERE (?1 IS NULL OR session_id = ?1)
               AND (?2 IS NULL OR coalesce(repository, project_dir) = ?2))`;
  const written = `${sessions} AND created_at_ms BETWEEN ?3 AND ?4`;
  const rows: readonly (readonly [table: string, change: string, where: string])[] = [
    ["hook_executions", WITHOUT_QUOTES, `${written} AND ${HAS_QUOTES}`],
    [
      "sessions",
      "UPDATE sessions SET title = NULL",
      `${sessions} AND started_at_ms BETWEEN ?3 AND ?4 AND title IS NOT NULL`,
    ],
    ["prompt_queues", "DELETE FROM prompt_queues", written],
    ["root_snapshots", "DELETE FROM root_snapshots", written],
    [
      "events",
      "UPDATE events SET data = '{}'",
      `data <> '{}' AND entity_id IN (SELECT id FROM questions WHERE ${written})`,
    ],
    [
      "questions",
      `UPDATE questions
          SET text = '${FORGOTTEN_MARK}', options = '[]', answer = iif(answer IS NULL, NULL, '${FORGOTTEN_MARK}')`,
      `text <> '${FORGOTTEN_MARK}' AND ${written}`,
    ],
  ];
  const values = [sessionId, project, ...between(sinceMs, untilMs)];
  return rows.map(([table, change, where]) => ({ table, change, where, values }));
}

function between(sinceMs: number | null, untilMs: number | null): [number, number] {
  return [sinceMs ?? 0, untilMs ?? Number.MAX_SAFE_INTEGER];
}

/** Tables whose rows are removed elsewhere, or hold nothing of what was said. */
const OTHER_TABLES = new Set([
  "observations",
  "observation_files",
  "pending_queue",
  "sessions_to_summarize",
  "forget_receipts",
  "forgotten",
]);

/** Tables whose rows are removed: the program makes them anew, or they mean nothing with a mark in them. */
const REMOVED_TABLES = new Set(["config_cache", "root_snapshots", "branch_sizes", "counters"]);

/** Columns with ids and kinds. A mark in them would break what refers to the row. */
const NAMES_OF_ROWS =
  /^(?:id|.*_id|status|kind|type|scope|priority|subject|source|decision|entity_type|hook_name|satisfied_by|triggered_by|trigger_state|content_hash|process_mark|claude_process|depends_on|origin|key)$/;

/** Which events are of sessions: they tell of what these have asked and started. `?1` is the sessions in JSON. */
const EVENTS_OF_SESSIONS = `(entity_id IN (SELECT value FROM json_each(?1))
           OR entity_id IN (SELECT id FROM questions WHERE session_id IN (SELECT value FROM json_each(?1)))
           OR entity_id IN (SELECT id FROM agents WHERE session_id IN (SELECT value FROM json_each(?1))))`;

/**
 * A text in every table but those of memory: a mark takes its place. Rows of caches go, and so do rows with the text in
 * their key.
 *
 * @param sessions Only rows of these, and only of tables that have sessions. Null means everything.
 */
export function textPlaces(
  db: DatabaseSync,
  text: TextMatcher,
  sessions: readonly string[] | null,
): Place[] {
  defineTextFunctions(db, text);
  const tables = db.prepare(
    `SELECT name, wr AS hasKey
       FROM pragma_table_list
      WHERE schema = 'main'
        AND type = 'table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  ).all();
  return tables.flatMap(({ name, hasKey }) => {
    const table = String(name);
    return OTHER_TABLES.has(table) ? [] : textPlacesIn(db, table, { hasKey: !!hasKey, sessions });
  });
}

function textPlacesIn(
  db: DatabaseSync,
  table: string,
  { hasKey, sessions }: { readonly hasKey: boolean; readonly sessions: readonly string[] | null },
): Place[] {
  const columns = db.prepare("SELECT name, type, pk FROM pragma_table_info(?)").all(table)
    .map(({ name, type, pk }) => ({
      name: String(name),
      isKey: Number(pk) > 0,
      isText: type === "TEXT" || type === "ANY",
    }));
  const inSessions = columns.some(({ name }) => name === "session_id")
    ? "session_id IN (SELECT value FROM json_each(?1))"
    : table === "events"
    ? EVENTS_OF_SESSIONS
    : null;
  if (sessions !== null && inSessions === null) return [];
  const values = sessions === null ? [] : [JSON.stringify(sessions)];
  const holding = (names: readonly string[]) =>
    `(${
      names.map((name) => `typeof(${name}) = 'text' AND without(${name}) <> ${name}`).join(" OR ")
    })
          ${sessions === null ? "" : `AND ${inSessions}`}
          ${table === "meta" ? `AND key <> '${FORGET_KEY}'` : ""}`;
  // The type of a counter is a word that a person may have chosen.
  const isWord = (name: string) =>
    !NAMES_OF_ROWS.test(name) || table === "counters" && name === "type";
  const words = columns.filter(({ name, isText }) => isText && isWord(name));
  const keys = hasKey ? columns.filter(({ isKey }) => isKey).map(({ name }) => name) : [];
  const wordsOfKey = words.filter(({ isKey }) => isKey && hasKey).map(({ name }) => name);
  const texts = words.filter(({ isKey }) => !isKey).map(({ name }) => name);
  const remove = `DELETE FROM ${table}`;
  const set = texts.map((name) => `${name} = without(${name})`).join(", ");
  const change = REMOVED_TABLES.has(table) ? remove : `UPDATE ${table} SET ${set}`;
  const ofKey = wordsOfKey.length === 0 ? null : holding(wordsOfKey);
  return [
    ...ofKey === null ? [] : [{ table, change: remove, where: ofKey, values, named: keys }],
    ...texts.length === 0 ? [] : [{
      table,
      change,
      where: holding(texts) + (ofKey === null ? "" : ` AND NOT (${ofKey})`),
      values,
    }],
  ];
}

/**
 * Takes away captures that were forgotten before, with what the audit trail quotes of them: a hook that runs a second time
 * for the same tool use brings it back, and has no time to ask.
 *
 * @returns The captures that stay, in their order.
 */
export function removeForgottenAgain<Capture extends { readonly id: string }>(
  db: DatabaseSync,
  captures: readonly Capture[],
): readonly Capture[] {
  if (statement(db, "SELECT 1 FROM forgotten LIMIT 1").get() === undefined) return captures;
  const among = captures.map(({ id }) => id);
  const gone = new Set(forgottenCaptures(db, { among, receiptId: null }));
  if (gone.size === 0) return captures;
  transaction(db, () => {
    const how = { mode: "forget", changed: new Map(), receiptId: null } as const;
    changePlaces(db, [auditOf(db, [...gone])], how);
    statement(db, "DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))")
      .run(JSON.stringify([...gone]));
  });
  return captures.filter(({ id }) => !gone.has(id));
}
