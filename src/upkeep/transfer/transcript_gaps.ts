/** Reads transcripts once, finds what the database lacks of them, and writes it as hooks would have written it. */
import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../base/errors.ts";
import { daysMs } from "../../base/time.ts";
import { isOwnPrompt } from "../../claude/transcript/spoken.ts";
import {
  type ItemKind,
  type TranscriptItem,
  transcriptReader,
} from "../../claude/transcript/transcript_reader.ts";
import { exclusionOf } from "../../config/exclusion.ts";
import { type Capture, insertCapture } from "../../db/captures.ts";
import { checkpoint } from "../../db/database.ts";
import {
  capturesAfter,
  countCapturesExcept,
  isKnownSession,
  savePastSession,
} from "../../db/past_sessions.ts";
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
import { readablePayload, type StayAway, stayAway } from "../forget/stay_away_table.ts";
import { captureIdOf, captureOf, nameOf, type TranscriptProject } from "./capture_of.ts";
import { type TranscriptFile, transcriptLines } from "./find_transcripts.ts";

/** Something in a transcript that the database lacks. */
export interface Gap {
  readonly captureId: string;
  readonly kind: ItemKind;
  /** Of the tool, or of the event. */
  readonly name: string;
  /** Null for words. */
  readonly toolUseId: string | null;
  readonly atMs: number;
}

/**
 * Why a session is not compared: its project has another database or none, or it was observed and retention removed its
 * captures.
 */
export type NotHere = "elsewhere" | "off" | "removed";

/** A session as its transcripts tell it, and what the database lacks of it. */
export interface ComparedSession {
  readonly sessionId: string;
  readonly project: TranscriptProject;
  readonly transcriptPath: string;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly branch: string | null;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** How many items hooks should have kept. */
  readonly found: number;
  readonly missing: readonly Gap[];
  /** How many items are missing because they were forgotten: they stay away. */
  readonly forgotten: number;
  /** How many items the configuration excludes, by its keys. */
  readonly excluded: Readonly<Record<string, number>>;
  /** How many items are so new that a hook may still write them. */
  readonly recent: number;
  /** True when the database has nothing of it. */
  readonly isUnknown: boolean;
  /** How many captures its transcripts do not have. */
  readonly extra: number;
  readonly notHere: NotHere | null;
}

/** A line that cannot be read. */
export interface DamagedLine {
  readonly path: string;
  /** From 1; null when the file as a whole cannot be read. */
  readonly line: number | null;
  readonly reason: string;
}

/** What a comparison found. */
export interface Comparison {
  /** Those of which there is anything to compare, in the order of their beginnings. */
  readonly sessions: readonly ComparedSession[];
  /** How many sessions were read, also those without anything to compare. */
  readonly read: number;
  readonly damaged: readonly DamagedLine[];
  /** Captures of sessions that have no transcript here; sessions that were not looked at do not count. */
  readonly withoutTranscript: number;
  /** How many captures were written, and of how many sessions; null when nothing was to be written. */
  readonly filled: { readonly written: number; readonly sessions: number } | null;
}

/** What is compared; times in epoch milliseconds. */
export interface CompareOptions {
  /** The path of the database. */
  readonly database: string;
  readonly projectOf: (dir: string | null) => Promise<TranscriptProject>;
  readonly wanted: (sessionId: string, project: TranscriptProject) => boolean;
  /** Items before then are left out. */
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Whether what is missing is written. */
  readonly fills: boolean;
  /** Whether all transcripts are read, so that captures without one count. */
  readonly isWhole: boolean;
  readonly onProgress?: (read: { readonly files: number; readonly bytes: number }) => void;
}

/** Hooks may write so much later than the transcript, in milliseconds. */
const LEFT_TO_HOOKS_MS = 60_000;

/** Captures that one transaction writes: few, so that hooks wait only a short time. */
const BATCH_ROWS = 50;

/** After so many batches the write-ahead log is moved into the database, so that it stays short. */
const CHECKPOINT_EVERY_BATCHES = 32;

/** The captures that hooks make of words. */
const WORDS_EVENTS = Object.values(WORDS).map(({ event }) => event);

/** The session while its transcripts are read. */
type OpenSession = { -readonly [Key in keyof ComparedSession]: ComparedSession[Key] } & {
  readonly missing: Gap[];
  readonly excluded: Record<string, number>;
  readonly kept: KeptCaptures;
  /** Whether this run has added it to the database. */
  isOurs: boolean;
};

/** An item of the file that is being read. */
interface FoundItem {
  readonly session: OpenSession;
  readonly gap: Gap;
  readonly branch: string | null;
  /** Null for a tool use that the database has. */
  readonly capture: Capture | null;
}

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
  const comparer = new Comparer(db, options);
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const tell = (offset: number) => options.onProgress?.({ files: index, bytes: bytes + offset });
    await comparer.read(file, tell);
    bytes += file.bytes;
  }
  return comparer.end();
}

class Comparer {
  /** Null for a session that is not to be compared. */
  readonly #sessions = new Map<string, OpenSession | null>();
  readonly #damaged: DamagedLine[] = [];
  /** Items that were read, since a forked session repeats them. */
  readonly #seen = new Set<string>();
  readonly #untilMs: number;
  #batches = 0;

  constructor(readonly db: DatabaseSync, readonly options: CompareOptions) {
    this.#untilMs = options.nowMs - LEFT_TO_HOOKS_MS;
  }

  async read(file: TranscriptFile, onLine: (offset: number) => void): Promise<void> {
    const { path } = file;
    const reader = transcriptReader();
    let found: FoundItem[] = [];
    const add = async (items: readonly TranscriptItem[]) => {
      for (const item of items) found.push(...await this.#found(item));
    };
    try {
      for (const { number, value, fault, isEnded, offset } of transcriptLines(path)) {
        onLine(offset);
        if (fault !== null) {
          // The last line of a file that grows is being written.
          if (isEnded || file.changedMs < this.#untilMs) {
            this.#damaged.push({ path, line: number, reason: isEnded ? fault : "it is cut off" });
          }
          continue;
        }
        const { items, isCopied, sessionId, cwd } = reader.take(value);
        if (sessionId !== null) await this.#meet(sessionId, { cwd, path });
        // All items so far were copied from another session.
        if (isCopied) found = [];
        await add(items);
      }
    } catch (thrown) {
      this.#damaged.push({ path, line: null, reason: messageOf(thrown) });
    }
    await add(reader.end());
    this.#settle(found);
  }

  /** The first line of a session that names a folder decides which project the session is of. */
  async #meet(
    sessionId: string,
    { cwd, path }: { readonly cwd: string | null; readonly path: string },
  ): Promise<void> {
    const known = this.#sessions.get(sessionId);
    if (known) known.cwd = cwd ?? known.cwd;
    if (known !== undefined || cwd === null) return;
    const project = await this.options.projectOf(cwd);
    if (!this.options.wanted(sessionId, project)) {
      this.#sessions.set(sessionId, null);
      return;
    }
    const kept = new KeptCaptures(this.db, sessionId);
    this.#sessions.set(sessionId, {
      ...{ sessionId, project, transcriptPath: path, cwd, kept },
      ...{ title: null, branch: null, firstAtMs: Infinity, lastAtMs: 0, isOurs: false },
      ...{ found: 0, missing: [], forgotten: 0, excluded: {}, recent: 0, extra: 0 },
      isUnknown: kept.captured.size + kept.observed.size === 0,
      notHere: this.#notHere(project, kept),
    });
  }

  #notHere(project: TranscriptProject, { sessionId, captured, observed }: KeptCaptures) {
    if (project.database === null) return "off";
    if (project.database !== this.options.database) return "elsewhere";
    const isRemoved = captured.size === 0 && observed.size > 0 &&
      !isKnownSession(this.db, sessionId);
    return isRemoved ? "removed" : null;
  }

  /** Counts an item with its session, and gives it when it is to be compared. */
  async #found(item: TranscriptItem): Promise<FoundItem[]> {
    const { sessionId, kind, atMs, uuid } = item;
    // Hooks do not keep sessions of the summarizer either.
    if (kind === "prompt" && isSummarizerInput(item.text)) this.#sessions.set(sessionId, null);
    const session = this.#sessions.get(sessionId);
    const once = kind === "toolUse" ? `${uuid} ${item.toolUseId}` : uuid;
    if (!session || atMs < this.options.sinceMs || this.#seen.has(once)) return [];
    this.#seen.add(once);
    session.firstAtMs = Math.min(session.firstAtMs, atMs);
    if (atMs >= this.#untilMs) {
      session.recent++;
      return [];
    }
    const { project, excluded, kept } = session;
    const excludedBy = exclusionIn(project, item);
    if (excludedBy !== null) {
      excluded[excludedBy] = (excluded[excludedBy] ?? 0) + 1;
      return [];
    }
    const toolUseId = kind === "toolUse" ? item.toolUseId : null;
    const gap = { captureId: captureIdOf(item), kind, name: nameOf(item), toolUseId, atMs };
    session.branch = item.branch ?? session.branch;
    const isKept = toolUseId !== null && kept.has(gap);
    const capture = isKept ? null : await captureOf(item, project);
    if (kind === "prompt") session.title ??= titleOf(capture!.payload);
    return [{ session, gap, branch: project.hide(item.branch), capture }];
  }

  /** Compares the items of a file once it was read: only then is it known which of them were copied. */
  #settle(found: readonly FoundItem[]): void {
    for (const { session, gap } of found) {
      session.found++;
      session.lastAtMs = Math.max(session.lastAtMs, gap.atMs);
    }
    for (const [session, items] of Map.groupBy(found, (one) => one.session)) {
      if (session.notHere !== null || this.#sessions.get(session.sessionId) === null) continue;
      const open = items.filter(({ capture }) => capture !== null);
      for (let at = 0; at < open.length; at += BATCH_ROWS) {
        const compare = () => this.#compare(session, open.slice(at, at + BATCH_ROWS));
        if (!this.options.fills) compare();
        else {
          transaction(this.db, compare);
          if (++this.#batches % CHECKPOINT_EVERY_BATCHES === 0) checkpoint(this.db, "PASSIVE");
        }
      }
    }
  }

  /** Finds what is missing and was not forgotten, and writes it, in the transaction of the caller, if that is wanted. */
  #compare(session: OpenSession, items: readonly FoundItem[]): void {
    const { db, options: { fills, nowMs } } = this;
    const { sessionId, kept } = session;
    const away = stayAway(db);
    // Hooks and another backfill may have written meanwhile.
    if (fills) kept.look();
    const lacking = items.filter(({ gap, capture }) => {
      if (kept.take(gap, capture!)) return false;
      const isAway = isForgotten(session, gap, { capture: capture!, away });
      if (isAway) session.forgotten++;
      else kept.add(gap);
      return !isAway;
    });
    session.missing.push(...lacking.map(({ gap }) => gap));
    if (!fills || lacking.length === 0) return;
    const past = pastSessionOf(session, { nowMs, away });
    session.isOurs = savePastSession(db, past, session) || session.isOurs;
    for (const { gap: { captureId: id, atMs }, branch, capture } of lacking) {
      insertCapture(db, { id, atMs, sessionId, session: { branch } }, capture!);
    }
  }

  end(): Comparison {
    const all = [...this.#sessions.values()].filter((one) => one !== null);
    const sessions = all
      .filter((one) => one.found + one.recent + Object.keys(one.excluded).length > 0)
      .sort((a, b) => a.firstAtMs - b.firstAtMs);
    const { fills, isWhole } = this.options;
    for (const session of sessions) {
      const { missing, kept, found, forgotten, recent, notHere } = session;
      missing.sort((a, b) => a.atMs - b.atMs);
      const here = found - forgotten + recent;
      session.extra = notHere === null ? Math.max(0, kept.captured.size - here) : 0;
    }
    const filled = sessions.filter(({ missing }) => missing.length > 0);
    const written = filled.reduce((sum, { missing }) => sum + missing.length, 0);
    return {
      sessions,
      read: all.length,
      damaged: this.#damaged,
      withoutTranscript: isWhole
        ? countCapturesExcept(this.db, all.map(({ sessionId }) => sessionId))
        : 0,
      filled: fills ? { written, sessions: filled.length } : null,
    };
  }
}

/** The captures of a session: those in the queue, those that became observations, and what transcripts add. */
class KeptCaptures {
  /** The ids of captures in the queue, and of those that are missing there and known by now. */
  readonly captured = new Set<string>();
  /** The ids of captures that observations were made of. */
  readonly observed: ReadonlySet<string>;
  readonly #uses = new Set<string>();
  /** The keys of words that no item stands for yet: words have no lasting id. */
  readonly #words: string[] = [];
  #place = 0;

  constructor(readonly db: DatabaseSync, readonly sessionId: string) {
    this.observed = new Set(observationUids(db, sessionId));
    this.look();
  }

  /** Reads the captures that came since the last look. */
  look(): void {
    const { db, sessionId, captured } = this;
    const since = { after: this.#place, payloadsOf: WORDS_EVENTS };
    for (const row of capturesAfter(db, sessionId, since)) {
      this.#place = Math.max(this.#place, row.place);
      if (captured.has(row.id)) continue;
      this.add({ ...row, captureId: row.id });
      const payload = row.payload === null ? null : readablePayload({ ...row });
      if (payload !== null) this.#words.push(...keysOfCapture(row.toolName, payload));
    }
  }

  add({ captureId, toolUseId }: Pick<Gap, "captureId" | "toolUseId">): void {
    this.captured.add(captureId);
    if (toolUseId !== null) this.#uses.add(toolUseId);
  }

  has({ captureId, toolUseId }: Gap): boolean {
    return toolUseId !== null && this.#uses.has(toolUseId) || this.captured.has(captureId) ||
      this.observed.has(captureId);
  }

  /** Whether the database has an item. Each capture of words stands for one item. */
  take(gap: Gap, { toolName, payload }: Capture): boolean {
    const [key] = keysOfCapture(toolName, payload);
    const at = key === undefined ? -1 : this.#words.indexOf(key);
    if (at >= 0) this.#words.splice(at, 1);
    return at >= 0 || this.has(gap);
  }
}

/** Whether an item was forgotten, by itself or with its session, project or time. */
function isForgotten(
  { sessionId, project: { repository, dir } }: ComparedSession,
  { captureId, atMs, toolUseId }: Gap,
  { capture: { toolName, payload }, away }: {
    readonly capture: Capture;
    readonly away: StayAway;
  },
): boolean {
  return away.has({
    ...{ sessionId, project: repository ?? dir, atMs, names: [captureId] },
    use: toolUseId === null
      ? undefined
      : { toolUseId, key: () => useKeyOfCapture({ toolUseId, toolName, payload }) },
    keys: keysOfCapture(toolName, payload),
  });
}

/** The configuration key that excludes an item; null when hooks may keep it. */
function exclusionIn(project: TranscriptProject, item: TranscriptItem): string | null {
  if (project.excludedBy !== null || item.kind !== "toolUse") return project.excludedBy;
  const { toolName, toolInput, cwd } = item;
  return exclusionOf(project.config, { toolName, toolInput, folder: cwd, projectDir: project.dir });
}

/** The title of a session, from its first prompt. */
function titleOf(payload: string): string | null {
  const prompt = String(JSON.parse(payload).prompt);
  return isOwnPrompt(prompt) ? null : titleLine(prompt, MAX_SESSION_TITLE_CHARS) || null;
}

/** The row of a session. Retention keeps even an old one for a day, so that the drain can observe it. */
function pastSessionOf(
  session: ComparedSession,
  { nowMs, away }: { readonly nowMs: number; readonly away: StayAway },
) {
  const { project, sessionId, title, firstAtMs, lastAtMs } = session;
  const { sessionRetentionDays: days } = project.config;
  const keptFromMs = days === 0 ? 0 : nowMs - daysMs(days) + daysMs(1);
  // The title is the first prompt, which may have been forgotten.
  const isTitleForgotten = title !== null &&
    away.has({ sessionId, atMs: firstAtMs, names: [], keys: [titleKey(title)] });
  return {
    sessionId,
    title: isTitleForgotten ? null : title,
    projectDir: project.hide(project.dir),
    repository: project.hide(project.repository),
    branch: project.hide(session.branch),
    cwd: project.hide(session.cwd),
    transcriptPath: project.hide(session.transcriptPath),
    startedAtMs: firstAtMs,
    updatedAtMs: lastAtMs,
    endedAtMs: Math.max(lastAtMs, Math.min(nowMs, keptFromMs)),
  };
}
