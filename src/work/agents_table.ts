/** Reads and writes agents: processes that work for a task, and sub-agents of sessions. In the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { recordEvent } from "./events_table.ts";
import type { Fields, RowOf } from "./row_fields.ts";
import { listRows, readRow, tableOf } from "./rows_table.ts";
import { among, insertRow, statement, updateRow } from "../db/statement.ts";

export const AGENT_FIELDS = {
  id: "text",
  kind: ["agent", "script", "subagent"],
  /** The name of the step, or the type of a sub-agent. */
  name: "text",
  /** The last three mean that the agent has ended. */
  status: ["starting", "running", "completed", "failed", "killed"],
  taskId: "text?",
  workflowId: "text?",
  /** The key of the step; `attempt` counts its attempts from 1. */
  stepKey: "text?",
  attempt: "integer?",
  /** The session of the agent; for a sub-agent, the session that started it. */
  sessionId: "text?",
  command: "texts",
  pid: "integer?",
  /** When the process started, in the system's format; it tells a later process with the same number apart. */
  processMark: "text?",
  worktree: "text?",
  outputFile: "text?",
  exitCode: "integer?",
  error: "text?",
  killReason: "text?",
  createdAtMs: "integer",
  startedAtMs: "integer?",
  /** When the daemon ends the agent. */
  deadlineAtMs: "integer?",
  killRequestedAtMs: "integer?",
  endedAtMs: "integer?",
  updatedAtMs: "integer",
} as const satisfies Fields;

export type Agent = RowOf<typeof AGENT_FIELDS>;

const AGENTS = tableOf("agents", AGENT_FIELDS);

type NewAgent = Pick<
  Agent,
  "id" | "kind" | "name" | "taskId" | "workflowId" | "stepKey" | "attempt" | "worktree"
>;

/** Stores an agent before its process is started. */
export function createAgent(db: DatabaseSync, agent: NewAgent, atMs: number): void {
  const times = { createdAtMs: atMs, updatedAtMs: atMs };
  insertRow(db, "agents", { ...agent, status: "starting", ...times });
}

type AgentProcess = Pick<
  Agent,
  "pid" | "processMark" | "command" | "worktree" | "outputFile" | "deadlineAtMs"
>;

/** Stores the process of an agent, before the process may do anything. */
export function markRunning(
  db: DatabaseSync,
  id: string,
  { command, atMs, ...process }: AgentProcess & { readonly atMs: number },
): void {
  const state = { status: "running", command: JSON.stringify(command) };
  updateRow(db, "agents", id, { ...process, ...state, startedAtMs: atMs, updatedAtMs: atMs });
  recordAgentEvent(db, "agent.started", id, atMs);
}

/** Stores how an agent ended. An agent that has ended already stays unchanged. */
export function endAgent(
  db: DatabaseSync,
  id: string,
  end: Pick<Agent, "exitCode" | "error"> & {
    readonly status: "completed" | "failed" | "killed";
    readonly atMs: number;
  },
): void {
  const { changes } = statement(
    db,
    `UPDATE agents
        SET status = ?, exit_code = ?, error = ?, ended_at_ms = ?, updated_at_ms = ?
      WHERE id = ?
        AND ended_at_ms IS NULL`,
  ).run(end.status, end.exitCode, end.error, end.atMs, end.atMs, id);
  if (Number(changes) > 0) recordAgentEvent(db, `agent.${end.status}`, id, end.atMs);
}

export function setAgentSession(
  db: DatabaseSync,
  id: string,
  sessionId: string,
  atMs: number,
): void {
  statement(
    db,
    `UPDATE agents
        SET session_id = ?, updated_at_ms = ?
      WHERE id = ?
        AND session_id IS NOT ?`,
  ).run(sessionId, atMs, id, sessionId);
}

/** Requests the end of an agent, which the daemon carries out. @returns False when the agent has ended already. */
export function requestKill(
  db: DatabaseSync,
  id: string,
  { reason, atMs }: { readonly reason: string; readonly atMs: number },
): boolean {
  return statement(
    db,
    `UPDATE agents
        SET kill_requested_at_ms = coalesce(kill_requested_at_ms, ?), kill_reason = coalesce(kill_reason, ?),
            updated_at_ms = ?
      WHERE id = ?
        AND ended_at_ms IS NULL`,
  ).run(atMs, reason, atMs, id).changes > 0;
}

export function readAgent(db: DatabaseSync, id: string | null): Agent | undefined {
  return readRow(db, AGENTS, id);
}

/** Selects agents. A filter that is missing or null lets all agents through. */
interface AgentFilter {
  readonly statuses?: readonly string[] | null;
  readonly kinds?: readonly string[] | null;
  readonly taskId?: string | null | undefined;
  readonly sessionId?: string | null | undefined;
  readonly workflowId?: string | null | undefined;
  readonly hasTree?: boolean;
  readonly limit?: number;
}

/** Lists agents, the newest first. */
export function listAgents(
  db: DatabaseSync,
  { statuses, kinds, taskId, sessionId, workflowId, hasTree = false, limit }: AgentFilter,
): Agent[] {
  return listRows(db, AGENTS, {
    where: [
      [among("status"), statuses],
      [among("kind"), kinds],
      ["task_id = ?", taskId],
      ["session_id = ?", sessionId],
      ["workflow_id = ?", workflowId],
      ["? AND worktree IS NOT NULL", hasTree ? 1 : null],
    ],
    order: "created_at_ms DESC, id DESC",
    limit,
  });
}

/** Lists agents with a process of their own whose end is not recorded, the oldest first. */
export function listUnendedProcesses(db: DatabaseSync): Agent[] {
  const unended = [`ended_at_ms IS NULL AND ${among("kind")}`, ["agent", "script"]] as const;
  return listRows(db, AGENTS, { where: [unended], order: "created_at_ms, id" });
}

export function recordAgentEvent(db: DatabaseSync, type: string, id: string, atMs: number): void {
  const { command: _command, ...agent } = readAgent(db, id)!;
  recordEvent(db, { type, entityType: "agent", entityId: id, data: { agent }, atMs });
}
