/** `conclaude queue drain`: takes in the spool, works captures into memory, and has summaries rewritten. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { giveBackSpace } from "../../db/disk_space.ts";
import { compactPayloads } from "../../db/payloads.ts";
import { runSummarizer, type SummarizerReport } from "../../memory/drain/summarizer.ts";
import { forbiddingLimit, readSummarizer } from "../../memory/drain/summarizer_settings.ts";
import { onEndingSignals } from "../../system/process/start.ts";
import { takeLostOfRecent } from "../../upkeep/transfer/lost_uses.ts";
import { workCaptures } from "../capture_work.ts";
import type { CliContext } from "../context.ts";
import { openStore } from "../open_store.ts";
import { drainSpool } from "../spool_drain.ts";
import { bytesText, factLines } from "../table.ts";
import { type ProgressLine, progressLine, tellSpace } from "../terminal.ts";
import { verb } from "../verb.ts";

export const drain = verb({
  async run(context) {
    const { db, place } = await openStore(context, "write");
    using progress = progressLine(context);
    progress.tell("Taking in the spool");
    const spool = drainSpool(db, {
      database: place.database,
      folders: context.locations.spoolFolders,
    });
    const taken = await takeLostOfRecent(db, {
      database: place.database,
      locations: context.locations,
      nowMs: Date.now(),
      untilMs: Infinity,
    });
    const isOff = !place.config.memoryEnabled;
    const here = { db, place, progress };
    const memory = isOff ? null : await workCaptures(context, here, { despiteDeaths: true });
    const { compressed, savedBytes } = compactPayloads(db, {
      onProgress: ({ compressed: done }) => progress.tell("Compressing payloads", { done }),
    });
    const freedBytes = giveBackSpace(db, { onProgress: tellSpace(progress) });
    const summarizer = await summarize(db, place.database, context, progress);
    const { saved, known, damaged, left } = spool;
    const { worked = 0, failed = 0, summaries = 0, forgotten = 0 } = memory ?? {};
    const captures = isOff
      ? "left as they are, since `memory.enabled` is false here"
      : memory === null
      ? "another drain is at work on them"
      : `${worked} worked into memory, ${failed} failed, ${count(summaries, "session")} summarized`;
    return {
      json: {
        saved,
        known,
        damaged,
        worked,
        failed,
        forgotten,
        summaries,
        isBusy: memory === null && !isOff,
        isOff,
        compressed,
        savedBytes,
        freedBytes,
        left,
        ...summarizer?.json,
      },
      text: factLines([
        [
          "spool",
          `${saved} taken in, ${known} known before, ${damaged.length} damaged, ${left} left`,
        ],
        ...damaged.map((path) => ["", `set aside: ${path}`] as const),
        ["transcripts", taken === 0 ? null : `${count(taken, "tool use")} that no hook had kept`],
        ["captures", captures],
        [
          "forgotten",
          forgotten === 0 ? null : `${count(forgotten, "that stays", "that stay")} away`,
        ],
        ["summarizer", summarizer?.text],
        ["payloads", `${compressed} compressed, ${bytesText(savedBytes)} saved`],
        ["database", `${bytesText(freedBytes)} given back to the disk`],
      ], 12).join("\n"),
    };
  },
});

/** Lets the configured command rewrite summaries; returns null without a command. */
async function summarize(
  db: DatabaseSync,
  database: string,
  { locations }: CliContext,
  progress: ProgressLine,
) {
  const found = await readSummarizer(locations);
  if (found.kind === "none") return null;
  if (found.kind === "faulty") {
    const { problem } = found;
    return { json: { summarizerFault: problem }, text: `off, by a mistake: ${problem}` };
  }
  const { summarizer } = found;
  const stopping = new AbortController();
  using _hearing = onEndingSignals(() => stopping.abort());
  const report = await runSummarizer(db, {
    ...summarizer,
    database,
    folder: locations.dataFolder,
    now: Date.now,
    signal: stopping.signal,
    isAsked: true,
    onProgress: ({ written: done, of }) =>
      progress.tell("Rewriting summaries (Ctrl-C ends it)", { done, of }),
  });
  const limit = forbiddingLimit(summarizer.settings);
  return {
    json: { summarizer: report },
    text: limit === null
      ? summarizerText(report)
      : `nothing may be spent (${limit} is 0), ${report.left} left`,
  };
}

function summarizerText(
  { isBusy, written, failed, left, givenUp, usedUp, needed, reason, today }: SummarizerReport,
): string {
  if (isBusy) return `another process is at work on the summaries, ${left} left`;
  const spent = `(${count(today.runs, "run")}, ${count(today.tokens, "token")})`;
  return [
    `${count(written, "summary", "summaries")} rewritten, ${failed} failed, ${left} left`,
    givenUp > 0 &&
    `${givenUp} of these given up after three failures, until the session has news or the command changes`,
    reason !== null && `the last failure: ${reason}`,
    usedUp !== null &&
    (needed === null
      ? `today's ${usedUp} are used up ${spent}`
      : `the next run would not fit into today's tokens: it takes at least ${needed}, and ${today.tokens} are ` +
        "spent (memory.summarizer.maxTokensPerDay)"),
  ].filter((text) => text !== false).join("; ");
}
