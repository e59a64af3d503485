/**
 * Removes observations and captures, and takes what is forgotten out of every other table: the audit trail, titles of
 * sessions, questions, and every column with text. A preview counts the rows that forgetting changes.
 */
import type { DatabaseSync } from "node:sqlite";
import { FORGOTTEN_MARK } from "../../base/forget_mark.ts";
import type { TextMatcher } from "../../memory/forget_text.ts";
import { transaction } from "../../db/transaction.ts";
import {
  defineTextFunctions,
  deleteObservations,
  type ForgetFilter,
  observedTexts,
  summaryUid,
} from "../../memory/store.ts";
import {
  auditNaming,
  auditOf,
  between,
  HAS_QUOTES,
  type RowChange,
  titlesAfter,
  WITHOUT_QUOTES,
} from "../../db/forgotten_audit.ts";
import { FORGET_KEY, nameForgotten, sessionName } from "./forgotten_names_table.ts";
import { statement } from "../../db/statement.ts";
import {
  forgottenCaptures,
  nameKeys,
  namesOfCapture,
  namesOfObservations,
  ownDigest,
} from "./stay_away_table.ts";
import { queueForgotten, queueReplaced } from "../../db/team_outbox.ts";
import { readablePayload } from "../../db/payloads.ts";
import { isAnyForgotten } from "../../db/queue_work.ts";
import { digestOfRow, type Receipt, taskName } from "./forget_receipts_table.ts";

/** Whether rows are counted or changed, and how they are counted. */
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

/** The column with the task of a row: a team forgets what the task was. */
const TASK_OF: Readonly<Record<string, string>> = {
  tasks: "id",
  task_history: "task_id",
  task_tags: "task_id",
};

/** Counts rows by table and, unless this is a look, changes them: each change is one transaction. */
export function changePlaces(
  db: DatabaseSync,
  places: readonly RowChange[],
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
  { table, change, where, values, named }: RowChange,
  { mode, changed, receiptId }: PlaceChange,
): number {
  const isForgotten = mode === "forget";
  if (isForgotten && named !== undefined && receiptId !== null) {
    const rows = db.prepare(`SELECT ${named.join(", ")} FROM ${table} WHERE ${where}`)
      .all(...values);
    if (rows.length > 0) nameKeys(db, receiptId, { table: { name: table, keys: named }, rows });
  }
  const task = TASK_OF[table];
  const number = SHARED.has(table) ? "rowid" : task ?? "1";
  const rows = db.prepare(
    isForgotten
      ? `${change} WHERE ${where} RETURNING ${number}`
      : `SELECT ${number} FROM ${table} WHERE ${where}`,
  ).all(...values);
  if (isForgotten && task !== undefined) {
    const ids = rows.map((row) => String(row[task]));
    queueReplaced(db, ids);
    if (receiptId !== null) nameForgotten(db, receiptId, ids.map(taskName));
  }
  if (!SHARED.has(table)) return rows.length;
  const known = changed.get(table) ?? new Set();
  changed.set(table, known);
  const before = known.size;
  for (const { rowid } of rows) known.add(Number(rowid));
  return known.size - before;
}

/** The changes that a choice makes outside of observations and captures. @param sessions See {@linkcode textPlaces}. */
export function placesOf(
  db: DatabaseSync,
  filter: ForgetFilter,
  sessions: readonly string[] | null,
): readonly RowChange[] {
  const { ids, files, text } = filter;
  if (text !== null) return textPlaces(db, text, sessions);
  return ids !== null
    ? taskPlaces(ids.tasks)
    : files !== null
    ? [auditNaming(filter, files)]
    : sessionPlaces(filter);
}

/** What people have written into tasks, and what changed in them. */
function taskPlaces(ids: readonly string[]): RowChange[] {
  const values = [JSON.stringify(ids)];
  const among = "IN (SELECT value FROM json_each(?1))";
  return [
    {
      table: "tasks",
      change: `UPDATE tasks
          SET title = '${FORGOTTEN_MARK}', body = '', reason = NULL, summary = NULL`,
      where: `id ${among} AND (title <> '${FORGOTTEN_MARK}' OR body <> '')`,
      values,
    },
    ...["task_history", "task_tags"].map((table) => ({
      ...{ table, change: `DELETE FROM ${table}`, where: `task_id ${among}`, values },
    })),
  ];
}

/** What else a whole session, project or time has left. Events come first: they are found through their questions. */
function sessionPlaces({ sessionId, project, sinceMs, untilMs }: ForgetFilter): RowChange[] {
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
    [
      "token_use",
      "DELETE FROM token_use",
      `(?1 IS NULL OR session_id = ?1) AND (?2 IS NULL OR project = ?2) AND created_at_ms BETWEEN ?3 AND ?4`,
    ],
    ["prompt_queues", "DELETE FROM prompt_queues", written],
    ["root_snapshots", "DELETE FROM root_snapshots", written],
    ["violations", "DELETE FROM violations", written],
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
const REMOVED_TABLES = new Set(
  ("config_cache root_snapshots branch_sizes counters effect_snapshots watched_files violations " +
    "kept_files").split(" "),
);

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
): RowChange[] {
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
): RowChange[] {
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
  if (!isAnyForgotten(db)) return captures;
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

/** Rows that one transaction removes: few enough that a hook never waits long for its turn. */
const FORGET_BATCH = 100;

/** Goes through a list in batches. */
export function* batchesOf<Item>(all: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < all.length; at += FORGET_BATCH) yield all.slice(at, at + FORGET_BATCH);
}

/** The receipt that names the removed rows, and how places that quote them are changed. */
interface RemoveRows extends PlaceChange {
  readonly receipt: Pick<Receipt, "id" | "salt">;
}

/**
 * Removes a batch of observations in one transaction. Summaries of their sessions that were made here go too, and are asked
 * for anew.
 *
 * @returns The digests of those that are to stay away, and how many rows that quote them were changed.
 */
export function removeObservations(
  db: DatabaseSync,
  ids: readonly number[],
  how: RemoveRows,
): { readonly digests: readonly string[]; readonly quoting: Record<string, number> } {
  const { receipt } = how;
  return transaction(db, () => {
    const rows = observedTexts(db, ids);
    const sessions = [...new Set(rows.map(({ sessionId }) => String(sessionId)))];
    // A summary is written anew under the same name.
    const lasting = rows.filter(({ uid, sessionId }) => uid !== summaryUid(String(sessionId)));
    nameForgotten(db, receipt.id, [
      ...lasting.map(({ uid }) => String(uid)),
      ...sessions.map(sessionName),
      ...namesOfObservations(ownDigest(db), rows),
    ]);
    const quoting = changePlaces(db, titlesAfter(rows), how);
    deleteObservations(db, ids, sessions);
    queueForgotten(db, [...rows.map(({ uid }) => String(uid)), ...sessions.map(summaryUid)]);
    return { digests: lasting.map((row) => digestOfRow(receipt.salt, row)), quoting };
  });
}

/**
 * Removes a batch of captures in one transaction. Their rows of the audit trail stay, without what they quote.
 *
 * @returns How many rows that quote them were changed.
 */
export function removeCaptures(
  db: DatabaseSync,
  ids: readonly string[],
  how: RemoveRows,
): Record<string, number> {
  return transaction(db, () => {
    const captures = db.prepare(
      `SELECT session_id AS sessionId, tool_use_id AS toolUseId, tool_name AS toolName, encoding, payload,
              raw_bytes AS rawBytes
         FROM pending_queue
        WHERE id IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(ids)).map((row) => ({
      sessionId: String(row["sessionId"]),
      toolUseId: row["toolUseId"] as string | null,
      toolName: String(row["toolName"]),
      payload: readablePayload(row),
    }));
    const digest = ownDigest(db);
    nameForgotten(db, how.receipt.id, [
      ...ids,
      ...captures.map(({ sessionId }) => sessionName(sessionId)),
      ...captures.flatMap((capture) => namesOfCapture(digest, capture)),
    ]);
    const quoting = changePlaces(db, [auditOf(db, ids)], how);
    db.prepare("DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))")
      .run(JSON.stringify(ids));
    return quoting;
  });
}
