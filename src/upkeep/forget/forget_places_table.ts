/**
 * Removes observations and captures, and removes their content from every other table: the audit trail, titles of
 * sessions, questions, and every text column. A preview counts the rows that forgetting changes.
 */
import type { DatabaseSync } from "node:sqlite";
import { addCounts } from "../../base/counts.ts";
import { FORGOTTEN_MARK } from "../../base/forget_mark.ts";
import type { TextMatcher } from "../../memory/forget_text.ts";
import { transaction } from "../../db/transaction.ts";
import {
  defineTextFunctions,
  deleteObservations,
  type ForgetFilter,
  observedTexts,
  summaryUid,
  withIndex,
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
import { statement } from "../../db/statement.ts";
import {
  FORGET_KEY,
  forgottenCaptures,
  nameForgotten,
  namesOfCaptures,
  namesOfKeys,
  namesOfObservations,
  sessionName,
} from "./stay_away_table.ts";
import { queueForgotten, queueReplaced } from "../../db/team_outbox.ts";
import { isAnyForgotten } from "../../db/queue_work.ts";
import { columnsOf, keysOf, ordinaryTables } from "../../db/table_copy.ts";
import { digestOfRow, type ReceiptKey, taskName } from "./forget_receipts_table.ts";

/** The number of rows or files of each kind; kinds with none are missing. */
export type Removed = Record<string, number>;

export interface ForgetRun {
  /** The receipt that names removed rows; null only counts. */
  readonly receipt: ReceiptKey | null;
  /** The numbers of changed rows, by table, so that a row that several places change counts once. */
  readonly changed: Map<string, Set<number>>;
  readonly digests: string[];
}

export function newRun(receipt: ReceiptKey | null): ForgetRun {
  return { receipt, changed: new Map(), digests: [] };
}

/** Tables in which several places change the same rows. All have row numbers. */
const SHARED = new Set(["hook_executions", "sessions"]);

/** By table, the column with a row's task, since the team must forget the task's content, too. */
const TASK_OF: Readonly<Record<string, string>> = {
  tasks: "id",
  task_history: "task_id",
  task_tags: "task_id",
};

/** Counts rows by table and, with a receipt, changes them, each place in one transaction. */
export function changePlaces(
  db: DatabaseSync,
  places: readonly RowChange[],
  run: ForgetRun,
): Removed {
  const counts: Removed = {};
  for (const place of places) {
    const change = () => changePlace(db, place, run);
    const isSingle = run.receipt === null || db.isTransaction;
    addCounts(counts, { [place.table]: isSingle ? change() : transaction(db, change) });
  }
  return counts;
}

function changePlace(
  db: DatabaseSync,
  { table, change, where, values, named }: RowChange,
  { receipt, changed }: ForgetRun,
): number {
  const task = TASK_OF[table];
  const columns = named?.join(", ") ?? (SHARED.has(table) ? "rowid" : task ?? "1");
  const rows = db.prepare(
    receipt === null
      ? `SELECT ${columns} FROM ${table} WHERE ${where}`
      : `${change} WHERE ${where} RETURNING ${columns}`,
  ).all(...values);
  if (receipt !== null && rows.length > 0) {
    if (named !== undefined) {
      nameForgotten(db, receipt.id, namesOfKeys(db, { name: table, keys: named }, rows));
    }
    if (task !== undefined) {
      const ids = rows.map((row) => String(row[task]));
      queueReplaced(db, ids);
      nameForgotten(db, receipt.id, ids.map(taskName));
    }
  }
  if (!SHARED.has(table)) return rows.length;
  const known = changed.get(table) ?? new Set();
  const all = known.union(new Set(rows.map(({ rowid }) => Number(rowid))));
  changed.set(table, all);
  return all.size - known.size;
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
      table,
      change: `DELETE FROM ${table}`,
      where: `task_id ${among}`,
      values,
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
const OTHER_TABLES = new Set(
  ("observations observation_files pending_queue sessions_to_summarize forget_receipts forgotten")
    .split(" "),
);

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
 * Lists the changes that replace a text by a mark outside of memory; rows of caches and rows with the text in their key
 * are removed. @param sessions Limits the changes to rows of these sessions; null means all rows of all tables.
 */
export function textPlaces(
  db: DatabaseSync,
  text: TextMatcher,
  sessions: readonly string[] | null,
): RowChange[] {
  defineTextFunctions(db, text);
  return ordinaryTables(db).filter((table) => !OTHER_TABLES.has(table))
    .flatMap((table) => textPlacesIn(db, table, sessions));
}

function textPlacesIn(
  db: DatabaseSync,
  table: string,
  sessions: readonly string[] | null,
): RowChange[] {
  const columns = columnsOf(db, table);
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
  const words = columns.filter(({ name, isText }) => isText && isWord(name))
    .map(({ name }) => name);
  const keys = keysOf(db, table);
  const [inKey, texts] = [true, false].map((isKey) =>
    words.filter((name) => keys.includes(name) === isKey)
  ) as [string[], string[]];
  const remove = `DELETE FROM ${table}`;
  const set = texts.map((name) => `${name} = without(${name})`).join(", ");
  const change = REMOVED_TABLES.has(table) ? remove : `UPDATE ${table} SET ${set}`;
  const ofKey = inKey.length === 0 ? null : holding(inKey);
  const besides = ofKey === null ? "" : ` AND NOT (${ofKey})`;
  return [
    ...ofKey === null ? [] : [{ table, change: remove, where: ofKey, values, named: keys }],
    ...texts.length === 0 ? [] : [{ table, change, where: holding(texts) + besides, values }],
  ];
}

/**
 * Removes captures that were forgotten before, with their quotes in the audit trail, and returns the others. A hook
 * that runs again for the same tool use brings its capture back, since it has no time to check.
 */
export function removeForgottenAgain<Capture extends { readonly id: string }>(
  db: DatabaseSync,
  captures: readonly Capture[],
): readonly Capture[] {
  if (!isAnyForgotten(db)) return captures;
  const among = captures.map(({ id }) => id);
  const forgotten = new Set(forgottenCaptures(db, { among, receiptId: null }));
  if (forgotten.size === 0) return captures;
  const { change, where, values } = auditOf(db, [...forgotten]);
  transaction(db, () => {
    db.prepare(`${change} WHERE ${where}`).run(...values);
    removeCaptures(db, [...forgotten]);
  });
  return captures.filter(({ id }) => !forgotten.has(id));
}

/** The number of rows that one transaction removes; small, so that hooks never wait long. */
const FORGET_BATCH = 100;

export function* batchesOf<Item>(all: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < all.length; at += FORGET_BATCH) yield all.slice(at, at + FORGET_BATCH);
}

/**
 * Removes observations, the local summaries of their sessions and the titles that sessions have from them; requests new
 * summaries. @returns How many rows with quotes changed, by table.
 */
export function forgetObservations(
  db: DatabaseSync,
  ids: readonly number[],
  run: ForgetRun,
): Removed {
  const { receipt, digests } = run;
  if (receipt === null) return changePlaces(db, titlesAfter(observedTexts(db, ids)), run);
  const quoting: Removed = {};
  const removeBatch = (batch: readonly number[]) => {
    const rows = observedTexts(db, batch);
    const sessions = [...new Set(rows.map(({ sessionId }) => String(sessionId)))];
    // A new summary gets the same name, so the name must not stay away.
    const lasting = rows.filter(({ uid, sessionId }) => uid !== summaryUid(String(sessionId)));
    nameForgotten(db, receipt.id, [
      ...lasting.map(({ uid }) => String(uid)),
      ...sessions.map(sessionName),
      ...namesOfObservations(db, rows),
    ]);
    const counts = changePlaces(db, titlesAfter(rows), run);
    deleteObservations(db, batch, sessions);
    queueForgotten(db, [...rows.map(({ uid }) => String(uid)), ...sessions.map(summaryUid)]);
    return { counts, digests: lasting.map((row) => digestOfRow(receipt.salt, row)) };
  };
  for (const batch of batchesOf(ids)) {
    const done = withIndex(db, () => transaction(db, () => removeBatch(batch)));
    addCounts(quoting, done.counts);
    digests.push(...done.digests);
  }
  return quoting;
}

/** Removes captures, and the quotes in their audit rows. @returns How many rows with quotes changed, by table. */
export function forgetCaptures(db: DatabaseSync, ids: readonly string[], run: ForgetRun): Removed {
  const { receipt } = run;
  if (receipt === null) return changePlaces(db, [auditOf(db, ids)], run);
  const quoting: Removed = {};
  for (const batch of batchesOf(ids)) {
    transaction(db, () => {
      nameForgotten(db, receipt.id, namesOfCaptures(db, batch));
      addCounts(quoting, changePlaces(db, [auditOf(db, batch)], run));
      removeCaptures(db, batch);
    });
  }
  return quoting;
}

function removeCaptures(db: DatabaseSync, ids: readonly string[]): void {
  statement(db, "DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))")
    .run(JSON.stringify(ids));
}
