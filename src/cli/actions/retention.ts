import { previewRetention, runRetention } from "../../maintenance/retention.ts";
import type { RowCounts } from "../../store/retention.ts";
import type { CliContext } from "../context.ts";
import { progressLine } from "../progress_line.ts";
import { openStore } from "../store.ts";
import type { View } from "../view.ts";

/** `conclaude retention run` */
export async function runRetentionNow(
  context: CliContext,
  { dryRun }: { readonly dryRun: boolean },
): Promise<View> {
  const { db, place: { config } } = await openStore(context, dryRun ? "read" : "write");
  const retentionDays = config.sessionRetentionDays;
  const nowMs = Date.now();
  const progress = progressLine(context);
  const removed = dryRun ? previewRetention(db, { nowMs, retentionDays }) : runRetention(db, {
    nowMs,
    retentionDays,
    batchRows: config.retentionBatchRows,
    orphans: true,
    onProgress: (step) => progress.tell(`removed ${textOf(step)} …`),
  }).removed;
  progress.end();
  return {
    json: { dryRun, removed, retentionDays },
    text: retentionDays === 0
      ? "Everything is kept for ever (store.sessionRetentionDays is 0)."
      : `${dryRun ? "Would remove" : "Removed"} ${textOf(removed)} (kept: ${retentionDays} days).`,
  };
}

function textOf({ sessions, executions, captures, counters }: RowCounts): string {
  return `${sessions} sessions, ${executions} audit rows, ${captures} captures, ${counters} counters`;
}
