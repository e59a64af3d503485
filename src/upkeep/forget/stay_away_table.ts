/**
 * Keeps forgotten content from coming back in any way. Ids name observations, captures and tool uses. Prompts and
 * messages have other ids in transcripts than in hooks, so digests of their words name them; digests of keys name rows
 * whose key held a text. The digests use the database's own key, so that no text is kept.
 */
import type { DatabaseSync } from "node:sqlite";
import {
  isUniqueId,
  keysOfCapture,
  keysOfObservation,
  titleKey,
  titleKeysOf,
  titleKeysOfCapture,
  useKeyOfCapture,
} from "../../memory/observe/capture_keys.ts";
import { tableOf } from "../transfer/exported_tables.ts";
import {
  type Digest,
  FORGET_KEY,
  isForgotten,
  knownDigest,
  nameForgotten,
  sessionName,
  useName,
  wordsName,
} from "./forgotten_names_table.ts";
import type { ImportedColumns } from "../transfer/import_rows_table.ts";
import { readablePayload } from "../../db/payloads.ts";
import { statement } from "../../db/statement.ts";
import { FORGOTTEN_MARK } from "../../base/forget_mark.ts";
import { keptJson } from "../../memory/observe/observation.ts";
import { summaryUid } from "../../memory/store.ts";

/** Content that is about to come in and may have been forgotten. */
export interface Arrival {
  readonly sessionId: string;
  /** The common git directory, else the folder; undefined if only the session counts. */
  readonly project?: string | null;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Ids, each of which names the content. */
  readonly names: readonly string[];
  /** The tool use of the content, if there is one. */
  readonly use?: {
    readonly toolUseId: string;
    /** Returns {@linkcode useKeyOfCapture}; null if the input of the tool use is unknown. */
    readonly key: () => string | null;
  } | undefined;
  /** The keys of the content's words, from `capture_keys.ts`. */
  readonly keys: readonly string[];
}

/** A session, a project or a time that was forgotten as a whole, up to the moment of forgetting. */
interface Range {
  readonly sessionId: string | null;
  readonly project: string | null;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Knows forgotten content: ranges as of the call of {@linkcode stayAway}, names as of each question. */
export interface StayAway {
  /** Whether the content was forgotten, by itself or with its whole session, project or time. */
  readonly has: (arrival: Arrival) => boolean;
  /** Whether words of a session were forgotten. @param key A key from `capture_keys.ts`. */
  readonly hasWords: (sessionId: string, key: string) => boolean;
}

/** Reads which content must stay away from a database. */
export function stayAway(db: DatabaseSync): StayAway {
  // Receipts without a text, a file and ids cover whole ranges, also for content that was not here at the time.
  const ranges = statement(
    db,
    `SELECT chosen ->> '$.session' AS sessionId, chosen ->> '$.project' AS project,
            coalesce(chosen ->> '$.sinceMs', 0) AS fromMs,
            min(created_at_ms, coalesce(chosen ->> '$.untilMs', created_at_ms)) AS untilMs
       FROM forget_receipts
      WHERE text_digest IS NULL
        AND chosen ->> '$.file' IS NULL
        AND chosen ->> '$.ids' IS NULL
        AND chosen <> '{}'`,
  ).all() as unknown as Range[];
  const hasWords = (sessionId: string, key: string) => {
    const digest = knownDigest(db);
    return digest !== null && isForgotten(db, wordsName(digest, sessionId, key));
  };
  return {
    hasWords,
    has: ({ sessionId, project, atMs, names, use, keys }) =>
      names.some((name) => isForgotten(db, name)) ||
      use !== undefined &&
        (isForgotten(db, use.toolUseId) || isForgotten(db, useName(sessionId, use.toolUseId)) ||
          repeatedName(db, use.key) !== null) ||
      keys.some((key) => hasWords(sessionId, key)) ||
      ranges.some((range) =>
        atMs >= range.fromMs && atMs <= range.untilMs &&
        (project !== undefined || range.sessionId !== null && range.project === null) &&
        (range.sessionId === null || range.sessionId === sessionId) &&
        (range.project === null || range.project === project)
      ),
  };
}

/** Returns the database's digest function; the first call makes the key. Must be called in a transaction. */
export function ownDigest(db: DatabaseSync): Digest {
  const key = crypto.getRandomValues(new Uint8Array(32)).toHex();
  const { changes } = statement(db, "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)")
    .run(FORGET_KEY, key);
  // A new key means that damage may have destroyed an older one; names from that key cannot be compared any more.
  if (changes > 0) db.exec(`UPDATE forgotten SET name = 'lost/' || name WHERE ${IS_DIGEST}`);
  return knownDigest(db)!;
}

/** SQL condition: a name is a digest. */
export const IS_DIGEST = "(name GLOB 'word/*' OR name GLOB 'row/*')";

/** A capture in the queue, or one that is about to enter it. */
export interface NamedCapture {
  readonly sessionId: string;
  /** Null for prompts and messages. */
  readonly toolUseId: string | null;
  readonly toolName: string;
  /** JSON; null if the payload is unreadable. */
  readonly payload: string | null;
}

/** Replaces the session in the name of a tool use that a fork may repeat in another session. */
const ANY_SESSION = "";

/** Returns the names of a capture's tool use or words, and of titles that consist of these words. */
export function namesOfCapture(digest: Digest, capture: NamedCapture): string[] {
  const { sessionId, toolUseId, toolName, payload } = capture;
  const words = payload === null
    ? []
    : [...keysOfCapture(toolName, payload), ...titleKeysOfCapture(toolName, payload)];
  const names = words.map((key) => wordsName(digest, sessionId, key));
  if (toolUseId === null) return names;
  const key = payload === null ? null : useKeyOfCapture({ toolUseId, toolName, payload });
  if (key !== null) names.push(wordsName(digest, ANY_SESSION, key));
  // Some gateways count ids anew in every session; such an id is no name by itself.
  else if (isUniqueId(toolUseId)) names.push(toolUseId);
  return [useName(sessionId, toolUseId), ...names];
}

/** Returns the names of the words in observations, and of titles that consist of them. */
export function namesOfObservations(
  digest: Digest,
  rows: readonly Readonly<Record<string, unknown>>[],
): string[] {
  return rows.flatMap(({ kind, text, sessionId }) => {
    const titles = kind === "prompt" ? titleKeysOf(String(text)) : [];
    return [...keysOfObservation(String(kind), String(text)), ...titles]
      .map((key) => wordsName(digest, String(sessionId), key));
  });
}

/** Returns the name of a tool use if it was forgotten in another session, else null. */
function repeatedName(db: DatabaseSync, keyOf: () => string | null): string | null {
  const digest = knownDigest(db);
  const key = digest === null ? null : keyOf();
  if (digest === null || key === null) return null;
  const name = wordsName(digest, ANY_SESSION, key);
  return isForgotten(db, name) ? name : null;
}

/**
 * Returns the ids of captures in the queue that were forgotten.
 *
 * @param options `among`: only these ids. `receiptId`: only captures that this receipt names.
 */
export function forgottenCaptures(
  db: DatabaseSync,
  { among, receiptId }: {
    readonly among: readonly string[] | null;
    readonly receiptId: string | null;
  },
): string[] {
  const digest = knownDigest(db);
  db.function("repeated_name", (toolUseId, toolName, encoding, payload, rawBytes) => {
    const text = readablePayload({ encoding, payload, rawBytes });
    if (digest === null || text === null) return null;
    const use = { toolUseId: String(toolUseId), toolName: String(toolName), payload: text };
    const key = useKeyOfCapture(use);
    return key === null ? null : wordsName(digest, ANY_SESSION, key);
  });
  // A payload is read only if a tool use with its id was forgotten in some session. `0` is the character after `/`.
  return statement(
    db,
    `SELECT q.id
       FROM pending_queue AS q
      WHERE ${among === null ? "?1 IS NULL" : "q.id IN (SELECT value FROM json_each(?1))"}
        AND EXISTS (
          SELECT 1
            FROM forgotten AS f
           WHERE f.receipt_id = coalesce(?2, f.receipt_id)
             AND f.name IN (
               q.id,
               q.tool_use_id,
               'use/' || q.tool_use_id || '/' || q.session_id,
               iif(EXISTS (SELECT 1
                             FROM forgotten AS u
                            WHERE u.name BETWEEN 'use/' || q.tool_use_id || '/' AND 'use/' || q.tool_use_id || '0'),
                   repeated_name(q.tool_use_id, q.tool_name, q.encoding, q.payload, q.raw_bytes),
                   NULL)))`,
  ).all(among === null ? null : JSON.stringify(among), receiptId).map(({ id }) => String(id));
}

/** A row with at least the columns of its key. */
type Row = Readonly<Record<string, unknown>>;

/** A table and the columns of its primary key. */
interface KeyedTable {
  readonly name: string;
  readonly keys: readonly string[];
}

/** Names rows by their keys, which held a text, in the transaction that removes the rows. */
export function nameKeys(
  db: DatabaseSync,
  receiptId: string,
  { table, rows }: { readonly table: KeyedTable; readonly rows: readonly Row[] },
): void {
  const digest = ownDigest(db);
  nameForgotten(db, receiptId, rows.map((row) => keyName(digest, table, row)));
}

/** Whether a row with the key of this exported row was removed here. */
export function isKeyForgotten(db: DatabaseSync, type: string, columns: ImportedColumns): boolean {
  const { table: name, key: keys } = tableOf(type);
  // A key of one column is an id, which holds no words of a person.
  if (keys === null || keys.length < 2) return false;
  const digest = knownDigest(db);
  return digest !== null && isForgotten(db, keyName(digest, { name, keys }, columns));
}

/** Counts, by table, rows that exist again although they were removed by their keys. */
export function keysBack(db: DatabaseSync, receiptId: string): Readonly<Record<string, number>> {
  const names = new Set(
    db.prepare("SELECT name FROM forgotten WHERE receipt_id = ? AND name GLOB 'row/*'")
      .all(receiptId).map(({ name }) => name),
  );
  const digest = knownDigest(db);
  if (names.size === 0 || digest === null) return {};
  const tables = db.prepare(
    `SELECT t.name AS name, json_group_array(c.name) AS keys
       FROM pragma_table_list AS t
       JOIN pragma_table_info(t.name) AS c
      WHERE t.schema = 'main'
        AND t.type = 'table'
        AND t.wr
        AND c.pk > 0
      GROUP BY t.name`,
  ).all().map(({ name, keys }) => ({ name: String(name), keys: JSON.parse(String(keys)) }));
  const counts = tables.map((table): [string, number] => {
    const rows = db.prepare(`SELECT ${table.keys.join(", ")} FROM ${table.name}`).all();
    return [table.name, rows.filter((row) => names.has(keyName(digest, table, row))).length];
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function keyName(digest: Digest, { name, keys }: KeyedTable, row: Row): string {
  return `row/${digest(JSON.stringify([name, ...[...keys].sort().map((key) => [key, row[key]])]))}`;
}

/** Returns a row in the form in which it may come in; null if it was forgotten here. */
type Admit = (type: string, columns: ImportedColumns) => ImportedColumns | null;

/**
 * Makes a check for the rows of an export. The check must be called for every row, in the order of the export and in
 * the transaction that writes the row.
 */
export function forgottenRows(db: DatabaseSync): Admit {
  const away = stayAway(db);
  /** The export's numbers of observations that stay away; fixes and captures of them stay away, too. */
  const leftOut = new Set<number>();
  const questions = new Set<string>();
  return (type, columns) => {
    if (statement(db, "SELECT 1 FROM forget_receipts LIMIT 1").get() === undefined) return columns;
    if (type === "session") return withoutTitle(columns, away);
    if (type === "event" && isAbout(db, String(columns["entity_id"]), questions)) return null;
    const isAway = isMadeOf(type, columns, leftOut) || isOldSummary(db, type, columns) ||
      (OF_SESSIONS.has(type) && away.has(arrivalOf(type, columns))) ||
      isKeyForgotten(db, type, columns) || isOfForgottenTask(db, type, columns);
    if (!isAway) return columns;
    if (type === "observation") leftOut.add(Number(columns["id"]));
    if (type === "question") questions.add(String(columns["id"]));
    return null;
  };
}

const OF_SESSIONS: ReadonlySet<string> = new Set([
  "observation",
  "capture",
  "execution",
  "question",
]);

function arrivalOf(type: string, columns: ImportedColumns): Arrival {
  const { id, uid, tool_use_id: use, session_id, created_at_ms, payload } = columns;
  const text = (value: unknown) => typeof value === "string" ? value : null;
  return {
    sessionId: String(session_id),
    atMs: Number(created_at_ms),
    names: [text(type === "observation" ? uid : id)].filter((name) => name !== null),
    use: typeof use !== "string" ? undefined : {
      toolUseId: use,
      key: () =>
        typeof payload === "string"
          ? useKeyOfCapture({ toolUseId: use, toolName: String(columns["tool_name"]), payload })
          : null,
    },
    keys: type === "observation"
      ? keysOfObservation(String(columns["kind"]), String(columns["text"]))
      : type === "capture" && typeof payload === "string"
      ? keysOfCapture(String(columns["tool_name"]), payload)
      : [],
  };
}

/** Whether a row belongs to a task, and is older than the forgetting of that task's text. */
function isOfForgottenTask(db: DatabaseSync, type: string, columns: ImportedColumns): boolean {
  const column = { task: "id", taskChange: "task_id", taskTag: "task_id" }[type as string];
  if (column === undefined) return false;
  const atMs = columns["updated_at_ms"] ?? columns["changed_at_ms"] ?? 0;
  return statement(
    db,
    `SELECT 1
       FROM forgotten AS f
       JOIN forget_receipts AS r ON r.id = f.receipt_id
      WHERE f.name = 'task/' || ?
        AND r.created_at_ms >= ?`,
  ).get(columns[column]!, atMs) !== undefined;
}

/** Whether an event is about a question that was forgotten. */
function isAbout(db: DatabaseSync, id: string, leftOut: ReadonlySet<string>): boolean {
  return leftOut.has(id) ||
    statement(db, `SELECT 1 FROM questions WHERE id = ? AND text = '${FORGOTTEN_MARK}'`)
        .get(id) !== undefined;
}

/** Whether a fix or a capture belongs to, and so quotes, an observation that stays away. */
function isMadeOf(type: string, columns: ImportedColumns, leftOut: ReadonlySet<number>): boolean {
  if (type === "capture") return leftOut.has(Number(columns["observation_id"] ?? NaN));
  if (type !== "observation" || columns["kind"] !== "fix") return false;
  const { mended, by } = keptJson<{ mended?: number; by?: unknown }>(columns["facts"], {});
  return [mended, ...Array.isArray(by) ? by : []].some((id) => leftOut.has(id));
}

/** Whether a row is the old summary of a session of which part was forgotten; a new one is made from the rest. */
function isOldSummary(db: DatabaseSync, type: string, columns: ImportedColumns): boolean {
  const sessionId = String(columns["session_id"]);
  if (type !== "observation" || columns["uid"] !== summaryUid(sessionId)) return false;
  return isForgotten(db, sessionName(sessionId));
}

/** Removes a session's title if it comes from a forgotten prompt. */
function withoutTitle(
  columns: ImportedColumns,
  away: ReturnType<typeof stayAway>,
): ImportedColumns {
  const { title, session_id: sessionId, started_at_ms: startedAtMs } = columns;
  if (typeof title !== "string") return columns;
  const isAway = away.has({
    sessionId: String(sessionId),
    atMs: Number(startedAtMs),
    names: [],
    keys: [titleKey(title)],
  });
  return isAway ? { ...columns, title: null } : columns;
}
