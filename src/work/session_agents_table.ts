/** Keeps what hooks tell of a session's sub-agents and questions, in the transaction of their event. */
import type { DatabaseSync } from "node:sqlite";
import type { SessionChange, Settled, ToldQuestion } from "../claude/session_changes.ts";
import { type Agent, endAgent, recordAgentEvent } from "./agents_table.ts";
import { transaction } from "../db/transaction.ts";
import {
  answerQuestion,
  askQuestion,
  markDelivered,
  type Question,
  recordQuestionEvent,
} from "./questions_table.ts";
import { markAbandoned } from "../db/sessions.ts";

interface Teller {
  readonly sessionId: string;
  readonly atMs: number;
}

type ChangeOf<Kind> = Extract<SessionChange, { readonly kind: Kind }>;

/** What each kind of change does. */
const APPLY: {
  readonly [Kind in SessionChange["kind"]]: (
    db: DatabaseSync,
    change: ChangeOf<Kind>,
    teller: Teller,
  ) => void;
} = {
  task: joinTask,
  agent: noteSubagent,
  question: ask,
  answer,
  settled: (db, { which }, teller) => settle(db, which, teller),
  over: (db, _change, teller) => endSession(db, teller),
};

/**
 * Keeps the changes of an event. An event that comes twice, or late from the spool, changes nothing that happened after
 * it.
 */
export function applySessionChanges(
  db: DatabaseSync,
  changes: readonly SessionChange[],
  teller: Teller,
): void {
  for (const change of changes) APPLY[change.kind](db, change as never, teller);
}

/** The type of {@linkcode applySessionChanges}, which few hooks have to load. */
export type ApplySessionChanges = typeof applySessionChanges;

/**
 * Marks sessions as abandoned, as {@linkcode markAbandoned} does, and ends their sub-agents and questions.
 * @returns How many were marked.
 */
export function abandonSessions(
  db: DatabaseSync,
  sessionIds: readonly string[],
  nowMs: number,
): number {
  return transaction(db, () => {
    const marked = sessionIds.filter((sessionId) => markAbandoned(db, [sessionId], nowMs) > 0);
    for (const sessionId of marked) endSession(db, { sessionId, atMs: nowMs });
    return marked.length;
  });
}

/** A later agent of the task may resume a session; the first agent keeps it too. */
function joinTask(
  db: DatabaseSync,
  { taskId, agentId }: ChangeOf<"task">,
  { sessionId, atMs }: Teller,
): void {
  db.prepare(
    `UPDATE sessions
        SET task_id = ?, agent_id = ?
      WHERE session_id = ?
        AND (task_id IS NULL OR updated_at_ms <= ?)`,
  ).run(taskId, agentId, sessionId, atMs);
  if (agentId === null) return;
  db.prepare(
    `UPDATE agents
        SET session_id = ?, updated_at_ms = max(updated_at_ms, ?)
      WHERE id = ?
        AND session_id IS NULL`,
  ).run(sessionId, atMs, agentId);
}

/** The id of a sub-agent's row. Ids of agents name folders, so it has letters, digits, dashes and underscores only. */
function subagentId(sessionId: string, agentId: string): string {
  return `${sessionId}-${agentId}`.replace(/[^\w-]/g, "_");
}

/** A sub-agent that gets more to do after its end runs again. */
function noteSubagent(
  db: DatabaseSync,
  { agentId, name, now, worktree }: ChangeOf<"agent">,
  { sessionId, atMs }: Teller,
): void {
  const id = subagentId(sessionId, agentId);
  const isNew = insertSubagent(db, { id, name, worktree, sessionId, atMs });
  const keepWorktree = "UPDATE agents SET worktree = ? WHERE id = ? AND worktree IS NULL";
  if (!isNew && worktree !== null) db.prepare(keepWorktree).run(worktree, id);
  const begins = isNew || (now === "running" && reviveSubagent(db, id, atMs));
  if (begins && now !== "completed") recordAgentEvent(db, "agent.started", id, atMs);
  if (now !== "completed") return;
  endAgent(db, id, { status: "completed", exitCode: null, error: null, atMs });
  // A hook may have kept it from stopping the first time.
  db.prepare(
    `UPDATE agents
        SET ended_at_ms = ?1, updated_at_ms = ?1
      WHERE id = ?2
        AND status = 'completed'
        AND ended_at_ms < ?1`,
  ).run(atMs, id);
}

/** Nobody waits for the hook that tells of the start, so it may come after the one that tells of the end. */
function insertSubagent(
  db: DatabaseSync,
  { id, name, sessionId, worktree, atMs }: Teller & Pick<Agent, "id" | "name" | "worktree">,
): boolean {
  return db.prepare(
    `INSERT INTO agents (id, kind, name, status, task_id, session_id, worktree, created_at_ms, started_at_ms,
                         updated_at_ms)
     VALUES (?1, 'subagent', ?2, 'running', (SELECT task_id FROM sessions WHERE session_id = ?3), ?3, ?4, ?5, ?5, ?5)
     ON CONFLICT (id) DO UPDATE SET
       worktree = coalesce(worktree, excluded.worktree),
       created_at_ms = excluded.created_at_ms,
       started_at_ms = excluded.started_at_ms
      WHERE created_at_ms > excluded.created_at_ms`,
  ).run(id, name, sessionId, worktree, atMs).changes > 0;
}

function reviveSubagent(db: DatabaseSync, id: string, atMs: number): boolean {
  return db.prepare(
    `UPDATE agents
        SET status = 'running', error = NULL, ended_at_ms = NULL, updated_at_ms = ?1
      WHERE id = ?2
        AND ended_at_ms < ?1`,
  ).run(atMs, id).changes > 0;
}

/** Keeps a question once: two hooks of one event tell it, or the dialog of a server and its notification. */
function ask(db: DatabaseSync, question: ToldQuestion, { sessionId, atMs }: Teller): void {
  const { source, type, text, options } = question;
  const isAsked = db.prepare(
    `SELECT 1
       FROM questions
      WHERE session_id = ?1
        AND status = 'pending'
        AND (text = ?2 OR (source = 'elicitation' AND ?3))`,
  ).get(sessionId, text, source === "notification" && type === "input" ? 1 : 0) !== undefined;
  if (isAsked) return;
  const session = db.prepare(
    "SELECT task_id AS taskId, agent_id AS agentId FROM sessions WHERE session_id = ?",
  ).get(sessionId) as Pick<Question, "taskId" | "agentId"> | undefined;
  const { taskId = null, agentId = null } = session ?? {};
  const of = { taskId, agentId, sessionId, workflowId: null, stepKey: null, origin: null };
  askQuestion(db, { source, type, text, options, ...of }, atMs);
}

/** Keeps an answer that was given in Claude Code, so it has arrived already. */
function answer(
  db: DatabaseSync,
  { beginning, answer }: ChangeOf<"answer">,
  { sessionId, atMs }: Teller,
): void {
  const row = db.prepare(
    `SELECT id
       FROM questions
      WHERE session_id = ?1
        AND status = 'pending'
        AND source = 'elicitation'
        AND substr(text, 1, length(?2)) = ?2
        AND created_at_ms <= ?3
      ORDER BY created_at_ms DESC
      LIMIT 1`,
  ).get(sessionId, beginning, atMs);
  if (row === undefined) return;
  answerQuestion(db, String(row["id"]), { answer, by: "user", atMs });
  markDelivered(db, String(row["id"]), { error: null, atMs });
}

/** The questions that an event settles. Questions in an agent's output are not among them: the daemon answers those. */
const SETTLED: Readonly<Record<Settled, string>> = {
  all: "source IN ('notification', 'elicitation')",
  permissions: "source = 'notification' AND type = 'permission'",
  elicitations: "(source = 'elicitation' OR (source = 'notification' AND type = 'input'))",
};

/** Closes questions of a session that has gone on. */
function settle(db: DatabaseSync, which: Settled, { sessionId, atMs }: Teller): void {
  const rows = db.prepare(
    `UPDATE questions
        SET status = 'resolved', resolved_at_ms = ?1
      WHERE session_id = ?2
        AND status <> 'resolved'
        AND created_at_ms <= ?1
        AND ${SETTLED[which]}
  RETURNING id`,
  ).all(atMs, sessionId);
  for (const row of rows) recordQuestionEvent(db, "question.resolved", String(row["id"]), atMs);
}

function endSession(db: DatabaseSync, { sessionId, atMs }: Teller): void {
  const rows = db.prepare(
    `SELECT id
       FROM agents
      WHERE session_id = ?
        AND kind = 'subagent'
        AND ended_at_ms IS NULL
        AND updated_at_ms <= ?
      ORDER BY created_at_ms, id`,
  ).all(sessionId, atMs);
  const end = { status: "killed", exitCode: null, error: "its session ended", atMs } as const;
  for (const row of rows) endAgent(db, String(row["id"]), end);
  settle(db, "all", { sessionId, atMs });
}
