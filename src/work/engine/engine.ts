/**
 * The daemon's own work: takes tasks, starts agents, follows them, and carries out what people decide. All that it
 * knows is in the database; in memory it keeps only which agents it follows and what it is doing right now.
 */
import { messageOf } from "../../base/errors.ts";
import { lookAtTree } from "../../system/git/task_trees.ts";
import { listAgents, listUnendedProcesses, requestKill } from "../agents_table.ts";
import { transaction } from "../../db/transaction.ts";
import { renewClaim, takeBackLapsed } from "../task_claims_table.ts";
import { readTask } from "../tasks_table.ts";
import {
  changeWorkflow,
  listDecided,
  listWorkflows,
  readWorkflow,
  type WorkflowRow,
} from "../workflows_table.ts";
import { CLAIM_LOST, decide, holdsClaim, loseClaim, workflowOwner } from "./advance.ts";
import { AgentRuns } from "./agent_runs.ts";
import {
  configFor,
  type EngineContext,
  type EngineParts,
  maskFor,
  tryAgainLater,
} from "./engine_settings.ts";
import { approve, cancel, reject } from "./reviews.ts";
import { startReady } from "./scheduler.ts";
import { removeFolder } from "./work_folder.ts";

/** How often it looks for work by itself, in milliseconds. */
const LOOK_AROUND_MS = { working: 1000, idle: 5000 };

/** The least time between two looks when something wakes it, in milliseconds. */
const REST_MS = 50;

/** How often it renews claims and takes back lapsed ones, in milliseconds. */
const CLAIMS_MS = 60_000;

/** How often retention runs, in milliseconds. */
const RETENTION_MS = 3_600_000;

/** How long a check before a merge may take, in milliseconds. */
const CHECK_MS = 600_000;

export class Engine {
  readonly #parts: EngineParts;
  readonly #runs: AgentRuns;
  readonly #stopping = new AbortController();
  /** Decisions that are being carried out, by repository: one at a time. */
  readonly #deciding = new Map<string, Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLooking = false;
  /** Whether a look is planned because something woke it. */
  #isAwaited = false;
  #isWanted = false;
  #isStarted = false;
  #lookedAtMs = 0;
  #claimsAtMs = 0;
  #retentionTimer: ReturnType<typeof setInterval> | undefined;
  #retention: Promise<void> = Promise.resolve();

  constructor(context: EngineContext) {
    const signal = this.#stopping.signal;
    this.#parts = { ...context, signal, wake: () => this.wake() };
    this.#runs = new AgentRuns(this.#parts, (workflow) => this.#afterStep(workflow));
  }

  async start(): Promise<void> {
    const { db } = this.#parts;
    for (const agent of listUnendedProcesses(db)) this.#runs.takeUp(agent);
    this.#renewClaims();
    for (const workflow of listWorkflows(db, { statuses: ["completed"] })) {
      await this.#tidy(workflow);
    }
    this.#isStarted = true;
    this.#retentionTimer = setInterval(() => this.#removeOld(), RETENTION_MS);
    this.#removeOld();
    this.wake();
  }

  /** Stops. Agents go on, and the next daemon follows them; a merge under way is finished. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    clearInterval(this.#retentionTimer);
    this.#stopping.abort();
    await Promise.allSettled([this.#runs.ended(), this.#retention, ...this.#deciding.values()]);
  }

  /** Whether an agent is followed. */
  get isBusy(): boolean {
    return this.#runs.size > 0;
  }

  /** Looks for work: at once, or soon when it has looked just now. */
  wake(): void {
    this.#isWanted = true;
    if (!this.#isStarted || this.#isLooking || this.#isAwaited) return;
    this.#isAwaited = true;
    const restMs = REST_MS - (Date.now() - this.#lookedAtMs);
    this.#lookLater(Math.min(Math.max(restMs, 0), REST_MS));
  }

  #lookLater(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#isAwaited = false;
    try {
      do {
        this.#isWanted = false;
        await this.#lookAround();
      } while (this.#isWanted && !this.#stopping.signal.aborted);
    } catch (thrown) {
      this.#parts.log("error", messageOf(thrown));
    }
    this.#isLooking = false;
    this.#lookedAtMs = Date.now();
    this.#lookLater(this.isBusy ? LOOK_AROUND_MS.working : LOOK_AROUND_MS.idle);
  }

  #removeOld(): void {
    this.#retention = this.#retention.then(() => this.#parts.removeOld(this.#parts.signal));
  }

  async #lookAround(): Promise<void> {
    const { db, settings, log, changed } = this.#parts;
    const now = Date.now();
    if (now - this.#claimsAtMs >= CLAIMS_MS) this.#renewClaims();
    this.#carryOut();
    this.#endLate(now);
    const { orchestration } = settings.own(now);
    const slots = () => orchestration.maxConcurrentAgents - this.#runs.size;
    for (const agent of listUnendedProcesses(db)) {
      if (slots() <= 0) break;
      if (!this.#runs.has(agent.id)) this.#runs.takeUp(agent);
    }
    const begun = await startReady(db, {
      slots: slots(),
      all: orchestration.autoStart,
      leaseMs: settings.leaseMs(now),
      home: settings.home,
      settingsOf: (folder) => settings.at(folder, now).orchestration,
      log,
    });
    if (begun === 0) return;
    changed();
    this.#isWanted = true;
  }

  /** Carries out what people have decided. */
  #carryOut(): void {
    for (const workflow of listDecided(this.#parts.db)) {
      const key = workflow.repository ?? workflow.id;
      if (this.#deciding.has(key)) continue;
      const work = this.#decide(workflow).catch((thrown) => {
        this.#parts.log("error", `workflow ${workflow.id}: ${messageOf(thrown)}`);
        return tryAgainLater();
      }).finally(() => {
        this.#deciding.delete(key);
        this.wake();
      });
      this.#deciding.set(key, work);
    }
  }

  async #decide(workflow: WorkflowRow): Promise<void> {
    const { db, settings, changed } = this.#parts;
    const by = workflow.decisionBy ?? "user";
    const reason = workflow.decisionText ?? "merge rejected by user";
    const told = { by, reason, atMs: Date.now() };
    switch (workflow.decision) {
      case "approve":
        await approve(db, workflow.id, {
          leaseMs: settings.leaseMs(Date.now()),
          timeoutMs: CHECK_MS,
          mask: maskFor(this.#parts, workflow),
        });
        break;
      case "reject":
        transaction(db, () => reject(db, workflow, told));
        break;
      case "cancel":
        transaction(db, () => cancel(db, workflow, told));
        break;
    }
    changed();
    await this.#passMerged(workflow.id);
    await this.#tidy(readWorkflow(db, workflow.id) ?? workflow);
  }

  /** Approves a merge by itself when an earlier merge of the workflow has already brought everything. */
  async #passMerged(workflowId: string): Promise<void> {
    const { db } = this.#parts;
    const workflow = readWorkflow(db, workflowId);
    if (workflow === undefined || workflow.status !== "pending_merge") return;
    const { mergeCommit, worktree, baseBranch, decision } = workflow;
    if (mergeCommit === null || worktree === null || baseBranch === null || decision !== null) {
      return;
    }
    const state = await lookAtTree(worktree, `refs/heads/${baseBranch}`);
    if (state === null || state.isDirty || state.ahead > 0) return;
    transaction(
      db,
      () =>
        decide(db, workflow, {
          decision: "approve",
          by: workflowOwner(workflow.id),
          atMs: Date.now(),
        }),
    );
    this.wake();
  }

  /** Notifies the person of work that waits, and removes the working trees of completed workflows. */
  async #afterStep(workflow: WorkflowRow): Promise<void> {
    const { db, notify } = this.#parts;
    await this.#passMerged(workflow.id);
    const needsPerson = ["pending_merge", "blocked", "failed"].includes(workflow.status);
    if (needsPerson && configFor(this.#parts, workflow).orchestration.notify) {
      const title = readTask(db, workflow.taskId)?.title ?? workflow.taskId;
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
      for (const { id, taskId, claimToken } of listWorkflows(db, { statuses: ["running"] })) {
        renewClaim(db, taskId, { agentId: workflowOwner(id), token: claimToken, untilMs });
      }
      return takeBackLapsed(db, atMs);
    });
    if (lapsed.length === 0) return;
    count("lease_expiries", lapsed.length);
    for (const { id } of lapsed) {
      log("warn", `task ${id}: its claim was not renewed; it is open again`);
    }
    changed();
  }

  /** Ends the agents of workflows that take too long or have lost their claim. */
  #endLate(nowMs: number): void {
    const { db } = this.#parts;
    for (const workflow of listWorkflows(db, { statuses: ["running"] })) {
      const isLate = workflow.deadlineAtMs !== null && workflow.deadlineAtMs <= nowMs;
      const isLost = !holdsClaim(db, workflow);
      if (!isLate && !isLost) continue;
      const reason = isLost ? CLAIM_LOST : "the time of its workflow is over";
      transaction(db, () => {
        const agents = listAgents(db, {
          workflowId: workflow.id,
          statuses: ["starting", "running"],
        });
        for (const { id } of agents) requestKill(db, id, { reason, atMs: nowMs });
        if (isLost) loseClaim(db, workflow, nowMs);
      });
    }
  }

  /** Removes the working tree of a completed workflow, unless something would be lost. */
  async #tidy(workflow: WorkflowRow): Promise<void> {
    const { db, log } = this.#parts;
    if (workflow.status !== "completed" || workflow.worktree === null) return;
    const stays = await removeFolder(workflow);
    if (stays !== null) return log("warn", `workflow ${workflow.id}: ${stays}`);
    const told = { event: null, atMs: Date.now() };
    transaction(db, () => changeWorkflow(db, workflow.id, { worktree: null }, told));
  }
}
