/**
 * The rows of the audit trail that tell the same as a tool use without naming it: a person was asked for it, it was refused
 * before it was allowed, a subagent said it at its end, a notification or the subject of a task quotes it.
 */
import type { DatabaseSync } from "node:sqlite";
import { keptJson } from "../memory/observation.ts";
import { payloadText, type StoredPayload } from "./payloads.ts";

/** Shorter texts are the same by chance. */
const MIN_CHARS = 12;
/** So much of a long text is compared: what is behind it may be cut out of either. */
const COMPARED_CHARS = 200;

/** What a payload says of where it was, not of what was done. */
const PLACE_KEY = /^(?:cwd|transcript_path|session_id|hook_event_name|permission_mode)$|_dir$/;

/**
 * Rows of the same sessions that belong to no capture which stays, and tell a text of these captures, or are of the same
 * subagent. To be asked before the captures go.
 *
 * @param captures By id. @returns Row numbers in `hook_executions`.
 */
export function tellingRows(db: DatabaseSync, captures: readonly string[]): number[] {
  const ids = JSON.stringify(captures);
  const told = toldBySession(db, ids);
  if (told.size === 0) return [];
  const rows = db.prepare(
    `SELECT e.rowid AS place, e.session_id AS sessionId, e.metadata
       FROM hook_executions AS e
      WHERE e.session_id IN (SELECT value FROM json_each(?1))
        AND NOT EXISTS (
          SELECT 1
            FROM pending_queue AS q
           WHERE q.session_id = e.session_id
             AND (q.id = e.id OR q.tool_use_id = e.tool_use_id)
             AND q.id NOT IN (SELECT value FROM json_each(?2)))`,
  ).all(JSON.stringify([...told.keys()]), ids);
  return rows.filter(({ sessionId, metadata }) => {
    const known = told.get(String(sessionId))!;
    return textsIn(keptJson<object>(metadata, {})).some((text) => isToldIn(text, known));
  }).map(({ place }) => Number(place));
}

function isToldIn(text: string, known: ReadonlySet<string>): boolean {
  if (known.has(text)) return true;
  const part = text.slice(0, COMPARED_CHARS);
  for (const other of known) {
    if (other.includes(part)) return true;
    if (other.length <= COMPARED_CHARS && text.includes(other)) return true;
  }
  return false;
}

/** The texts of captures, by session: of their payloads, and of the audit rows about them where these are cut shorter. */
function toldBySession(db: DatabaseSync, ids: string): ReadonlyMap<string, ReadonlySet<string>> {
  const rows = db.prepare(
    `SELECT id, session_id AS sessionId, encoding, payload, raw_bytes AS rawBytes
       FROM pending_queue
      WHERE id IN (SELECT value FROM json_each(?))`,
  ).all(ids);
  const told = new Map<string, Set<string>>();
  for (const row of rows) {
    const sessionId = String(row["sessionId"]);
    const known = told.get(sessionId) ?? new Set();
    told.set(sessionId, known);
    try {
      const payload = keptJson<object>(payloadText(row as unknown as StoredPayload), {});
      for (const text of textsIn(payload)) known.add(text);
    } catch {
      // What cannot be read any more nobody can compare.
    }
  }
  return told;
}

/** The texts in a value that are long enough to be its own, and the ids of subagents. */
function textsIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") {
    const text = value.trim();
    if (/^agent_?id$/i.test(key) && text !== "") return [`agent ${text}`];
    return text.length >= MIN_CHARS && !PLACE_KEY.test(key) ? [text] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    textsIn(each, Array.isArray(value) ? key : name)
  );
}
