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
import { checkpoint } from "../../db/database.ts";
import { isSummarizerInput } from "../../memory/drain/summarizer.ts";
import { keysOfCapture, MAX_SESSION_TITLE_CHARS } from "../../memory/observe/capture_keys.ts";
import { titleLine } from "../../memory/text.ts";
import { stayAway } from "../forget/stay_away_table.ts";
import {
  countCapturesExcept,
  isForgottenCapture,
  type KeptOfSession,
  keptOfSession,
  type PastCapture,
  type PastSession,
  pastWriter,
} from "./backfill_table.ts";
import { captureIdOf, captureOf, nameOf } from "./capture_of.ts";
import { fileLines, parseLine, type TranscriptFile } from "./find_transcripts.ts";
import type { TranscriptProject } from "./project.ts";

/** Something in a transcript that the database lacks. */
export interface Gap {
  /** The id of its capture. */
  readonly id: string;
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

/** The session while its transcripts are read. */
type OpenSession = { -readonly [Key in keyof ComparedSession]: ComparedSession[Key] } & {
  readonly missing: Gap[];
  readonly excluded: Record<string, number>;
  readonly kept: KeptOfSession;
  /** The keys of captured words that no item stands for yet. */
  readonly said: string[];
  readonly write: ReturnType<typeof pastWriter>;
};

/** An item of the file that is being read. */
interface FoundItem {
  readonly session: OpenSession;
  readonly gap: Gap;
  /** Null for a tool use that the database has. */
  readonly past: PastCapture | null;
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
    await comparer.read(
      file,
      (offset) => options.onProgress?.({ files: index, bytes: bytes + offset }),
    );
    bytes += file.bytes;
    options.onProgress?.({ files: index + 1, bytes });
  }
  return comparer.end();
}

class Comparer {
  readonly #sessions = new Map<string, OpenSession>();
  readonly #damaged: DamagedLine[] = [];
  /** Items that were read, since a forked session repeats them. */
  readonly #seen = new Set<string>();
  readonly #unwanted = new Set<string>();
  readonly #filled = new Map<OpenSession, number>();
  readonly #untilMs: number;
  #found: FoundItem[] = [];
  #batches = 0;

  constructor(readonly db: DatabaseSync, readonly options: CompareOptions) {
    this.#untilMs = options.nowMs - LEFT_TO_HOOKS_MS;
  }

  async read(file: TranscriptFile, onLine: (offset: number) => void): Promise<void> {
    const { path } = file;
    const reader = transcriptReader();
    this.#found = [];
    try {
      for (const { number, text, isEnded, offset } of fileLines(path)) {
        onLine(offset);
        const line = parseLine(text);
        if ("reason" in line) {
          // The last line of a file that grows is being written.
          if (isEnded || file.changedMs < this.#untilMs) {
            const reason = isEnded ? line.reason : "it is cut off";
            this.#damaged.push({ path, line: number, reason });
          }
          continue;
        }
        const { items, isCopied, sessionId, cwd } = reader.take(line.value);
        if (sessionId !== null) await this.#meet(sessionId, { cwd, path });
        // All items so far were copied from another session.
        if (isCopied) this.#found = [];
        for (const item of items) await this.#add(item);
      }
    } catch (thrown) {
      this.#damaged.push({ path, line: null, reason: messageOf(thrown) });
    }
    for (const item of reader.end()) await this.#add(item);
    this.#settle();
  }

  /** The first line of a session that names a folder decides which project the session is of. */
  async #meet(
    sessionId: string,
    { cwd, path }: { readonly cwd: string | null; readonly path: string },
  ): Promise<void> {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) known.cwd = cwd ?? known.cwd;
    if (known !== undefined || cwd === null || this.#unwanted.has(sessionId)) return;
    const project = await this.options.projectOf(cwd);
    if (!this.options.wanted(sessionId, project)) {
      this.#unwanted.add(sessionId);
      return;
    }
    const kept = keptOfSession(this.db, sessionId);
    this.#sessions.set(sessionId, {
      ...{ sessionId, project, transcriptPath: path, cwd, kept },
      ...{ title: null, branch: null, firstAtMs: Infinity, lastAtMs: 0 },
      ...{ found: 0, missing: [], forgotten: 0, excluded: {}, recent: 0, extra: 0 },
      isUnknown: kept.captures + kept.observations === 0,
      notHere: notHereOf(project, kept, this.options.database),
      said: [...kept.wordsKeys],
      write: pastWriter(this.db, sessionId),
    });
  }

  async #add(item: TranscriptItem): Promise<void> {
    const { sessionId, kind, atMs, uuid } = item;
    // Hooks do not keep sessions of the summarizer either.
    if (kind === "prompt" && isSummarizerInput(item.text)) {
      this.#unwanted.add(sessionId);
      this.#sessions.delete(sessionId);
    }
    const session = this.#sessions.get(sessionId);
    const once = kind === "toolUse" ? `${uuid} ${item.toolUseId}` : uuid;
    if (session === undefined || atMs < this.options.sinceMs || this.#seen.has(once)) return;
    this.#seen.add(once);
    session.firstAtMs = Math.min(session.firstAtMs, atMs);
    if (atMs >= this.#untilMs) {
      session.recent++;
      return;
    }
    const { project, excluded, kept } = session;
    const excludedBy = exclusionIn(project, item);
    if (excludedBy !== null) {
      excluded[excludedBy] = (excluded[excludedBy] ?? 0) + 1;
      return;
    }
    const toolUseId = kind === "toolUse" ? item.toolUseId : null;
    const gap = { id: captureIdOf(item), kind, name: nameOf(item), toolUseId, atMs };
    session.branch = item.branch ?? session.branch;
    const isKept = toolUseId !== null && (kept.toolUseIds.has(toolUseId) || kept.ids.has(gap.id));
    const past = isKept ? null : {
      ...{ id: gap.id, atMs, branch: project.hide(item.branch) },
      capture: await captureOf(item, project),
    };
    if (kind === "prompt") session.title ??= titleOf(past!.capture.payload);
    this.#found.push({ session, gap, past });
  }

  /** Compares the items of a file once it was read: only then is it known which of them were copied. */
  #settle(): void {
    const away = stayAway(this.db);
    const missing: { readonly session: OpenSession; readonly past: PastCapture }[] = [];
    for (const { session, gap, past } of this.#found) {
      session.found++;
      session.lastAtMs = Math.max(session.lastAtMs, gap.atMs);
      if (session.notHere !== null || past === null || isSaid(session, past)) continue;
      const { sessionId, project: { repository, dir: projectDir } } = session;
      if (isForgottenCapture(past, { sessionId, repository, projectDir }, away)) {
        session.forgotten++;
        continue;
      }
      session.missing.push(gap);
      if (this.options.fills) missing.push({ session, past });
    }
    this.#found = [];
    for (const [session, captures] of Map.groupBy(missing, (one) => one.session)) {
      const isWanted = this.#sessions.has(session.sessionId);
      if (isWanted) this.#write(session, captures.map(({ past }) => past));
    }
  }

  #write(session: OpenSession, captures: readonly PastCapture[]): void {
    const past = pastSessionOf(session, this.options.nowMs);
    for (let at = 0; at < captures.length; at += BATCH_ROWS) {
      const written = session.write(past, captures.slice(at, at + BATCH_ROWS));
      if (written > 0) this.#filled.set(session, (this.#filled.get(session) ?? 0) + written);
      if (++this.#batches % CHECKPOINT_EVERY_BATCHES === 0) checkpoint(this.db, "PASSIVE");
    }
  }

  end(): Comparison {
    const sessions = [...this.#sessions.values()]
      .filter((one) => one.found + one.recent + Object.keys(one.excluded).length > 0)
      .sort((a, b) => a.firstAtMs - b.firstAtMs);
    for (const session of sessions) {
      const { missing, kept, found, forgotten, recent, notHere } = session;
      missing.sort((a, b) => a.atMs - b.atMs);
      const here = found - missing.length - forgotten + recent;
      session.extra = notHere === null ? Math.max(0, kept.captures - here) : 0;
    }
    const written = [...this.#filled.values()].reduce((sum, n) => sum + n, 0);
    return {
      sessions,
      read: this.#sessions.size,
      damaged: this.#damaged,
      withoutTranscript: this.options.isWhole
        ? countCapturesExcept(this.db, this.#sessions.keys())
        : 0,
      filled: this.options.fills ? { written, sessions: this.#filled.size } : null,
    };
  }
}

function notHereOf(
  project: TranscriptProject,
  kept: KeptOfSession,
  database: string,
): NotHere | null {
  if (project.database === null) return "off";
  if (project.database !== database) return "elsewhere";
  const isRemoved = !kept.isKnown && kept.captures === 0 && kept.observations > 0;
  return isRemoved ? "removed" : null;
}

/** Whether the database has these words. They have no lasting id: each capture of words stands for one item. */
function isSaid({ said, kept }: OpenSession, { id, capture }: PastCapture): boolean {
  const [key] = keysOfCapture(capture.toolName, capture.payload);
  const at = key === undefined ? -1 : said.indexOf(key);
  if (at >= 0) said.splice(at, 1);
  return at >= 0 || kept.ids.has(id);
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

/** Retention keeps even an old session for a day, so that the drain can observe it. */
function pastSessionOf(session: ComparedSession, nowMs: number): PastSession {
  const { project, sessionId, title, firstAtMs, lastAtMs } = session;
  const { sessionRetentionDays: days } = project.config;
  const keptFromMs = days === 0 ? 0 : nowMs - daysMs(days) + daysMs(1);
  return {
    sessionId,
    title,
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
