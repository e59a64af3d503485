/** Reads how an agent ended, and keeps that, the outcome of its step and all that follows in one transaction. */
import type { DatabaseSync } from "node:sqlite";
import { collectAgentText, readContract } from "../agent_text.ts";
import { outcomeOfAgent, outcomeOfScript, type ProcessEnd, type StepOutcome } from "../progress.ts";
import { lastQuestion } from "../questions.ts";
import type { Step } from "../workflow.ts";
import { type Agent, endAgent } from "../agents_table.ts";
import { askQuestion, listQuestions, resolveQuestions, UNRESOLVED } from "../questions_table.ts";
import { finishAndAdvance, stepOfAgent, stepOfKey } from "./advance.ts";
import type { AgentFiles } from "./agent_files.ts";
import { readAt, sizeOf } from "./agent_output.ts";

export interface AgentEnd {
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

/** A shell's exit code for a signal is 128 plus its number; these are the common ones. */
const SIGNALS: Readonly<Record<number, string>> = {
  129: "SIGHUP",
  130: "SIGINT",
  131: "SIGQUIT",
  134: "SIGABRT",
  135: "SIGBUS",
  136: "SIGFPE",
  137: "SIGKILL",
  139: "SIGSEGV",
  141: "SIGPIPE",
  143: "SIGTERM",
};

/**
 * Keeps the end of an agent, the outcome of its step and all that follows, in the caller's transaction. An agent that
 * has ended already stays as it is.
 */
export function settle(
  db: DatabaseSync,
  agent: Agent,
  { end, said, atMs }: {
    readonly end: AgentEnd;
    readonly said: Said;
    readonly atMs: number;
  },
): void {
  const signal = end.code === null ? "SIGKILL" : SIGNALS[end.code] ?? null;
  const process: ProcessEnd = { exitCode: end.code, timedOut: end.timedOut, signal };
  const asked = agent.kind === "agent" && end.code === 0 && !end.timedOut && end.killed === null &&
      readContract(said.text) === null
    ? lastQuestion(said.text)
    : null;
  endAgent(db, agent.id, { ...statusOf(end, signal), exitCode: end.code, atMs });
  const at = stepOfAgent(db, agent);
  // An answer that came too late does not go to the next attempt of the step either.
  if (asked === null) resolveQuestions(db, { agentId: agent.id }, { statuses: UNRESOLVED, atMs });
  if (at === undefined) return;
  if (asked !== null) keepQuestion(db, agent, { ...asked, sessionId: said.sessionId }, atMs);
  const outcome = outcomeOf(stepOfKey(db, at.workflow.id, at.step.key), {
    ...process,
    text: said.text,
    question: asked !== null,
  });
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

/** Leaves the last question of a waiting agent open, or answered when somebody was quick. */
function keepQuestion(
  db: DatabaseSync,
  agent: Agent,
  asked: {
    readonly type: "confirmation" | "permission" | "choice" | "input";
    readonly text: string;
    readonly options: readonly string[];
    readonly sessionId: string | null;
  },
  atMs: number,
): void {
  const last = listQuestions(db, { statuses: UNRESOLVED, agentId: agent.id }).at(-1);
  if (last?.text === asked.text) return;
  resolveQuestions(db, { agentId: agent.id }, { statuses: UNRESOLVED, atMs });
  askQuestion(db, {
    ...asked,
    source: "output",
    taskId: agent.taskId,
    workflowId: agent.workflowId,
    stepKey: agent.stepKey,
    agentId: agent.id,
    origin: `output:${agent.id}:last`,
  }, atMs);
}

function outcomeOf(
  step: Step,
  end: ProcessEnd & { readonly text: string; readonly question: boolean },
): StepOutcome {
  switch (step.type) {
    case "agent":
      return outcomeOfAgent(step, end);
    case "script":
      return outcomeOfScript(step, { ...end, output: end.text });
    default:
      throw new Error(`step ${step.name} has no process`);
  }
}

export interface Said {
  /** As a person reads it, secrets masked. */
  readonly text: string;
  readonly sessionId: string | null;
}

/** Reads the end of what an agent has said. The caller does this before the transaction: reading and masking take long. */
export function readSaid(
  { kind }: Pick<Agent, "kind">,
  files: AgentFiles,
  mask: (text: string) => string,
): Said {
  const written = readEnd(files.stdout);
  if (kind === "script") return { text: endOf(written.trimEnd(), mask), sessionId: null };
  const { text, sessionId } = collectAgentText(written.split("\n"));
  return { text: endOf(text, mask), sessionId };
}

/** Masks before it cuts, so that no half of a secret is left. Without NUL, which no word of a script can hold. */
function endOf(text: string, mask: (text: string) => string): string {
  const end = text.replaceAll("\0", "").slice(-2 * MAX_OUTCOME_CHARS);
  return mask(end).slice(-MAX_OUTCOME_CHARS);
}

/** The last whole lines of a file. */
function readEnd(path: string): string {
  const size = sizeOf(path);
  const start = Math.max(0, size - MAX_READ_BYTES);
  const text = new TextDecoder().decode(readAt(path, start, MAX_READ_BYTES));
  return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
}
