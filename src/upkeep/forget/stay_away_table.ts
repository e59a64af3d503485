/**
 * Keeps forgotten content from coming back in any way, by the names in the table `forgotten`. Ids name observations,
 * captures and tool uses. Prompts and messages have other ids in transcripts than in hooks, so digests of their words
 * name them; digests of keys name rows whose key held a text. The digests use the database's own key, so that no text
 * is kept.
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
import { type ImportedColumns, tableOf } from "../transfer/exported_tables.ts";
import type { HookRecord } from "../../db/captures.ts";
import { readablePayload } from "../../db/payloads.ts";
import { readMeta, statement } from "../../db/statement.ts";
import { keysOf, ordinaryTables } from "../../db/table_copy.ts";
import { FORGOTTEN_MARK } from "../../base/forget_mark.ts";
import { keptJson } from "../../memory/observe/observation.ts";
import { summaryUid } from "../../memory/store.ts";

/** The name of the row in `meta` with the key for digests of words and of row keys. */
export const FORGET_KEY = "forget_key";

/** Whether a name was forgotten: the uid of an observation, the id of a capture, or one of the names below. */
export function isForgotten(db: DatabaseSync, name: string): boolean {
  return statement(db, "SELECT 1 FROM forgotten WHERE name = ?").get(name) !== undefined;
}

function useName(sessionId: string, toolUseId: string): string {
  return `use/${toolUseId}/${sessionId}`;
}

/** Returns the name that records that part of a session was forgotten, so that its old summary stays away. */
export function sessionName(sessionId: string): string {
  return `session/${sessionId}`;
}

export function keyedDigest(key: string, text: string): string {
  // A static import would cost every hook the loading of the module.
  return process.getBuiltinModule("node:crypto").createHmac("sha256", key).update(text)
    .digest("hex");
}

/** Digests a text under the database's own key, so that nobody can read the text. */
type Digest = (text: string) => string;

/** Returns the digest function of the database; null if it has no key yet. */
function knownDigest(db: DatabaseSync): Digest | null {
  const key = readMeta(db, FORGET_KEY);
  return key === null ? null : (text) => keyedDigest(key, text);
}

/** Returns the name of words in a session. @param key The key of the words, from `capture_keys.ts`. */
function wordsName(digest: Digest, sessionId: string, key: string): string {
  return `word/${digest(`${sessionId} ${key}`)}`;
}

/** Records names of content that must not come back, in the transaction that removes the content. */
export function nameForgotten(db: DatabaseSync, receiptId: string, names: readonly string[]): void {
  statement(db)`
    INSERT INTO forgotten (name, receipt_id)
    SELECT value, ?1 FROM json_each(?2) WHERE true
    ON CONFLICT (name) DO UPDATE SET receipt_id = excluded.receipt_id
  `.run(receiptId, JSON.stringify(names));
}

export function namesOfReceipt(db: DatabaseSync, receiptId: string): string[] {
  return db.prepare("SELECT name FROM forgotten WHERE receipt_id = ?").all(receiptId)
    .map(({ name }) => String(name));
}

/** Removes names, so that their rows may come in again, in the caller's transaction. */
export function admitAgain(db: DatabaseSync, names: readonly string[]): void {
  db.prepare("DELETE FROM forgotten WHERE name IN (SELECT value FROM json_each(?))")
    .run(JSON.stringify(names));
}

/** Removes forgotten content from records, in the transaction that writes them, so that only the event itself stays. */
export function withoutForgotten(
  db: DatabaseSync,
  records: readonly HookRecord[],
): readonly HookRecord[] {
  if (statement(db, "SELECT 1 FROM forgotten LIMIT 1").get() === undefined) return records;
  return records.map((record) => {
    const { id, sessionId, session, execution, capture } = record;
    const uses = [execution.toolUseId, capture?.toolUseId];
    const names = [id, ...uses, ...uses.map((use) => use && useName(sessionId, use))];
    if (!names.some((name) => name && isForgotten(db, name))) return record;
    const { told: _told, ...rest } = record;
    return {
      ...rest,
      session: session && { ...session, title: null },
      execution: {
        ...execution,
        errorMessage: execution.errorMessage === null ? null : FORGOTTEN_MARK,
        errorStack: null,
        metadata: { forgotten: true },
      },
      capture: null,
    };
  });
}

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

export type StayAway = ReturnType<typeof stayAway>;

/** Returns a check whether content was forgotten, by itself or with its range. It reads the ranges at first need. */
export function stayAway(db: DatabaseSync) {
  let ranges: readonly Range[] | null = null;
  return {
    has: (arrival: Arrival): boolean => {
      if (isNamed(db, arrival)) return true;
      ranges ??= forgottenRanges(db);
      return ranges.some((range) => isWithin(range, arrival));
    },
  };
}

/** Whether an id, the tool use or words of content were forgotten. Digests cost more than ids, so they come last. */
function isNamed(db: DatabaseSync, { sessionId, names, use, keys }: Arrival): boolean {
  // Older versions named a tool use by its id alone.
  const ofUse = use === undefined ? [] : [use.toolUseId, useName(sessionId, use.toolUseId)];
  if ([...names, ...ofUse].some((name) => isForgotten(db, name))) return true;
  const digest = knownDigest(db);
  if (digest === null) return false;
  const hasWords = (session: string, key: string) =>
    isForgotten(db, wordsName(digest, session, key));
  const useKey = use?.key() ?? null;
  return useKey !== null && hasWords(ANY_SESSION, useKey) ||
    keys.some((key) => hasWords(sessionId, key));
}

/** Reads the ranges: receipts without a text, a file and ids, which also cover content that was not here yet. */
function forgottenRanges(db: DatabaseSync): readonly Range[] {
  return statement(db)`
    SELECT chosen ->> '$.session' AS sessionId, chosen ->> '$.project' AS project,
           coalesce(chosen ->> '$.sinceMs', 0) AS fromMs,
           min(created_at_ms, coalesce(chosen ->> '$.untilMs', created_at_ms)) AS untilMs
      FROM forget_receipts
     WHERE text_digest IS NULL
       AND chosen ->> '$.file' IS NULL
       AND chosen ->> '$.ids' IS NULL
       AND chosen <> '{}'`.all() as unknown as Range[];
}

function isWithin(range: Range, { sessionId, project, atMs }: Arrival): boolean {
  return atMs >= range.fromMs && atMs <= range.untilMs &&
    (project !== undefined || range.sessionId !== null && range.project === null) &&
    (range.sessionId === null || range.sessionId === sessionId) &&
    (range.project === null || range.project === project);
}

/** Returns the database's digest function; the first call makes the key. Must be called in a transaction. */
function ownDigest(db: DatabaseSync): Digest {
  const key = crypto.getRandomValues(new Uint8Array(32)).toHex();
  const { changes } = statement(db, "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)")
    .run(FORGET_KEY, key);
  // A new key means that damage may have destroyed an older one; names from that key cannot be compared any more.
  if (changes > 0) db.exec(`UPDATE forgotten SET name = 'lost/' || name WHERE ${IS_DIGEST}`);
  return knownDigest(db)!;
}

/** SQL condition: a name is a digest. */
export const IS_DIGEST = "(name GLOB 'word/*' OR name GLOB 'row/*')";

/** Replaces the session in the name of a tool use that a fork may repeat in another session. */
const ANY_SESSION = "";

/** Returns the name of a tool use that a fork may repeat in another session; null without its input. */
function repeatedName(
  digest: Digest,
  use: { readonly toolUseId: string; readonly toolName: string; readonly payload: string | null },
): string | null {
  const { payload } = use;
  const key = payload === null ? null : useKeyOfCapture({ ...use, payload });
  return key === null ? null : wordsName(digest, ANY_SESSION, key);
}

/** Returns the names of captures: their ids, tool uses, words, and titles that consist of these words. */
export function namesOfCaptures(db: DatabaseSync, ids: readonly string[]): string[] {
  const digest = ownDigest(db);
  const rows = statement(db)`
    SELECT session_id AS sessionId, tool_use_id AS toolUseId, tool_name AS toolName, encoding, payload,
           raw_bytes AS rawBytes
      FROM pending_queue
     WHERE id IN (SELECT value FROM json_each(?))`.all(JSON.stringify(ids));
  const named = rows.flatMap((row) => {
    const [sessionId, toolName] = [String(row["sessionId"]), String(row["toolName"])];
    const toolUseId = row["toolUseId"] as string | null;
    const payload = readablePayload(row);
    const words = payload === null
      ? []
      : [...keysOfCapture(toolName, payload), ...titleKeysOfCapture(toolName, payload)];
    const names = [
      sessionName(sessionId),
      ...words.map((key) => wordsName(digest, sessionId, key)),
    ];
    if (toolUseId === null) return names;
    const repeated = repeatedName(digest, { toolUseId, toolName, payload });
    // Some gateways count ids anew in every session; such an id is no name by itself.
    const byItself = isUniqueId(toolUseId) ? [toolUseId] : [];
    return [...names, useName(sessionId, toolUseId), ...repeated === null ? byItself : [repeated]];
  });
  return [...ids, ...named];
}

/** Returns the names of the words in observations, and of titles that consist of them. */
export function namesOfObservations(
  db: DatabaseSync,
  rows: readonly Readonly<Record<string, unknown>>[],
): string[] {
  const digest = ownDigest(db);
  return rows.flatMap(({ kind, text, sessionId }) => {
    const titles = kind === "prompt" ? titleKeysOf(String(text)) : [];
    return [...keysOfObservation(String(kind), String(text)), ...titles]
      .map((key) => wordsName(digest, String(sessionId), key));
  });
}

/** Returns the forgotten captures in the queue: only those `among` some ids, only those that a receipt names. */
export function forgottenCaptures(
  db: DatabaseSync,
  { among, receiptId }: Readonly<{ among: readonly string[] | null; receiptId: string | null }>,
): string[] {
  const digest = knownDigest(db);
  db.function("repeated_name", (toolUseId, toolName, encoding, payload, rawBytes) => {
    const use = { toolUseId: String(toolUseId), toolName: String(toolName) };
    const text = readablePayload({ encoding, payload, rawBytes });
    return digest && repeatedName(digest, { ...use, payload: text });
  });
  // A payload is read only if a tool use with its id was forgotten in some session. `0` is the character after `/`.
  const found = statement(db)`
    SELECT q.id
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
                  NULL)))`.all(among === null ? null : JSON.stringify(among), receiptId);
  return found.map(({ id }) => String(id));
}

type KeyedTable = Readonly<{ name: string; keys: readonly string[] }>;

/** Returns the names of rows by their keys, which held a text. Must be called in a transaction. */
export function namesOfKeys(
  db: DatabaseSync,
  table: KeyedTable,
  rows: readonly Readonly<Record<string, unknown>>[],
): string[] {
  const digest = ownDigest(db);
  return rows.map((row) => keyName(digest, table, row));
}

function keyName(
  digest: Digest,
  { name, keys }: KeyedTable,
  row: Readonly<Record<string, unknown>>,
): string {
  return `row/${digest(JSON.stringify([name, ...keys.toSorted().map((key) => [key, row[key]])]))}`;
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
  const tables = ordinaryTables(db).map((name) => ({ name, keys: keysOf(db, name) }))
    .filter(({ keys }) => !keys.includes("rowid"));
  const counts = tables.map((table): [string, number] => {
    const rows = db.prepare(`SELECT ${table.keys.join(", ")} FROM ${table.name}`).all();
    return [table.name, rows.filter((row) => names.has(keyName(digest, table, row))).length];
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/**
 * Makes a check that returns a row of an export as it may come in, or null if it was forgotten here. The check must be
 * called for every row, in the order of the export and in the transaction that writes the row.
 */
export function forgottenRows(db: DatabaseSync) {
  const away = stayAway(db);
  /** The export's numbers of observations that stay away; fixes and captures of them stay away, too. */
  const leftOut = new Set<number>();
  const questions = new Set<string>();
  return (type: string, columns: ImportedColumns): ImportedColumns | null => {
    if (statement(db, "SELECT 1 FROM forget_receipts LIMIT 1").get() === undefined) return columns;
    if (type === "session") return withoutTitle(columns, away);
    if (type === "event" && isAbout(db, String(columns["entity_id"]), questions)) return null;
    const isAway = isMadeOf(type, columns, leftOut) || isOldSummary(db, type, columns) ||
      OF_SESSIONS.has(type) && away.has(arrivalOf(type, columns)) ||
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
  const { kind, text, tool_use_id: toolUseId, tool_name, payload } = columns;
  const name = type === "observation" ? columns["uid"] : columns["id"];
  const capture = typeof payload === "string" ? { toolName: String(tool_name), payload } : null;
  const keysOf = () => {
    if (type === "observation") return keysOfObservation(String(kind), String(text));
    return type === "capture" && capture ? keysOfCapture(capture.toolName, capture.payload) : [];
  };
  return {
    sessionId: String(columns["session_id"]),
    atMs: Number(columns["created_at_ms"]),
    names: typeof name === "string" ? [name] : [],
    use: typeof toolUseId !== "string" ? undefined : {
      toolUseId,
      key: () => capture && useKeyOfCapture({ toolUseId, ...capture }),
    },
    keys: keysOf(),
  };
}

/** Whether a row belongs to a task, and is older than the forgetting of that task's text. */
function isOfForgottenTask(db: DatabaseSync, type: string, columns: ImportedColumns): boolean {
  const column = { task: "id", taskChange: "task_id", taskTag: "task_id" }[type];
  if (column === undefined) return false;
  const atMs = columns["updated_at_ms"] ?? columns["changed_at_ms"] ?? 0;
  return statement(db)`
    SELECT 1
      FROM forgotten AS f
      JOIN forget_receipts AS r ON r.id = f.receipt_id
     WHERE f.name = 'task/' || ?
       AND r.created_at_ms >= ?`.get(columns[column]!, atMs) !== undefined;
}

function isAbout(db: DatabaseSync, id: string, leftOut: ReadonlySet<string>): boolean {
  const ofMarked = `SELECT 1 FROM questions WHERE id = ? AND text = '${FORGOTTEN_MARK}'`;
  return leftOut.has(id) || statement(db, ofMarked).get(id) !== undefined;
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
  return type === "observation" && columns["uid"] === summaryUid(sessionId) &&
    isForgotten(db, sessionName(sessionId));
}

function withoutTitle(columns: ImportedColumns, away: StayAway): ImportedColumns {
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
