import { count } from "../../counts.ts";
import { UserError } from "../../errors.ts";
import { giveBackSpace } from "../../maintenance/space.ts";
import { checkpoint } from "../../store/database.ts";
import {
  previewPruning,
  type PruneCounts,
  prunePayloads,
  pruneUnreadable,
} from "../../store/payload_pruning.ts";
import type { CliContext } from "../context.ts";
import { progressLine } from "../progress_line.ts";
import { openStore } from "../store.ts";
import { bytesText } from "../table.ts";
import { USAGE } from "../usage.ts";
import type { View } from "../view.ts";

/** Payloads in one transaction. */
const BATCH_ROWS = 200;
/** So often the write-ahead log is moved into the database. */
const CHECKPOINT_EVERY_STEPS = 16;

/** `conclaude queue prune` */
export async function pruneQueue(
  context: CliContext,
  { olderThan, keepRaw, unreadable, dryRun }: {
    readonly olderThan: number;
    readonly keepRaw: number;
    readonly unreadable: boolean;
    readonly dryRun: boolean;
  },
): Promise<View> {
  if (!Number.isSafeInteger(keepRaw) || keepRaw < 0) {
    throw new UserError("Cannot tell how many payloads are to be kept", {
      why: `--keep-raw is ${keepRaw}, and has to be a whole number from 0 up`,
      next: "conclaude queue prune --help",
      exitCode: USAGE,
    });
  }
  const { db } = await openStore(context, dryRun ? "read" : "write");
  if (unreadable) {
    const done = pruneUnreadable(db, { dryRun });
    return view(done, { dryRun, freedBytes: dryRun ? 0 : giveBackSpace(db) });
  }
  const pruning = { beforeMs: Date.now() - olderThan, keepNewest: keepRaw };
  if (dryRun) return view(previewPruning(db, pruning), { dryRun, freedBytes: 0 });
  const progress = progressLine(context);
  let done: PruneCounts = { pruned: 0, freedBytes: 0 };
  let steps = 0;
  for (done of prunePayloads(db, pruning, BATCH_ROWS)) {
    progress.tell(`pruned ${count(done.pruned, "payload")} …`);
    if (++steps % CHECKPOINT_EVERY_STEPS === 0) checkpoint(db, "PASSIVE");
  }
  const freedBytes = giveBackSpace(db, {
    onProgress: ({ freeBytes }) => progress.tell(`giving back ${bytesText(freeBytes)} …`),
  });
  progress.end();
  return view(done, { dryRun, freedBytes });
}

function view(
  { pruned, freedBytes: storedBytes }: PruneCounts,
  { dryRun, freedBytes }: { readonly dryRun: boolean; readonly freedBytes: number },
): View {
  return {
    json: { dryRun, pruned, storedBytes, freedBytes },
    text: dryRun
      ? `Would prune ${count(pruned, "payload")} (${bytesText(storedBytes)}).`
      : `Pruned ${count(pruned, "payload")} (${bytesText(storedBytes)}); ${
        bytesText(freedBytes)
      } given back to the disk.`,
  };
}
