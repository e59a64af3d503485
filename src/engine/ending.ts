/** The end of an agent's process: settled, with all that follows, whoever has seen it. */
import type { DatabaseSync } from "node:sqlite";
import { type Agent, readAgent } from "../store/agents.ts";
import { transaction } from "../store/database.ts";
import { type AgentFiles, agentFiles, removeRunFiles } from "./agent_files.ts";
import { goOnIfAnswered } from "./answers.ts";
import type { Lasting } from "./begin.ts";
import { isAlive } from "./identity.ts";
import { type AgentEnd, readSaid, settle } from "./settle.ts";
import { supervise } from "./supervise.ts";

/** Writes down what became of an agent and all that follows, and takes its files away but its output. */
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
 * Ends an agent that is to be killed, with all processes of its group, where no daemon runs that would do it.
 *
 * @param options.database Absolute path.
 * @returns Whether there was a process of ours to be ended; else the next daemon finds out what became of it.
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
