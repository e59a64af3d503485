/** Reads transcripts and lists everything that hooks should have kept. The contents are not held. */
import { exclusionOf } from "../../config/exclusion.ts";
import { messageOf } from "../../base/errors.ts";
import { isOwnPrompt } from "../../claude/transcript/spoken.ts";
import { isSummarizerInput } from "../../memory/drain/summarizer.ts";
import { titleLine } from "../../memory/text.ts";
import {
  type ItemKind,
  type TranscriptItem,
  transcriptReader,
} from "../../claude/transcript/transcript_reader.ts";
import { keysOfCapture, MAX_SESSION_TITLE_CHARS } from "../../memory/observe/capture_keys.ts";
import { captureIdOf, captureOf, nameOf, useKeyOf } from "./capture_of.ts";
import { fileLines, parseLine, type TranscriptFile } from "./find_transcripts.ts";
import type { TranscriptProject } from "./project.ts";

/** Something in a transcript that hooks should have kept. */
export interface Entry {
  /** The id of its capture. */
  readonly id: string;
  readonly kind: ItemKind;
  /** Of the tool, or of the event. */
  readonly name: string;
  /** Null for words. */
  readonly toolUseId: string | null;
  /** Tells tool uses with the same id apart; null for words. */
  readonly useKey: string | null;
  /** Tell words apart; empty for a tool use. */
  readonly wordsKeys: readonly string[];
  readonly atMs: number;
  readonly path: string;
}

/** A session as its transcripts tell it. */
export interface ScannedSession {
  readonly sessionId: string;
  readonly project: TranscriptProject;
  readonly transcriptPath: string;
  title: string | null;
  cwd: string | null;
  branch: string | null;
  firstAtMs: number;
  lastAtMs: number;
  readonly entries: Entry[];
  /** How many items the configuration excludes, by its keys. */
  readonly excluded: Record<string, number>;
  /** How many items are so new that a hook may still write them. */
  recent: number;
}

/** A line that cannot be read. */
export interface DamagedLine {
  readonly path: string;
  /** From 1; null when the file as a whole cannot be read. */
  readonly line: number | null;
  readonly reason: string;
}

/** What a scan found. */
export interface Scan {
  readonly sessions: ReadonlyMap<string, ScannedSession>;
  readonly damaged: readonly DamagedLine[];
}

/** What a scan looks at; times in epoch milliseconds. */
export interface ScanOptions {
  readonly projectOf: (dir: string | null) => Promise<TranscriptProject>;
  /** Items from then on are left out, and a cut last line in a file that was written since then is no damage. */
  readonly untilMs: number;
  /** Items before then are left out. */
  readonly sinceMs: number;
  readonly wanted: (sessionId: string, project: TranscriptProject) => boolean;
  readonly onProgress: (read: { readonly files: number; readonly bytes: number }) => void;
}

/** Scans transcripts, in the order in which `findTranscripts` gives them. */
export async function scanTranscripts(
  files: readonly TranscriptFile[],
  options: ScanOptions,
): Promise<Scan> {
  const scanner = new Scanner(options);
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    await scanner.read(
      file,
      (offset) => options.onProgress({ files: index, bytes: bytes + offset }),
    );
    bytes += file.bytes;
    options.onProgress({ files: index + 1, bytes });
  }
  return scanner;
}

class Scanner implements Scan {
  readonly sessions = new Map<string, ScannedSession>();
  readonly damaged: DamagedLine[] = [];
  /** Items that were read, since a forked session repeats them. */
  readonly #seen = new Set<string>();
  readonly #unwanted = new Set<string>();
  /** Entries of the file that is being read. */
  #found: { readonly session: ScannedSession; readonly entry: Entry }[] = [];

  constructor(readonly options: ScanOptions) {}

  async read(file: TranscriptFile, onLine: (offset: number) => void): Promise<void> {
    const { path } = file;
    const reader = transcriptReader();
    this.#found = [];
    try {
      for (const { number, text, isEnded, offset } of fileLines(path)) {
        onLine(offset);
        const line = parseLine(text);
        if ("reason" in line) {
          if (isEnded || file.changedMs < this.options.untilMs) {
            const reason = isEnded ? line.reason : "it is cut off";
            this.damaged.push({ path, line: number, reason });
          }
          continue;
        }
        const { items, isCopied, sessionId, cwd } = reader.take(line.value);
        if (sessionId !== null) await this.#meet(sessionId, { cwd, path });
        // All entries so far were copied from another session.
        if (isCopied) this.#found = [];
        for (const item of items) await this.#add(item, path);
      }
    } catch (thrown) {
      this.damaged.push({ path, line: null, reason: messageOf(thrown) });
    }
    for (const item of reader.end()) await this.#add(item, path);
    for (const { session, entry } of this.#found) {
      session.entries.push(entry);
      session.lastAtMs = Math.max(session.lastAtMs, entry.atMs);
    }
  }

  /** The first line of a session that names a folder decides which project the session is of. */
  async #meet(
    sessionId: string,
    { cwd, path }: { readonly cwd: string | null; readonly path: string },
  ): Promise<void> {
    const known = this.sessions.get(sessionId);
    if (known !== undefined) known.cwd = cwd ?? known.cwd;
    if (known !== undefined || cwd === null || this.#unwanted.has(sessionId)) return;
    const project = await this.options.projectOf(cwd);
    if (!this.options.wanted(sessionId, project)) {
      this.#unwanted.add(sessionId);
      return;
    }
    this.sessions.set(sessionId, {
      sessionId,
      project,
      transcriptPath: path,
      title: null,
      cwd,
      branch: null,
      firstAtMs: Infinity,
      lastAtMs: 0,
      entries: [],
      excluded: {},
      recent: 0,
    });
  }

  async #add(item: TranscriptItem, path: string): Promise<void> {
    const { sessionId, kind, atMs, uuid } = item;
    // Hooks do not keep sessions of the summarizer either.
    if (kind === "prompt" && isSummarizerInput(item.text)) {
      this.#unwanted.add(sessionId);
      this.sessions.delete(sessionId);
    }
    const session = this.sessions.get(sessionId);
    const once = kind === "toolUse" ? `${uuid} ${item.toolUseId}` : uuid;
    if (session === undefined || atMs < this.options.sinceMs || this.#seen.has(once)) return;
    this.#seen.add(once);
    session.firstAtMs = Math.min(session.firstAtMs, atMs);
    if (atMs >= this.options.untilMs) {
      session.recent++;
      return;
    }
    const { project, excluded } = session;
    const excludedBy = exclusionIn(project, item);
    if (excludedBy !== null) {
      excluded[excludedBy] = (excluded[excludedBy] ?? 0) + 1;
      return;
    }
    const name = nameOf(item);
    const payload = kind === "toolUse" ? "{}" : (await captureOf(item, project)).payload;
    if (kind === "prompt") session.title ??= titleOf(payload);
    session.branch = item.branch ?? session.branch;
    const entry: Entry = {
      id: captureIdOf(item),
      kind,
      name,
      toolUseId: kind === "toolUse" ? item.toolUseId : null,
      useKey: kind === "toolUse" ? useKeyOf(item, project) : null,
      wordsKeys: keysOfCapture(name, payload),
      atMs,
      path,
    };
    this.#found.push({ session, entry });
  }
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
