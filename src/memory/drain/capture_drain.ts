/** Drains the queue: claims captures, observes them, confirms them, and then writes the summaries that have changed. */
import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../base/errors.ts";
import { digestOf } from "../../base/fnv.ts";
import type { Observed } from "../observe/observation.ts";
import { collectEvery } from "../../system/process/garbage.ts";
import { checkpoint } from "../../db/database.ts";
import { addUpLatency } from "../../db/hook_latency.ts";
import { paceBesideHooks } from "../../db/pace.ts";
import { indexTogether, requireIndex, withIndex } from "../search/memory_index_table.ts";
import { type NewObservation, saveObservation } from "./observations_table.ts";
import { sameFailure } from "../tell/open_failures_table.ts";
import {
  askForSummary,
  type BatchSize,
  claimCaptures,
  type ClaimedCapture,
  confirmCaptures,
  failCapture,
  releaseClaims,
  type WorkedCapture,
} from "../../db/queue_work.ts";
import { waitMs } from "../../system/processes.ts";
import type { LateRedaction } from "./late_redaction.ts";
import { mendFailures } from "./mend_failures.ts";
import { type ReadAt, readCapture, type Reading, termsOf } from "./read_capture.ts";
import { summarySteps } from "./summaries.ts";
import { WorkTrees } from "./work_trees.ts";
import { drainLockPath, takeLock } from "../../db/process_lock.ts";

export interface CaptureDrainReport {
  readonly worked: number;
  /** Captures that this drain could not work in. Each waits for another try, or is given up. */
  readonly failed: number;
  readonly forgotten: number;
  readonly summaries: number;
  /** False when the drain stopped because its time ran out. */
  readonly complete: boolean;
}

/** Removes captures that hold a forgotten text, and returns the others. */
export type WithoutForgotten = <Capture extends { readonly id: string }>(
  db: DatabaseSync,
  captures: readonly Capture[],
) => readonly Capture[];

export interface CaptureDrainOptions {
  readonly withoutForgotten: WithoutForgotten;
  /** The user's home folder, which `~` in a command means. By default it is unknown. */
  readonly home?: string | null;
  readonly now: () => number;
  /** The time at which the drain stops, in milliseconds since the process started (`performance.now()`). */
  readonly untilMs?: number;
  readonly batch?: BatchSize;
  /** Masks captures that were stored before their pattern was configured. */
  readonly redact?: LateRedaction | undefined;
  /** True when a person asks: the drain also tries captures over which earlier drains have died. */
  readonly despiteDeaths?: boolean;
  /** False leaves the summaries of sessions to another drain. */
  readonly summarizes?: boolean;
  readonly onProgress?: (worked: number) => void;
  /** Counts tokens at the end, in steps as {@linkcode drainSteps} does. Without it the drain counts none. */
  readonly countsTokens?: (db: DatabaseSync, options: TokenCountOptions) => Generator<number, void>;
}

export interface TokenCountOptions {
  readonly nowMs: number;
  /** As `untilMs` of {@linkcode CaptureDrainOptions}. */
  readonly untilMs: number;
}

/** The limits of a batch: a hook never waits long for the database, and payloads take little memory. */
const BATCH: BatchSize = { maxRows: 128, maxBytes: 1_000_000 };
/** The batches between two checkpoints, so that the write-ahead log does not grow with the whole run. */
const CHECKPOINT_EVERY_BATCHES = 48;
/** The captures, or bytes of payloads, after which garbage is collected: a capture leaves about 4 kB. */
const COLLECT_EVERY = { rows: 2_500, bytes: 4_000_000 };

/**
 * The claims after which a capture is given up, because each drain that claimed it died. All but the first drain
 * claimed the capture alone, and they came at intervals.
 */
const MAX_DEATHS = 5;

/**
 * Drains the queue; the caller holds its lock. One transaction writes an observation and marks its capture as done, so
 * after a kill every capture is either waiting or done.
 */
export function drainCaptures(db: DatabaseSync, options: CaptureDrainOptions): CaptureDrainReport {
  const steps = drainSteps(db, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (value > 0) waitMs(value);
  }
}

/**
 * Does the work of {@linkcode drainCaptures} in steps: each step takes a batch of captures, or writes some summaries. A
 * step yields the milliseconds for which the caller leaves the database to others.
 */
export function* drainSteps(
  db: DatabaseSync,
  options: CaptureDrainOptions,
): Generator<number, CaptureDrainReport> {
  const { now, batch = BATCH, untilMs = Infinity } = options;
  releaseClaims(db);
  const paceOf = paceBesideHooks(db, batch);
  const trees = new WorkTrees(options.home ?? null);
  let worked = 0;
  let failed = 0;
  let forgotten = 0;
  const collect = collectEvery(COLLECT_EVERY);
  for (let round = 1; performance.now() < untilMs; round++) {
    const pace = paceOf();
    const claimed = claimCaptures(db, now(), pace.batch);
    if (claimed.length === 0) {
      const written = options.summarizes === false
        ? { summaries: 0, complete: true }
        : yield* summarySteps(db, { untilMs });
      addUpLatency(db, now());
      yield* options.countsTokens?.(db, { nowMs: now(), untilMs }) ?? [];
      return { worked, failed, forgotten, ...written };
    }
    const wanted = options.withoutForgotten(db, claimed);
    forgotten += claimed.length - wanted.length;
    const done = workIn(db, wanted, {
      atMs: now(),
      redact: options.redact,
      maxAttempts: options.despiteDeaths === true ? Infinity : MAX_DEATHS,
      trees,
    });
    worked += done.worked;
    failed += done.failed;
    if (round % CHECKPOINT_EVERY_BATCHES === 0) checkpoint(db, "PASSIVE");
    collect(claimed);
    options.onProgress?.(worked);
    yield pace.pauseMs;
  }
  return { worked, failed, forgotten, summaries: 0, complete: false };
}

function workIn(db: DatabaseSync, claimed: readonly ClaimedCapture[], at: ReadAt) {
  const readings = claimed.map((capture) => readCapture(db, capture, at));
  try {
    return saveAll(db, readings, at);
  } catch (thrown) {
    if (!isOfValues(thrown)) throw thrown;
  }
  // One of the readings cannot be saved, so each is saved alone.
  let failed = 0;
  for (const reading of readings) {
    try {
      failed += saveAll(db, [reading], at).failed;
    } catch (thrown) {
      if (!isOfValues(thrown)) throw thrown;
      failed += saveAll(db, [{ ...reading, fault: messageOf(thrown) }], at).failed;
    }
  }
  return { worked: readings.length - failed, failed };
}

function saveAll(db: DatabaseSync, readings: readonly Reading[], at: ReadAt) {
  return indexTogether(db, () => {
    const worked: WorkedCapture[] = [];
    const withNews = new Set<string>();
    for (const reading of readings) {
      const { capture, capture: { id, attempts, sessionId }, fault } = reading;
      if (fault !== null) {
        const { atMs } = at;
        const retryAtMs = attempts >= MAX_TRIES
          ? null
          : atMs + FIRST_PAUSE_MS * 2 ** (attempts - 1);
        failCapture(db, capture, { errorMessage: fault, retryAtMs, atMs });
        continue;
      }
      const observationId = saveReading(db, reading, at.atMs);
      if (observationId !== null) withNews.add(sessionId);
      worked.push({ id, attempts, observationId });
    }
    if (!confirmCaptures(db, worked, at.atMs)) throw new Error("another drain has taken over");
    for (const sessionId of withNews) askForSummary(db, sessionId);
    return { worked: worked.length, failed: readings.length - worked.length };
  });
}

/** Saves the observations of a capture, and closes the failures it mends. @returns The id of the first, or null. */
function saveReading(
  db: DatabaseSync,
  { capture, observed, terms }: Reading,
  nowMs: number,
): number | null {
  if (observed === null) return null;
  const { id: uid, project } = capture;
  const { passes = [], facts: { command = "" } } = observed;
  const mainId = saveObservation(db, newObservation(capture, observed, { uid, terms }));
  for (let n = 1, one = observed.besides; one !== undefined; n++, one = one.besides) {
    const of = { uid: `${uid}/${one.kind}${n === 1 ? "" : `/${n}`}`, terms: termsOf(one, project) };
    saveObservation(db, newObservation(capture, one, of));
  }
  if (passes.length > 0) mendFailures(db, { capture, passes, command, by: mainId, nowMs });
  return mainId;
}

function newObservation(
  { sessionId, project, branch, createdAtMs }: ClaimedCapture,
  observed: Observed,
  of: Pick<NewObservation, "uid" | "terms">,
): NewObservation {
  const { wrong } = observed;
  const key = observed.sameAs === null ? null : digestOf(observed.sameAs);
  const sameAs = key === null || wrong === undefined ? key : sameFailure(key, digestOf(wrong));
  return { ...observed, ...of, sessionId, project, branch, sameAs, atMs: createdAtMs };
}

/** The tries after which a capture is given up. Between them the pause doubles. */
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 5_000;

/** Drains the queue of a database. Returns null when another process is draining it. */
export function drainAlone(
  db: DatabaseSync,
  database: string,
  options: CaptureDrainOptions & {
    readonly waitMs?: number;
    /** False leaves a damaged index as it is, since rebuilding it may take seconds. */
    readonly mendsIndex?: boolean;
    /** Called before a damaged index is rebuilt. */
    readonly onRebuild?: (why: string) => void;
  },
): CaptureDrainReport | null {
  if (database === ":memory:") return drainCaptures(db, options);
  const lock = takeLock(drainLockPath(database), { waitMs: options.waitMs ?? 0 });
  if (lock === null) return null;
  try {
    // Observations are also written to the index, so a damaged index would stop the drain. A missing index is checked
    // first, because SQLite's error for it looks like that of a bad capture.
    const drain = () => {
      requireIndex(db);
      return drainCaptures(db, options);
    };
    return options.mendsIndex === false ? drain() : withIndex(db, drain, options.onRebuild);
  } finally {
    lock.release();
  }
}

/** SQLite's codes for an error of one statement or value, not of the database (https://sqlite.org/rescode.html). */
const OF_VALUES: ReadonlySet<number> = new Set([1, 18, 19, 20]);

/** Tells whether the written values caused an error. Any other error would also stop the next captures. */
function isOfValues(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  if (typeof errcode === "number") return OF_VALUES.has(errcode & 0xff);
  return thrown instanceof TypeError || thrown instanceof RangeError ||
    thrown instanceof SyntaxError;
}
