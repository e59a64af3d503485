import { plain } from "../../capture/plain.ts";
import { compactPayloads } from "../../maintenance/compaction.ts";
import { giveBackSpace } from "../../maintenance/space.ts";
import { drainSpool } from "../../spool/drain.ts";
import { reclaimQueueItems } from "../../store/queue.ts";
import type { CliContext } from "../context.ts";
import { progressLine } from "../progress_line.ts";
import { openStore } from "../store.ts";
import { bytesText } from "../table.ts";
import type { View } from "../view.ts";

/** A worker that took a capture so long ago has died over it. */
const STUCK_MS = 10 * 60_000;

/** `conclaude queue drain` */
export async function drainQueue(context: CliContext): Promise<View> {
  const { db, place } = await openStore(context, "write");
  const progress = progressLine(context);
  progress.tell("taking in the spool …");
  const spool = drainSpool(db, {
    database: place.database,
    folders: context.locations.spoolFolders,
  });
  const now = Date.now();
  const reclaimed = reclaimQueueItems(db, now - STUCK_MS, now);
  const { compressed, savedBytes } = compactPayloads(db, {
    onProgress: (done) =>
      progress.tell(
        `compressed ${done.compressed} payloads, saved ${bytesText(done.savedBytes)} …`,
      ),
  });
  const freedBytes = giveBackSpace(db, {
    onProgress: ({ freeBytes }) => progress.tell(`giving back ${bytesText(freeBytes)} …`),
  });
  progress.end();
  const { saved, known, damaged, left } = spool;
  return {
    json: { saved, known, damaged, reclaimed, compressed, savedBytes, freedBytes, left },
    text: [
      `spool       ${saved} taken in, ${known} known before, ${damaged.length} damaged, ${left} left`,
      ...damaged.map((path) => `            set aside: ${plain(path)}`),
      `captures    ${reclaimed} stuck ones wait again`,
      `payloads    ${compressed} compressed, ${bytesText(savedBytes)} saved`,
      `database    ${bytesText(freedBytes)} given back to the disk`,
    ].join("\n"),
  };
}
