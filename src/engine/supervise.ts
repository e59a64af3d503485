/** Follows one agent to its end: its output, its time, and whether somebody wants it gone. */
import type { DatabaseSync } from "node:sqlite";
import { endGroupOf } from "../process/start.ts";
import { readAgentLine } from "../orchestration/agent_text.ts";
import { detectQuestion } from "../orchestration/questions.ts";
import { type Agent, readAgent, setAgentSession } from "../store/agents.ts";
import { transaction } from "../store/database.ts";
import { askQuestion } from "../store/questions.ts";
import { type AgentFiles, areGone, readExit, wasNotFound } from "./agent_files.ts";
import { environmentMark, isAlive, isReused } from "./identity.ts";
import { type FreshLine, OutputReader } from "./output.ts";
import type { AgentEnd } from "./settle.ts";

/** How often its output is looked at, in milliseconds. */
const LOOK_MS = 200;

/** How often the system is asked whether a process lives that is not this one's child, in milliseconds. */
const LIFE_MS = 1000;

/** How long its shell may take to write down how it left, when it has, in milliseconds. */
const LAST_WORD_MS = 200;

/** A signal in an exit code, or none at all: somebody has ended it. */
const BY_SIGNAL = 128;

/** What following an agent needs. */
export interface Supervision {
  readonly db: DatabaseSync;
  readonly files: AgentFiles;
  readonly mask: (text: string) => string;
  readonly graceMs: number;
  /** Settled when the process has left; absent when it is not this one's child. */
  readonly left?: Promise<void>;
  /** Aborted when the daemon leaves; the agent goes on. */
  readonly signal: AbortSignal;
  /** Is told when there is new output. */
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
  // What it has left behind in its group ends with it: the step is over.
  if (!await isReused(agent)) await endGroupOf(agent.pid!, { graceMs: 500, mark });
  await ending;
  await takeRest(reader, look);
  onOutput();
  return endOf(db, agent, files);
}

/** Takes all that an agent that has ended has left, a part at a time. */
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

/** What says more of an end than its code. */
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

/** Writes down what an agent's lines tell: its session, and its questions. */
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
