/** Where the files of an agent lie: one private folder for each, beside the database. */
import { joinPath } from "../paths.ts";
import { exists } from "../project/on_disk.ts";

/** The files of one agent. */
export interface AgentFiles {
  readonly folder: string;
  /** What it reads: the prompt. */
  readonly input: string;
  /** The agent writes this file itself. */
  readonly stdout: string;
  readonly stderr: string;
  /** Made when it was let go; without it nothing was done. */
  readonly begun: string;
  /** How it left, written by its shell when it has. */
  readonly exit: string;
  /** Its lines, numbered: {@linkcode import("./output.ts").OutputLine} as JSON Lines. It stays when the others go. */
  readonly output: string;
}

/** The folder of all agents of a database. */
export function agentsFolder(database: string): string {
  return `${database.replace(/\.db$/, "")}.agents`;
}

/** The files of an agent, whether they are there or not. */
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

/** How an agent left, as its shell has written it down; null while it has not. */
export function readExit(files: AgentFiles): number | null {
  try {
    const code = Number.parseInt(Deno.readTextFileSync(files.exit));
    return Number.isNaN(code) ? null : code;
  } catch {
    return null;
  }
}

/** What the shell of an agent writes down when there is no such program: the code of shells for that, and a word. */
export const NOT_FOUND = "127 not found";

/** Whether there was no such program as the agent's. */
export function wasNotFound(files: AgentFiles): boolean {
  try {
    return Deno.readTextFileSync(files.exit).trim() === NOT_FOUND;
  } catch {
    return false;
  }
}

/** Whether an agent was let go; where all its files are gone it may have been, and is not to be started again. */
export function hasBegun(files: AgentFiles): boolean {
  return exists(files.begun) || areGone(files);
}

/** Whether somebody has removed all files of an agent: they are made before its process is. */
export function areGone({ folder }: AgentFiles): boolean {
  return !exists(folder);
}

/** Removes the files that are needed only while an agent runs. Never throws. */
export function removeRunFiles(files: AgentFiles): void {
  for (const path of [files.input, files.stdout, files.stderr, files.begun, files.exit]) {
    try {
      Deno.removeSync(path);
    } catch {
      // Gone already.
    }
  }
}

/** Takes away all that an agent has left. Never throws. */
export function removeAgentFiles(files: AgentFiles): void {
  try {
    Deno.removeSync(files.folder, { recursive: true });
  } catch {
    // Gone already.
  }
}
