/**
 * The rows of the audit trail that tell the same as a tool use without naming it: what a subagent said at its end, the
 * subject of a task that was made, a notification.
 */
import type { DatabaseSync } from "node:sqlite";
import { keptJson } from "../memory/kept_json.ts";
import { payloadText, type StoredPayload } from "./payloads.ts";

/** What such rows tell, by the hook that wrote them. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  SubagentStop: ["agent_id", "last_assistant_message"],
  TaskCreated: ["task_subject", "task_description"],
  TaskCompleted: ["task_subject", "task_description"],
  Notification: ["message", "title"],
};

/** Shorter texts count only where they are the same as a whole: "done" says nothing of whom it is from. */
const MIN_PART_CHARS = 12;
/** So much of a long text is compared: its middle may be cut out of a payload. */
const COMPARED_CHARS = 200;

/**
 * Rows of the same sessions that belong to no capture, and tell what is in these captures. To be asked before they go.
 *
 * @param captures By id. @returns Row numbers in `hook_executions`.
 */
export function tellingRows(db: DatabaseSync, captures: readonly string[]): number[] {
  const texts = textsBySession(db, captures);
  if (texts.size === 0) return [];
  const rows = db.prepare(
    `SELECT rowid AS place, session_id AS sessionId, hook_name AS hook, metadata
       FROM hook_executions
      WHERE session_id IN (SELECT value FROM json_each(?1))
        AND hook_name IN (SELECT value FROM json_each(?2))
        AND id NOT IN (SELECT id FROM pending_queue)`,
  ).all(JSON.stringify([...texts.keys()]), JSON.stringify(Object.keys(TELLING)));
  return rows.filter(({ sessionId, hook, metadata }) => {
    const told = keptJson<Record<string, unknown>>(metadata, {});
    const known = texts.get(String(sessionId))!;
    return TELLING[String(hook)]!.some((name) => tells(told[name], known));
  }).map(({ place }) => Number(place));
}

function tells(value: unknown, texts: ReadonlySet<string>): boolean {
  if (typeof value !== "string" || value === "") return false;
  if (texts.has(value)) return true;
  const part = value.trim().slice(0, COMPARED_CHARS);
  for (const text of texts) {
    if (part.length >= MIN_PART_CHARS && text.includes(part)) return true;
    if (text.length >= MIN_PART_CHARS && text.length <= COMPARED_CHARS && value.includes(text)) {
      return true;
    }
  }
  return false;
}

/** All texts in the payloads, by session. */
function textsBySession(
  db: DatabaseSync,
  captures: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const rows = db.prepare(
    `SELECT session_id AS sessionId, encoding, payload, raw_bytes AS rawBytes
       FROM pending_queue
      WHERE id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(captures));
  const texts = new Map<string, Set<string>>();
  for (const row of rows) {
    const sessionId = String(row["sessionId"]);
    const known = texts.get(sessionId) ?? new Set();
    texts.set(sessionId, known);
    try {
      const { tool_input, tool_response, prompt } = keptJson<Record<string, unknown>>(
        payloadText(row as unknown as StoredPayload),
        {},
      );
      collect([tool_input, tool_response, prompt], known);
    } catch {
      // What cannot be read any more nobody can compare.
    }
  }
  return texts;
}

/** Puts the texts in a value into a set. */
function collect(value: unknown, into: Set<string>): void {
  if (typeof value === "string") {
    if (value !== "") into.add(value);
  } else if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) collect(each, into);
  }
}
