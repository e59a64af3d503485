/** Removes what was kept long enough, a little at a time beside the daemon's other work. */
import type { DatabaseSync } from "node:sqlite";
import type { EngineConfig, Settings } from "../work/engine/engine_settings.ts";
import { messageOf } from "../base/errors.ts";
import {
  keptByDaemon,
  NOTHING,
  type RetentionCounts,
  retentionSteps,
} from "../upkeep/care/retention.ts";
import type { MemorySettings } from "../memory/memory_section.ts";
import { daysMs } from "../base/time.ts";

/** The sections that the daemon goes by. */
export type DaemonConfig = EngineConfig & { readonly memory: MemorySettings };

/** What retention needs of the daemon. */
export interface RetentionContext {
  readonly db: DatabaseSync;
  /** Absolute path. */
  readonly database: string;
  readonly settings: Settings<DaemonConfig>;
  /** Called after every write, so that streams tell it without delay. */
  readonly changed: () => void;
  readonly log: (level: "info" | "error", message: string) => void;
  /** Is told how many rows were removed. */
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
      kept: { ...keptByDaemon(store), observations: daysMs(memory.retentionDays) },
      captures: "worked",
      batchRows: store.retentionBatchRows,
    });
    for (removed of steps) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (signal.aborted) break;
    }
    const counts = Object.entries(removed).filter(([, count]) => count > 0);
    if (counts.length === 0) return;
    count(counts.reduce((all, [, count]) => all + count, 0));
    log("info", `removed what is old: ${counts.map((pair) => pair.join(" ")).join(", ")}`);
    changed();
  } catch (thrown) {
    log("error", `retention: ${messageOf(thrown)}`);
  }
}
