/** The files of an agent, in a private folder beside the database, and whether its process lives. */
import { joinPath } from "../../base/paths.ts";
import { exists, readText } from "../../system/on_disk.ts";
import { livesOn, lookAtProcesses } from "../../system/process/process_identity.ts";
import type { Agent } from "../agents_table.ts";
import { removeSync } from "../../system/files.ts";

export interface AgentFiles {
  readonly folder: string;
  /** The prompt, which the agent reads. */
  readonly input: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Made when the agent may begin; without this file it has done nothing. */
  readonly begun: string;
  /** The exit code, which its shell writes. */
  readonly exit: string;
  /** Its numbered lines: {@linkcode import("./agent_output.ts").OutputLine} as JSON Lines. Stays when the other files go. */
  readonly output: string;
}

export function agentsFolder(database: string): string {
  return `${database.replace(/\.db$/, "")}.agents`;
}

export function agentFiles(database: string, agentId: string): AgentFiles {
  const folder = joinPath(agentsFolder(database), agentId);
  const file = (name: string) => joinPath(folder, name);
  return {
    folder,
    input: file("input"),
    stdout: file("stdout"),
    stderr: file("stderr"),
    begun: file("begun"),
    exit: file("exit"),
    output: file("output.jsonl"),
  };
}

/** The exit code that the agent's shell has written; null while there is none. */
export function readExit(files: AgentFiles): number | null {
  const code = Number.parseInt(readText(files.exit) ?? "");
  return Number.isNaN(code) ? null : code;
}

/** What the shell writes as the exit code when there is no such program. */
export const NOT_FOUND = "127 not found";

/** Whether the agent's program was not found. */
export function wasNotFound(files: AgentFiles): boolean {
  return readText(files.exit)?.trim() === NOT_FOUND;
}

/** Whether an agent may have begun. Without any of its files it may have, so it is not started again. */
export function hasBegun(files: AgentFiles): boolean {
  return exists(files.begun) || areGone(files);
}

/** Whether somebody has removed all files of an agent. They are made before its process. */
export function areGone({ folder }: AgentFiles): boolean {
  return !exists(folder);
}

/** Removes the files that only a running agent needs. Never throws. */
export function removeRunFiles({ input, stdout, stderr, begun, exit }: AgentFiles): void {
  for (const path of [input, stdout, stderr, begun, exit]) removeIfThere(path);
}

/** Removes all files of an agent. Never throws. */
export function removeAgentFiles({ folder }: AgentFiles): void {
  removeIfThere(folder);
}

function removeIfThere(path: string): void {
  try {
    removeSync(path, { recursive: true });
  } catch {
    // Gone already.
  }
}

/** The variable that tells the processes of an agent which agent they work for. */
export const AGENT_VARIABLE = "CONCLAUDE_AGENT_ID";

/**
 * Whether the process of an agent lives: it is there, was started when the agent was, and has the agent's id in its
 * command.
 */
export async function isAlive(
  { id, pid, processMark }: Pick<Agent, "id" | "pid" | "processMark">,
): Promise<boolean> {
  return pid !== null && await livesOn({ pid, processMark }, (line) => line.includes(id));
}

/** Whether another process has the number by now; it must get no signal. */
export async function isReused(
  { pid, processMark }: Pick<Agent, "pid" | "processMark">,
): Promise<boolean> {
  if (pid === null) return true;
  const state = (await lookAtProcesses([pid])).get(pid);
  return state !== undefined && state.alive && processMark !== null && state.mark !== null &&
    state.mark !== processMark;
}

/** What every process of an agent has in its environment. */
export function environmentMark(agentId: string): string {
  return `${AGENT_VARIABLE}=${agentId}`;
}
