/**
 * The daemon's background work: works captures into memory after another process has written, lets the summarizer
 * rewrite summaries, syncs shared projects, and removes old rows. It uses small steps, so that the daemon answers
 * requests between them.
 */
import { setTimeout as pause } from "node:timers/promises";
import { count, sumOf } from "../base/counts.ts";
import { messageOf, quietly } from "../base/errors.ts";
import { parentOf } from "../base/paths.ts";
import { Rounds } from "../base/rounds.ts";
import { queueRetries } from "../db/queue.ts";
import { hasWaiting, sessionsToSummarize } from "../db/queue_work.ts";
import { hasTeams, hasToTell } from "../db/team_outbox.ts";
import type { MemorySettings } from "../memory/memory_section.ts";
import { ownProgram } from "../operations/own_program.ts";
import { THIS_PROCESS } from "../system/environment.ts";
import { run } from "../system/process/run_program.ts";
import * as retention from "../upkeep/care/retention.ts";
import type { EngineConfig, Settings } from "../work/engine/engine_settings.ts";
import type { Daemon } from "./route.ts";

export type DaemonConfig = EngineConfig & { readonly memory: MemorySettings };

interface WorkContext extends Pick<Daemon, "db" | "database" | "locations" | "log"> {
  readonly settings: Settings<DaemonConfig>;
}

/**
 * Work that goes on in rounds. After a failure it pauses, longer with each one in a row, and nothing wakes it. The same
 * fault several times in a row is reported once.
 */
export class Work {
  readonly #rounds: Rounds;
  readonly #stopping = new AbortController();
  #failures = 0;
  /** The end of the pause after a failure, in milliseconds of `performance.now()`. */
  #restsUntilMs = 0;
  #lastFault = "";

  /**
   * @param look Returns the time until the next look, in milliseconds. Its signal ends the work.
   * @param fails Reports a failure.
   * @param pauseMs The pauses after failures.
   */
  constructor(
    look: (signal: AbortSignal) => Promise<number>,
    fails: (fault: string) => void,
    pauseMs = PAUSE_MS,
  ) {
    this.#rounds = new Rounds(async () => {
      const restMs = this.#restsUntilMs - performance.now();
      if (restMs > 0) return restMs;
      try {
        const ms = await look(this.#stopping.signal);
        this.#failures = 0;
        this.#lastFault = "";
        return ms;
      } catch (thrown) {
        const fault = messageOf(thrown);
        if (fault !== this.#lastFault) fails(fault);
        this.#lastFault = fault;
        const ms = Math.min(pauseMs.least * 2 ** this.#failures++, pauseMs.most);
        this.#restsUntilMs = performance.now() + ms;
        return ms;
      }
    });
  }

  start(): void {
    this.#rounds.start();
  }

  wake(): void {
    this.#rounds.wake();
  }

  /** Ends the work after its current step. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
  }
}

/** How long new captures may gather before a drain, in milliseconds. */
const GATHER_MS = 2_000;
/** The pause between two steps, in milliseconds. */
const STEP_PAUSE_MS = 5;
/** The limits of one step, which then takes some milliseconds; a larger capture is a step by itself. */
const STEP = { maxRows: 2, maxBytes: 50_000 };
/** The pause while another process drains, or after a fault, in milliseconds. */
const PAUSE_MS = { least: 5_000, most: 300_000 };

/** Works captures into memory. @param summaries Is started once nothing waits. */
export function memoryWork(context: WorkContext, summaries: Work): Work {
  const { db, settings, log } = context;
  const isThereWork = () => hasWaiting(db, Date.now()) || sessionsToSummarize(db, 1).length > 0;
  return new Work(async (signal) => {
    await pause(GATHER_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted || !settings.at(null, Date.now()).memory.enabled) return Infinity;
    if (isThereWork() && !await drain(context, signal)) return PAUSE_MS.least;
    // Captures that came during the drain did not wake this loop.
    if (isThereWork()) return 0;
    const { nextRetryAtMs: retryAtMs } = queueRetries(db);
    summaries.start();
    return retryAtMs === null ? Infinity : Math.max(retryAtMs - Date.now(), 0) + 1;
  }, (fault) => log("error", `cannot work captures into memory: ${fault}`));
}

/** @returns False when another process drains. */
async function drain(
  { db, database, settings, locations: { home } }: WorkContext,
  signal: AbortSignal,
): Promise<boolean> {
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
    home,
    now: Date.now,
    batch: STEP,
    redact,
    withoutForgotten,
    countsTokens,
  });
  try {
    while (!signal.aborted && !steps.next().done) await pause(STEP_PAUSE_MS);
  } finally {
    lock.release();
  }
  return true;
}

/** How often the summarizer looks for a quiet session, in milliseconds. */
const SUMMARIZER_MS = 60_000;

/** Lets the configured command rewrite summaries, beside the drain. */
export function summaryWork({ db, database, settings, locations, log }: WorkContext): Work {
  return new Work(
    async (signal) => {
      if (settings.at(null, Date.now()).memory.summarizer.command === null) return SUMMARIZER_MS;
      const [{ runSummarizer }, { summarizerIn }] = await Promise.all([
        import("../memory/drain/summarizer.ts"),
        import("../memory/drain/summarizer_settings.ts"),
      ]);
      const summarizer = summarizerIn(settings.at(null, Date.now()));
      if (summarizer === null) return SUMMARIZER_MS;
      const { failed, reason } = await runSummarizer(db, {
        ...summarizer,
        database,
        folder: locations.dataFolder,
        signal,
        now: Date.now,
        isAsked: false,
      });
      if (failed > 0) {
        log("warn", `the summarizer failed ${count(failed, "time")}, the last time: ${reason}`);
      }
      return SUMMARIZER_MS;
    },
    (fault) => log("error", `cannot summarize: ${fault}`),
    { least: SUMMARIZER_MS, most: SUMMARIZER_MS },
  );
}

/** The time between two checks for unsent changes, and between two regular syncs, in milliseconds. */
const LOOK_MS = 1_000;
const CLOCK_MS = 60_000;
/** The time after which a sync with nothing to do ends, in seconds. */
const IDLE_SECONDS = 10;
/** The longest time of one sync, after which a new one begins. */
const DAY_MS = 86_400_000;
const MAX_OUTPUT_BYTES = 4_096;

/**
 * Syncs the shared projects with their servers: when something waits to be sent, and regularly to fetch what others
 * wrote. The daemon has no network, so it starts `conclaude team sync`, one at a time.
 */
export function teamWork({ db, database, log }: WorkContext): Work {
  let dueAtMs = 0;
  return new Work(async (signal) => {
    if (!hasTeams(db)) return Infinity;
    const leftMs = dueAtMs - Date.now();
    if (leftMs > 0 && !hasToTell(db)) return Math.min(leftMs, LOOK_MS);
    await syncTeam(database, signal);
    dueAtMs = Date.now() + CLOCK_MS;
    return LOOK_MS;
  }, (fault) => log("warn", `cannot sync the team: ${fault}`));
}

/** Runs a sync until it has nothing to do; what was sent or fetched stays when it is ended. @throws {Error} */
async function syncTeam(database: string, signal: AbortSignal): Promise<void> {
  const words = [
    ...ownProgram(THIS_PROCESS).words,
    ...["--db", database, "--json", "team", "sync", "--follow", `--idle=${IDLE_SECONDS}`],
  ];
  const ran = await run(words, {
    folder: parentOf(database),
    environment: THIS_PROCESS,
    timeoutMs: DAY_MS,
    keep: { stdout: MAX_OUTPUT_BYTES, stderr: 0 },
    signal,
  });
  await ran.gone;
  if (signal.aborted || ran.end.kind !== "ended" || ran.end.code === 0) return;
  const text = ran.stdout!.text();
  const why = quietly(() => JSON.parse(text).error.why);
  throw new Error(why ?? (text === "" ? `exit status ${ran.end.code}` : text));
}

/** Runs retention once, and logs what it removed or why it could not. @param removes Receives how many rows went. */
export async function removeOld(
  { db, database, settings, log }: WorkContext,
  { signal, removes }: {
    readonly signal: AbortSignal;
    readonly removes: (rows: number) => void;
  },
): Promise<void> {
  const nowMs = Date.now();
  try {
    const unsure = settings.unsure(nowMs);
    if (unsure !== null) {
      throw new Error(`nothing is removed while a file cannot be read: ${unsure}`);
    }
    const { store, memory } = settings.own(nowMs);
    let removed: retention.RetentionCounts = retention.NOTHING;
    const steps = retention.retentionSteps(db, {
      nowMs,
      database,
      kept: { ...retention.keptByDaemon(store), ...retention.keptInMemory(memory.retentionDays) },
      captures: "worked",
      batchRows: store.retentionBatchRows,
    });
    for (removed of steps) {
      await pause(0);
      if (signal.aborted) break;
    }
    const counts = Object.entries(removed).filter(([, count]) => count > 0);
    if (counts.length === 0) return;
    removes(sumOf(removed));
    log("info", `removed what is old: ${counts.map((pair) => pair.join(" ")).join(", ")}`);
  } catch (thrown) {
    log("error", `retention: ${messageOf(thrown)}`);
  }
}
