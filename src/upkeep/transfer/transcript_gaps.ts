/** Reads transcripts once, finds what the database lacks of them, and writes it as hooks would have written it. */
import type { DatabaseSync } from "node:sqlite";
import { setImmediate as breath } from "node:timers/promises";
import { messageOf } from "../../base/errors.ts";
import { type TranscriptFile, transcriptLines } from "../../claude/transcript/find_transcripts.ts";
import { isOwnPrompt } from "../../claude/transcript/spoken.ts";
import {
  type TranscriptItem,
  transcriptReader,
} from "../../claude/transcript/transcript_reader.ts";
import { checkpoint } from "../../db/database.ts";
import { countCapturesExcept } from "../../db/past_sessions.ts";
import { isSummarizerInput } from "../../memory/drain/summarizer.ts";
import { sessionTitleOf } from "../../claude/payload.ts";
import type { Locations } from "../../system/environment.ts";
import { exclusionIn, projectFinder, type TranscriptProject } from "./capture_of.ts";
import { ComparedSession, type FoundItem, foundItem } from "./compared_session.ts";

export type Comparison = Awaited<ReturnType<typeof compareTranscripts>>;

/** What is compared; times in epoch milliseconds. */
export interface CompareOptions {
  readonly locations: Locations;
  /** The path of the database. */
  readonly database: string;
  readonly wanted: (sessionId: string, project: TranscriptProject) => boolean;
  /** Items before then are left out. */
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Whether what is missing is written. */
  readonly fills: boolean;
  /** Whether all transcripts are read, so that captures without one count. */
  readonly isWhole: boolean;
  /** Whether damage, and not retention, may have taken a session that has no row. */
  readonly mends?: boolean;
  /** Called with the number of the transcripts that were read. */
  readonly onProgress?: (read: number) => void;
}

/** How much later than the transcript hooks may write, in milliseconds. */
const LEFT_TO_HOOKS_MS = 60_000;

/**
 * Compares transcripts with the database and, when asked to, writes what is missing. It can be stopped at any time, run
 * twice at once, and run again: nothing is written twice.
 *
 * @param files In the order in which `findTranscripts` gives them. @throws {Error} When SQLite cannot write.
 */
export async function compareTranscripts(
  db: DatabaseSync,
  files: readonly TranscriptFile[],
  options: CompareOptions,
) {
  const { database, wanted, sinceMs, nowMs, fills, isWhole, mends = false, onProgress } = options;
  const untilMs = nowMs - LEFT_TO_HOOKS_MS;
  const projectOf = projectFinder(options.locations);
  /** Null for a session that is not to be compared. */
  const sessions = new Map<string, ComparedSession | null>();
  /** Items that were read, since a forked session repeats them. */
  const seen = new Set<string>();
  const damaged: { path: string; line: number | null; reason: string }[] = [];

  /** The first line of a session that names a folder decides which project the session is of. */
  const meet = async (sessionId: string, transcript: string, cwd: string) => {
    const known = sessions.get(sessionId);
    if (known) known.cwd = cwd;
    if (known !== undefined) return;
    const project = await projectOf(cwd);
    const isWanted = wanted(sessionId, project);
    const place = { database, transcript, cwd, mends };
    sessions.set(sessionId, isWanted ? new ComparedSession(db, sessionId, project, place) : null);
  };

  /** The item for its session when hooks should have kept it; null when they should not. */
  const find = async (item: TranscriptItem): Promise<FoundItem | null> => {
    const { sessionId, kind, atMs, uuid } = item;
    // Hooks do not keep sessions of the summarizer either.
    if (kind === "prompt" && isSummarizerInput(item.text)) sessions.set(sessionId, null);
    const session = sessions.get(sessionId);
    const toolUseId = kind === "toolUse" ? item.toolUseId : null;
    const once = `${uuid} ${toolUseId}`;
    if (!session || atMs < sinceMs || seen.has(once)) return null;
    seen.add(once);
    session.firstAtMs = Math.min(session.firstAtMs, atMs);
    const { project, excluded } = session;
    const excludedBy = exclusionIn(project, item, session.isOff);
    if (atMs >= untilMs) session.recent++;
    else if (excludedBy !== null) excluded[excludedBy] = (excluded[excludedBy] ?? 0) + 1;
    if (atMs >= untilMs || excludedBy !== null) return null;
    session.branch = item.branch ?? session.branch;
    const found = await foundItem(session, item);
    if (kind === "prompt") session.title ??= titleOf(found.capture!.payload);
    return found;
  };

  for (const [index, file] of files.entries()) {
    onProgress?.(index);
    // A daemon answers requests between two files.
    await breath();
    const { path } = file;
    const reader = transcriptReader();
    let found: (FoundItem | null)[] = [];
    try {
      for (const { number, value, fault, isEnded } of transcriptLines(path)) {
        // The last line of a file that grows is being written.
        if (fault !== null && (isEnded || file.changedMs < untilMs)) {
          damaged.push({ path, line: number, reason: isEnded ? fault : "it is cut off" });
        }
        const { items, isCopied, sessionId, cwd } = reader.take(value);
        if (sessionId !== null && cwd !== null) await meet(sessionId, path, cwd);
        // All items so far were copied from another session.
        if (isCopied) found = [];
        for (const item of items) found.push(await find(item));
      }
    } catch (thrown) {
      damaged.push({ path, line: null, reason: messageOf(thrown) });
    }
    for (const item of reader.end()) found.push(await find(item));
    // Only when the file was read is it known which of the items were copied.
    const kept = found.filter((item) => item !== null);
    for (const [session, items] of Map.groupBy(kept, ({ session }) => session)) {
      session.count(items);
      if (sessions.get(session.sessionId) === null || session.notHere !== null) continue;
      const open = items.filter(({ capture }) => capture !== null);
      if (fills) session.fill(open, nowMs);
      else session.compare(open);
      if (fills && session.lacksRow) session.keepRow(nowMs);
    }
    // The write-ahead log stays short.
    if (fills && kept.length > 0) checkpoint(db, "PASSIVE");
  }

  const all = [...sessions.values()].filter((one) => one !== null);
  const compared = all
    .filter((one) => one.found + one.recent + Object.keys(one.excluded).length > 0)
    .sort((a, b) => a.firstAtMs - b.firstAtMs);
  for (const { missing } of compared) missing.sort((a, b) => a.atMs - b.atMs);
  const filled = compared.filter(({ missing }) => missing.length > 0);
  const written = filled.reduce((sum, { missing }) => sum + missing.length, 0);
  const ids = all.map(({ sessionId }) => sessionId);
  return {
    /** The sessions that can be compared, in the order of their beginnings. */
    sessions: compared,
    /** How many sessions were read, also those without anything to compare. */
    read: all.length,
    /** Lines that cannot be read, counted from 1; a line is null when the file as a whole cannot be read. */
    damaged,
    /** Captures of sessions that have no transcript here; sessions that were not looked at do not count. */
    withoutTranscript: isWhole ? countCapturesExcept(db, ids) : 0,
    /** How many captures were written, and of how many sessions; null when nothing was to be written. */
    filled: fills ? { written, sessions: filled.length } : null,
  };
}

/** The title of a session, from its first prompt. */
function titleOf(payload: string): string | null {
  const prompt = String(JSON.parse(payload).prompt);
  return isOwnPrompt(prompt) ? null : sessionTitleOf(prompt) || null;
}
