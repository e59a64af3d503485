/**
 * Does the daemon's work: starts tasks and agents, follows agents, and carries out people's decisions. Its state is in
 * the database; in memory it keeps only which agents it follows and which decisions it is carrying out.
 */
import { isUserError, messageOf } from "../../base/errors.ts";
import { Rounds } from "../../base/rounds.ts";
import { setTimeout as pause } from "node:timers/promises";
import { lookAtTree } from "../../system/git/task_trees.ts";
import * as work from "../store.ts";
import { listUntoldClaims } from "../../db/team_outbox.ts";
import { transaction } from "../../db/transaction.ts";
import {
  beginWorkflow,
  CLAIM_LOST,
  decide,
  holdsClaim,
  loseClaim,
  resumeWorkflow,
  workflowOwner,
} from "./advance.ts";
import { AgentRuns } from "./agent_runs.ts";
import { AGAIN_MS, type EngineContext, type EngineParts } from "./engine_settings.ts";
import { approve, CANCELLED, CARRY_OUT, refuseUnchanged, REJECTED } from "./reviews.ts";
import { checkPlace, removeFolder } from "./work_folder.ts";
import { refusal } from "../refusal.ts";
import type { Task } from "../task.ts";
import { chooseFor } from "../matchers.ts";
import { loadPlan } from "./workflow_files.ts";

/** How often the engine looks for work by itself, in milliseconds. */
const LOOK_AROUND_MS = { working: 1000, idle: 5000 };

/** The least time between two looks when a caller wakes the engine, in milliseconds. */
const REST_MS = 50;

const CLAIMS_MS = 60_000;

const RETENTION_MS = 3_600_000;

export class Engine {
  readonly #parts: EngineParts;
  readonly #runs: AgentRuns;
  readonly #stopping = new AbortController();
  /** The decisions that are being carried out: one at a time for each repository. */
  readonly #deciding = new Map<string, Promise<void>>();
  readonly #looks = new Rounds(() => this.#look(), { restMs: REST_MS });
  readonly #retention = new Rounds(async () => {
    await this.#parts.removeOld(this.#parts.signal);
    return RETENTION_MS;
  });
  #claimsAtMs = 0;

  constructor(context: EngineContext) {
    const signal = this.#stopping.signal;
    this.#parts = { ...context, signal, wake: () => this.wake() };
    this.#runs = new AgentRuns(this.#parts, (workflow) => this.#afterStep(workflow));
  }

  async start(): Promise<void> {
    const { db } = this.#parts;
    for (const agent of this.#wantedAgents()) this.#runs.takeUp(agent);
    this.#renewClaims();
    // A daemon that died may have left this undone.
    for (const workflow of work.listWorkflows(db, { statuses: ["pending_merge", "completed"] })) {
      await this.#passEmpty(workflow.id);
      await this.#tidy(work.readWorkflow(db, workflow.id) ?? workflow);
    }
    this.#retention.start();
    this.#looks.start();
  }

  /** Stops the engine, after a running merge. Agents go on, and the next daemon follows them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#looks.stop(), this.#retention.stop()]);
    await Promise.allSettled([this.#runs.ended(), ...this.#deciding.values()]);
  }

  get isBusy(): boolean {
    return this.#runs.size > 0;
  }

  /** Looks for work: at once, or after a short rest when it has just looked. */
  wake(): void {
    this.#looks.wake();
  }

  async #look(): Promise<number> {
    try {
      if (await this.#lookAround()) return 0;
    } catch (thrown) {
      this.#parts.log("error", messageOf(thrown));
    }
    return this.isBusy ? LOOK_AROUND_MS.working : LOOK_AROUND_MS.idle;
  }

  /** Looks for work once. @returns Whether it began a task, so that there may be more to do. */
  async #lookAround(): Promise<boolean> {
    const { db, settings, changed } = this.#parts;
    const now = Date.now();
    if (now - this.#claimsAtMs >= CLAIMS_MS) this.#renewClaims();
    this.#carryOut();
    this.#endLate(now);
    const { orchestration } = settings.own(now);
    const slots = () => orchestration.maxConcurrentAgents - this.#runs.size;
    for (const agent of this.#wantedAgents()) {
      if (slots() <= 0) break;
      if (!this.#runs.has(agent.id)) this.#runs.takeUp(agent);
    }
    let begun = 0;
    const isQueued = !orchestration.autoStart;
    const ready = slots() > 0
      ? work.listReady(db, { project: null, limit: slots(), isQueued })
      : [];
    for (const task of ready) {
      // Nobody has queued this task, and it has no folder to work in.
      if (task.projectDir === null && task.queuedAtMs === null) continue;
      // A turn of the event loop lets timers and requests come in between two tasks.
      await pause(0);
      if (this.#startTask(task)) begun++;
    }
    if (begun > 0) changed();
    return begun > 0;
  }

  /** Lists agents that have not ended, without those that wait for a team's server to give the claim on their task. */
  #wantedAgents(): work.Agent[] {
    const { db } = this.#parts;
    const claims = listUntoldClaims(db).filter(({ step }) => step === "claim");
    const untold = new Set(claims.map(({ uid }) => uid));
    return work.listUnendedProcesses(db).filter(({ pid, taskId }) =>
      pid !== null || taskId === null || !untold.has(taskId)
    );
  }

  #carryOut(): void {
    for (const workflow of work.listDecided(this.#parts.db)) {
      const key = workflow.repository ?? workflow.id;
      if (this.#deciding.has(key)) continue;
      const deciding = this.#decide(workflow).catch((thrown) => {
        this.#parts.log("error", `workflow ${workflow.id}: ${messageOf(thrown)}`);
        return pause(AGAIN_MS);
      }).finally(() => {
        this.#deciding.delete(key);
        this.wake();
      });
      this.#deciding.set(key, deciding);
    }
  }

  async #decide(workflow: work.WorkflowRow): Promise<void> {
    const { db, settings, changed } = this.#parts;
    const by = workflow.decisionBy ?? "user";
    const reason = workflow.decisionText ??
      (workflow.decision === "reject" ? REJECTED : CANCELLED);
    const decided = { by, reason, atMs: Date.now() };
    if (workflow.decision === "approve") {
      const leaseMs = settings.leaseMs(decided.atMs);
      await approve(db, workflow.id, { leaseMs, mask: settings.maskOf(workflow) });
    } else {
      const end = CARRY_OUT[workflow.decision ?? "cancel"];
      transaction(db, () => end(db, workflow, decided));
    }
    changed();
    await this.#passEmpty(workflow.id);
    await this.#tidy(work.readWorkflow(db, workflow.id) ?? workflow);
  }

  /**
   * Decides about a merge without changes: approves it when an earlier merge of the workflow brought everything, and
   * blocks the workflow when it never changed anything.
   */
  async #passEmpty(workflowId: string): Promise<void> {
    const { db } = this.#parts;
    const workflow = work.readWorkflow(db, workflowId);
    if (workflow === undefined || workflow.status !== "pending_merge") return;
    const { mergeCommit, worktree, baseBranch, decision } = workflow;
    if (worktree === null || baseBranch === null || decision !== null) return;
    if (mergeCommit === null) return void await refuseUnchanged(db, workflow);
    const state = await lookAtTree(worktree, `refs/heads/${baseBranch}`);
    if (state === null || state.isDirty || state.ahead > 0) return;
    const by = workflowOwner(workflow.id);
    transaction(db, () => decide(db, workflow, { decision: "approve", by, atMs: Date.now() }));
    this.wake();
  }

  /** Notifies the person when a workflow waits for them, and removes its working tree when it is completed. */
  async #afterStep(before: work.WorkflowRow): Promise<void> {
    const { db, settings, notify } = this.#parts;
    await this.#passEmpty(before.id);
    const workflow = work.readWorkflow(db, before.id) ?? before;
    const needsPerson = ["pending_merge", "blocked", "failed"].includes(workflow.status);
    if (needsPerson && settings.of(workflow).orchestration.notify) {
      const title = work.readTask(db, workflow.taskId)?.title ?? workflow.taskId;
      notify(
        `${title}: ${workflow.status.replace("_", " ")}`,
        workflow.reason ?? "ready for review",
      );
    }
    await this.#tidy(workflow);
  }

  #renewClaims(): void {
    const { db, settings, changed, log, count } = this.#parts;
    const atMs = Date.now();
    this.#claimsAtMs = atMs;
    const untilMs = atMs + settings.leaseMs(atMs);
    const lapsed = transaction(db, () => {
      for (const { id, taskId, claimToken } of work.listWorkflows(db, { statuses: ["running"] })) {
        work.renewClaim(db, taskId, { by: workflowOwner(id), token: claimToken, untilMs });
      }
      return work.takeBackLapsed(db, atMs);
    });
    if (lapsed.length === 0) return;
    count("lease_expiries", lapsed.length);
    for (const { id } of lapsed) {
      log("warn", `task ${id}: its claim was not renewed; it is open again`);
    }
    changed();
  }

  /** Ends the agents of workflows that take too long, or have lost their claim and so are cancelled. */
  #endLate(nowMs: number): void {
    const { db } = this.#parts;
    for (const workflow of work.listWorkflows(db, { statuses: ["running"] })) {
      const isLate = workflow.deadlineAtMs !== null && workflow.deadlineAtMs <= nowMs;
      const isLost = !holdsClaim(db, workflow);
      if (!isLate && !isLost) continue;
      const reason = isLost ? CLAIM_LOST : "the time of its workflow is over";
      transaction(db, () => {
        const statuses = ["starting", "running"];
        const agents = work.listAgents(db, { workflowId: workflow.id, statuses });
        for (const { id } of agents) work.requestKill(db, id, { reason, atMs: nowMs });
        if (isLost) loseClaim(db, workflow, nowMs);
      });
    }
  }

  /** Removes the working tree of a completed workflow, unless work would be lost. */
  async #tidy(workflow: work.WorkflowRow): Promise<void> {
    const { db, log } = this.#parts;
    if (workflow.status !== "completed" || workflow.worktree === null) return;
    const stays = await removeFolder(workflow);
    if (stays !== null) return log("warn", `workflow ${workflow.id}: ${stays}`);
    const silent = { event: null, atMs: Date.now() };
    transaction(db, () => work.changeWorkflow(db, workflow.id, { worktree: null }, silent));
  }

  /** Begins the workflow of a ready task, or resumes an earlier one. @returns False when that was refused. */
  #startTask(task: Task): boolean {
    const { db, settings, log } = this.#parts;
    const atMs = Date.now();
    try {
      const projectDir = projectOf(task);
      const lasting = settings.lastingOf({ projectDir }, atMs);
      const earlier = work.readWorkflowOfTask(db, task.id);
      if (earlier !== undefined && earlier.endedAtMs === null) {
        transaction(db, () => resumeWorkflow(db, earlier, { by: work.SYSTEM, ...lasting }));
        log("info", `task ${task.id}: workflow ${earlier.name} goes on`);
        return true;
      }
      const { name, warnings } = chooseFor(
        db,
        { ...task, projectDir },
        settings.at(projectDir, atMs).orchestration,
      );
      for (const warning of warnings) log("warn", warning);
      const plan = loadPlan(name, projectDir);
      checkPlace(task, plan.workflow, { projectDir, home: settings.home });
      transaction(db, () => beginWorkflow(db, task, plan, lasting));
      log("info", `task ${task.id}: workflow ${name} begins`);
      return true;
    } catch (thrown) {
      if (isUserError(thrown) && LASTING.has(thrown.reason ?? "")) {
        const reason = `${thrown.what}: ${thrown.why}`;
        // Somebody may have claimed the task meanwhile.
        transaction(db, () => {
          const now = work.readTask(db, task.id);
          if (now?.status !== "open" || now.claimedBy !== null) return;
          const blocked = { status: "blocked", reason, queuedAtMs: null } as const;
          work.changeTask(db, now, blocked, { by: work.SYSTEM, atMs });
        });
        log("warn", `task ${task.id}: ${reason}`);
      } else if (!isUserError(thrown)) log("warn", `task ${task.id}: ${messageOf(thrown)}`);
      // Every other refusal means that somebody else was faster.
      return false;
    }
  }
}

/** The reasons of refusals that last until a person corrects something. */
const LASTING = new Set(["WORKFLOW_NOT_FOUND", "WORKFLOW_INVALID", "INVALID_INPUT"]);

function projectOf(task: Task): string {
  if (task.projectDir !== null) return task.projectDir;
  throw refusal("INVALID_INPUT", {
    what: `Cannot work on task ${task.id}`,
    why: "it belongs to no project: it was made outside of one",
    next: `conclaude task show ${task.id}`,
  });
}
