/** Starts agents, follows them, and records how they ended. */
import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../base/errors.ts";
import { setTimeout as pause } from "node:timers/promises";
import { lookAtTree } from "../../system/git/task_trees.ts";
import { failure } from "../progress.ts";
import { endGroupOf } from "../../system/process/start.ts";
import { type Agent, endAgent, markRunning, readAgent } from "../agents_table.ts";
import { transaction } from "../../db/transaction.ts";
import { markDelivered } from "../questions_table.ts";
import { SYSTEM } from "../task_claims_table.ts";
import { readTask } from "../tasks_table.ts";
import { readWorkflow, type StepOutcome, type WorkflowRow } from "../workflows_table.ts";
import {
  finishAndAdvance,
  holdsClaim,
  moveOf,
  moveWorkflow,
  stepOfAgent,
  stop,
} from "./advance.ts";
import {
  type AgentFiles,
  agentFiles,
  environmentMark,
  hasBegun,
  isAlive,
  isReused,
  OutputReader,
  readExit,
  removeRunFiles,
} from "./agent_files.ts";
import { AGAIN_MS, type EngineParts } from "./engine_settings.ts";
import { supervise, takeRest } from "./supervise.ts";
import { type Held, hold, launchOf } from "./launch.ts";
import { ensureFolder } from "./work_folder.ts";

export class AgentRuns {
  readonly #parts: EngineParts;
  readonly #onEnd: (workflow: WorkflowRow) => Promise<void>;
  readonly #running = new Map<string, Promise<void>>();

  /** @param onEnd Called when an agent has ended and all consequences are stored. */
  constructor(parts: EngineParts, onEnd: (workflow: WorkflowRow) => Promise<void>) {
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

  takeUp(agent: Agent): void {
    const work = this.#takeUp(agent).catch(async (thrown) => {
      this.#parts.log("error", `agent ${agent.id}: ${messageOf(thrown)}`);
      await pause(AGAIN_MS);
    }).finally(() => {
      this.#running.delete(agent.id);
      this.#parts.wake();
    });
    this.#running.set(agent.id, work);
  }

  async #takeUp(agent: Agent): Promise<void> {
    const found = await findAgent(agent, agentFiles(this.#parts.database, agent.id));
    if (found === "dead") return await this.#settleDead(agent);
    if (found !== "unstarted") return await this.#follow(agent, undefined);
    const started = await this.#start(agent);
    this.#parts.changed();
    if (started !== null) await this.#follow(started.agent, started.held);
  }

  /** Makes the folder and the process of an agent, stores both in the database, and then lets the process begin. */
  async #start(agent: Agent): Promise<{ readonly agent: Agent; readonly held: Held } | null> {
    const { db, database } = this.#parts;
    const workflow = readWorkflow(this.#parts.db, agent.workflowId);
    const task = workflow && readTask(db, workflow.taskId);
    const stored = readAgent(db, agent.id);
    if (workflow === undefined || task === undefined || stored === undefined) return null;
    const isWanted = workflow.status === "running" && holdsClaim(db, workflow);
    if (stored.killRequestedAtMs !== null || !isWanted) {
      const why = stored.killReason ?? "it is not wanted any more";
      return this.#fail(agent, failure(`killed: ${why}`, "block"));
    }
    const config = this.#parts.settings.of(workflow).orchestration;
    const place = await ensureFolder(db, { workflow, task, config, atMs: Date.now() });
    if ("why" in place) return this.#fail(agent, failure(place.why, "block"));
    const move = moveOf(db, readWorkflow(db, workflow.id)!);
    if (move.kind !== "run" || move.key !== agent.stepKey) {
      throw new Error(`its workflow stands at ${move.kind}, not at ${agent.stepKey}`);
    }
    const files = agentFiles(database, agent.id);
    const { folder } = place;
    let step: ReturnType<typeof launchOf>;
    let held: Held;
    try {
      step = launchOf(db, { agent, workflow, move, config, folder, database });
      if (step.obstacle !== null && move.step.type === "script") {
        return this.#fail(agent, failure(step.obstacle, move.step.onFail));
      }
      held = hold({ ...step.launch, id: agent.id }, files);
    } catch (thrown) {
      return this.#fail(agent, failure(messageOf(thrown), "fail"));
    }
    const atMs = Date.now();
    transaction(db, () => {
      markRunning(db, agent.id, {
        pid: held.pid,
        processMark: held.mark,
        command: step.launch.words,
        worktree: folder,
        outputFile: files.output,
        deadlineAtMs: step.timeoutMs === null ? null : atMs + step.timeoutMs,
        atMs,
      });
      if (step.answered !== null) markDelivered(db, step.answered.id, { error: null, atMs });
    });
    await held.release();
    return { agent: readAgent(db, agent.id)!, held };
  }

  async #follow(agent: Agent, held: Held | undefined): Promise<void> {
    const { db, database, settings, changed, signal } = this.#parts;
    const workflow = readWorkflow(this.#parts.db, agent.workflowId);
    const hasEnded = await supervise(agent, {
      db,
      files: agentFiles(database, agent.id),
      mask: settings.maskOf(workflow),
      graceMs: settings.of(workflow).orchestration.killGraceSeconds * 1000,
      exited: held?.exited,
      signal,
      onOutput: changed,
    });
    if (hasEnded) await this.#tellEnd(agent);
  }

  async #settleDead(agent: Agent): Promise<void> {
    const { db, database, settings, log } = this.#parts;
    const files = agentFiles(database, agent.id);
    const workflow = readWorkflow(this.#parts.db, agent.workflowId);
    const notice = await settleDead(db, agent, { files, mask: settings.maskOf(workflow) });
    removeRunFiles(files);
    if (notice !== null) log("warn", `agent ${agent.id}: ${notice}`);
    await this.#tellEnd(agent);
  }

  /** Records the outcome of a step that could not be started. */
  #fail(agent: Agent, outcome: StepOutcome): null {
    const { db } = this.#parts;
    const atMs = Date.now();
    const wasKilled = readAgent(db, agent.id)?.killRequestedAtMs != null;
    transaction(db, () => {
      const status = wasKilled ? "killed" : "failed";
      endAgent(db, agent.id, { status, exitCode: null, error: outcome.error, atMs });
      const at = stepOfAgent(db, agent);
      if (at !== undefined) finishAndAdvance(db, at.workflow, at.step, { outcome, atMs });
    });
    void this.#tellEnd(agent);
    return null;
  }

  async #tellEnd(agent: Agent): Promise<void> {
    this.#parts.changed();
    const workflow = readWorkflow(this.#parts.db, agent.workflowId);
    if (workflow !== undefined) await this.#onEnd(workflow);
  }
}

/** Finds the state of an agent that has not ended according to the database. */
async function findAgent(
  agent: Agent,
  files: AgentFiles,
): Promise<"unstarted" | "running" | "ended" | "dead"> {
  // The agent's shell has written the exit code.
  if (readExit(files) !== null) return "ended";
  if (agent.pid === null) return "unstarted";
  if (await isAlive(agent)) return "running";
  // The process may have ended between the two looks.
  if (readExit(files) !== null) return "ended";
  // An agent that has begun is gone without an exit code; any other must be started.
  return hasBegun(files) ? "dead" : "unstarted";
}

/**
 * Records the end of an agent that died while no daemon ran, and ends all processes that it had started.
 *
 * Uncommitted work blocks the task until a person decides. Commits of the agent wait for a review. With neither, the
 * agent did nothing, and the task goes back to the scheduler, which resumes it at the unfinished step. A script runs
 * again in any case.
 * @returns A notice for the log; null when there is none.
 */
async function settleDead(
  db: DatabaseSync,
  agent: Agent,
  { files, mask }: { readonly files: AgentFiles; readonly mask: (text: string) => string },
): Promise<string | null> {
  if (!await isReused(agent)) {
    await endGroupOf(agent.pid!, { graceMs: 500, mark: environmentMark(agent.id) });
  }
  await takeRest(new OutputReader(files, mask), () => {});
  const workflow = readWorkflow(db, agent.workflowId);
  const state = agent.kind === "agent" && workflow?.worktree && workflow.baseBranch
    ? await lookAtTree(workflow.worktree, `refs/heads/${workflow.baseBranch}`, agent.createdAtMs)
    : null;
  const atMs = Date.now();
  return transaction(db, () => {
    const end = (error: string) =>
      endAgent(db, agent.id, { status: "failed", exitCode: null, error, atMs });
    if (workflow === undefined || workflow.status !== "running" || !holdsClaim(db, workflow)) {
      end("daemon restarted");
      return null;
    }
    if (state?.isDirty) {
      const reason = "daemon restarted with uncommitted work";
      end(reason);
      stop(db, workflow, { status: "blocked", key: agent.stepKey, reason, atMs });
      return `${reason}: ${workflow.worktree}`;
    }
    if (state !== null && state.ahead > 0) {
      const reason = "daemon restarted with committed work";
      end(reason);
      const notice = `${reason}: approving it takes step ${agent.name} as done`;
      moveWorkflow(db, workflow, "merge_pending", { atMs, fields: { reason: notice } });
      return `work is committed in ${workflow.worktree} and waits for a review`;
    }
    end("daemon restarted");
    // The scheduler gets the task back; the workflow keeps its finished steps.
    moveWorkflow(db, workflow, "blocked", {
      atMs,
      by: SYSTEM,
      fields: {
        currentStep: agent.stepKey,
        reason: "its agent died while no daemon ran; the scheduler takes it up again",
      },
      task: { status: "open", queuedAtMs: atMs },
    });
    return null;
  });
}
