/** Reads transcripts once, finds what the database lacks of them, and writes it as hooks would have written it. */
import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../base/errors.ts";
import { matchesAny } from "../../base/paths.ts";
import { isOwnPrompt } from "../../claude/transcript/spoken.ts";
import {
  type TranscriptItem,
  transcriptReader,
} from "../../claude/transcript/transcript_reader.ts";
import { exclusionOf } from "../../config/exclusion.ts";
import { checkpoint } from "../../db/database.ts";
import { countCapturesExcept } from "../../db/past_sessions.ts";
import { transaction } from "../../db/transaction.ts";
import { isSummarizerInput } from "../../memory/drain/summarizer.ts";
import { MAX_SESSION_TITLE_CHARS } from "../../memory/observe/capture_keys.ts";
import { titleLine } from "../../memory/text.ts";
import type { Locations } from "../../system/environment.ts";
import {
  captureIdOf,
  captureOf,
  nameOf,
  projectFinder,
  type TranscriptProject,
} from "./capture_of.ts";
import { ComparedSession, type FoundItem } from "./compared_session.ts";
import { type TranscriptFile, transcriptLines } from "./find_transcripts.ts";

/** A line that cannot be read. */
interface DamagedLine {
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
  readonly onProgress?: (read: { readonly files: number; readonly bytes: number }) => void;
}

/** Hooks may write so much later than the transcript, in milliseconds. */
const LEFT_TO_HOOKS_MS = 60_000;

/** Captures that one transaction writes: few, so that hooks wait only a short time. */
const BATCH_ROWS = 50;

/** After so many batches the write-ahead log is moved into the database, so that it stays short. */
const CHECKPOINT_EVERY_BATCHES = 32;

type Found = readonly [session: ComparedSession, item: FoundItem];

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
  readonly #sessions = new Map<string, ComparedSession | null>();
  readonly #damaged: DamagedLine[] = [];
  /** Items that were read, since a forked session repeats them. */
  readonly #seen = new Set<string>();
  readonly #untilMs: number;
  readonly #projectOf: ReturnType<typeof projectFinder>;
  #batches = 0;

  constructor(readonly db: DatabaseSync, readonly options: CompareOptions) {
    this.#untilMs = options.nowMs - LEFT_TO_HOOKS_MS;
    this.#projectOf = projectFinder(options.locations);
  }

  async read(file: TranscriptFile, onLine: (offset: number) => void): Promise<void> {
    const { path } = file;
    const reader = transcriptReader();
    let found: Found[] = [];
    const add = async (items: readonly TranscriptItem[]) => {
      for (const item of items) found.push(...await this.#found(item));
    };
    try {
      for (const { number, value, fault, isEnded, offset } of transcriptLines(path)) {
        onLine(offset);
        // The last line of a file that grows is being written.
        if (fault !== null && (isEnded || file.changedMs < this.#untilMs)) {
          this.#damaged.push({ path, line: number, reason: isEnded ? fault : "it is cut off" });
        }
        const { items, isCopied, sessionId, cwd } = reader.take(value);
        if (sessionId !== null && cwd !== null) await this.#meet(sessionId, cwd, path);
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
  async #meet(sessionId: string, cwd: string, transcript: string): Promise<void> {
    const known = this.#sessions.get(sessionId);
    if (known) known.cwd = cwd;
    if (known !== undefined) return;
    const { wanted, database } = this.options;
    const project = await this.#projectOf(cwd);
    this.#sessions.set(
      sessionId,
      wanted(sessionId, project)
        ? new ComparedSession(this.db, sessionId, project, { database, transcript, cwd })
        : null,
    );
  }

  /** Counts an item with its session, and gives it when hooks should have kept it. */
  async #found(item: TranscriptItem): Promise<Found[]> {
    const { sessionId, kind, atMs, uuid } = item;
    // Hooks do not keep sessions of the summarizer either.
    if (kind === "prompt" && isSummarizerInput(item.text)) this.#sessions.set(sessionId, null);
    const session = this.#sessions.get(sessionId);
    const toolUseId = kind === "toolUse" ? item.toolUseId : null;
    const once = `${uuid} ${toolUseId}`;
    if (!session || atMs < this.options.sinceMs || this.#seen.has(once)) return [];
    this.#seen.add(once);
    session.firstAtMs = Math.min(session.firstAtMs, atMs);
    if (atMs >= this.#untilMs) {
      session.recent++;
      return [];
    }
    const { project, excluded } = session;
    const excludedBy = exclusionIn(project, item);
    if (excludedBy !== null) {
      excluded[excludedBy] = (excluded[excludedBy] ?? 0) + 1;
      return [];
    }
    session.branch = item.branch ?? session.branch;
    const gap = { captureId: captureIdOf(item), kind, name: nameOf(item), toolUseId, atMs };
    const isKept = toolUseId !== null && session.has(gap);
    const capture = isKept ? null : await captureOf(item, project);
    if (kind === "prompt") session.title ??= titleOf(capture!.payload);
    return [[session, { ...gap, branch: project.hide(item.branch), capture }]];
  }

  /** Compares the items of a file once it was read: only then is it known which of them were copied. */
  #settle(found: readonly Found[]): void {
    const { fills, nowMs } = this.options;
    for (const [session, those] of Map.groupBy(found, ([session]) => session)) {
      const items = those.map(([, item]) => item);
      session.found += items.length;
      session.lastAtMs = items.reduce((last, { atMs }) => Math.max(last, atMs), session.lastAtMs);
      if (session.notHere !== null || this.#sessions.get(session.sessionId) === null) continue;
      const open = items.filter(({ capture }) => capture !== null);
      for (let at = 0; at < open.length; at += BATCH_ROWS) {
        const batch = open.slice(at, at + BATCH_ROWS);
        if (!fills) session.compare(batch);
        else transaction(this.db, () => session.fill(batch, nowMs));
        const isTime = fills && ++this.#batches % CHECKPOINT_EVERY_BATCHES === 0;
        if (isTime) checkpoint(this.db, "PASSIVE");
      }
    }
  }

  end(): Comparison {
    const { fills, isWhole } = this.options;
    const all = [...this.#sessions.values()].filter((one) => one !== null);
    const sessions = all
      .filter((one) => one.found + one.recent + Object.keys(one.excluded).length > 0)
      .sort((a, b) => a.firstAtMs - b.firstAtMs);
    for (const { missing } of sessions) missing.sort((a, b) => a.atMs - b.atMs);
    const filled = sessions.filter(({ missing }) => missing.length > 0);
    const written = filled.reduce((sum, { missing }) => sum + missing.length, 0);
    const ids = all.map(({ sessionId }) => sessionId);
    return {
      sessions,
      read: all.length,
      damaged: this.#damaged,
      withoutTranscript: isWhole ? countCapturesExcept(this.db, ids) : 0,
      filled: fills ? { written, sessions: filled.length } : null,
    };
  }
}

/** The configuration key that excludes an item; null when hooks may keep it. */
function exclusionIn({ config, dir }: TranscriptProject, item: TranscriptItem): string | null {
  if (!config.captureEnabled) return "capture.enabled";
  if (matchesAny(config.excludeProjects, dir ?? "")) return "capture.exclude.projects";
  if (item.kind !== "toolUse") return null;
  const { toolName, toolInput, cwd } = item;
  return exclusionOf(config, { toolName, toolInput, folder: cwd, projectDir: dir });
}

/** The title of a session, from its first prompt. */
function titleOf(payload: string): string | null {
  const prompt = String(JSON.parse(payload).prompt);
  return isOwnPrompt(prompt) ? null : titleLine(prompt, MAX_SESSION_TITLE_CHARS) || null;
}
