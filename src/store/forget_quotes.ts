/**
 * What other rows quote of observations and captures: the audit trail, titles, questions. The same conditions say what
 * would be changed and change it.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { FORGOTTEN_MARK } from "../memory/forget_mark.ts";
import { type ChangedRows, noteChanged } from "./changed_rows.ts";
import { transaction } from "./database.ts";
import { type ForgetFilter, namesIn, UNDER_A_FILE } from "./forget_choice.ts";
import { tellingRows } from "./forget_told.ts";

/** Rows of one table, and what becomes of them. */
interface Change {
  readonly table: string;
  /** Its SQL up to the condition. */
  readonly change: string;
  readonly where: string;
  readonly values: readonly SQLInputValue[];
}

/** Tables whose rows may be changed by several steps; all have row numbers. */
const SHARED = new Set(["hook_executions", "sessions"]);

/** A row of the audit trail that says what happened and when, and nothing of what. */
const WITHOUT_QUOTES =
  `metadata = '{"forgotten":true}', error_message = iif(error_message IS NULL, NULL, '${FORGOTTEN_MARK}'),
              error_stack = NULL`;
const HAS_QUOTES = `metadata NOT IN ('{}', '{"forgotten":true}')`;

/** What is done: `look` only counts, `forget` changes as well, in the transaction of the caller. */
export type QuoteMode = "look" | "forget";

/**
 * The titles of sessions that are called after prompts among these observations.
 *
 * @returns How many sessions are called so.
 */
export function titlesAfter(
  db: DatabaseSync,
  observations: readonly number[],
  { mode, changed }: { readonly mode: QuoteMode; readonly changed: ChangedRows },
): number {
  const prompts = db.prepare(
    `SELECT session_id AS sessionId, title, text
       FROM observations
      WHERE kind = 'prompt'
        AND id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(observations));
  return prompts.reduce((sum, { sessionId, title, text }) =>
    sum + run(db, {
      table: "sessions",
      change: "UPDATE sessions SET title = NULL",
      where: `session_id = ?1
          AND (instr(?2, rtrim(title, '…')) > 0 OR instr(?3, rtrim(title, '…')) > 0)`,
      values: [String(sessionId), String(title), String(text).replace(/\s+/g, " ")],
    }, { mode, changed }), 0);
}

/**
 * The rows of the audit trail about captures. To be asked before these go.
 *
 * @returns How many quote something.
 */
export function auditOf(
  db: DatabaseSync,
  captures: readonly string[],
  { mode, changed }: { readonly mode: QuoteMode; readonly changed: ChangedRows },
): number {
  const rows = db.prepare(
    `SELECT session_id AS sessionId, tool_use_id AS toolUseId
       FROM pending_queue
      WHERE id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(captures));
  const sessions = new Set(rows.map(({ sessionId }) => String(sessionId)));
  const uses = new Set(
    rows.flatMap(({ toolUseId }) => toolUseId === null ? [] : [String(toolUseId)]),
  );
  return run(db, {
    table: "hook_executions",
    change: `UPDATE hook_executions SET ${WITHOUT_QUOTES}`,
    where: `${HAS_QUOTES}
          AND (id IN (SELECT value FROM json_each(?1))
               OR rowid IN (SELECT value FROM json_each(?4))
               OR (session_id IN (SELECT value FROM json_each(?2))
                   AND (tool_use_id IN (SELECT value FROM json_each(?3))
                        OR (tool_use_id IS NULL
                            AND EXISTS (SELECT 1 FROM json_each(?3) WHERE instr(metadata, value) > 0)))))`,
    values: [
      captures,
      [...sessions],
      [...uses],
      tellingRows(db, captures),
    ].map((list) => JSON.stringify(list)),
  }, { mode, changed });
}

/**
 * The rows of the audit trail that name a file: also of what was asked for and never done, which no capture is of.
 *
 * @returns How many quote something; 0 where no file is asked for.
 */
export function auditNaming(
  db: DatabaseSync,
  { ids, sessionId, project, files, text, sinceMs, untilMs }: ForgetFilter,
  { mode, changed }: { readonly mode: QuoteMode; readonly changed: ChangedRows },
): number {
  // A text is taken out of the rows by itself.
  if (files === null || ids !== null || text !== null) return 0;
  const change = () =>
    run(db, {
      table: "hook_executions",
      change: `UPDATE hook_executions SET ${WITHOUT_QUOTES}`,
      where: `${HAS_QUOTES}
          AND (?1 IS NULL OR session_id = ?1)
          AND (?2 IS NULL
               OR session_id IN (SELECT session_id FROM sessions WHERE coalesce(repository, project_dir) = ?2))
          AND created_at_ms BETWEEN ?3 AND ?4
          AND EXISTS (SELECT 1
                        FROM (${
        namesIn(
          "iif(json_valid(metadata), metadata, '{}'), '$.files'",
          "(SELECT project_dir FROM sessions AS s WHERE s.session_id = hook_executions.session_id)",
        )
      }) AS touched
                       WHERE ${UNDER_A_FILE})`,
      values: [
        sessionId,
        project,
        sinceMs ?? 0,
        untilMs ?? Number.MAX_SAFE_INTEGER,
        JSON.stringify(files),
      ],
    }, { mode, changed });
  return mode === "look" ? change() : transaction(db, change);
}

/**
 * What else a session, a project or a time has left, where nothing but these is asked for: what the audit trail quotes,
 * titles, first prompts, names of files, texts of questions with what events tell of them. Each change is a transaction.
 *
 * @returns Rows by table.
 */
export function sessionTexts(
  db: DatabaseSync,
  filter: ForgetFilter,
  { mode, changed }: { readonly mode: QuoteMode; readonly changed: ChangedRows },
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const session of sessionsIn(db, filter)) {
    for (const change of changesIn(session, filter)) {
      const count = mode === "look"
        ? run(db, change, { mode, changed })
        : transaction(db, () => run(db, change, { mode, changed }));
      counts[change.table] = (counts[change.table] ?? 0) + count;
    }
  }
  return counts;
}

function sessionsIn(
  db: DatabaseSync,
  { sessionId, project, sinceMs, untilMs }: ForgetFilter,
): string[] {
  if (sessionId !== null && project === null) return [sessionId];
  return db.prepare(
    `SELECT session_id AS id
       FROM sessions
      WHERE (?1 IS NULL OR coalesce(repository, project_dir) = ?1)
        AND (?2 IS NULL OR session_id = ?2)
        AND updated_at_ms >= ?3
        AND started_at_ms <= ?4`,
  ).all(project, sessionId, sinceMs ?? 0, untilMs ?? Number.MAX_SAFE_INTEGER)
    .map(({ id }) => String(id));
}

/** Events come before the questions that they tell of. */
function changesIn(session: string, { sinceMs, untilMs }: ForgetFilter): Change[] {
  const values = [session, sinceMs ?? 0, untilMs ?? Number.MAX_SAFE_INTEGER];
  const written = "session_id = ? AND created_at_ms BETWEEN ? AND ?";
  return [
    {
      table: "hook_executions",
      change: `UPDATE hook_executions SET ${WITHOUT_QUOTES}`,
      where: `${written} AND ${HAS_QUOTES}`,
    },
    {
      table: "sessions",
      change: "UPDATE sessions SET title = NULL",
      where: "session_id = ? AND started_at_ms BETWEEN ? AND ? AND title IS NOT NULL",
    },
    { table: "prompt_queues", change: "DELETE FROM prompt_queues", where: written },
    { table: "root_snapshots", change: "DELETE FROM root_snapshots", where: written },
    {
      table: "events",
      change: "UPDATE events SET data = '{}'",
      where: `data <> '{}' AND entity_id IN (SELECT id FROM questions WHERE ${written})`,
    },
    {
      table: "questions",
      change: `UPDATE questions SET text = '${FORGOTTEN_MARK}', options = '[]',
              answer = iif(answer IS NULL, NULL, '${FORGOTTEN_MARK}')`,
      where: `text <> '${FORGOTTEN_MARK}' AND ${written}`,
    },
  ].map((change) => ({ ...change, values }));
}

/** @returns Rows that are changed, or would be, and were not before. */
function run(
  db: DatabaseSync,
  { table, change, where, values }: Change,
  { mode, changed }: { readonly mode: QuoteMode; readonly changed: ChangedRows },
): number {
  const number = SHARED.has(table) ? "rowid" : "1";
  const rows = db.prepare(
    mode === "look"
      ? `SELECT ${number} FROM ${table} WHERE ${where}`
      : `${change} WHERE ${where} RETURNING ${number}`,
  ).all(...values);
  return SHARED.has(table) ? noteChanged(changed, table, rows) : rows.length;
}
