/** Follows an agent to its end: its output, its time limit, and requests to kill it. */
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

/** How often the system is asked whether a process lives that this one did not start, in milliseconds. */
const LIFE_MS = 1000;

/** How long the shell may take to write the exit code after the process has left, in milliseconds. */
const LAST_WORD_MS = 200;

/** A higher exit code is a signal; without a code, somebody has killed the shell too. */
const BY_SIGNAL = 128;

interface Supervision {
  readonly db: DatabaseSync;
  readonly files: AgentFiles;
  readonly mask: (text: string) => string;
  readonly graceMs: number;
  /** Asked when the agent has ended. */
  readonly lasting: () => Lasting;
  /** Settles when the process has left; undefined when this process did not start it. */
  readonly left?: Promise<void> | undefined;
  /** Aborted when the daemon leaves; the agent goes on. */
  readonly signal: AbortSignal;
  readonly onOutput: () => void;
}

/**
 * Follows an agent to its end. Then it keeps in one transaction how the agent ended, the outcome of its step and all that
 * follows, and removes the agent's files except its output. An agent that has ended already stays as it is.
 * @returns Whether it has ended; false when the daemon leaves before. @throws {Error} When it was never let go.
 */
export async function supervise(agent: Agent, supervision: Supervision): Promise<boolean> {
  const end = await follow(agent, supervision);
  if (end === null) return false;
  const { db, files, mask } = supervision;
  if (end.code === null && end.killed === null && !end.timedOut && !hasBegun(files)) {
    throw new Error("it was never let go, and is started anew");
  }
  const lasting = supervision.lasting();
  // Before the transaction, since reading and masking take long.
  const said = readSaid(agent, files, mask);
  transaction(db, () => settle(db, agent, { end, said, atMs: lasting.atMs }));
  removeRunFiles(files);
  return true;
}

/** @returns How it ended; null when the daemon leaves before. */
async function follow(
  agent: Agent,
  { db, files, mask, graceMs, left, signal, onOutput }: Supervision,
): Promise<AgentEnd | null> {
  const reader = new OutputReader(files, mask);
  const mark = environmentMark(agent.id);
  const look = (lines: readonly FreshLine[]) => noteLines(db, agent, lines);
  const wait = (ms: number) => pause(ms, undefined, { signal }).catch(() => {});
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
        await wait(LAST_WORD_MS);
        break;
      }
    }
    if (!isEnding && isToEnd(db, agent)) {
      isEnding = true;
      if (!await isReused(agent)) ending = endGroupOf(agent.pid!, { graceMs, mark });
    }
    const end = left === undefined || hasLeft ? [] : [left];
    await (hasMore ? wait(0) : Promise.race([wait(LOOK_MS), ...end]));
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

/** What is wrong beyond the exit code. */
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

function isToEnd(db: DatabaseSync, agent: Agent): boolean {
  const now = readAgent(db, agent.id);
  return now === undefined || now.killRequestedAtMs !== null ||
    (agent.deadlineAtMs !== null && Date.now() >= agent.deadlineAtMs);
}

/** Keeps the session that an agent's lines name. */
function noteLines(db: DatabaseSync, agent: Agent, lines: readonly FreshLine[]): void {
  if (agent.kind !== "agent") return;
  const named = lines.filter(({ stream }) => stream === "stdout")
    .map(({ raw }) => readAgentLine(raw).sessionId).findLast((id) => id !== null) ?? null;
  if (named !== null) transaction(db, () => setAgentSession(db, agent.id, named, Date.now()));
}

/**
 * Kills an agent with all processes of its group, when no daemon runs that would do it.
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
  /** The exit code that its shell wrote; null when the shell did not get that far. */
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly killed: string | null;
  /** What is wrong beyond the exit code; null when the code tells all. */
  readonly fault: string | null;
}

/** How much of the end of an output is kept with the step, in characters. */
const MAX_OUTCOME_CHARS = 100_000;

/** How much of the end of an agent's output is read for that, in bytes. */
const MAX_READ_BYTES = 4 << 20;

/** The name of the signal that an exit code of a shell tells: 128 plus the number of the signal. */
function signalOf(code: number | null): string | null {
  if (code === null) return "SIGKILL";
  const found = Object.entries(constants.signals).find(([, number]) => number === code - BY_SIGNAL);
  return found?.[0] ?? null;
}

function settle(
  db: DatabaseSync,
  agent: Agent,
  { end, said, atMs }: { readonly end: AgentEnd; readonly said: Said; readonly atMs: number },
): void {
  const { code, timedOut, killed } = end;
  const { text, sessionId } = said;
  const signal = signalOf(code);
  const isOver = code === 0 && !timedOut && killed === null;
  const asked = agent.kind === "agent" && isOver && readContract(text) === null
    ? lastQuestion(text)
    : null;
  endAgent(db, agent.id, { ...statusOf(end, signal), exitCode: code, atMs });
  const at = stepOfAgent(db, agent);
  if (at === undefined) return;
  if (asked !== null) {
    const { id: agentId, taskId, workflowId, stepKey } = agent;
    const of = { agentId, taskId, workflowId, stepKey, sessionId, origin: `output:${agentId}` };
    const question = { type: "input", text: asked, options: [], source: "output" } as const;
    askQuestion(db, { ...question, ...of }, atMs);
  }
  const step = stepOfKey(db, at.workflow.id, at.step.key);
  const process = { exitCode: code, timedOut, signal };
  const outcome = step.type === "script"
    ? outcomeOfScript(step, { ...process, output: text })
    : outcomeOfAgent({ ...process, text, question: asked !== null });
  finishAndAdvance(db, at.workflow, at.step, { outcome: asStopped(outcome, end), atMs });
}

/** The reason of a kill says more than the signal. */
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

interface Said {
  /** As a person reads it, secrets masked. */
  readonly text: string;
  readonly sessionId: string | null;
}

/** Reads the end of what an agent has said. */
function readSaid({ kind }: Agent, files: AgentFiles, mask: (text: string) => string): Said {
  const written = readEnd(files.stdout);
  if (kind === "script") return { text: lastWords(written.trimEnd(), mask), sessionId: null };
  const { text, sessionId } = collectAgentText(written.split("\n"));
  return { text: lastWords(text, mask), sessionId };
}

/** Masks before it cuts, so that no half of a secret is left. Without NUL, which no word of a script can hold. */
function lastWords(text: string, mask: (text: string) => string): string {
  const end = text.replaceAll("\0", "").slice(-2 * MAX_OUTCOME_CHARS);
  return mask(end).slice(-MAX_OUTCOME_CHARS);
}

/** The last whole lines of a file. */
function readEnd(path: string): string {
  const size = sizeAt(path) ?? 0;
  const start = Math.max(0, size - MAX_READ_BYTES);
  const text = new TextDecoder().decode(readAt(path, start, MAX_READ_BYTES));
  return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
}
