/** Reads transcripts and lists everything that hooks should have kept; no contents are held. */
import { exclusionOf } from "../../capture/exclusion.ts";
import { messageOf } from "../../errors.ts";
import {
  type ItemKind,
  mayTell,
  type TranscriptItem,
  transcriptReader,
} from "../../memory/transcript/reader.ts";
import { isSummarizerInput } from "../../memory/summarizer_text.ts";
import { isOwnPrompt } from "../../memory/transcript/spoken.ts";
import { titleLine } from "../../memory/text.ts";
import type { Capture } from "../../store/captures.ts";
import { MAX_SESSION_TITLE_CHARS, wordsKey } from "../../memory/capture_keys.ts";
import { captureIdOf, captureOf, nameOf, useKeyOf } from "./capture_of.ts";
import { fileLines, MAX_LINE_BYTES, type TranscriptFile } from "./find.ts";
import type { TranscriptProject } from "./project.ts";

/** Something in a transcript that hooks should have kept. */
export interface Entry {
  /** The id that its capture gets when it is filled in. */
  readonly id: string;
  readonly kind: ItemKind;
  /** Of the tool, or of the event. */
  readonly name: string;
  /** Null for words. */
  readonly toolUseId: string | null;
  /** Tells tool uses with one id apart; null for words. */
  readonly useKey: string | null;
  /** Tells words apart; null for a tool use. */
  readonly wordsKey: string | null;
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
  entries: Entry[];
  /** How much the configuration keeps out, by its keys. */
  readonly excluded: Record<string, number>;
  /** How much is so new that a hook may still be at it. */
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

/** What a scan goes by. */
export interface ScanOptions {
  readonly projectOf: (dir: string | null) => Promise<TranscriptProject>;
  /** Items from then on are left out, since their hooks may still be at work; epoch milliseconds. */
  readonly untilMs: number;
  /** Earlier items are left out; epoch milliseconds. */
  readonly sinceMs: number;
  /** Which sessions are looked at. */
  readonly wanted: (sessionId: string, project: TranscriptProject) => boolean;
  /** Called now and then. */
  readonly onProgress: (read: { readonly files: number; readonly bytes: number }) => void;
}

/** Looks through transcripts, in the order of {@linkcode TranscriptFile}s that `findTranscripts` gives. */
export async function scanTranscripts(
  files: readonly TranscriptFile[],
  options: ScanOptions,
): Promise<Scan> {
  const sessions = new Map<string, ScannedSession>();
  const damaged: DamagedLine[] = [];
  const shared = { sessions, seen: new Set<string>(), unwanted: new Set<string>() };
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const scan = new FileScan(file, { ...options, ...shared });
    for await (const { item, offset } of itemsOf(file, { ...options, damaged, scan })) {
      if (item !== null) await scan.add(item);
      options.onProgress({ files: index, bytes: bytes + offset });
    }
    scan.finish();
    bytes += file.bytes;
    options.onProgress({ files: index + 1, bytes });
  }
  return { sessions, damaged };
}

interface FileItem {
  /** Null for a line that brings none. */
  readonly item: TranscriptItem | null;
  readonly offset: number;
}

/** The items of a file, in its order. */
async function* itemsOf(
  file: TranscriptFile,
  { damaged, untilMs, scan }: {
    readonly damaged: DamagedLine[];
    readonly untilMs: number;
    readonly scan: FileScan;
  },
): AsyncGenerator<FileItem> {
  const { path } = file;
  const reader = transcriptReader();
  try {
    for (const { number, text, isEnded, offset } of fileLines(path)) {
      const line = text === null ? tooLong : parsedLine(text);
      if ("reason" in line) {
        if (isEnded || file.changedMs < untilMs) {
          damaged.push({ path, line: number, reason: isEnded ? line.reason : "it is cut off" });
        }
        continue;
      }
      const { items, isCopied, sessionId, cwd } = reader.take(line.value);
      if (sessionId !== null) await scan.meet(sessionId, cwd);
      if (isCopied) scan.forget();
      for (const item of items) yield { item, offset };
      yield { item: null, offset };
    }
  } catch (thrown) {
    damaged.push({ path, line: null, reason: messageOf(thrown) });
  }
  for (const item of reader.end()) yield { item, offset: file.bytes };
}

const tooLong = { reason: `it is longer than ${MAX_LINE_BYTES / 1_048_576} MiB` };

/** A line as JSON; of one that tells nothing only that it looks whole. The engine's own message would quote the text. */
export function parsedLine(
  text: string,
): { readonly value: unknown } | { readonly reason: string } {
  if (!mayTell(text)) {
    const isWhole = text.startsWith("{") && text.trimEnd().endsWith("}");
    return isWhole ? { value: null } : { reason: "it is no JSON object" };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { reason: "it is not JSON" };
  }
}

/** Collects what one file adds to the sessions. */
class FileScan {
  /** Entries of this file; those of a copied part go again. */
  #entries: { readonly session: ScannedSession; readonly entry: Entry }[] = [];

  constructor(
    readonly file: TranscriptFile,
    readonly all: Pick<ScanOptions, "projectOf" | "untilMs" | "sinceMs" | "wanted"> & {
      readonly sessions: Map<string, ScannedSession>;
      readonly unwanted: Set<string>;
      readonly seen: Set<string>;
    },
  ) {}

  /** A line names a session: the first one that also names a folder says which project it is of. */
  async meet(sessionId: string, cwd: string | null): Promise<void> {
    const { sessions, wanted, projectOf, unwanted } = this.all;
    const known = sessions.get(sessionId);
    if (known !== undefined) known.cwd = cwd ?? known.cwd;
    if (known !== undefined || cwd === null || unwanted.has(sessionId)) return;
    const project = await projectOf(cwd);
    if (!wanted(sessionId, project)) {
      unwanted.add(sessionId);
      return;
    }
    sessions.set(sessionId, {
      sessionId,
      project,
      transcriptPath: this.file.path,
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

  /** Drops the entries so far: the file has copied them from another session. */
  forget(): void {
    this.#entries = [];
  }

  async add(item: TranscriptItem): Promise<void> {
    const { sessions, seen, untilMs, sinceMs, unwanted } = this.all;
    // What the summarizer says to itself no hook keeps either.
    if (item.kind === "prompt" && isSummarizerInput(item.text)) {
      unwanted.add(item.sessionId);
      sessions.delete(item.sessionId);
    }
    const session = sessions.get(item.sessionId);
    const once = item.kind === "toolUse" ? `${item.uuid} ${item.toolUseId}` : item.uuid;
    if (session === undefined || item.atMs < sinceMs || seen.has(once)) return;
    seen.add(once);
    session.firstAtMs = Math.min(session.firstAtMs, item.atMs);
    if (item.atMs >= untilMs) {
      session.recent++;
      return;
    }
    const excludedBy = exclusionIn(session.project, item);
    if (excludedBy !== null) {
      session.excluded[excludedBy] = (session.excluded[excludedBy] ?? 0) + 1;
      return;
    }
    const capture = item.kind === "toolUse" ? null : await captureOf(item, session.project);
    if (item.kind === "prompt" && capture !== null) session.title ??= titleOf(capture);
    session.branch = item.branch ?? session.branch;
    const entry: Entry = {
      id: captureIdOf(item),
      kind: item.kind,
      name: nameOf(item),
      toolUseId: item.kind === "toolUse" ? item.toolUseId : null,
      useKey: item.kind === "toolUse" ? useKeyOf(item, session.project) : null,
      wordsKey: item.kind === "toolUse" ? null : wordsKey(item.kind, capture?.payload ?? "{}"),
      atMs: item.atMs,
      path: this.file.path,
    };
    this.#entries.push({ session, entry });
  }

  finish(): void {
    for (const { session, entry } of this.#entries) {
      session.entries.push(entry);
      session.lastAtMs = Math.max(session.lastAtMs, entry.atMs);
    }
  }
}

/** The key of the configuration that keeps an item out; null when it may be kept. */
export function exclusionIn(project: TranscriptProject, item: TranscriptItem): string | null {
  if (project.excludedBy !== null || item.kind !== "toolUse") return project.excludedBy;
  const { toolName, toolInput, cwd } = item;
  return exclusionOf(project.config, {
    toolName,
    toolInput,
    folder: cwd,
    projectDir: project.dir,
  });
}

/** The title of a session, made of its first prompt. */
function titleOf({ payload }: Capture): string | null {
  const prompt = String(JSON.parse(payload).prompt);
  return isOwnPrompt(prompt) ? null : titleLine(prompt, MAX_SESSION_TITLE_CHARS) || null;
}
