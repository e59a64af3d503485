/** Takes observations and captures away, with what other rows quote of them. */
import type { DatabaseSync } from "node:sqlite";
import { FORGOTTEN_MARK } from "../memory/forget_mark.ts";
import type { HookRecord } from "./captures.ts";
import { transaction } from "./database.ts";
import type { ForgetFilter } from "./forget_choice.ts";
import { digestedText, forgottenDigest } from "./forgotten.ts";
import { nameForgotten, sessionName } from "./forgotten_names.ts";
import {
  namesOfCapture,
  namesOfCaptures,
  namesOfObservations,
  wordNames,
} from "./forgotten_words.ts";
import type { StoredPayload } from "./payloads.ts";

/** Rows that one transaction removes: few enough that a hook never waits long for its turn. */
export const FORGET_BATCH = 100;

/** A receipt that what is removed is written down with. */
export interface ReceiptKey {
  readonly id: string;
  readonly salt: string;
}

/**
 * Removes observations, at most {@linkcode FORGET_BATCH}, in one transaction; the summaries of their sessions go too and
 * are asked for anew.
 *
 * @returns The digests of those that are to stay away, and how many went.
 */
export function removeObservations(
  db: DatabaseSync,
  ids: readonly number[],
  receipt: ReceiptKey,
): { readonly count: number; readonly digests: readonly string[] } {
  return transaction(db, () => {
    const rows = db.prepare(
      `SELECT uid, session_id AS sessionId, kind, title, text
         FROM observations
        WHERE id IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(ids));
    const sessions = JSON.stringify([...new Set(rows.map(({ sessionId }) => String(sessionId)))]);
    // A summary is written anew under the same name.
    const lasting = rows.filter(({ kind }) => kind !== "summary");
    nameForgotten(db, receipt.id, [
      ...lasting.map(({ uid }) => String(uid)),
      ...rows.map(({ sessionId }) => sessionName(String(sessionId))),
      ...namesOfObservations(wordNames(db), rows),
    ]);
    const { changes } = db.prepare(
      `DELETE FROM observations
        WHERE id IN (SELECT value FROM json_each(?1))
           OR (kind = 'summary' AND session_id IN (SELECT value FROM json_each(?2)))`,
    ).run(JSON.stringify(ids), sessions);
    db.prepare(
      `INSERT OR IGNORE INTO sessions_to_summarize (session_id)
       SELECT DISTINCT session_id FROM observations WHERE session_id IN (SELECT value FROM json_each(?))`,
    ).run(sessions);
    forgetTitles(db, rows.filter(({ kind }) => kind === "prompt"));
    return {
      count: Number(changes),
      digests: lasting.map(({ title, text }) =>
        forgottenDigest(receipt.salt, digestedText({ title, text }))
      ),
    };
  });
}

/** A session is called after its first prompt. */
function forgetTitles(
  db: DatabaseSync,
  prompts: readonly Readonly<Record<string, unknown>>[],
): void {
  for (const { sessionId, title, text } of prompts) {
    db.prepare(
      `UPDATE sessions
          SET title = NULL
        WHERE session_id = ?1
          AND (instr(?2, rtrim(title, '…')) > 0 OR instr(?3, rtrim(title, '…')) > 0)`,
    ).run(String(sessionId), String(title), String(text).replace(/\s+/g, " "));
  }
}

/**
 * Removes captures, at most {@linkcode FORGET_BATCH}, in one transaction; their rows of the audit trail stay, without
 * what they quote.
 */
export function removeCaptures(
  db: DatabaseSync,
  ids: readonly string[],
  receipt: ReceiptKey,
): { readonly captures: number; readonly executions: number } {
  return transaction(db, () => {
    const rows = db.prepare(
      `SELECT session_id AS sessionId, tool_use_id AS toolUseId, tool_name AS toolName, encoding, payload,
              raw_bytes AS rawBytes
         FROM pending_queue
        WHERE id IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(ids));
    const uses = [
      ...new Set(rows.flatMap(({ toolUseId }) => toolUseId === null ? [] : [String(toolUseId)])),
    ];
    const sessions = [...new Set(rows.map(({ sessionId }) => String(sessionId)))];
    nameForgotten(db, receipt.id, [
      ...ids,
      ...uses,
      ...sessions.map(sessionName),
      ...namesOfCaptures(wordNames(db), rows as unknown as readonly CaptureRow[]),
    ]);
    const executions = db.prepare(
      `UPDATE hook_executions
          SET ${WITHOUT_QUOTES}
        WHERE ${HAS_QUOTES}
          AND (id IN (SELECT value FROM json_each(?1))
               OR (session_id IN (SELECT value FROM json_each(?2))
                   AND (tool_use_id IN (SELECT value FROM json_each(?3))
                        OR (tool_use_id IS NULL
                            AND EXISTS (SELECT 1 FROM json_each(?3) WHERE instr(metadata, value) > 0)))))`,
    ).run(JSON.stringify(ids), JSON.stringify(sessions), JSON.stringify(uses)).changes;
    const { changes } = db.prepare(
      "DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))",
    ).run(JSON.stringify(ids));
    return { captures: Number(changes), executions: Number(executions) };
  });
}

interface CaptureRow extends StoredPayload {
  readonly sessionId: string;
  readonly toolName: string;
}

/** Names a record that waited in the spool and is removed there. */
export function nameRecord(
  db: DatabaseSync,
  { id, sessionId, capture }: HookRecord,
  receipt: ReceiptKey,
): void {
  transaction(db, () => {
    const name = wordNames(db);
    nameForgotten(db, receipt.id, [
      id,
      ...capture?.toolUseId ? [capture.toolUseId] : [],
      ...capture === null ? [] : namesOfCapture(name, { sessionId, ...capture }),
    ]);
  });
}

/** A row of the audit trail that says what happened and when, and nothing of what. */
const WITHOUT_QUOTES =
  `metadata = '{"forgotten":true}', error_message = iif(error_message IS NULL, NULL, '${FORGOTTEN_MARK}'),
              error_stack = NULL`;
const HAS_QUOTES = `metadata NOT IN ('{}', '{"forgotten":true}')`;

/**
 * Takes away what else a session, a project or a time has left, where nothing but these is asked for: what the audit
 * trail quotes, titles, first prompts, names of files, texts of questions with what events tell of them.
 */
export function forgetSessionTexts(
  db: DatabaseSync,
  { sessionId, project, sinceMs, untilMs }: ForgetFilter,
): Readonly<Record<string, number>> {
  const from = sinceMs ?? 0;
  const until = untilMs ?? Number.MAX_SAFE_INTEGER;
  const sessions = sessionId !== null && project === null ? [sessionId] : db.prepare(
    `SELECT session_id AS id
         FROM sessions
        WHERE (?1 IS NULL OR coalesce(repository, project_dir) = ?1)
          AND (?2 IS NULL OR session_id = ?2)
          AND updated_at_ms >= ?3
          AND started_at_ms <= ?4`,
  ).all(project, sessionId, from, until).map(({ id }) => String(id));
  const counts: Record<string, number> = {};
  for (const session of sessions) {
    const add = (table: string, sql: string, values: readonly (string | number)[]) => {
      const changes = transaction(db, () => Number(db.prepare(sql).run(...values).changes));
      counts[table] = (counts[table] ?? 0) + changes;
    };
    add(
      "hook_executions",
      `UPDATE hook_executions SET ${WITHOUT_QUOTES}
        WHERE session_id = ? AND created_at_ms BETWEEN ? AND ? AND ${HAS_QUOTES}`,
      [session, from, until],
    );
    add(
      "sessions",
      "UPDATE sessions SET title = NULL WHERE session_id = ? AND started_at_ms BETWEEN ? AND ? AND title IS NOT NULL",
      [session, from, until],
    );
    for (const table of ["prompt_queues", "root_snapshots"]) {
      add(
        table,
        `DELETE FROM ${table} WHERE session_id = ? AND created_at_ms BETWEEN ? AND ?`,
        [session, from, until],
      );
    }
    const asked = `SELECT id FROM questions WHERE session_id = ? AND created_at_ms BETWEEN ? AND ?`;
    add("events", `UPDATE events SET data = '{}' WHERE data <> '{}' AND entity_id IN (${asked})`, [
      session,
      from,
      until,
    ]);
    add(
      "questions",
      `UPDATE questions SET text = '${FORGOTTEN_MARK}', options = '[]', answer = iif(answer IS NULL, NULL, '${FORGOTTEN_MARK}')
        WHERE text <> '${FORGOTTEN_MARK}' AND id IN (${asked})`,
      [session, from, until],
    );
  }
  return counts;
}
