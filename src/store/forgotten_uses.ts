/**
 * Tool uses that were forgotten. Some gateways count their ids anew in every session, so a use is known by its id in its
 * session, and, for forks that repeat it, by its id with what was asked for. Older versions named the id alone.
 */
import type { DatabaseSync } from "node:sqlite";
import { isUniqueId, useKeyOfCapture } from "../memory/capture_keys.ts";
import { isForgotten, useName } from "./forgotten_names.ts";
import { knownWordNames, type NameWords } from "./forgotten_digest.ts";
import { payloadText, type StoredPayload } from "./payloads.ts";
import { statement } from "./statement.ts";

/** What a use is named under that a fork repeats: no session's id. */
const ANY_SESSION = "";

/** A capture as it lies in the queue, or waits to. */
export interface CapturedUse {
  readonly sessionId: string;
  readonly toolUseId: string | null;
  readonly toolName: string;
  /** JSON; null where it cannot be read. */
  readonly payload: string | null;
}

/** The names of the tool use that a capture is of; none for words. */
export function namesOfUse(
  name: NameWords,
  { sessionId, toolUseId, toolName, payload }: CapturedUse,
): string[] {
  if (toolUseId === null) return [];
  const key = payload === null ? null : useKeyOfCapture({ toolUseId, toolName, payload });
  const anywhere = key !== null
    ? [name(ANY_SESSION, key)]
    : isUniqueId(toolUseId)
    ? [toolUseId]
    : [];
  return [useName(sessionId, toolUseId), ...anywhere];
}

/** A tool use that may have been forgotten. */
export interface ArrivingUse {
  readonly sessionId: string;
  readonly toolUseId: string;
  /** {@linkcode useKeyOfCapture}; null where its input is not at hand. */
  readonly key: () => string | null;
}

/** Whether it was. */
export function isUseForgotten(
  db: DatabaseSync,
  { sessionId, toolUseId, key }: ArrivingUse,
): boolean {
  return isForgotten(db, toolUseId) || isForgotten(db, useName(sessionId, toolUseId)) ||
    repeatedName(db, key) !== null;
}

/** The name of what was forgotten in another session; null where it was not. */
function repeatedName(db: DatabaseSync, keyOf: () => string | null): string | null {
  const name = knownWordNames(db);
  const key = name === null ? null : keyOf();
  if (name === null || key === null) return null;
  const named = name(ANY_SESSION, key);
  return isForgotten(db, named) ? named : null;
}

/** Of rows `q` of the queue and `f` of `forgotten`. */
const NAMES_IT = "f.name IN (q.id, q.tool_use_id, 'use/' || q.tool_use_id || '/' || q.session_id)";
/** The same id was forgotten of some session; `0` is what follows `/`. */
const HAS_ITS_ID =
  "f.name BETWEEN 'use/' || q.tool_use_id || '/' AND 'use/' || q.tool_use_id || '0'";

/**
 * Captures in the queue that were forgotten, by their ids.
 *
 * @param options `among`: only these. `receiptId`: only what this receipt names.
 */
export function forgottenCaptures(
  db: DatabaseSync,
  { among, receiptId }: {
    readonly among: readonly string[] | null;
    readonly receiptId: string | null;
  },
): string[] {
  const rows = statement(
    db,
    `SELECT q.id, q.tool_use_id AS toolUseId, q.tool_name AS toolName, q.encoding, q.payload, q.raw_bytes AS rawBytes,
            EXISTS (SELECT 1 FROM forgotten AS f
                     WHERE ${NAMES_IT}
                       AND f.receipt_id = coalesce(?2, f.receipt_id)) AS isNamed
       FROM pending_queue AS q
      WHERE ${among === null ? "?1 IS NULL" : "q.id IN (SELECT value FROM json_each(?1))"}
        AND EXISTS (SELECT 1 FROM forgotten AS f WHERE ${NAMES_IT} OR ${HAS_ITS_ID})`,
  ).all(among === null ? null : JSON.stringify(among), receiptId);
  return rows.filter((row) => {
    if (row["isNamed"]) return true;
    const named = repeatedName(db, () => keyOfRow(row as unknown as QueuedUse));
    return named !== null && (receiptId === null || isNamedBy(db, named, receiptId));
  }).map(({ id }) => String(id));
}

interface QueuedUse extends StoredPayload {
  readonly toolUseId: string;
  readonly toolName: string;
}

function keyOfRow(row: QueuedUse): string | null {
  try {
    return useKeyOfCapture({ ...row, payload: payloadText(row) });
  } catch {
    // What cannot be read any more nobody can compare.
    return null;
  }
}

function isNamedBy(db: DatabaseSync, name: string, receiptId: string): boolean {
  return statement(db, "SELECT 1 FROM forgotten WHERE name = ? AND receipt_id = ?")
    .get(name, receiptId) !== undefined;
}
