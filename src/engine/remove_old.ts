import { messageOf } from "../errors.ts";
import { memoryRetentionSteps } from "../maintenance/memory_retention.ts";
import { runOrchestrationRetention } from "../maintenance/orchestration_retention.ts";
import type { EngineParts } from "./context.ts";

/** Removes what was kept long enough, beside everything else, a little at a time. Logs what it did, or why it could not. */
export async function removeOld(parts: EngineParts): Promise<void> {
  const { db, database, settings, signal, log, changed, count } = parts;
  const nowMs = Date.now();
  try {
    const unsure = settings.unsure(nowMs);
    if (unsure !== null) {
      throw new Error(`nothing is removed while a file cannot be read: ${unsure}`);
    }
    const { store, memory } = settings.own(nowMs);
    const removed = {
      ...await runOrchestrationRetention(db, { database, store, nowMs, signal }),
      observations: 0,
    };
    const { retentionDays } = memory;
    for (const step of memoryRetentionSteps(db, { nowMs, retentionDays })) {
      removed.observations += step;
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (signal.aborted) break;
    }
    const counts = Object.entries(removed).filter(([, count]) => count > 0);
    if (counts.length === 0) return;
    count("retention_removals", counts.reduce((all, [, count]) => all + count, 0));
    log("info", `removed what is old: ${counts.map((pair) => pair.join(" ")).join(", ")}`);
    changed();
  } catch (thrown) {
    log("error", `retention: ${messageOf(thrown)}`);
  }
}
