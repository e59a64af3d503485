/** Compares transcripts with the database and fills the gaps, for `reconcile` and `import transcripts`. */
import { plain } from "../base/plain.ts";
import { count } from "../base/counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { messageOf, UserError } from "../base/errors.ts";
import { findTranscripts, type TranscriptFile } from "../upkeep/transfer/find_transcripts.ts";
import { projectFinder, type TranscriptProject } from "../upkeep/transfer/capture_of.ts";
import {
  type ComparedSession,
  compareTranscripts,
  type Comparison,
  type Gap,
  type NotHere,
} from "../upkeep/transfer/transcript_gaps.ts";
import type { CliContext } from "./context.ts";
import { tellLostForgetKey } from "./lost_forget_key.ts";
import { progressLine } from "./terminal.ts";
import { takeInSpool } from "./spool_first.ts";
import { openKeptStore, openStore, placeOf } from "./open_store.ts";
import { bytesText, factLines } from "./table.ts";
import { ITEM_KINDS, type ItemKind } from "../claude/transcript/transcript_reader.ts";
import { shortSessionId } from "../base/ids.ts";
import { isNotFound } from "../system/files.ts";

/** Which transcripts are compared, and what is done with the gaps. */
export interface TranscriptWork {
  /** A folder, or one transcript. */
  readonly root: string;
  /** Whether what is missing is written. */
  readonly fills: boolean;
  /** Names the work in an error: `compare transcripts`. */
  readonly what: string;
  /** What to do when there are no transcripts. */
  readonly next: string;
  /** What must be there: a folder, or at least one session in it. */
  readonly needs: "nothing" | "folder" | "session";
  /** Whether every capture should have a transcript in this folder. */
  readonly isWhole: boolean;
  /** Epoch milliseconds; 0 for everything. */
  readonly sinceMs: number;
  /** Which files may hold wanted sessions. */
  readonly wantedFile: (file: TranscriptFile) => boolean;
  readonly wanted: (sessionId: string, project: TranscriptProject) => boolean;
}

/** The result. */
export interface TranscriptOutcome extends Omit<Comparison, "read"> {
  readonly database: string;
  /** How many transcripts were read. */
  readonly transcripts: number;
}

/** Does the work and shows its progress on a terminal. @throws {UserError} When there is nothing to read, or nowhere to write. */
export async function runTranscripts(
  context: CliContext,
  work: TranscriptWork,
): Promise<TranscriptOutcome> {
  const { files, unreadable } = transcriptsIn(work);
  const { db, database } = await openFor(context, work);
  const progress = progressLine(context);
  try {
    const chosen = files.filter((file) => file.changedMs >= work.sinceMs && work.wantedFile(file));
    const all = chosen.reduce((sum, file) => sum + file.bytes, 0);
    // Records that wait in the spool are no gaps.
    takeInSpool(db, database, context);
    const { wanted, fills, isWhole, sinceMs } = work;
    const compared = await compareTranscripts(db, chosen, {
      ...{ database, wanted, fills, isWhole, sinceMs, nowMs: Date.now() },
      projectOf: projectFinder(context.locations),
      onProgress: ({ files, bytes }) => {
        const read = `${files} of ${count(chosen.length, "transcript")} read`;
        progress.tell(
          `${barText(bytes / all)} ${read}, ${bytesText(bytes)} of ${bytesText(all)} …`,
        );
      },
    });
    if (work.needs === "session" && compared.read === 0) {
      const files = count(chosen.length, "file was", "files were");
      throw new UserError(`Cannot ${work.what}`, {
        why: `0 transcripts in "${work.root}": ${files} read, and no line there tells of a session`,
        next: work.next,
      });
    }
    if (fills) tellLostForgetKey(context, db);
    const damaged = [
      ...unreadable.map((path) => ({ path, line: null, reason: "it cannot be read" })),
      ...compared.damaged,
    ];
    return { ...compared, damaged, database, transcripts: chosen.length };
  } finally {
    progress.end();
    db.close();
  }
}

function transcriptsIn({ root, what, next, needs }: TranscriptWork) {
  const refuse = (why: string) => new UserError(`Cannot ${what}`, { why, next });
  try {
    const found = findTranscripts(root);
    if (found.files.length > 0 || needs !== "session") return found;
  } catch (thrown) {
    if (!isNotFound(thrown)) throw refuse(messageOf(thrown));
    if (needs === "nothing") return { files: [], unreadable: [] };
    throw refuse(`there is no folder "${root}"`);
  }
  throw refuse(`there is no transcript (*.jsonl) in "${root}"`);
}

async function openFor(
  context: CliContext,
  { fills, what }: TranscriptWork,
): Promise<{ readonly db: DatabaseSync; readonly database: string }> {
  const { database } = await placeOf(context);
  // A database that is off would lack everything.
  const { db } = fills || database === ":memory:"
    ? await openKeptStore(context, what)
    : await openStore(context, "read");
  return { db, database };
}

const BAR_CHARS = 20;

function barText(part: number): string {
  const done = Math.min(1, Number.isNaN(part) ? 1 : part);
  return `[${"#".repeat(done * BAR_CHARS).padEnd(BAR_CHARS, "-")}] ${Math.floor(done * 100)} %`;
}

/** So many gaps of a session are named in a text, unless `all` are. */
const NAMED_GAPS = 20;

const KIND_NAMES: Readonly<Record<ItemKind, readonly [one: string, more: string]>> = {
  toolUse: ["tool use", "tool uses"],
  prompt: ["prompt", "prompts"],
  lastMessage: ["last message", "last messages"],
  compaction: ["compaction", "compactions"],
};

/** How many gaps there were, and how many are left. */
export function gapsOf({ sessions, filled }: TranscriptOutcome) {
  const gaps = sessions.reduce((sum, { missing }) => sum + missing.length, 0);
  return { gaps, left: filled === null ? gaps : 0 };
}

/** The result as JSON, with each gap. */
export function outcomeJson(outcome: TranscriptOutcome): Readonly<Record<string, unknown>> {
  const { database, transcripts, sessions, withoutTranscript, damaged, filled } = outcome;
  return {
    database,
    transcripts,
    ...gapsOf(outcome),
    withoutTranscript,
    sessions: sessions.map((session) => {
      const { sessionId, project, transcriptPath, found, missing, notHere } = session;
      const { forgotten, isUnknown, extra, excluded, recent } = session;
      return {
        sessionId,
        projectDir: project.hide(project.dir),
        transcript: transcriptPath,
        state: notHere ?? "compared",
        ...(notHere === "elsewhere" ? { keptIn: project.database } : {}),
        found,
        isUnknown,
        missing: Object.fromEntries(ITEM_KINDS.map((kind) => [kind, countOf(missing, kind)])),
        gaps: missing.map(({ id, kind, name, toolUseId, atMs }) => ({
          kind,
          name,
          toolUseId,
          atMs,
          captureId: id,
        })),
        forgotten,
        extra,
        excluded,
        recent,
      };
    }),
    damaged,
    filled,
  };
}

/** The result as lines. @param options `all`: name every gap of a session. */
export function outcomeLines(
  outcome: TranscriptOutcome,
  { all }: { readonly all: boolean },
): string[] {
  const { transcripts, sessions, damaged, withoutTranscript } = outcome;
  const { gaps } = gapsOf(outcome);
  const withGaps = sessions.filter(({ missing }) => missing.length > 0);
  const sum = (of: (one: ComparedSession) => number) =>
    sessions.reduce((total, one) => total + of(one), 0);
  const excluded = sum((one) => Object.values(one.excluded).reduce((a, b) => a + b, 0));
  const recent = sum((one) => one.recent);
  const forgotten = sum((one) => one.forgotten);
  const extra = sum((one) => one.extra) + withoutTranscript;
  const notHere = sessions.filter((one) => one.notHere !== null);
  return [
    ...withGaps.flatMap((one) => [...sessionLines(one, all ? Infinity : NAMED_GAPS), ""]),
    `transcripts ${transcripts}, of ${count(sessions.length, "session")}`,
    `gaps        ${gaps === 0 ? "none" : `${gaps} in ${count(withGaps.length, "session")}`}`,
    ...excluded === 0 ? [] : [`excluded    ${excluded} by the configuration (${keysOf(sessions)})`],
    ...forgotten === 0 ? [] : [`forgotten   ${forgotten} that stay away`],
    ...recent === 0 ? [] : [`recent      ${recent} of the last minute, left to the hooks`],
    ...extra === 0 ? [] : [`extra       ${count(extra, "capture")} that no transcript here has`],
    ...notHere.map(notHereLine),
    ...damageLines(damaged),
  ];
}

/** The line that says what was written, and the line that says what to do next. */
export function endLines(
  { filled }: TranscriptOutcome,
  { label, next }: { readonly label: "filled" | "imported"; readonly next: string | null },
): string[] {
  const written = filled &&
    `${count(filled.written, "capture")} of ${count(filled.sessions, "session")}`;
  return factLines([[label, written], ["next", next]], 12);
}

/** What cannot be read: one line for each file and reason. */
function damageLines(damaged: TranscriptOutcome["damaged"]): string[] {
  const alike = Map.groupBy(damaged, ({ path, reason }) => JSON.stringify([path, reason]));
  return [...alike.values()].map(([first, ...others]) => {
    const { path, line, reason } = first!;
    const where = line === null
      ? ""
      : others.length === 0
      ? `, line ${line}`
      : `, ${others.length + 1} lines, the first at ${line}`;
    return plain(`damaged     ${path}${where}: ${reason}`);
  });
}

function sessionLines(
  { sessionId, project, found, missing, isUnknown }: ComparedSession,
  limit: number,
): string[] {
  const what = ITEM_KINDS.flatMap((kind) => {
    const missed = countOf(missing, kind);
    return missed === 0 ? [] : [count(missed, ...KIND_NAMES[kind])];
  });
  const named = missing.slice(0, limit).map(({ atMs, name, toolUseId }) => {
    const when = new Date(atMs).toISOString().slice(0, 19);
    return `  ${when}Z  ${name}${toolUseId === null ? "" : `  ${toolUseId}`}`;
  });
  const more = missing.length - named.length;
  const gaps = `${missing.length} of ${found} missing: ${what.join(", ")}`;
  return [
    `${shortSessionId(sessionId)}  ${project.hide(project.dir)}  ${gaps}` +
    (isUnknown ? "; nothing of it is kept" : ""),
    ...named,
    ...more > 0 ? [`  … ${more} more: conclaude reconcile --session ${sessionId}`] : [],
  ].map(plain);
}

function notHereLine({ sessionId, project, notHere }: ComparedSession): string {
  const reasons: Readonly<Record<NotHere, string>> = {
    elsewhere: `its project keeps it in ${project.database}`,
    off: "its project keeps no database",
    removed: "worked into memory; its captures were removed when they were too old",
  };
  return plain(`not here    ${shortSessionId(sessionId)}: ${reasons[notHere!]}`);
}

function countOf(gaps: readonly Gap[], kind: ItemKind): number {
  return gaps.filter((gap) => gap.kind === kind).length;
}

function keysOf(sessions: readonly ComparedSession[]): string {
  return [...new Set(sessions.flatMap((session) => Object.keys(session.excluded)))].join(", ");
}
