/** Follows an agent to its end: stores its output, ends it in time or on request, and records its outcome. */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { sizeAt } from "../../system/on_disk.ts";
import { endGroupOf } from "../../system/process/start.ts";
import { collectAgentText, lastQuestion, readAgentLine, readContract } from "../agent_text.ts";
import { type Agent, endAgent, readAgent, setAgentSession } from "../agents_table.ts";
import { transaction } from "../../db/transaction.ts";
import { askQuestion } from "../questions_table.ts";
import {
  type AgentFiles,
  agentFiles,
  areGone,
  environmentMark,
  type FreshLine,
  hasBegun,
  isAlive,
  isReused,
  OutputReader,
  readAt,
  readExit,
  removeRunFiles,
  wasNotFound,
} from "./agent_files.ts";
import { finishAndAdvance, stepOfAgent, stepOfKey } from "./advance.ts";
import {
  BY_SIGNAL,
  outcomeOfAgent,
  outcomeOfScript,
  type ProcessEnd,
  wordEnd,
} from "../progress.ts";

const LOOK_MS = 200;

/** How often to check whether a process lives that this program did not start, in milliseconds. */
const LIFE_MS = 1000;

/** How long to wait for the shell's exit code after its process has exited, in milliseconds. */
const EXIT_CODE_MS = 200;

interface Supervision {
  readonly db: DatabaseSync;
  readonly files: AgentFiles;
  readonly mask: (text: string) => string;
  readonly graceMs: number;
  /** Settles when the process has exited; undefined when this program did not start it. */
  readonly exited?: Promise<void> | undefined;
  /** Aborted when the daemon stops; the agent goes on. */
  readonly signal: AbortSignal;
  readonly onOutput: () => void;
}

/**
 * Follows an agent to its end. Then it stores in one transaction how the agent ended, the outcome of its step and the
 * next move, and removes the agent's files except its output. An agent that has ended already stays unchanged.
 * @returns False when the daemon stops before the agent's end. @throws {Error} When the agent was never let go.
 */
export async function supervise(agent: Agent, supervision: Supervision): Promise<boolean> {
  const end = await follow(agent, supervision);
  if (end === null) return false;
  const { db, files, mask } = supervision;
  if (end.code === null && end.killed === null && !end.timedOut && !hasBegun(files)) {
    throw new Error("it was never let go, and is started anew");
  }
  // Reading and masking take long, so they come before the transaction.
  const words = readWords(agent, files, mask);
  transaction(db, () => settle(db, agent, { end, words, atMs: Date.now() }));
  removeRunFiles(files);
  return true;
}

/** Follows a process. @returns How it ended; null when the daemon stops before. */
async function follow(
  agent: Agent,
  { db, files, mask, graceMs, exited, signal, onOutput }: Supervision,
): Promise<ProcessEnd | null> {
  const reader = new OutputReader(files, mask);
  const mark = environmentMark(agent.id);
  const look = (lines: readonly FreshLine[]) => noteLines(db, agent, lines);
  const wait = (ms: number) => pause(ms, undefined, { signal }).catch(() => {});
  let hasExited = false;
  void exited?.then(() => hasExited = true);
  let isEnding = false;
  let ending: Promise<void> | null = null;
  let lookedAtMs = performance.now();
  while (!signal.aborted) {
    const hasMore = reader.take({ isOver: false, look }, Date.now());
    if (hasMore) onOutput();
    if (readExit(files) !== null) break;
    if (hasExited || (exited === undefined && performance.now() - lookedAtMs > LIFE_MS)) {
      lookedAtMs = performance.now();
      if (hasExited || !await isAlive(agent)) {
        await wait(EXIT_CODE_MS);
        break;
      }
    }
    if (!isEnding && mustEnd(db, agent)) {
      isEnding = true;
      if (!await isReused(agent)) ending = endGroupOf(agent.pid!, { graceMs, mark });
    }
    const end = exited === undefined || hasExited ? [] : [exited];
    await (hasMore ? wait(0) : Promise.race([wait(LOOK_MS), ...end]));
  }
  if (signal.aborted && readExit(files) === null) return null;
  // The step is over, so remaining processes of its group end too.
  if (!await isReused(agent)) await endGroupOf(agent.pid!, { graceMs: 500, mark });
  await ending;
  await takeRest(reader, look);
  onOutput();
  return endOf(db, agent, files);
}

/** Stores the rest of the output of an agent that has ended, a part at a time. */
export async function takeRest(
  reader: OutputReader,
  look: (lines: readonly FreshLine[]) => void,
): Promise<void> {
  while (reader.take({ isOver: true, look }, Date.now())) {
    await pause(0);
  }
}

function endOf(db: DatabaseSync, agent: Agent, files: AgentFiles): ProcessEnd {
  const code = readExit(files);
  const { killRequestedAtMs, killReason, deadlineAtMs, command } = readAgent(db, agent.id) ?? agent;
  const wasEnded = code === null || code > BY_SIGNAL;
  const isLate = deadlineAtMs !== null && Date.now() >= deadlineAtMs;
  const killed = killRequestedAtMs !== null && wasEnded ? killReason ?? "on request" : null;
  const timedOut = killed === null && wasEnded && isLate;
  let fault: string | null = null;
  if (code === null && areGone(files)) {
    fault = `its files in ${files.folder} are gone: nobody knows how it ended`;
  } else if (wasNotFound(files)) {
    fault = `the agent command "${
      command[0]
    }" was not found (orchestration.agentCommand; conclaude doctor)`;
  }
  return { code, killed, timedOut, fault };
}

function mustEnd(db: DatabaseSync, agent: Agent): boolean {
  const stored = readAgent(db, agent.id);
  return stored === undefined || stored.killRequestedAtMs !== null ||
    (agent.deadlineAtMs !== null && Date.now() >= agent.deadlineAtMs);
}

/** Stores the session that an agent's lines name. */
function noteLines(db: DatabaseSync, agent: Agent, lines: readonly FreshLine[]): void {
  if (agent.kind !== "agent") return;
  const named = lines.filter(({ stream }) => stream === "stdout")
    .map(({ raw }) => readAgentLine(raw).sessionId).findLast((id) => id !== null) ?? null;
  if (named !== null) transaction(db, () => setAgentSession(db, agent.id, named, Date.now()));
}

/**
 * Kills an agent with all processes of its group, when no daemon runs to do it.
 * @param options.database The absolute path of the database.
 * @returns Whether the process ran and was the agent's; otherwise the next daemon finds out how it ended.
 */
export async function endHere(
  db: DatabaseSync,
  id: string,
  { database, ...ending }: Pick<Supervision, "mask" | "graceMs"> & { readonly database: string },
): Promise<boolean> {
  const agent = readAgent(db, id);
  if (agent === undefined || agent.endedAtMs !== null || !await isAlive(agent)) return false;
  const { signal } = new AbortController();
  const files = agentFiles(database, id);
  return await supervise(agent, { db, files, ...ending, signal, onOutput: () => {} });
}

/** The length of the end of an output that the step keeps, in characters. */
const MAX_OUTCOME_CHARS = 100_000;

/** The length of the end of an agent's output to read for the step, in bytes. */
const MAX_READ_BYTES = 4 << 20;

function settle(
  db: DatabaseSync,
  agent: Agent,
  { end, words, atMs }: { readonly end: ProcessEnd; readonly words: Words; readonly atMs: number },
): void {
  const { text, sessionId } = words;
  const { status, error } = wordEnd(agent.kind, end);
  const mayAsk = agent.kind === "agent" && status === "completed" && readContract(text) === null;
  const lastAsked = mayAsk ? lastQuestion(text) : null;
  endAgent(db, agent.id, { status, error: end.killed ?? error, exitCode: end.code, atMs });
  const at = stepOfAgent(db, agent);
  if (at === undefined) return;
  if (lastAsked !== null) {
    const { id: agentId, taskId, workflowId, stepKey } = agent;
    askQuestion(db, {
      ...{ type: "input", text: lastAsked, options: [], source: "output" },
      ...{ agentId, taskId, workflowId, stepKey, sessionId, origin: `output:${agentId}` },
    }, atMs);
  }
  const step = stepOfKey(db, at.workflow.id, at.step.key);
  const outcome = step.type === "script"
    ? outcomeOfScript(step, end, text)
    : outcomeOfAgent(end, { text, asks: lastAsked !== null });
  finishAndAdvance(db, at.workflow, at.step, { outcome, atMs });
}

/** `text`: for a person, with secrets masked. */
type Words = ReturnType<typeof readWords>;

/** Reads the last words of an agent, or the end of a script's output. */
function readWords({ kind }: Agent, files: AgentFiles, mask: (text: string) => string) {
  const written = readEnd(files.stdout);
  const { text, sessionId } = kind === "script"
    ? { text: written.trimEnd(), sessionId: null }
    : collectAgentText(written.split("\n"));
  // Masks before it cuts, so that no half of a secret is left. No word of a script can hold NUL.
  const end = mask(text.replaceAll("\0", "").slice(-2 * MAX_OUTCOME_CHARS));
  return { text: end.slice(-MAX_OUTCOME_CHARS), sessionId };
}

function readEnd(path: string): string {
  const size = sizeAt(path) ?? 0;
  const start = Math.max(0, size - MAX_READ_BYTES);
  const text = new TextDecoder().decode(readAt(path, start, MAX_READ_BYTES));
  return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
}
