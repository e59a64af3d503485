/**
 * Removes observations and captures, and removes their content from every other table: the audit trail, titles of
 * sessions, questions, and every text column. A preview counts the rows that forgetting changes.
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

/** How places are handled: whether rows are counted or changed, and which rows are counted already. */
export interface PlaceChange {
  /** `look` only counts. */
  readonly mode: "look" | "forget";
  /** The receipt that names the keys of removed rows; null when the mode is `look`. */
  readonly receiptId: string | null;
  /** The numbers of changed rows, by table, so that a row that several places change counts once. */
  readonly changed: Map<string, Set<number>>;
}

/** Tables in which several places change the same rows. All have row numbers. */
const SHARED = new Set(["hook_executions", "sessions"]);

/** By table, the column with a row's task, since the team must forget the task's content, too. */
const TASK_OF: Readonly<Record<string, string>> = {
  tasks: "id",
  task_history: "task_id",
  task_tags: "task_id",
};

/** Counts rows by table and, unless the mode is `look`, changes them, each place in one transaction. */
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

/** Lists the changes outside of observations and captures. @param sessions See {@linkcode textPlaces}. */
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

/** Lists the changes that remove the text and the history of tasks. */
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

/** Lists the changes for a whole session, project or time. Events precede the questions by which they are found. */
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

/** Tables whose rows other code removes, or that hold no content. */
const OTHER_TABLES = new Set([
  "observations",
  "observation_files",
  "pending_queue",
  "sessions_to_summarize",
  "forget_receipts",
  "forgotten",
]);

/** Tables whose rows are removed, since the program makes them anew or they are useless with a mark in them. */
const REMOVED_TABLES = new Set(
  ("config_cache root_snapshots branch_sizes counters effect_snapshots watched_files violations " +
    "kept_files").split(" "),
);

/** Columns with ids and kinds, in which a mark would break references to the row. */
const NAMES_OF_ROWS =
  /^(?:id|.*_id|status|kind|type|scope|priority|subject|source|decision|entity_type|hook_name|satisfied_by|triggered_by|trigger_state|content_hash|process_mark|claude_process|depends_on|origin|key)$/;

/** SQL: an event tells of a session, its questions or its agents. `?1` is the sessions as JSON. */
const EVENTS_OF_SESSIONS = `(entity_id IN (SELECT value FROM json_each(?1))
           OR entity_id IN (SELECT id FROM questions WHERE session_id IN (SELECT value FROM json_each(?1)))
           OR entity_id IN (SELECT id FROM agents WHERE session_id IN (SELECT value FROM json_each(?1))))`;

/**
 * Lists the changes that replace a text by a mark in every table outside of memory. Rows of caches are removed, and so
 * are rows with the text in their key.
 *
 * @param sessions Limits the changes to rows of these sessions; null means all rows of all tables.
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
  // A person may have chosen the type of a counter.
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
 * Removes captures that were forgotten before, and their quotes in the audit trail. A hook that runs again for the same
 * tool use brings its capture back, since it has no time to check.
 *
 * @returns The captures that stay, in the given order.
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

/** The number of rows that one transaction removes; small, so that hooks never wait long. */
const FORGET_BATCH = 100;

/** Splits a list into batches. */
export function* batchesOf<Item>(all: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < all.length; at += FORGET_BATCH) yield all.slice(at, at + FORGET_BATCH);
}

/** How rows are removed: also names the receipt for the removed rows. */
interface RemoveRows extends PlaceChange {
  readonly receipt: Pick<Receipt, "id" | "salt">;
}

/**
 * Removes a batch of observations in one transaction, with the local summaries of their sessions, and requests new
 * summaries.
 *
 * @returns `digests`: of the observations that must stay away. `quoting`: how many rows with quotes changed, by table.
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
    // A new summary gets the same name, so the name must not stay away.
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
 * Removes a batch of captures in one transaction. Their rows in the audit trail stay, without quotes.
 *
 * @returns How many rows with quotes changed, by table.
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
