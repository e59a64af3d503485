/** Stores what hooks report of a session's sub-agents and questions, in the transaction of their event. */
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

interface SessionEvent {
  readonly sessionId: string;
  readonly atMs: number;
}

type ChangeOf<Kind> = Extract<SessionChange, { readonly kind: Kind }>;

const APPLY: {
  readonly [Kind in SessionChange["kind"]]: (
    db: DatabaseSync,
    change: ChangeOf<Kind>,
    event: SessionEvent,
  ) => void;
} = {
  task: joinTask,
  agent: noteSubagent,
  question: ask,
  answer,
  settled: (db, { which }, event) => settle(db, which, event),
  over: (db, _change, event) => endSession(db, event),
};

/** Stores the changes of an event. One that comes twice, or late from the spool, undoes nothing that came after it. */
export function applySessionChanges(
  db: DatabaseSync,
  changes: readonly SessionChange[],
  event: SessionEvent,
): void {
  for (const change of changes) APPLY[change.kind](db, change as never, event);
}

/** The type of {@linkcode applySessionChanges}, for hooks that do not load the function. */
export type ApplySessionChanges = typeof applySessionChanges;

/** Marks sessions as abandoned, and ends their sub-agents and questions. @returns How many sessions were marked. */
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

/** Links a session to its task and agent. A later agent may resume the session; the first agent stays linked too. */
function joinTask(
  db: DatabaseSync,
  { taskId, agentId }: ChangeOf<"task">,
  { sessionId, atMs }: SessionEvent,
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

/** Makes the id of a sub-agent's row. It has only letters, digits, `-` and `_`, since ids of agents name folders. */
function subagentId(sessionId: string, agentId: string): string {
  return `${sessionId}-${agentId}`.replace(/[^\w-]/g, "_");
}

/** Stores the state of a sub-agent. It runs again when it gets more to do after its end. */
function noteSubagent(
  db: DatabaseSync,
  { agentId, name, now, worktree }: ChangeOf<"agent">,
  { sessionId, atMs }: SessionEvent,
): void {
  const id = subagentId(sessionId, agentId);
  const isNew = insertSubagent(db, { id, name, worktree, sessionId, atMs });
  const keepWorktree = "UPDATE agents SET worktree = ? WHERE id = ? AND worktree IS NULL";
  if (!isNew && worktree !== null) db.prepare(keepWorktree).run(worktree, id);
  const begins = isNew || (now === "running" && reviveSubagent(db, id, atMs));
  if (begins && now !== "completed") recordAgentEvent(db, "agent.started", id, atMs);
  if (now !== "completed") return;
  endAgent(db, id, { status: "completed", exitCode: null, error: null, atMs });
  // A hook may have kept the sub-agent from stopping the first time.
  db.prepare(
    `UPDATE agents
        SET ended_at_ms = ?1, updated_at_ms = ?1
      WHERE id = ?2
        AND status = 'completed'
        AND ended_at_ms < ?1`,
  ).run(atMs, id);
}

/** Inserts a sub-agent, or corrects its start: the hook of the start may come after the hook of the end. */
function insertSubagent(
  db: DatabaseSync,
  { id, name, sessionId, worktree, atMs }: SessionEvent & Pick<Agent, "id" | "name" | "worktree">,
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

/** Stores a question once: two hooks of one event report it, or the dialog of a server and its notification. */
function ask(db: DatabaseSync, question: ToldQuestion, { sessionId, atMs }: SessionEvent): void {
  const { source, type, text, options } = question;
  const isKnown = db.prepare(
    `SELECT 1
       FROM questions
      WHERE session_id = ?1
        AND status = 'pending'
        AND (text = ?2 OR (source = 'elicitation' AND ?3))`,
  ).get(sessionId, text, source === "notification" && type === "input" ? 1 : 0) !== undefined;
  if (isKnown) return;
  const { taskId = null, agentId = null } = db.prepare(
    "SELECT task_id AS taskId, agent_id AS agentId FROM sessions WHERE session_id = ?",
  ).get(sessionId) as Pick<Question, "taskId" | "agentId"> | undefined ?? {};
  const place = { taskId, agentId, sessionId, workflowId: null, stepKey: null };
  askQuestion(db, { source, type, text, options, ...place, origin: null }, atMs);
}

/** Stores an answer that a person gave in Claude Code, which has therefore arrived already. */
function answer(
  db: DatabaseSync,
  { beginning, answer }: ChangeOf<"answer">,
  { sessionId, atMs }: SessionEvent,
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

/** The questions that an event settles. It settles no question in an agent's output: the daemon does. */
const SETTLED: Readonly<Record<Settled, string>> = {
  all: "source IN ('notification', 'elicitation')",
  permissions: "source = 'notification' AND type = 'permission'",
  elicitations: "(source = 'elicitation' OR (source = 'notification' AND type = 'input'))",
};

function settle(db: DatabaseSync, which: Settled, { sessionId, atMs }: SessionEvent): void {
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

function endSession(db: DatabaseSync, { sessionId, atMs }: SessionEvent): void {
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
