/** Works all waiting captures into memory, for verbs after which none shall wait. */
import { countAllWaiting } from "../db/queue_work.ts";
import { type CaptureDrainReport, drainAlone } from "../memory/drain/capture_drain.ts";
import { lateRedaction } from "../memory/drain/late_redaction.ts";
import { rebuildText } from "../memory/store.ts";
import { tokenCounter } from "../memory/usage/count_tokens.ts";
import { removeForgottenAgain, stayAway } from "../upkeep/store.ts";
import type { CliContext } from "./context.ts";
import type { OpenStore } from "./open_store.ts";
import type { ProgressLine } from "./terminal.ts";

/** How long a verb waits for another drain to end, in milliseconds. Most drains take a few seconds. */
const WAIT_MS = 10_000;

/** Drains the queue. @returns Null if another drain still runs after `WAIT_MS`. */
export async function workCaptures(
  { locations, process }: Pick<CliContext, "locations" | "process">,
  { db, place, progress }: OpenStore & { readonly progress: ProgressLine },
  { despiteDeaths = false }: { readonly despiteDeaths?: boolean } = {},
): Promise<CaptureDrainReport | null> {
  const of = countAllWaiting(db);
  const tell = (done: number) => progress.tell("Working captures into memory", { done, of });
  tell(0);
  return drainAlone(db, place.database, {
    home: locations.home,
    now: Date.now,
    withoutForgotten: removeForgottenAgain,
    waitMs: WAIT_MS,
    despiteDeaths,
    redact: await lateRedaction(place.config.redactPatterns),
    countsTokens: tokenCounter(stayAway),
    onRebuild: (why) => process.stderr.write(`${rebuildText(why)}\n`),
    onProgress: tell,
  });
}
