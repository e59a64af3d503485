/** Follows an agent to its end: its output, its time limit, and requests to kill it. */
import type { DatabaseSync } from "node:sqlite";
import { endGroupOf } from "../../system/process/start.ts";
import { readAgentLine } from "../agent_text.ts";
import { detectQuestion } from "../questions.ts";
import { type Agent, readAgent, setAgentSession } from "../agents_table.ts";
import { transaction } from "../../db/transaction.ts";
import { askQuestion } from "../questions_table.ts";
import {
  type AgentFiles,
  agentFiles,
  areGone,
  environmentMark,
  isAlive,
  isReused,
  readExit,
  removeRunFiles,
  wasNotFound,
} from "./agent_files.ts";
import { type FreshLine, OutputReader } from "./agent_output.ts";
import { type AgentEnd, readSaid, settle } from "./settle.ts";
import { goOnIfAnswered } from "./answers.ts";
import type { Lasting } from "./begin.ts";

/** How often the output is read, in milliseconds. */
const LOOK_MS = 200;

/** How often the system is asked whether a process lives that this one did not start, in milliseconds. */
const LIFE_MS = 1000;

/** How long the shell may take to write the exit code after the process has left, in milliseconds. */
const LAST_WORD_MS = 200;

/** A higher exit code is a signal; without a code, somebody has killed the shell too. */
const BY_SIGNAL = 128;

export interface Supervision {
  readonly db: DatabaseSync;
  readonly files: AgentFiles;
  readonly mask: (text: string) => string;
  readonly graceMs: number;
  /** Settles when the process has left; absent when this process did not start it. */
  readonly left?: Promise<void>;
  /** Aborted when the daemon leaves; the agent goes on. */
  readonly signal: AbortSignal;
  /** Called when there is new output. */
  readonly onOutput: () => void;
}

/** Follows an agent. @returns How it ended; null when the daemon leaves before. */
export async function supervise(
  agent: Agent,
  { db, files, mask: maskText, graceMs, left, signal, onOutput }: Supervision,
): Promise<AgentEnd | null> {
  const reader = new OutputReader(files, maskText);
  const mark = environmentMark(agent.id);
  const look = (lines: readonly FreshLine[]) => noteLines(db, agent, { lines, mask: maskText });
  let hasLeft = false;
  void left?.then(() => hasLeft = true);
  let isEnding = false;
  let ending: Promise<void> | null = null;
  let lookedAtMs = performance.now();
  while (!signal.aborted) {
    const hasMore = reader.take({ isOver: false, look }, Date.now());
    if (hasMore) onOutput();
    if (readExit(files) !== null) break;
    if (hasLeft || (left === undefined && performance.now() - lookedAtMs > LIFE_MS)) {
      lookedAtMs = performance.now();
      if (hasLeft || !await isAlive(agent)) {
        await pause(LAST_WORD_MS, signal);
        break;
      }
    }
    if (!isEnding && isToEnd(db, agent)) {
      isEnding = true;
      if (!await isReused(agent)) ending = endGroupOf(agent.pid!, { graceMs, mark });
    }
    if (hasMore) await pause(0, signal);
    else {await Promise.race([
        pause(LOOK_MS, signal),
        ...left === undefined || hasLeft ? [] : [left],
      ]);}
  }
  if (signal.aborted && readExit(files) === null) return null;
  // The step is over: what is left of its group ends too.
  if (!await isReused(agent)) await endGroupOf(agent.pid!, { graceMs: 500, mark });
  await ending;
  await takeRest(reader, look);
  onOutput();
  return endOf(db, agent, files);
}

/** Keeps the rest of the output of an agent that has ended, a part at a time. */
export async function takeRest(
  reader: OutputReader,
  look: (lines: readonly FreshLine[]) => void,
): Promise<void> {
  while (reader.take({ isOver: true, look }, Date.now())) {
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** How an agent ended. */
function endOf(db: DatabaseSync, agent: Agent, files: AgentFiles): AgentEnd {
  const code = readExit(files);
  const { killRequestedAtMs, killReason, deadlineAtMs, command } = readAgent(db, agent.id) ?? agent;
  const wasEnded = code === null || code > BY_SIGNAL;
  const isLate = deadlineAtMs !== null && Date.now() >= deadlineAtMs;
  const killed = killRequestedAtMs !== null && wasEnded ? killReason ?? "on request" : null;
  const timedOut = killed === null && wasEnded && isLate;
  const fault = killed === null && !timedOut ? faultOf(files, { code, command }) : null;
  return { code, killed, timedOut, fault };
}

/** What is wrong beyond the exit code. */
function faultOf(
  files: AgentFiles,
  { code, command }: Pick<Agent, "command"> & Pick<AgentEnd, "code">,
): string | null {
  if (code === null && areGone(files)) {
    return `its files in ${files.folder} are gone: nobody knows how it ended`;
  }
  if (!wasNotFound(files)) return null;
  return `the agent command "${
    command[0]
  }" was not found (orchestration.agentCommand; conclaude doctor)`;
}

function isToEnd(db: DatabaseSync, agent: Agent): boolean {
  const now = readAgent(db, agent.id);
  return now === undefined || now.killRequestedAtMs !== null ||
    (agent.deadlineAtMs !== null && Date.now() >= agent.deadlineAtMs);
}

/** Keeps the session and the questions that an agent's lines name. */
function noteLines(
  db: DatabaseSync,
  agent: Agent,
  { lines, mask }: Pick<Supervision, "mask"> & { readonly lines: readonly FreshLine[] },
): void {
  if (agent.kind !== "agent") return;
  const notes = lines.filter(({ stream }) => stream === "stdout").map((line) => ({
    line,
    read: readAgentLine(line.raw),
  }));
  const sessionId = notes.findLast(({ read }) => read.sessionId !== null)?.read.sessionId ?? null;
  const questions = notes.flatMap(({ line, read }) =>
    (read.isResult ? "" : read.text ?? "").split("\n").map((text, part) => ({
      question: detectQuestion(mask(text)),
      origin: `output:${agent.id}:${line.at}:${part}`,
    }))
  );
  const asked = questions.filter(({ question }) => question !== null);
  if (sessionId === null && asked.length === 0) return;
  const atMs = Date.now();
  transaction(db, () => {
    if (sessionId !== null) setAgentSession(db, agent.id, sessionId, atMs);
    for (const { question, origin } of asked) {
      askQuestion(db, {
        ...question!,
        source: "output",
        taskId: agent.taskId,
        workflowId: agent.workflowId,
        stepKey: agent.stepKey,
        agentId: agent.id,
        sessionId: sessionId ?? readAgent(db, agent.id)?.sessionId ?? null,
        origin,
      }, atMs);
    }
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

/** Keeps how an agent ended and all that follows, and removes its files except its output. */
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
 * Kills an agent with all processes of its group, when no daemon runs that would do it.
 *
 * @param options.database Absolute path.
 *
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
