/** Starts agents, follows each to its end, stores its output, ends it in time or on request, and records its outcome. */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "../../base/errors.ts";
import { transaction } from "../../db/transaction.ts";
import { lookAtTree } from "../../system/git/task_trees.ts";
import { sizeAt } from "../../system/on_disk.ts";
import { endGroupOf } from "../../system/process/start.ts";
import { collectAgentText, lastQuestion, readAgentLine, readContract } from "../agent_text.ts";
import * as work from "../store.ts";
import * as progress from "../progress.ts";
import * as workflows from "./advance.ts";
import * as agentFiles from "./agent_files.ts";
import { AGAIN_MS, type EngineParts } from "./engine_settings.ts";
import { type Held, hold, launchOf } from "./launch.ts";
import { ensureFolder } from "./work_folder.ts";

const LOOK_MS = 200;

/** How often to check whether a process lives that this program did not start, in milliseconds. */
const LIFE_MS = 1000;

/** How long to wait for the shell's exit code after its process has exited, in milliseconds. */
const EXIT_CODE_MS = 200;

/** The length of the end of an output that the step keeps, in characters. */
const MAX_OUTCOME_CHARS = 100_000;

/** The length of the end of an agent's output to read for the step, in bytes. */
const MAX_READ_BYTES = 4 << 20;

/** `signal` is aborted when the daemon stops; the agent goes on. */
interface Supervision extends Pick<EngineParts, "db" | "database" | "signal" | "changed"> {
  readonly mask: (text: string) => string;
  readonly graceMs: number;
  /** Settles when the process has exited; undefined when this program did not start it. */
  readonly exited?: Promise<void> | undefined;
}

export class AgentRuns {
  readonly #parts: EngineParts;
  readonly #onEnd: (workflow: work.WorkflowRow) => Promise<void>;
  readonly #running = new Map<string, Promise<void>>();

  /** @param onEnd Called when an agent has ended and all consequences are stored. */
  constructor(parts: EngineParts, onEnd: (workflow: work.WorkflowRow) => Promise<void>) {
    this.#parts = parts;
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#running.size;
  }

  has(agentId: string): boolean {
    return this.#running.has(agentId);
  }

  /** Settles when it follows no agent any more, after the signal was aborted. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  takeUp(agent: work.Agent): void {
    const run = this.#takeUp(agent).catch(async (thrown) => {
      this.#parts.log("error", `agent ${agent.id}: ${messageOf(thrown)}`);
      await pause(AGAIN_MS);
    }).finally(() => {
      this.#running.delete(agent.id);
      this.#parts.wake();
    });
    this.#running.set(agent.id, run);
  }

  /** Goes on with an agent that has not ended according to the database. */
  async #takeUp(agent: work.Agent): Promise<void> {
    const files = agentFiles.filesOfAgent(this.#parts.database, agent.id);
    const hasExit = () => agentFiles.readExit(files) !== null;
    // The process may end between the two looks at the exit code, which the agent's shell writes.
    if (hasExit() || agent.pid !== null && (await agentFiles.isAlive(agent) || hasExit())) {
      return await this.#follow(agent, undefined);
    }
    // The process does not live. An agent that had begun has died without an exit code; any other must be started.
    if (agent.pid !== null && agentFiles.hasBegun(files)) return await this.#settleDead(agent);
    const started = await this.#start(agent);
    this.#parts.changed();
    if (started !== null) await this.#follow(started.agent, started.held);
  }

  /** Makes the folder and the process of an agent, stores both in the database, and then lets the process begin. */
  async #start(
    agent: work.Agent,
  ): Promise<{ readonly agent: work.Agent; readonly held: Held } | null> {
    const { db, database } = this.#parts;
    const workflow = work.readWorkflow(db, agent.workflowId);
    const task = workflow && work.readTask(db, workflow.taskId);
    const stored = work.readAgent(db, agent.id);
    if (workflow === undefined || task === undefined || stored === undefined) return null;
    const isWanted = workflow.status === "running" && workflows.holdsClaim(db, workflow);
    if (stored.killRequestedAtMs !== null || !isWanted) {
      const why = stored.killReason ?? "it is not wanted any more";
      return this.#fail(agent, progress.failure(`killed: ${why}`, "block"));
    }
    const config = this.#parts.settings.of(workflow).orchestration;
    const place = await ensureFolder(db, { workflow, task, config, atMs: Date.now() });
    if ("why" in place) return this.#fail(agent, progress.failure(place.why, "block"));
    const move = workflows.moveOf(db, work.readWorkflow(db, workflow.id)!);
    if (move.kind !== "run" || move.key !== agent.stepKey) {
      throw new Error(`its workflow stands at ${move.kind}, not at ${agent.stepKey}`);
    }
    const files = agentFiles.filesOfAgent(database, agent.id);
    const { folder } = place;
    let step: ReturnType<typeof launchOf>;
    let held: Held;
    try {
      step = launchOf(db, { agent, workflow, move, config, folder, database });
      if (step.obstacle !== null && move.step.type === "script") {
        return this.#fail(agent, progress.failure(step.obstacle, move.step.onFail));
      }
      held = hold({ ...step.launch, id: agent.id }, files);
    } catch (thrown) {
      return this.#fail(agent, progress.failure(messageOf(thrown), "fail"));
    }
    const atMs = Date.now();
    transaction(db, () => {
      work.markRunning(db, agent.id, {
        pid: held.pid,
        processMark: held.mark,
        command: step.launch.words,
        worktree: folder,
        outputFile: files.output,
        deadlineAtMs: step.timeoutMs === null ? null : atMs + step.timeoutMs,
        atMs,
      });
      if (step.answered !== null) work.markDelivered(db, step.answered.id, { error: null, atMs });
    });
    await held.release();
    return { agent: work.readAgent(db, agent.id)!, held };
  }

  async #follow(agent: work.Agent, held: Held | undefined): Promise<void> {
    const { db, settings } = this.#parts;
    const workflow = work.readWorkflow(db, agent.workflowId);
    const hasEnded = await supervise(agent, {
      ...this.#parts,
      mask: settings.maskOf(workflow),
      graceMs: settings.of(workflow).orchestration.killGraceSeconds * 1000,
      exited: held?.exited,
    });
    if (hasEnded) await this.#tellEnd(agent);
  }

  /**
   * Records the end of an agent that died while no daemon ran, and ends all processes that it had started.
   *
   * Uncommitted work blocks the task until a person decides. Commits of the agent wait for a review. With neither, the
   * agent did nothing, and the task goes back to the scheduler, which resumes it at the unfinished step. A script runs
   * again in any case.
   */
  async #settleDead(agent: work.Agent): Promise<void> {
    const { db, database, settings, log } = this.#parts;
    const files = agentFiles.filesOfAgent(database, agent.id);
    const mask = settings.maskOf(work.readWorkflow(db, agent.workflowId));
    if (!await agentFiles.isReused(agent)) {
      await endGroupOf(agent.pid!, { graceMs: 500, mark: agentFiles.environmentMark(agent.id) });
    }
    await takeRest(new agentFiles.OutputReader(files, mask), () => {});
    const workflow = work.readWorkflow(db, agent.workflowId);
    const state = agent.kind === "agent" && workflow?.worktree && workflow.baseBranch
      ? await lookAtTree(workflow.worktree, `refs/heads/${workflow.baseBranch}`, agent.createdAtMs)
      : null;
    const notice = transaction(db, () => settleDead(db, agent, { workflow, state }));
    agentFiles.removeRunFiles(files);
    if (notice !== null) log("warn", `agent ${agent.id}: ${notice}`);
    await this.#tellEnd(agent);
  }

  #fail(agent: work.Agent, outcome: work.StepOutcome): null {
    const { db } = this.#parts;
    const atMs = Date.now();
    const wasKilled = work.readAgent(db, agent.id)?.killRequestedAtMs != null;
    transaction(db, () => {
      const status = wasKilled ? "killed" : "failed";
      work.endAgent(db, agent.id, { status, exitCode: null, error: outcome.error, atMs });
      const at = workflows.stepOfAgent(db, agent);
      if (at !== undefined) workflows.finishAndAdvance(db, at.workflow, at.step, { outcome, atMs });
    });
    void this.#tellEnd(agent);
    return null;
  }

  async #tellEnd(agent: work.Agent): Promise<void> {
    this.#parts.changed();
    const workflow = work.readWorkflow(this.#parts.db, agent.workflowId);
    if (workflow !== undefined) await this.#onEnd(workflow);
  }
}

/** Records how an agent died, in the caller's transaction. @returns A notice for the log; null when there is none. */
function settleDead(
  db: DatabaseSync,
  agent: work.Agent,
  { workflow, state }: {
    readonly workflow: work.WorkflowRow | undefined;
    readonly state: Awaited<ReturnType<typeof lookAtTree>>;
  },
): string | null {
  const atMs = Date.now();
  const end = (error: string) =>
    work.endAgent(db, agent.id, { status: "failed", exitCode: null, error, atMs });
  if (
    workflow === undefined || workflow.status !== "running" || !workflows.holdsClaim(db, workflow)
  ) {
    end("daemon restarted");
    return null;
  }
  if (state?.isDirty) {
    const reason = "daemon restarted with uncommitted work";
    end(reason);
    workflows.stop(db, workflow, { status: "blocked", key: agent.stepKey, reason, atMs });
    return `${reason}: ${workflow.worktree}`;
  }
  if (state !== null && state.ahead > 0) {
    const reason = "daemon restarted with committed work";
    end(reason);
    const notice = `${reason}: approving it takes step ${agent.name} as done`;
    workflows.moveWorkflow(db, workflow, "merge_pending", { atMs, fields: { reason: notice } });
    return `work is committed in ${workflow.worktree} and waits for a review`;
  }
  end("daemon restarted");
  // The scheduler gets the task back; the workflow keeps its finished steps.
  workflows.moveWorkflow(db, workflow, "blocked", {
    atMs,
    by: work.SYSTEM,
    fields: {
      currentStep: agent.stepKey,
      reason: "its agent died while no daemon ran; the scheduler takes it up again",
    },
    task: { status: "open", queuedAtMs: atMs },
  });
  return null;
}

/**
 * Follows an agent to its end. Then it stores in one transaction how the agent ended, the outcome of its step and the
 * next move, and removes the agent's files except its output. An agent that has ended already stays unchanged.
 * @returns False when the daemon stops before the agent's end. @throws {Error} When the agent was never released.
 */
async function supervise(agent: work.Agent, supervision: Supervision): Promise<boolean> {
  const { db, database, mask } = supervision;
  const files = agentFiles.filesOfAgent(database, agent.id);
  const end = await follow(agent, files, supervision);
  if (end === null) return false;
  if (end.code === null && end.killed === null && !end.timedOut && !agentFiles.hasBegun(files)) {
    throw new Error("it was never allowed to begin, and is started anew");
  }
  // Reading and masking take long, so they come before the transaction.
  const words = readWords(agent, files, mask);
  transaction(db, () => settle(db, agent, { end, words, atMs: Date.now() }));
  agentFiles.removeRunFiles(files);
  return true;
}

/** Follows a process. @returns How it ended; null when the daemon stops before. */
async function follow(
  agent: work.Agent,
  files: agentFiles.AgentFiles,
  { db, mask, graceMs, exited, signal, changed }: Supervision,
): Promise<progress.ProcessEnd | null> {
  const reader = new agentFiles.OutputReader(files, mask);
  const mark = agentFiles.environmentMark(agent.id);
  const look = (lines: readonly agentFiles.FreshLine[]) => noteLines(db, agent, lines);
  const wait = (ms: number) => pause(ms, undefined, { signal }).catch(() => {});
  let hasExited = false;
  void exited?.then(() => hasExited = true);
  let isEnding = false;
  let ending: Promise<void> | null = null;
  let lookedAtMs = performance.now();
  while (!signal.aborted) {
    const hasMore = reader.take({ isOver: false, look }, Date.now());
    if (hasMore) changed();
    if (agentFiles.readExit(files) !== null) break;
    if (hasExited || (exited === undefined && performance.now() - lookedAtMs > LIFE_MS)) {
      lookedAtMs = performance.now();
      if (hasExited || !await agentFiles.isAlive(agent)) {
        await wait(EXIT_CODE_MS);
        break;
      }
    }
    if (!isEnding && mustEnd(db, agent)) {
      isEnding = true;
      if (!await agentFiles.isReused(agent)) ending = endGroupOf(agent.pid!, { graceMs, mark });
    }
    const end = exited === undefined || hasExited ? [] : [exited];
    await (hasMore ? wait(0) : Promise.race([wait(LOOK_MS), ...end]));
  }
  if (signal.aborted && agentFiles.readExit(files) === null) return null;
  // The step is over, so remaining processes of its group end too.
  if (!await agentFiles.isReused(agent)) await endGroupOf(agent.pid!, { graceMs: 500, mark });
  await ending;
  await takeRest(reader, look);
  changed();
  return endOf(db, agent, files);
}

/** Stores the rest of the output of an agent that has ended, a part at a time. */
async function takeRest(
  reader: agentFiles.OutputReader,
  look: (lines: readonly agentFiles.FreshLine[]) => void,
): Promise<void> {
  while (reader.take({ isOver: true, look }, Date.now())) {
    await pause(0);
  }
}

function endOf(
  db: DatabaseSync,
  agent: work.Agent,
  files: agentFiles.AgentFiles,
): progress.ProcessEnd {
  const code = agentFiles.readExit(files);
  const { killRequestedAtMs, killReason, deadlineAtMs, command } = work.readAgent(db, agent.id) ??
    agent;
  const wasEnded = code === null || code > progress.BY_SIGNAL;
  const isLate = deadlineAtMs !== null && Date.now() >= deadlineAtMs;
  const killed = killRequestedAtMs !== null && wasEnded ? killReason ?? "on request" : null;
  const timedOut = killed === null && wasEnded && isLate;
  let fault: string | null = null;
  if (code === null && agentFiles.areGone(files)) {
    fault = `its files in ${files.folder} are gone: nobody knows how it ended`;
  } else if (agentFiles.wasNotFound(files)) {
    fault = `the agent command "${
      command[0]
    }" was not found (orchestration.agentCommand; conclaude doctor)`;
  }
  return { code, killed, timedOut, fault };
}

function mustEnd(db: DatabaseSync, agent: work.Agent): boolean {
  const stored = work.readAgent(db, agent.id);
  return stored === undefined || stored.killRequestedAtMs !== null ||
    (agent.deadlineAtMs !== null && Date.now() >= agent.deadlineAtMs);
}

/** Stores the session that an agent's lines name. */
function noteLines(
  db: DatabaseSync,
  agent: work.Agent,
  lines: readonly agentFiles.FreshLine[],
): void {
  if (agent.kind !== "agent") return;
  const named = lines.filter(({ stream }) => stream === "stdout")
    .map(({ raw }) => readAgentLine(raw).sessionId).findLast((id) => id !== null) ?? null;
  if (named !== null) transaction(db, () => work.setAgentSession(db, agent.id, named, Date.now()));
}

/**
 * Kills an agent with all processes of its group, when no daemon runs to do it.
 * @param ending `database`: the absolute path of the database.
 * @returns Whether the process ran and was the agent's; otherwise the next daemon finds out how it ended.
 */
export async function endHere(
  db: DatabaseSync,
  id: string,
  ending: Pick<Supervision, "database" | "mask" | "graceMs">,
): Promise<boolean> {
  const agent = work.readAgent(db, id);
  if (agent === undefined || agent.endedAtMs !== null || !await agentFiles.isAlive(agent)) {
    return false;
  }
  const { signal } = new AbortController();
  return await supervise(agent, { db, ...ending, signal, changed: () => {} });
}

function settle(
  db: DatabaseSync,
  agent: work.Agent,
  { end, words, atMs }: {
    readonly end: progress.ProcessEnd;
    readonly words: Words;
    readonly atMs: number;
  },
): void {
  const { text, sessionId } = words;
  const { status, error } = progress.wordEnd(agent.kind, end);
  const mayAsk = agent.kind === "agent" && status === "completed" && readContract(text) === null;
  const lastAsked = mayAsk ? lastQuestion(text) : null;
  work.endAgent(db, agent.id, { status, error: end.killed ?? error, exitCode: end.code, atMs });
  const at = workflows.stepOfAgent(db, agent);
  if (at === undefined) return;
  if (lastAsked !== null) {
    const { id: agentId, taskId, workflowId, stepKey } = agent;
    work.askQuestion(db, {
      type: "input",
      text: lastAsked,
      options: [],
      source: "output",
      agentId,
      taskId,
      workflowId,
      stepKey,
      sessionId,
      origin: `output:${agentId}`,
    }, atMs);
  }
  const step = workflows.stepOfKey(db, at.workflow.id, at.step.key);
  const outcome = step.type === "script"
    ? progress.outcomeOfScript(step, end, text)
    : progress.outcomeOfAgent(end, { text, asks: lastAsked !== null });
  workflows.finishAndAdvance(db, at.workflow, at.step, { outcome, atMs });
}

/** `text`: for a person, with secrets masked. */
type Words = ReturnType<typeof readWords>;

/** Reads the last words of an agent, or the end of a script's output. */
function readWords(
  { kind }: work.Agent,
  files: agentFiles.AgentFiles,
  mask: (text: string) => string,
) {
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
  const text = new TextDecoder().decode(agentFiles.readAt(path, start, MAX_READ_BYTES));
  return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
}
