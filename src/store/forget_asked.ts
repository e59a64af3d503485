/**
 * The rows of the audit trail that quote a tool use without naming it: a person was asked for it, or it was refused
 * before it was allowed.
 */
import type { DatabaseSync } from "node:sqlite";
import { isSameInput } from "../memory/same_input.ts";
import { payloadText, type StoredPayload } from "./payloads.ts";

/** So far from any row about the tool use itself: who is asked may take a while, the question comes at once. */
const NEAR_MS = 60 * 60 * 1000;

/** An input of a tool, as something has kept it. */
interface Told {
  readonly sessionId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly atMs: number;
}

/**
 * Rows of the same session, tool and input near in time, which belong to no other capture. To be asked before the
 * captures and their own rows go.
 *
 * @param captures By id. @returns Row numbers in `hook_executions`.
 */
export function askedForTools(db: DatabaseSync, captures: readonly string[]): number[] {
  const told = toldOf(db, captures);
  if (told.length === 0) return [];
  const times = told.map(({ atMs }) => atMs);
  const rows = db.prepare(
    `SELECT e.rowid AS place, e.session_id AS sessionId, e.tool_name AS toolName, e.metadata, e.created_at_ms AS atMs
       FROM hook_executions AS e
      WHERE e.session_id IN (SELECT value FROM json_each(?1))
        AND e.tool_name IN (SELECT value FROM json_each(?2))
        AND e.created_at_ms BETWEEN ?3 AND ?4
        AND instr(e.metadata, '"tool_input"') > 0
        AND (e.tool_use_id IS NULL
             OR NOT EXISTS (SELECT 1
                              FROM pending_queue AS q
                             WHERE q.session_id = e.session_id
                               AND q.tool_use_id = e.tool_use_id))`,
  ).all(
    JSON.stringify([...new Set(told.map(({ sessionId }) => sessionId))]),
    JSON.stringify([...new Set(told.map(({ toolName }) => toolName))]),
    times.reduce((one, other) => Math.min(one, other)) - NEAR_MS,
    times.reduce((one, other) => Math.max(one, other)) + NEAR_MS,
  );
  return rows.filter((row) => {
    const input = inputIn(row["metadata"]);
    return input !== undefined &&
      told.some((one) =>
        one.sessionId === row["sessionId"] && one.toolName === row["toolName"] &&
        Math.abs(one.atMs - Number(row["atMs"])) <= NEAR_MS && isSameInput(one.input, input)
      );
  }).map(({ place }) => Number(place));
}

/** The inputs by payload, and as the rows about the same tool uses quote them. */
function toldOf(db: DatabaseSync, captures: readonly string[]): Told[] {
  const ids = JSON.stringify(captures);
  const whole = db.prepare(
    `SELECT session_id AS sessionId, tool_name AS toolName, created_at_ms AS atMs, encoding, payload,
            raw_bytes AS rawBytes
       FROM pending_queue
      WHERE id IN (SELECT value FROM json_each(?))`,
  ).all(ids).map((row) => ({ ...row, input: inputOf(row as unknown as StoredPayload) }));
  const quoted = db.prepare(
    `SELECT e.session_id AS sessionId, e.tool_name AS toolName, e.created_at_ms AS atMs, e.metadata
       FROM pending_queue AS q
       JOIN hook_executions AS e ON e.session_id = q.session_id AND e.tool_use_id = q.tool_use_id
      WHERE q.id IN (SELECT value FROM json_each(?))`,
  ).all(ids).map((row) => ({ ...row, input: inputIn(row["metadata"]) }));
  return ([...whole, ...quoted] as unknown as Told[]).filter(({ input }) => input !== undefined);
}

function inputOf(stored: StoredPayload): unknown {
  try {
    return inputIn(payloadText(stored));
  } catch {
    // What cannot be read any more nobody can compare.
    return undefined;
  }
}

function inputIn(json: unknown): unknown {
  try {
    const value: unknown = JSON.parse(String(json));
    return typeof value === "object" && value !== null
      ? Reflect.get(value, "tool_input")
      : undefined;
  } catch {
    return undefined;
  }
}
