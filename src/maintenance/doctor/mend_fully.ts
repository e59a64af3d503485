/** What `doctor --fix` does with a damaged database: writes it anew, then reads the transcripts for what is missing. */
import { count } from "../../counts.ts";
import { joinPath } from "../../paths.ts";
import { compareScan } from "../../recall/transcripts/compare.ts";
import { fillIn } from "../../recall/transcripts/fill.ts";
import { findTranscripts } from "../../recall/transcripts/find.ts";
import { projectFinder } from "../../recall/transcripts/project.ts";
import { scanTranscripts } from "../../recall/transcripts/scan.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { openDatabase } from "../../store/database.ts";
import { receiptsWithoutKey } from "../../store/forget_receipts.ts";
import { fail, type Repaired } from "../check.ts";
import { mendDatabase, type MendReport, mendText } from "../mend_database.ts";
import type { RepairPlace } from "./place.ts";

/** So long a repair waits for another process, where no configuration says otherwise. */
const REPAIR_BUSY_MS = 5_000;

/** A hook may still be telling of what a transcript has from the last minute. */
const LEFT_TO_HOOKS_MS = 60_000;

/** Mends the database, and says per table what came back and what is gone. */
export async function mendFully(place: RepairPlace): Promise<string | Repaired> {
  const { database, locations, nowMs, config } = place;
  const busyTimeoutMs = config?.busyTimeoutMs ?? REPAIR_BUSY_MS;
  const report = await mendDatabase({ database, locations, nowMs, busyTimeoutMs });
  const { aside, tables } = report;
  const filled = await fillFromTranscripts(place, report, busyTimeoutMs);
  const done = [
    `set the damaged database aside: ${aside}`,
    mendText(report),
    ...filled === 0 ? [] : [`${count(filled, "capture")} came from transcripts`],
    ...await isKeyLost(database, busyTimeoutMs) ? ["the key of what was forgotten is lost"] : [],
  ].join("; ");
  const isAny = tables.some(({ read, filled }) => read + filled > 0) || filled > 0;
  return isAny ? done : {
    done,
    undone: fail(
      `nothing of ${aside}, where the damaged database lies, could be brought back, and there is no backup`,
      `ls -l ${quoteWord(aside)}`,
    ),
  };
}

/**
 * Takes in what transcripts tell since the backup. Where nobody knows any more what was forgotten, they are not read: they
 * would bring it back. @returns How many captures were written.
 */
async function fillFromTranscripts(
  { locations, database, nowMs, claudeFolder }: RepairPlace,
  { tables, backup, knowsForgotten }: MendReport,
  busyTimeoutMs: number,
): Promise<number> {
  const folder = claudeFolder ?? (locations.home && joinPath(locations.home, ".claude"));
  const isLossy = tables.some(({ isWhole }) => !isWhole);
  if (!isLossy || !knowsForgotten || !folder) return 0;
  const sinceMs = backup?.atMs ?? 0;
  let files;
  try {
    files = findTranscripts(joinPath(folder, "projects")).files
      .filter(({ changedMs }) => changedMs >= sinceMs);
  } catch {
    return 0;
  }
  const scan = await scanTranscripts(files, {
    projectOf: projectFinder(locations),
    untilMs: nowMs - LEFT_TO_HOOKS_MS,
    sinceMs,
    wanted: () => true,
    onProgress: () => {},
  });
  const db = await openDatabase(database, { busyTimeoutMs });
  try {
    const { sessions } = compareScan(db, scan, { database, isWhole: false });
    return (await fillIn(db, sessions, { nowMs, onProgress: () => {} })).written;
  } finally {
    db.close();
  }
}

async function isKeyLost(database: string, busyTimeoutMs: number): Promise<boolean> {
  const db = await openDatabase(database, { busyTimeoutMs });
  try {
    return receiptsWithoutKey(db).length > 0;
  } finally {
    db.close();
  }
}
