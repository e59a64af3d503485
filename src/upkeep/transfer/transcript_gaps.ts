/** Reads transcripts once, finds what the database lacks of them, and writes it as hooks would have written it. */
import type { DatabaseSync } from "node:sqlite";
import { messageOf, quietly } from "../../base/errors.ts";
import { daysMs } from "../../base/time.ts";
import { type TranscriptFile, transcriptLines } from "../../claude/transcript/find_transcripts.ts";
import { isOwnPrompt } from "../../claude/transcript/spoken.ts";
import {
  type ItemKind,
  type TranscriptItem,
  transcriptReader,
} from "../../claude/transcript/transcript_reader.ts";
import { type Capture, insertCapture } from "../../db/captures.ts";
import { checkpoint } from "../../db/database.ts";
import {
  capturesAfter,
  countCapturesExcept,
  isKnownSession,
  savePastSession,
} from "../../db/past_sessions.ts";
import { payloadText } from "../../db/payloads.ts";
import { transaction } from "../../db/transaction.ts";
import { isSummarizerInput } from "../../memory/drain/summarizer.ts";
import {
  keysOfCapture,
  MAX_SESSION_TITLE_CHARS,
  titleKey,
  useKeyOfCapture,
  WORDS,
} from "../../memory/observe/capture_keys.ts";
import { observationUids } from "../../memory/store.ts";
import { titleLine } from "../../memory/text.ts";
import type { Locations } from "../../system/environment.ts";
import { type StayAway, stayAway } from "../forget/stay_away_table.ts";
import {
  captureIdOf,
  captureOf,
  exclusionIn,
  isMemoryOff,
  nameOf,
  projectFinder,
  type TranscriptProject,
} from "./capture_of.ts";

/** What a comparison found. */
export interface Comparison {
  /** Those of which there is anything to compare, in the order of their beginnings. */
  readonly sessions: readonly ComparedSession[];
  /** How many sessions were read, also those without anything to compare. */
  readonly read: number;
  /** Lines that cannot be read, counted from 1; a line is null when the file as a whole cannot be read. */
  readonly damaged: readonly { path: string; line: number | null; reason: string }[];
  /** Captures of sessions that have no transcript here; sessions that were not looked at do not count. */
  readonly withoutTranscript: number;
  /** How many captures were written, and of how many sessions; null when nothing was to be written. */
  readonly filled: { readonly written: number; readonly sessions: number } | null;
}

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

/** Hooks may write so much later than the transcript, in milliseconds. */
const LEFT_TO_HOOKS_MS = 60_000;

/** Captures that one transaction writes: few, so that hooks wait only a short time. */
export const BATCH_ROWS = 50;

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
): Promise<Comparison> {
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
      for (let at = 0; at < open.length; at += BATCH_ROWS) {
        const batch = open.slice(at, at + BATCH_ROWS);
        if (fills) transaction(db, () => session.fill(batch, nowMs));
        else session.compare(batch);
      }
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
    sessions: compared,
    read: all.length,
    damaged,
    withoutTranscript: isWhole ? countCapturesExcept(db, ids) : 0,
    filled: fills ? { written, sessions: filled.length } : null,
  };
}

/** The title of a session, from its first prompt. */
function titleOf(payload: string): string | null {
  const prompt = String(JSON.parse(payload).prompt);
  return isOwnPrompt(prompt) ? null : titleLine(prompt, MAX_SESSION_TITLE_CHARS) || null;
}

/** Something in a transcript that the database lacks. */
interface Gap {
  readonly captureId: string;
  readonly kind: ItemKind;
  /** Of the tool, or of the event. */
  readonly name: string;
  /** Null for words. */
  readonly toolUseId: string | null;
  readonly atMs: number;
}

/** An item of a transcript that hooks should have kept. */
interface FoundItem extends Gap {
  readonly session: ComparedSession;
  readonly branch: string | null;
  /** The capture that a hook would have made; null for a tool use that the database is known to have. */
  readonly capture: Capture | null;
}

/**
 * Why a session is not compared: its project has another database or none, or it was observed and retention removed its
 * captures.
 */
export type NotHere = "elsewhere" | "off" | "removed";

/** What a hook should have kept of an item in the transcripts of a session. */
export async function foundItem(
  session: ComparedSession,
  item: TranscriptItem,
): Promise<FoundItem> {
  const { kind, atMs } = item;
  const toolUseId = kind === "toolUse" ? item.toolUseId : null;
  const gap = { captureId: captureIdOf(item), kind, name: nameOf(item), toolUseId, atMs };
  const isKnown = toolUseId !== null && session.has(gap);
  const capture = isKnown ? null : await captureOf(item, session.project);
  return { ...gap, session, branch: session.project.hide(item.branch), capture };
}

/** The captures that hooks make of words. */
const WORDS_EVENTS = Object.values(WORDS).map(({ event }) => event);

/** One session as its transcripts tell it, beside what the database has of it. */
export class ComparedSession {
  /** The path of its first transcript. */
  readonly transcript: string;
  /** The folder that it worked in last. */
  cwd: string;
  title: string | null = null;
  branch: string | null = null;
  firstAtMs = Infinity;
  #lastAtMs = 0;
  /** How many items hooks should have kept. */
  found = 0;
  /** How many items are missing because they were forgotten: they stay away. */
  forgotten = 0;
  /** How many items are so new that a hook may still write them. */
  recent = 0;
  /** How many items the configuration excludes, by its keys. */
  readonly excluded: Record<string, number> = {};
  readonly missing: Gap[] = [];
  /** True when the database has nothing of it. */
  readonly isUnknown: boolean;
  /** True when its captures are there and its row is lost. */
  readonly lacksRow: boolean;
  readonly notHere: NotHere | null;
  /** Whether memory was off for it. */
  readonly isOff: boolean;
  /** The ids of captures: those in the queue, and those that were missing there. */
  readonly #captured = new Set<string>();
  /** The ids of tool uses, and of captures that observations were made of. */
  readonly #known: Set<string>;
  /** The keys of words that no item stands for yet: words have no lasting id. */
  readonly #words: string[] = [];
  /** The greatest row number that was read. */
  #place = 0;
  /** Whether this run has added it to the database. */
  #isOurs = false;

  /** @param place `database`: the path of `db`. */
  constructor(
    readonly db: DatabaseSync,
    readonly sessionId: string,
    readonly project: TranscriptProject,
    place: Pick<CompareOptions, "database"> & {
      readonly transcript: string;
      readonly cwd: string;
      readonly mends: boolean;
    },
  ) {
    this.transcript = place.transcript;
    this.cwd = place.cwd;
    this.isOff = isMemoryOff(db, sessionId);
    this.#known = new Set(observationUids(db, sessionId));
    const isObserved = this.#known.size > 0;
    this.#look();
    const isCaptured = this.#captured.size > 0;
    const isKnown = isKnownSession(db, sessionId);
    this.isUnknown = !isCaptured && !isObserved;
    this.lacksRow = isCaptured && !isKnown;
    this.notHere = project.database !== place.database
      ? project.database === null ? "off" : "elsewhere"
      : isObserved && !isCaptured && !isKnown && !place.mends
      ? "removed"
      : null;
  }

  /** How many captures its transcripts do not have. */
  get extra(): number {
    const here = this.found - this.forgotten + this.recent;
    return this.notHere === null ? Math.max(0, this.#captured.size - here) : 0;
  }

  has({ captureId, toolUseId }: Pick<Gap, "captureId" | "toolUseId">): boolean {
    return this.#captured.has(captureId) || this.#known.has(captureId) ||
      toolUseId !== null && this.#known.has(toolUseId);
  }

  count(items: readonly FoundItem[]): void {
    this.found += items.length;
    for (const { atMs } of items) {
      this.firstAtMs = Math.min(this.firstAtMs, atMs);
      this.#lastAtMs = Math.max(this.#lastAtMs, atMs);
    }
  }

  /** Keeps what is missing of some items, and was not forgotten, among the gaps. */
  compare(items: readonly FoundItem[]): FoundItem[] {
    const away = stayAway(this.db);
    const lacking = items.filter((item) => {
      if (this.#takes(item)) return false;
      const isForgotten = this.#isForgotten(item, away);
      if (isForgotten) this.forgotten++;
      else this.#add(item);
      return !isForgotten;
    });
    for (const { captureId, kind, name, toolUseId, atMs } of lacking) {
      this.missing.push({ captureId, kind, name, toolUseId, atMs });
    }
    return lacking;
  }

  /** Compares items and writes what is missing, in the transaction of the caller. */
  fill(items: readonly FoundItem[], nowMs: number): void {
    // Hooks and another backfill may have written meanwhile.
    this.#look();
    const lacking = this.compare(items);
    if (lacking.length === 0) return;
    const { db, sessionId } = this;
    this.keepRow(nowMs);
    for (const { captureId: id, atMs, branch, capture } of lacking) {
      insertCapture(db, { id, atMs, sessionId, session: { branch } }, capture!);
    }
  }

  /** Adds the session, or brings the row up to date that this run has added. */
  keepRow(nowMs: number): void {
    const { db } = this;
    this.#isOurs = savePastSession(db, this.#row(nowMs), { isOurs: this.#isOurs }) || this.#isOurs;
  }

  /** Reads the captures that came since the last look. */
  #look(): void {
    const since = { after: this.#place, payloadsOf: WORDS_EVENTS };
    for (const row of capturesAfter(this.db, this.sessionId, since)) {
      this.#place = Math.max(this.#place, row.place);
      if (this.#captured.has(row.id)) continue;
      this.#add({ captureId: row.id, toolUseId: row.toolUseId });
      // A damaged payload tells no words.
      const payload = row.payload === null ? null : quietly(() => payloadText(row));
      if (payload) this.#words.push(...keysOfCapture(row.toolName, payload));
    }
  }

  #add({ captureId, toolUseId }: Pick<Gap, "captureId" | "toolUseId">): void {
    this.#captured.add(captureId);
    if (toolUseId !== null) this.#known.add(toolUseId);
  }

  /** Whether the database has an item. Each capture of words stands for one item. */
  #takes(item: FoundItem): boolean {
    const [key] = keysOfCapture(item.name, item.capture!.payload);
    const at = key === undefined ? -1 : this.#words.indexOf(key);
    if (at >= 0) this.#words.splice(at, 1);
    return at >= 0 || this.has(item);
  }

  /** Whether an item was forgotten, by itself or with its session, project or time. */
  #isForgotten({ captureId, atMs, toolUseId, capture }: FoundItem, away: StayAway): boolean {
    const { sessionId, project: { repository, dir } } = this;
    const { toolName, payload } = capture!;
    const key = (toolUseId: string) => useKeyOfCapture({ toolUseId, toolName, payload });
    return away.has({
      ...{ sessionId, project: repository ?? dir, atMs, names: [captureId] },
      use: toolUseId === null ? undefined : { toolUseId, key: () => key(toolUseId) },
      keys: keysOfCapture(toolName, payload),
    });
  }

  /** Retention keeps even an old session for a day, so that the drain can observe it. */
  #row(nowMs: number) {
    const { project, sessionId, title, firstAtMs } = this;
    const { sessionRetentionDays: days } = project.config;
    const keptFromMs = days === 0 ? 0 : nowMs - daysMs(days) + daysMs(1);
    // The title is the first prompt, which may have been forgotten.
    const isTitleForgotten = title !== null &&
      stayAway(this.db).has({ sessionId, atMs: firstAtMs, names: [], keys: [titleKey(title)] });
    return {
      sessionId,
      title: isTitleForgotten ? null : title,
      projectDir: project.hide(project.dir),
      repository: project.hide(project.repository),
      branch: project.hide(this.branch),
      cwd: project.hide(this.cwd),
      transcriptPath: project.hide(this.transcript),
      startedAtMs: firstAtMs,
      updatedAtMs: this.#lastAtMs,
      endedAtMs: Math.max(this.#lastAtMs, Math.min(nowMs, keptFromMs)),
    };
  }
}
