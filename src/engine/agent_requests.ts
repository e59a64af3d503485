/** What a person may want of an agent. In the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { refusal } from "../orchestration/refusal.ts";
import { type Agent, readAgent, requestKill } from "../store/agents.ts";
import type { Author } from "../store/task_changes.ts";

/** The agent with this id. @throws {UserError} AGENT_NOT_FOUND */
export function needAgent(db: DatabaseSync, id: string): Agent {
  const agent = readAgent(db, id);
  if (agent !== undefined) return agent;
  throw refusal("AGENT_NOT_FOUND", {
    what: `There is no agent "${id}"`,
    why: "no agent has this id; nothing was changed",
    next: "conclaude agent list --all",
    details: { agentId: id },
  });
}

/**
 * Asks for an agent to be ended.
 *
 * @param options.reason Null: that somebody asked for it. @throws {UserError} AGENT_NOT_FOUND, INVALID_TRANSITION
 */
export function requestEnd(
  db: DatabaseSync,
  id: string,
  { reason, by, atMs }: Author & { readonly reason: string | null },
): Agent {
  const agent = needAgent(db, id);
  const isOurs = agent.kind !== "subagent";
  if (isOurs && requestKill(db, id, { reason: reason ?? `"${by}" asked for it`, atMs })) {
    return needAgent(db, id);
  }
  throw refusal("INVALID_TRANSITION", {
    what: `Cannot end agent ${id}`,
    why: `${
      isOurs ? `it has ended already: ${agent.status}` : "it lives inside a session of Claude Code"
    }; nothing was changed`,
    next: `conclaude agent show ${id}`,
    details: { currentStatus: agent.status },
  });
}
