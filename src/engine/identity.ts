/** Whether the process of an agent still lives, and is still the same one. */
import { readCommandLine } from "../process/command_line.ts";
import { lookAtProcesses } from "../process/identity.ts";
import type { Agent } from "../store/agents.ts";

/** The variable by which an agent's processes know which agent they work for. */
export const AGENT_VARIABLE = "CONCLAUDE_AGENT_ID";

/**
 * Looks at the process of an agent: it must be there, have been started when the agent's was, and still be what was
 * started (seed 002: pid, start and command). The agent's id is among its words.
 */
export async function isAlive(
  { id, pid, processMark }: Pick<Agent, "id" | "pid" | "processMark">,
): Promise<boolean> {
  if (pid === null) return false;
  const state = (await lookAtProcesses([pid])).get(pid);
  if (state === undefined || !state.alive) return false;
  if (processMark !== null && state.mark !== null && state.mark !== processMark) return false;
  const line = readCommandLine(pid);
  return line === null || line.includes(id);
}

/** Whether the process number belongs to another process by now: then no signal may be sent to it. */
export async function isReused(
  { pid, processMark }: Pick<Agent, "pid" | "processMark">,
): Promise<boolean> {
  if (pid === null) return true;
  const state = (await lookAtProcesses([pid])).get(pid);
  return state !== undefined && state.alive && processMark !== null && state.mark !== null &&
    state.mark !== processMark;
}

/** What stands in the environment of every process that an agent has started, and all that these have. */
export function environmentMark(agentId: string): string {
  return `${AGENT_VARIABLE}=${agentId}`;
}
