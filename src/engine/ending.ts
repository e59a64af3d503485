/** Settles the end of an agent's process, and all that follows from it. */
import type { DatabaseSync } from "node:sqlite";
import { type Agent, readAgent } from "../store/agents.ts";
import { transaction } from "../store/database.ts";
import { type AgentFiles, agentFiles, removeRunFiles } from "./agent_files.ts";
import { goOnIfAnswered } from "./answers.ts";
import type { Lasting } from "./begin.ts";
import { isAlive } from "./identity.ts";
import { type AgentEnd, readSaid, settle } from "./settle.ts";
import { supervise } from "./supervise.ts";

/** Writes down how an agent ended and all that follows, and removes its files except its output. */
export function settleEnd(
  db: DatabaseSync,
  agent: Agent,
  { end, files, mask, lasting }: {
    readonly end: AgentEnd;
    readonly files: AgentFiles;
    readonly mask: (text: string) => string;
    readonly lasting: Lasting;
  },
): void {
  const said = readSaid(agent, files, mask);
  transaction(db, () => {
    settle(db, agent, { end, said, atMs: lasting.atMs });
    goOnIfAnswered(db, agent, lasting);
  });
  removeRunFiles(files);
}

/**
 * Kills an agent with all processes of its group, where no daemon runs that would do it.
 *
 * @param options.database Absolute path.
 * @returns Whether the process ran and was ours; else the next daemon finds out how it ended.
 */
export async function endHere(
  db: DatabaseSync,
  id: string,
  { database, mask, graceMs, leaseMs, timeoutMs }: Omit<Lasting, "atMs"> & {
    readonly database: string;
    readonly mask: (text: string) => string;
    readonly graceMs: number;
  },
): Promise<boolean> {
  const agent = readAgent(db, id);
  if (agent === undefined || agent.endedAtMs !== null || !await isAlive(agent)) return false;
  const files = agentFiles(database, id);
  const { signal } = new AbortController();
  const onOutput = () => {};
  const end = await supervise(agent, { db, files, mask, graceMs, signal, onOutput });
  if (end === null) return false;
  settleEnd(db, agent, { end, files, mask, lasting: { leaseMs, timeoutMs, atMs: Date.now() } });
  return true;
}
