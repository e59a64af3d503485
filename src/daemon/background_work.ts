/**
 * The daemon's background work: works captures into memory after another process has written, lets the summarizer
 * rewrite summaries, and removes old rows. It uses small steps, so that the daemon answers requests between them.
 */
import { setTimeout as pause } from "node:timers/promises";
import { count, sumOf } from "../base/counts.ts";
import type { DatabaseSync } from "node:sqlite";
import type { EngineConfig, Settings } from "../work/engine/engine_settings.ts";
import { messageOf } from "../base/errors.ts";
import { Rounds } from "../base/rounds.ts";
import { queueRetries } from "../db/queue.ts";
import { hasWaiting, sessionsToSummarize } from "../db/queue_work.ts";
import {
  keptByDaemon,
  keptInMemory,
  NOTHING,
  type RetentionCounts,
  retentionSteps,
} from "../upkeep/care/retention.ts";
import type { MemorySettings } from "../memory/memory_section.ts";

interface MemoryContext {
  readonly db: DatabaseSync;
  readonly database: string;
  readonly settings: Settings<DaemonConfig>;
  readonly home: string | null;
  readonly folder: string;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
}

/** How long new captures may gather before a drain, in milliseconds. */
const GATHER_MS = 2_000;
/** The pause between two steps, in milliseconds. */
const STEP_PAUSE_MS = 5;
/** The limits of one step, which then takes some milliseconds; a larger capture is a step by itself. */
const STEP = { maxRows: 2, maxBytes: 50_000 };
/** The pause while another process drains, or after a fault, in milliseconds. */
const BUSY_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
/** How often the summarizer looks for a quiet session, in milliseconds. */
const SUMMARIZER_MS = 60_000;

export class MemoryWork {
  readonly #context: MemoryContext;
  readonly #stopping = new AbortController();
  readonly #looks = new Rounds(() => this.#look());
  #faults = 0;
  #lastFault = "";
  /** The summarizer's rounds, which run beside the drain. */
  readonly #summaries = new Rounds(() => this.#summarize());

  constructor(context: MemoryContext) {
    this.#context = context;
  }

  start(): void {
    this.#looks.start();
  }

  /** Makes it look for new captures soon. */
  wake(): void {
    // After a fault the full pause must pass.
    if (this.#faults === 0) this.#looks.wake();
  }

  /** Stops after the current step; ends the summarizer's command. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#looks.stop(), this.#summaries.stop()]);
  }

  /** @returns The time until the next look, in milliseconds. */
  async #look(): Promise<number> {
    const { signal } = this.#stopping;
    await pause(GATHER_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return Infinity;
    try {
      const next = await this.#work();
      this.#faults = 0;
      this.#lastFault = "";
      return next;
    } catch (thrown) {
      const message = messageOf(thrown);
      if (message !== this.#lastFault) {
        this.#context.log("error", `cannot work captures into memory: ${message}`);
      }
      this.#lastFault = message;
      return Math.min(BUSY_MS * 2 ** this.#faults++, MAX_PAUSE_MS);
    }
  }

  /** @returns The time until the next look, in milliseconds. */
  async #work(): Promise<number> {
    const { db, settings } = this.#context;
    if (!settings.at(null, Date.now()).memory.enabled) return Infinity;
    if (this.#isThereWork() && !await this.#drain()) return BUSY_MS;
    // Captures that came during the drain did not wake this loop.
    if (this.#isThereWork()) return 0;
    const { nextRetryAtMs: retryAtMs } = queueRetries(db);
    this.#summaries.start();
    return retryAtMs === null ? Infinity : Math.max(retryAtMs - Date.now(), 0) + 1;
  }

  #isThereWork(): boolean {
    const { db } = this.#context;
    return hasWaiting(db, Date.now()) || sessionsToSummarize(db, 1).length > 0;
  }

  /** @returns False when another process drains. */
  async #drain(): Promise<boolean> {
    const { db, database, settings, home } = this.#context;
    const [
      { drainSteps },
      { lateRedaction },
      { drainLockPath, takeLock },
      { removeForgottenAgain: withoutForgotten, stayAway },
      { tokenCounter },
    ] = await Promise.all([
      import("../memory/drain/capture_drain.ts"),
      import("../memory/drain/late_redaction.ts"),
      import("../db/process_lock.ts"),
      import("../upkeep/store.ts"),
      import("../memory/usage/count_tokens.ts"),
    ]);
    const redact = await lateRedaction(settings.at(null, Date.now()).capture.redact.patterns);
    const lock = takeLock(drainLockPath(database), { waitMs: 0 });
    if (lock === null) return false;
    const countsTokens = tokenCounter(stayAway);
    const steps = drainSteps(db, {
      ...{ home, now: Date.now, batch: STEP, redact, withoutForgotten, countsTokens },
    });
    try {
      while (!this.#stopping.signal.aborted && !steps.next().done) await pause(STEP_PAUSE_MS);
    } finally {
      lock.release();
    }
    return true;
  }

  /** @returns The time until the next round, in milliseconds. */
  async #summarize(): Promise<number> {
    const { db, database, settings, folder, log } = this.#context;
    if (settings.at(null, Date.now()).memory.summarizer.command === null) return SUMMARIZER_MS;
    try {
      const [{ runSummarizer }, { summarizerIn }] = await Promise.all([
        import("../memory/drain/summarizer.ts"),
        import("../memory/drain/summarizer_settings.ts"),
      ]);
      const summarizer = summarizerIn(settings.at(null, Date.now()));
      if (summarizer === null) return SUMMARIZER_MS;
      const { failed, reason } = await runSummarizer(db, {
        ...summarizer,
        database,
        folder,
        now: Date.now,
        signal: this.#stopping.signal,
        isAsked: false,
      });
      if (failed > 0) {
        log("warn", `the summarizer failed ${count(failed, "time")}, the last time: ${reason}`);
      }
    } catch (thrown) {
      log("error", `cannot summarize: ${messageOf(thrown)}`);
    }
    return SUMMARIZER_MS;
  }
}

/** The sections of the configuration that the daemon reads. */
export type DaemonConfig = EngineConfig & { readonly memory: MemorySettings };

/** The parts of the daemon that retention needs. */
interface RetentionContext extends Pick<MemoryContext, "db" | "database" | "settings" | "log"> {
  /** Called after retention has removed rows, so that streams report it without delay. */
  readonly changed: () => void;
  /** Receives the number of removed rows. */
  readonly count: (removed: number) => void;
}

/** Runs retention once, and logs what it removed or why it could not. */
export async function removeOld(context: RetentionContext, signal: AbortSignal): Promise<void> {
  const { db, database, settings, log, changed, count } = context;
  const nowMs = Date.now();
  try {
    const unsure = settings.unsure(nowMs);
    if (unsure !== null) {
      throw new Error(`nothing is removed while a file cannot be read: ${unsure}`);
    }
    const { store, memory } = settings.own(nowMs);
    let removed: RetentionCounts = NOTHING;
    const steps = retentionSteps(db, {
      nowMs,
      database,
      kept: { ...keptByDaemon(store), ...keptInMemory(memory.retentionDays) },
      captures: "worked",
      batchRows: store.retentionBatchRows,
    });
    for (removed of steps) {
      await pause(0);
      if (signal.aborted) break;
    }
    const counts = Object.entries(removed).filter(([, count]) => count > 0);
    if (counts.length === 0) return;
    count(sumOf(removed));
    log("info", `removed what is old: ${counts.map((pair) => pair.join(" ")).join(", ")}`);
    changed();
  } catch (thrown) {
    log("error", `retention: ${messageOf(thrown)}`);
  }
}
