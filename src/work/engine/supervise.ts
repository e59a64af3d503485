/** Follows an agent to its end: stores its output, ends it in time or on request, and records its outcome. */
import { constants } from "node:os";
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
import { finishAndAdvance, type Lasting, stepOfAgent, stepOfKey } from "./advance.ts";
import { outcomeOfAgent, outcomeOfScript, type StepOutcome } from "../progress.ts";

/** How often the output is read, in milliseconds. */
const LOOK_MS = 200;

/** How often to check whether a process lives that this program did not start, in milliseconds. */
const LIFE_MS = 1000;

/** How long to wait for the shell's exit code after its process has exited, in milliseconds. */
const EXIT_CODE_MS = 200;

/** The base of exit codes for signals: a code above it means a signal. */
const BY_SIGNAL = 128;

interface Supervision {
  readonly db: DatabaseSync;
  readonly files: AgentFiles;
  readonly mask: (text: string) => string;
  readonly graceMs: number;
  /** Called when the agent has ended. */
  readonly lasting: () => Lasting;
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
  const lasting = supervision.lasting();
  // Reading and masking take long, so they come before the transaction.
  const words = readWords(agent, files, mask);
  transaction(db, () => settle(db, agent, { end, words, atMs: lasting.atMs }));
  removeRunFiles(files);
  return true;
}

/** Follows a process. @returns How it ended; null when the daemon stops before. */
async function follow(
  agent: Agent,
  { db, files, mask, graceMs, exited, signal, onOutput }: Supervision,
): Promise<AgentEnd | null> {
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

/** Explains a fault that the exit code does not show; null when there is none. */
function faultOf(
  files: AgentFiles,
  { code, command }: Pick<Agent, "command"> & Pick<AgentEnd, "code">,
): string | null {
  if (code === null && areGone(files)) {
    return `its files in ${files.folder} are gone: nobody knows how it ended`;
  }
  if (!wasNotFound(files)) return null;
  const [program] = command;
  return `the agent command "${program}" was not found (orchestration.agentCommand; conclaude doctor)`;
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
  { database, mask, graceMs, leaseMs, timeoutMs }: Omit<Lasting, "atMs"> & {
    readonly database: string;
    readonly mask: (text: string) => string;
    readonly graceMs: number;
  },
): Promise<boolean> {
  const agent = readAgent(db, id);
  if (agent === undefined || agent.endedAtMs !== null || !await isAlive(agent)) return false;
  return await supervise(agent, {
    db,
    files: agentFiles(database, id),
    mask,
    graceMs,
    lasting: () => ({ leaseMs, timeoutMs, atMs: Date.now() }),
    signal: new AbortController().signal,
    onOutput: () => {},
  });
}

interface AgentEnd {
  /** The exit code that the agent's shell wrote; null when the shell did not get that far. */
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly killed: string | null;
  /** A fault that the exit code does not show; null when there is none. */
  readonly fault: string | null;
}

/** The length of the end of an output that the step keeps, in characters. */
const MAX_OUTCOME_CHARS = 100_000;

/** The length of the end of an agent's output to read for the step, in bytes. */
const MAX_READ_BYTES = 4 << 20;

/** Names the signal of a shell's exit code, 128 plus its number. Without a code, the shell itself was killed. */
function signalOf(code: number | null): string | null {
  if (code === null) return "SIGKILL";
  const found = Object.entries(constants.signals).find(([, number]) => number === code - BY_SIGNAL);
  return found?.[0] ?? null;
}

function settle(
  db: DatabaseSync,
  agent: Agent,
  { end, words, atMs }: { readonly end: AgentEnd; readonly words: Words; readonly atMs: number },
): void {
  const { code, timedOut, killed } = end;
  const { text, sessionId } = words;
  const signal = signalOf(code);
  const isOver = code === 0 && !timedOut && killed === null;
  const lastAsked = agent.kind === "agent" && isOver && readContract(text) === null
    ? lastQuestion(text)
    : null;
  endAgent(db, agent.id, { ...statusOf(end, signal), exitCode: code, atMs });
  const at = stepOfAgent(db, agent);
  if (at === undefined) return;
  if (lastAsked !== null) {
    const { id: agentId, taskId, workflowId, stepKey } = agent;
    const asker = { agentId, taskId, workflowId, stepKey, sessionId, origin: `output:${agentId}` };
    const question = { type: "input", text: lastAsked, options: [], source: "output" } as const;
    askQuestion(db, { ...question, ...asker }, atMs);
  }
  const step = stepOfKey(db, at.workflow.id, at.step.key);
  const process = { exitCode: code, timedOut, signal };
  const outcome = step.type === "script"
    ? outcomeOfScript(step, { ...process, output: text })
    : outcomeOfAgent({ ...process, text, question: lastAsked !== null });
  finishAndAdvance(db, at.workflow, at.step, { outcome: asStopped(outcome, end), atMs });
}

/** Replaces the error of an outcome with the reason of a kill or the fault, which say more than the exit code. */
function asStopped(outcome: StepOutcome, { killed, fault }: AgentEnd): StepOutcome {
  if (killed === null) return fault === null ? outcome : { ...outcome, error: fault };
  return { ...outcome, success: false, action: "block", error: `killed: ${killed}` };
}

function statusOf(
  { code, timedOut, killed, fault }: AgentEnd,
  signal: string | null,
): { readonly status: "completed" | "failed" | "killed"; readonly error: string | null } {
  if (timedOut) return { status: "failed", error: "execution timed out" };
  if (killed !== null) return { status: "killed", error: killed };
  if (fault !== null) return { status: "failed", error: fault };
  if (signal !== null) return { status: "killed", error: `ended by ${signal}` };
  if (code === 0) return { status: "completed", error: null };
  return { status: "failed", error: `agent exited with code ${code}` };
}

interface Words {
  /** The text for a person, with secrets masked. */
  readonly text: string;
  readonly sessionId: string | null;
}

/** Reads the last words of an agent, or the end of a script's output. */
function readWords({ kind }: Agent, files: AgentFiles, mask: (text: string) => string): Words {
  const written = readEnd(files.stdout);
  if (kind === "script") return { text: lastWords(written.trimEnd(), mask), sessionId: null };
  const { text, sessionId } = collectAgentText(written.split("\n"));
  return { text: lastWords(text, mask), sessionId };
}

/** Masks before it cuts, so that no half of a secret is left. Removes NUL, which no word of a script can hold. */
function lastWords(text: string, mask: (text: string) => string): string {
  const end = text.replaceAll("\0", "").slice(-2 * MAX_OUTCOME_CHARS);
  return mask(end).slice(-MAX_OUTCOME_CHARS);
}

/** Reads the last whole lines of a file. */
function readEnd(path: string): string {
  const size = sizeAt(path) ?? 0;
  const start = Math.max(0, size - MAX_READ_BYTES);
  const text = new TextDecoder().decode(readAt(path, start, MAX_READ_BYTES));
  return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
}
