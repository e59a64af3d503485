/** Reads transcripts, finds the items that the database lacks, and writes them as hooks would have. */
import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
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

/** The options of a comparison; times in epoch milliseconds. */
export interface CompareOptions {
  readonly locations: Locations;
  readonly database: string;
  readonly wanted: (sessionId: string, project: TranscriptProject) => boolean;
  /** Earlier items are left out. */
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly fills: boolean;
  /** Whether the files are all the transcripts there are, so that captures without a transcript can be counted. */
  readonly isWhole: boolean;
  /** Whether damage, and not retention, may have removed the row of a session. */
  readonly mends?: boolean;
  /** Called with the number of transcripts read so far. */
  readonly onProgress?: (read: number) => void;
}

/** Items younger than this, in milliseconds, are left to hooks, which may write later than the transcript. */
const LEFT_TO_HOOKS_MS = 60_000;

/**
 * Compares transcripts with the database and, if `fills` is set, writes missing items. It may be stopped at any time,
 * repeated, and run twice at once: nothing is written twice.
 *
 * @param files Files in the order of `findTranscripts`. @throws {Error} When SQLite cannot write.
 */
export async function compareTranscripts(
  db: DatabaseSync,
  files: readonly TranscriptFile[],
  options: CompareOptions,
) {
  const { database, wanted, sinceMs, nowMs, fills, isWhole, mends = false, onProgress } = options;
  const untilMs = nowMs - LEFT_TO_HOOKS_MS;
  const projectOf = projectFinder(options.locations);
  /** The sessions by id; null for a session that is not compared. */
  const sessions = new Map<string, ComparedSession | null>();
  /** The items read so far, since a forked session repeats them. */
  const seen = new Set<string>();
  const damaged: { path: string; line: number | null; reason: string }[] = [];

  /** Notes a session at its first line that names a folder, which decides the session's project. */
  const noteSession = async (sessionId: string, transcript: string, cwd: string) => {
    const known = sessions.get(sessionId);
    if (known) known.cwd = cwd;
    if (known !== undefined) return;
    const project = await projectOf(cwd);
    const isWanted = wanted(sessionId, project);
    const place = { database, transcript, cwd, mends };
    sessions.set(sessionId, isWanted ? new ComparedSession(db, sessionId, project, place) : null);
  };

  /** Returns an item for comparison if hooks should have kept it, else null. */
  const find = async (item: TranscriptItem): Promise<FoundItem | null> => {
    const { sessionId, kind, atMs, uuid } = item;
    // Hooks do not keep sessions of the summarizer.
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
    // The pause lets a daemon answer requests.
    await nextTurn();
    const { path } = file;
    const reader = transcriptReader();
    let found: (FoundItem | null)[] = [];
    try {
      for (const { number, value, fault, isEnded } of transcriptLines(path)) {
        // In a file that still grows, a faulty last line may be unfinished.
        if (fault !== null && (isEnded || file.changedMs < untilMs)) {
          damaged.push({ path, line: number, reason: isEnded ? fault : "it is cut off" });
        }
        const { items, isCopied, sessionId, cwd } = reader.take(value);
        if (sessionId !== null && cwd !== null) await noteSession(sessionId, path, cwd);
        // This line shows that all items so far were copied from another session.
        if (isCopied) found = [];
        for (const item of items) found.push(await find(item));
      }
    } catch (thrown) {
      damaged.push({ path, line: null, reason: messageOf(thrown) });
    }
    for (const item of reader.end()) found.push(await find(item));
    // Only now, after the whole file, are copied items known and dropped.
    const ownItems = found.filter((item) => item !== null);
    for (const [session, items] of Map.groupBy(ownItems, ({ session }) => session)) {
      session.count(items);
      if (sessions.get(session.sessionId) === null || session.notHere !== null) continue;
      const open = items.filter(({ capture }) => capture !== null);
      if (fills) session.fill(open, nowMs);
      else session.compare(open);
      if (fills && session.lacksRow) session.keepRow(nowMs);
    }
    // The checkpoint keeps the write-ahead log short.
    if (fills && ownItems.length > 0) checkpoint(db, "PASSIVE");
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
    /** The compared sessions, in the order of their first items. */
    sessions: compared,
    /** How many wanted sessions were read, including those without anything to compare. */
    read: all.length,
    /** Unreadable lines, counted from 1; `line` is null if the whole file is unreadable. */
    damaged,
    /** The number of captures of sessions without a transcript; 0 unless all transcripts were read. */
    withoutTranscript: isWhole ? countCapturesExcept(db, ids) : 0,
    /** How many captures were written, and of how many sessions; null unless `fills` is set. */
    filled: fills ? { written, sessions: filled.length } : null,
  };
}

/** Returns a session's title from its first prompt; null if Claude Code itself wrote the prompt. */
function titleOf(payload: string): string | null {
  const prompt = String(JSON.parse(payload).prompt);
  return isOwnPrompt(prompt) ? null : sessionTitleOf(prompt) || null;
}
