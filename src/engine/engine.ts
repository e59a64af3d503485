/**
 * The daemon's own work: takes tasks, starts agents, follows them, carries out what people decide. All that it knows is
 * in the database; what it keeps in memory is only which agents it follows and what it is doing right now.
 */
import type { DatabaseSync } from "node:sqlite";
import { compileRedactPatterns, redactText } from "../capture/redact.ts";
import { messageOf } from "../errors.ts";
import { blockedOutcome, failedOutcome, type StepOutcome } from "../orchestration/progress.ts";
import type { Locations } from "../paths.ts";
import {
  type Agent,
  endAgent,
  listAgents,
  listUnendedProcesses,
  markRunning,
  readAgent,
  requestKill,
} from "../store/agents.ts";
import { transaction } from "../store/database.ts";
import { markDelivered } from "../store/questions.ts";
import { renewClaim, takeBackLapsed } from "../store/task_claims.ts";
import { readTask } from "../store/tasks.ts";
import {
  changeWorkflow,
  listDecided,
  listSteps,
  listWorkflows,
  readWorkflow,
  type WorkflowRow,
} from "../store/workflows.ts";
import { finishAndAdvance, holdsClaim, moveOf, workflowOwner } from "./advance.ts";
import { agentFiles, hasBegun, removeRunFiles } from "./agent_files.ts";
import { type Held, hold } from "./launch.ts";
import { findAgent, settleDead } from "./recovery.ts";
import { approve, cancel, reject } from "./reviews.ts";
import { startReady } from "./scheduler.ts";
import { Settings } from "./settings.ts";
import { settle } from "./settle.ts";
import { launchOf } from "./step_launch.ts";
import { supervise } from "./supervise.ts";
import { ensureFolder, removeFolder } from "./work_folder.ts";

/** What the engine is given. */
export interface EngineContext {
  readonly db: DatabaseSync;
  /** Absolute path. */
  readonly database: string;
  readonly locations: Locations;
  /** Where the daemon was started. */
  readonly folder: string;
  /** Is called after every write, so that streams tell it without delay. */
  readonly changed: () => void;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  /** Tells the person. */
  readonly notify: (title: string, body: string) => void;
}

/** How often it looks around when nobody wakes it, in milliseconds. */
const LOOK_AROUND_MS = 1000;

/** How often claims are renewed and lapsed ones taken back, in milliseconds. */
const CLAIMS_MS = 60_000;

/** How long something that the database refused waits until it is tried again, in milliseconds. */
const AGAIN_MS = 1000;

/** Works through tasks. */
export class Engine {
  readonly #context: EngineContext;
  readonly #settings: Settings;
  /** Agents that are being started or followed, by their ids. */
  readonly #followed = new Map<string, Promise<void>>();
  /** Workflows of which something is being carried out, by repository: merges of one are made one after the other. */
  readonly #merging = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isLooking = false;
  #isWanted = false;
  #claimsAtMs = 0;

  constructor(context: EngineContext) {
    this.#context = context;
    this.#settings = new Settings({
      locations: context.locations,
      folder: context.folder,
      warn: (message) => context.log("warn", message),
    });
  }

  /** Takes up what an earlier daemon left, and begins. */
  async start(): Promise<void> {
    for (const agent of listUnendedProcesses(this.#context.db)) this.#takeUp(agent);
    this.#renewClaims();
    for (const workflow of this.#overWithTree()) await this.#tidy(workflow);
    this.#timer = setInterval(() => this.wake(), LOOK_AROUND_MS);
    this.wake();
  }

  /** Lets go; agents run on, and the next daemon follows them. A merge that is being made is made. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await Promise.allSettled([...this.#followed.values(), ...this.#merging.values()]);
  }

  /** Something may be there to do: looks at once. */
  wake(): void {
    this.#isWanted = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    queueMicrotask(async () => {
      try {
        while (this.#isWanted && !this.#stopping.signal.aborted) {
          this.#isWanted = false;
          await this.#lookAround();
        }
      } catch (thrown) {
        this.#context.log("error", messageOf(thrown));
      } finally {
        this.#isLooking = false;
      }
    });
  }

  async #lookAround(): Promise<void> {
    const { db } = this.#context;
    const now = Date.now();
    if (now - this.#claimsAtMs >= CLAIMS_MS) this.#renewClaims();
    this.#carryOut();
    this.#endLate(now);
    const { orchestration, store } = this.#settings.own(now);
    const slots = () => orchestration.maxConcurrentAgents - this.#followed.size;
    for (const agent of listUnendedProcesses(db)) {
      if (slots() <= 0) break;
      if (!this.#followed.has(agent.id)) this.#takeUp(agent);
    }
    const begun = await startReady(db, {
      slots: slots(),
      all: orchestration.autoStart,
      leaseMs: store.claimTimeoutMinutes * 60_000,
      settingsOf: (folder) => this.#settings.at(folder, now).orchestration,
      log: this.#context.log,
    });
    if (begun === 0) return;
    this.#context.changed();
    this.#isWanted = true;
  }

  /** Merges, rejects and cancels what people have decided. */
  #carryOut(): void {
    const { db } = this.#context;
    for (const workflow of listDecided(db)) {
      const key = workflow.repository ?? workflow.id;
      if (this.#merging.has(key)) continue;
      this.#merging.set(
        key,
        this.#decide(workflow).catch((thrown) => {
          this.#context.log("error", `workflow ${workflow.id}: ${messageOf(thrown)}`);
          return pause(AGAIN_MS);
        }).finally(() => {
          this.#merging.delete(key);
          this.wake();
        }),
      );
    }
  }

  async #decide(workflow: WorkflowRow): Promise<void> {
    const { db } = this.#context;
    const atMs = Date.now();
    const by = workflow.decisionBy ?? "user";
    const reason = workflow.decisionText ?? "merge rejected by user";
    if (workflow.decision === "reject") {
      transaction(db, () => reject(db, workflow, { by, reason, atMs }));
    }
    if (workflow.decision === "cancel") {
      transaction(db, () => cancel(db, workflow, { by, reason, atMs }));
    }
    if (workflow.decision === "approve") {
      await approve(db, workflow.id, {
        leaseMs: this.#leaseMs(),
        timeoutMs: 600_000,
        mask: this.#maskOf(workflow),
      });
    }
    this.#context.changed();
    const now = readWorkflow(db, workflow.id);
    if (now !== undefined && now.endedAtMs !== null) await this.#tidy(now);
  }

  /** Does for an agent that has not ended what is to be done: starts it, follows it, or settles what became of it. */
  #takeUp(agent: Agent): void {
    this.#keep(agent.id, async () => {
      const found = await findAgent(agent, agentFiles(this.#context.database, agent.id));
      if (found === "dead") return await this.#settleDead(agent);
      if (found !== "unstarted") return await this.#followToEnd(agent, undefined);
      const started = await this.#start(agent);
      this.#context.changed();
      if (started !== null) await this.#followToEnd(started.agent, started.held);
    });
  }

  #keep(agentId: string, work: () => Promise<void>): void {
    this.#followed.set(
      agentId,
      work().catch(async (thrown) => {
        this.#context.log("error", `agent ${agentId}: ${messageOf(thrown)}`);
        await pause(AGAIN_MS);
      }).finally(() => {
        this.#followed.delete(agentId);
        this.wake();
      }),
    );
  }

  /** Makes the place of an agent and its process, writes both down, and lets it go. */
  async #start(agent: Agent): Promise<{ readonly agent: Agent; readonly held: Held } | null> {
    const { db, database } = this.#context;
    const workflow = agent.workflowId === null ? undefined : readWorkflow(db, agent.workflowId);
    const task = workflow && readTask(db, workflow.taskId);
    const now = readAgent(db, agent.id);
    if (workflow === undefined || task === undefined || now === undefined) return null;
    if (
      now.killRequestedAtMs !== null || workflow.status !== "running" || !holdsClaim(db, workflow)
    ) {
      this.#fail(agent, blockedOutcome(`killed: ${now.killReason ?? "its workflow is over"}`));
      return null;
    }
    const config = this.#settings.at(workflow.projectDir ?? this.#context.folder, Date.now())
      .orchestration;
    const place = await ensureFolder(db, { workflow, task, config, atMs: Date.now() });
    if (place.kind === "failed") {
      this.#fail(agent, blockedOutcome(place.why));
      return null;
    }
    const move = moveOf(db, readWorkflow(db, workflow.id)!);
    if (move.kind !== "run" || move.key !== agent.stepKey) {
      throw new Error(`its workflow stands at ${move.kind}, not at ${agent.stepKey}`);
    }
    const files = agentFiles(database, agent.id);
    let step: ReturnType<typeof launchOf>;
    let held: Held;
    try {
      const { folder } = place;
      step = launchOf(db, { agent, workflow, move, config, folder, database });
      held = hold({ ...step.launch, id: agent.id }, files);
    } catch (thrown) {
      this.#fail(agent, failedOutcome(messageOf(thrown)));
      return null;
    }
    const atMs = Date.now();
    transaction(db, () => {
      markRunning(db, agent.id, {
        pid: held.pid,
        processMark: held.mark,
        command: step.launch.words,
        worktree: place.folder,
        outputFile: files.output,
        deadlineAtMs: step.timeoutMs === null ? null : atMs + step.timeoutMs,
        atMs,
      });
      if (step.answered !== null) markDelivered(db, step.answered.id, { error: null, atMs });
    });
    await held.release();
    return { agent: readAgent(db, agent.id)!, held };
  }

  async #followToEnd(agent: Agent, held: Held | undefined): Promise<void> {
    const { db, database, changed } = this.#context;
    const files = agentFiles(database, agent.id);
    const workflow = agent.workflowId === null ? undefined : readWorkflow(db, agent.workflowId);
    const mask = this.#maskOf(workflow);
    const config = this.#settings.at(workflow?.projectDir ?? this.#context.folder, Date.now());
    const end = await supervise(agent, {
      db,
      files,
      mask,
      graceMs: config.orchestration.killGraceSeconds * 1000,
      ...(held === undefined ? {} : { left: held.left }),
      signal: this.#stopping.signal,
      onOutput: changed,
    });
    if (end === null) return;
    if (end.code === null && end.killed === null && !end.timedOut && !hasBegun(files)) {
      throw new Error("it was never let go, and is started anew");
    }
    transaction(db, () => settle(db, agent, { end, files, mask, atMs: Date.now() }));
    removeRunFiles(files);
    changed();
    await this.#afterStep(agent);
  }

  /** Tells the person when their turn has come, and takes the working tree of what is over away. */
  async #afterStep(agent: Agent): Promise<void> {
    const { db, notify } = this.#context;
    const workflow = agent.workflowId === null ? undefined : readWorkflow(db, agent.workflowId);
    if (workflow === undefined) return;
    const title = readTask(db, workflow.taskId)?.title ?? workflow.taskId;
    const config = this.#settings.at(workflow.projectDir ?? this.#context.folder, Date.now());
    const needsPerson = ["pending_merge", "blocked", "failed"].includes(workflow.status);
    if (needsPerson && config.orchestration.notify) {
      notify(
        `${title}: ${workflow.status.replace("_", " ")}`,
        workflow.reason ?? "ready for review",
      );
    }
    if (workflow.endedAtMs !== null) await this.#tidy(workflow);
  }

  async #settleDead(agent: Agent): Promise<void> {
    const { db, database, log, notify, changed } = this.#context;
    const files = agentFiles(database, agent.id);
    const workflow = agent.workflowId === null ? undefined : readWorkflow(db, agent.workflowId);
    const told = await settleDead(db, agent, { files, mask: this.#maskOf(workflow) });
    removeRunFiles(files);
    changed();
    if (told === null) return;
    log("warn", `agent ${agent.id}: ${told}`);
    notify("An agent died while no daemon ran", told);
  }

  /** A step that could not be started. */
  #fail(agent: Agent, outcome: StepOutcome): void {
    const { db, changed } = this.#context;
    const atMs = Date.now();
    transaction(db, () => {
      endAgent(db, agent.id, { status: "failed", exitCode: null, error: outcome.error, atMs });
      const workflow = agent.workflowId === null ? undefined : readWorkflow(db, agent.workflowId);
      const step = workflow &&
        listSteps(db, workflow.id).find(({ agentId, status }) =>
          agentId === agent.id && status === "running"
        );
      if (workflow !== undefined && step !== undefined) {
        finishAndAdvance(db, workflow, step, { outcome, atMs });
      }
    });
    changed();
  }

  #renewClaims(): void {
    const { db, changed, log } = this.#context;
    const atMs = Date.now();
    this.#claimsAtMs = atMs;
    const untilMs = atMs + this.#leaseMs();
    const lapsed = transaction(db, () => {
      for (const { id, taskId, claimToken } of listWorkflows(db, { statuses: ["running"] })) {
        renewClaim(db, taskId, { agentId: workflowOwner(id), token: claimToken, untilMs });
      }
      return takeBackLapsed(db, atMs);
    });
    for (const task of lapsed) {
      log("warn", `task ${task.id}: its claim was not renewed; it is open again`);
    }
    if (lapsed.length > 0) changed();
  }

  /** Ends the agents of workflows that take too long. */
  #endLate(nowMs: number): void {
    const { db } = this.#context;
    const late = listWorkflows(db, { statuses: ["running"] })
      .filter(({ deadlineAtMs }) => deadlineAtMs !== null && deadlineAtMs <= nowMs);
    for (const { id } of late) {
      for (const agent of listAgents(db, { workflowId: id, statuses: ["starting", "running"] })) {
        if (agent.killRequestedAtMs !== null) continue;
        const reason = "the time of its workflow is over";
        transaction(db, () => requestKill(db, agent.id, { reason, atMs: nowMs }));
      }
    }
  }

  #overWithTree(): WorkflowRow[] {
    return listWorkflows(this.#context.db, { statuses: ["completed"] })
      .filter(({ worktree }) => worktree !== null);
  }

  async #tidy(workflow: WorkflowRow): Promise<void> {
    if (workflow.status !== "completed" || workflow.worktree === null) return;
    const stays = await removeFolder(workflow);
    if (stays !== null) this.#context.log("warn", `workflow ${workflow.id}: ${stays}`);
    else {
      const change = { event: null, atMs: Date.now() };
      transaction(
        this.#context.db,
        () => changeWorkflow(this.#context.db, workflow.id, { worktree: null }, change),
      );
    }
  }

  #leaseMs(): number {
    return this.#settings.own(Date.now()).store.claimTimeoutMinutes * 60_000;
  }

  #maskOf(workflow: WorkflowRow | undefined): (text: string) => string {
    const folder = workflow?.projectDir ?? this.#context.folder;
    const { patterns } = this.#settings.at(folder, Date.now()).capture.redact;
    const rules = compileRedactPatterns(patterns);
    return (text) => redactText(text, rules);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
