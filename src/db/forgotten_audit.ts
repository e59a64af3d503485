/** Removes forgotten texts from the audit trail and from the titles of sessions. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { FORGOTTEN_MARK } from "../base/forget_mark.ts";
import { namesOfList, UNDER_A_FILE } from "./file_match.ts";
import { readablePayload } from "./payloads.ts";
import { statement } from "./statement.ts";

/** Rows of one table, and the change that forgets what they hold. */
export interface RowChange {
  readonly table: string;
  /** The SQL statement up to its condition. */
  readonly change: string;
  readonly where: string;
  readonly values: readonly SQLInputValue[];
  /** The columns of the key, when rows are removed because their key holds the text; the receipt lists them first. */
  readonly named?: readonly string[];
}

/** An audit row keeps what happened and when, and loses what it quotes. */
export const WITHOUT_QUOTES = `UPDATE hook_executions
                           SET metadata = '{"forgotten":true}', error_stack = NULL,
                               error_message = iif(error_message IS NULL, NULL, '${FORGOTTEN_MARK}')`;
export const HAS_QUOTES = `metadata NOT IN ('{}', '{"forgotten":true}')`;

/** Returns both ends of a span of time, with numbers for open ends. */
export function between(sinceMs: number | null, untilMs: number | null): [number, number] {
  return [sinceMs ?? 0, untilMs ?? Number.MAX_SAFE_INTEGER];
}

/** Returns changes that remove the titles which sessions took from prompts among these observations. */
export function titlesAfter(
  observations: readonly Readonly<Record<string, unknown>>[],
): RowChange[] {
  return observations.filter(({ kind }) => kind === "prompt").map(({ sessionId, title, text }) => ({
    table: "sessions",
    change: "UPDATE sessions SET title = NULL",
    where: `session_id = ?1
          AND (instr(?2, rtrim(title, '…')) > 0 OR instr(?3, rtrim(title, '…')) > 0)`,
    values: [String(sessionId), String(title), String(text).replace(/\s+/g, " ")],
  }));
}

/** Shorter texts are not compared, because they can be equal by chance. */
const MIN_COMPARED_CHARS = 12;
/** Only the beginning of a long text is compared: the rest may have been cut. */
const COMPARED_CHARS = 200;
/** Fields that say where something happened, not what was done. */
const PLACE_KEY = /^(?:cwd|transcript_path|session_id|hook_event_name|permission_mode)$|_dir$/;

/**
 * Returns the change of the audit rows about captures: rows of their tool uses, and rows of their sessions that hold
 * the same text (a question to the person, an earlier refusal, the last words of a subagent) and belong to no capture
 * that stays. Call it before the captures are removed.
 */
export function auditOf(db: DatabaseSync, captures: readonly string[]): RowChange {
  const ids = JSON.stringify(captures);
  const rows = statement(db)`
    SELECT id, session_id AS sessionId, tool_use_id AS toolUseId, encoding, payload, raw_bytes AS rawBytes
      FROM pending_queue
     WHERE id IN (SELECT value FROM json_each(?))`.all(ids);
  const textsBySession = new Map<unknown, Set<string>>();
  for (const [session, some] of Map.groupBy(rows, ({ sessionId }) => sessionId)) {
    const texts = new Set<string>();
    for (const row of some) {
      if (row["toolUseId"] !== null) texts.add(String(row["toolUseId"]));
      for (const text of ownTexts(readablePayload(row))) texts.add(text);
    }
    textsBySession.set(session, texts);
  }
  const holdsSame = (sessionId: unknown, metadata: unknown) =>
    ownTexts(String(metadata)).some((text) =>
      textsBySession.get(sessionId)?.values().some((other) =>
        other.includes(text.slice(0, COMPARED_CHARS)) ||
        other.length <= COMPARED_CHARS && text.includes(other)
      )
    );
  db.function("tells_same", (sessionId, metadata) => Number(holdsSame(sessionId, metadata)));
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
    values: [ids, JSON.stringify([...textsBySession.keys()])],
  };
}

/** Returns the texts in JSON that are long enough to be recognised, and the ids of subagents; none for damaged JSON. */
function ownTexts(json: string | null): string[] {
  const texts: string[] = [];
  // `doctor` reports a damaged row.
  quietly(() => {
    // Many events of a session have the same tool, prompt and agent.
    const { tool_name: _tool, prompt_id: _prompt, agent_type: _agent, ...own } = JSON.parse(
      json ?? "{}",
    );
    JSON.stringify(own, (key, value) => {
      const text = typeof value === "string" ? value.trim() : "";
      if (/^agent_?id$/i.test(key) && text !== "") texts.push(`agent ${text}`);
      else if (text.length >= MIN_COMPARED_CHARS && !PLACE_KEY.test(key)) texts.push(text);
      return value;
    });
  });
  return texts;
}

/** Returns the audit rows that name a file, also those of tool uses that were denied. */
export function auditNaming(
  { sessionId, project, sinceMs, untilMs }: {
    readonly sessionId: string | null;
    readonly project: string | null;
    readonly sinceMs: number | null;
    readonly untilMs: number | null;
  },
  files: readonly string[],
): RowChange {
  const names = namesOfList(
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
