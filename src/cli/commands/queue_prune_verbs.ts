import { count } from "../../counts.ts";
import { giveBackSpace } from "../../maintenance/space.ts";
import { checkpoint } from "../../store/database.ts";
import {
  previewPruning,
  type PruneCounts,
  prunePayloads,
  pruneUnreadable,
} from "../../store/payload_pruning.ts";
import { parseAge, parsed, toggle, usually } from "../flags.ts";
import { progressLine } from "../terminal.ts";
import { openStore } from "../store.ts";
import { bytesText } from "../table.ts";
import { usageError } from "../usage.ts";
import { verb } from "../verb.ts";
import type { View } from "../view.ts";

export const prune = verb({
  flags: {
    olderThan: usually(
      "30d",
      parsed(parseAge, "Captured longer ago than this: 30d, 2w, 3m (months of 30 days)", "age"),
    ),
    keepRaw: usually("100", parsed(Number, "How many of these to leave alone, the newest", "n")),
    unreadable: toggle(
      "Instead, those that are damaged and that nobody can read any more, of any age",
    ),
    dryRun: toggle("Only say what would be pruned"),
  },
  about: [
    "Takes away what was captured whole, of captures that are worked in: their payload is then",
    '{"pruned":true,"bytes":N}. What memory made of them stays, and so do the captures themselves, what waits, and',
    "what was given up.",
  ].join("\n"),
  examples: [
    "conclaude queue prune --older-than 2w --keep-raw 1000 --dry-run",
    "conclaude queue prune --older-than 3m --keep-raw 0",
    "conclaude queue prune --unreadable",
  ],
  async run(context, { olderThan, keepRaw, unreadable, dryRun }) {
    if (!Number.isSafeInteger(keepRaw) || keepRaw < 0) {
      throw usageError("Cannot tell how many payloads are to be kept", {
        why: `--keep-raw is ${keepRaw}, and has to be a whole number from 0 up`,
        next: "conclaude queue prune --help",
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
  },
});

/** Payloads in one transaction. */
const BATCH_ROWS = 200;
/** How often the write-ahead log is moved into the database. */
const CHECKPOINT_EVERY_STEPS = 16;

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
