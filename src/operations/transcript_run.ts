/** Compares transcripts with the database, fills the gaps and shows them, for `reconcile` and `import transcripts`. */
import { plain } from "../base/plain.ts";
import { count, sumOf } from "../base/counts.ts";
import { UserError } from "../base/errors.ts";
import { shortSessionId } from "../base/ids.ts";
import { ITEM_KINDS, type ItemKind } from "../claude/transcript/transcript_reader.ts";
import { isNotFound } from "../system/files.ts";
import { takeInSpool } from "./spool_drain.ts";
import { findTranscripts, type TranscriptFile } from "../claude/transcript/find_transcripts.ts";
import type { ComparedSession, NotHere } from "../upkeep/transfer/compared_session.ts";
import {
  type CompareOptions,
  compareTranscripts,
  type Comparison,
} from "../upkeep/transfer/transcript_gaps.ts";
import { workCaptures } from "./capture_work.ts";
import type { CliContext } from "./context.ts";
import { tellLostForgetKey } from "./take_over.ts";
import { nextHere } from "./next_command.ts";
import { openStore, placeOf } from "./open_store.ts";
import { factLines, tableText } from "./table.ts";
import { progressLine } from "./terminal.ts";
import type { View } from "./view.ts";

/** The transcripts to compare, and what to do with the gaps. */
interface TranscriptWork extends Pick<CompareOptions, "fills" | "isWhole" | "sinceMs" | "wanted"> {
  /** A folder with transcripts, or one transcript. */
  readonly root: string;
  /** Names the work in an error: `compare transcripts`. */
  readonly what: string;
  /** The next step if there are no transcripts. */
  readonly next: string;
  /** What must exist: nothing, the folder, or at least one session in it. */
  readonly needs: "nothing" | "folder" | "session";
  /** Tells whether a file may hold wanted sessions. */
  readonly wantedFile: (file: TranscriptFile) => boolean;
}

interface TranscriptOutcome extends Comparison {
  readonly database: string;
  /** How many transcripts were read. */
  readonly transcripts: number;
  /** How many captures were worked into memory; null if none were to be. */
  readonly worked: number | null;
}

/** Does the work and shows its progress. @throws {UserError} If it finds nothing to read or no place to write. */
export async function runTranscripts(
  context: CliContext,
  work: TranscriptWork,
): Promise<TranscriptOutcome> {
  const { what, next, root, needs, fills, sinceMs } = work;
  const { files, unreadable } = transcriptsIn(work);
  const chosen = files.filter((file) => file.changedMs >= sinceMs && work.wantedFile(file));
  const { database } = await placeOf(context);
  // Opening a switched-off database to write throws; compared with it, everything would be a gap.
  const { db, place } = fills || database === ":memory:"
    ? await openStore(context, "write", what)
    : await openStore(context, "read");
  using _open = db;
  using progress = progressLine(context);
  // Records that wait in the spool are no gaps.
  takeInSpool(db, { database, folders: context.locations.spoolFolders });
  const compared = await compareTranscripts(db, chosen, {
    ...work,
    ...{ database, locations: context.locations },
    nowMs: Date.now(),
    onProgress: (done) => progress.tell("Reading transcripts", { done, of: chosen.length }),
  });
  if (needs === "session" && compared.read === 0) {
    const files = count(chosen.length, "file was", "files were");
    const why = `0 transcripts in "${root}": ${files} read, and no line there tells of a session`;
    throw new UserError(`Cannot ${what}`, { why, next });
  }
  const isNew = (compared.filled?.written ?? 0) > 0 && place.config.memoryEnabled;
  const drained = isNew ? await workCaptures(context, { db, place, progress }) : null;
  if (fills) tellLostForgetKey(context, db);
  const unread = unreadable.map((path) => ({ path, line: null, reason: "it cannot be read" }));
  const damaged = [...unread, ...compared.damaged];
  const worked = drained?.worked ?? null;
  return { ...compared, damaged, database, transcripts: chosen.length, worked };
}

function transcriptsIn({ root, what, next, needs }: TranscriptWork) {
  try {
    return findTranscripts(root);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    if (needs === "nothing") return { files: [], unreadable: [] };
    throw new UserError(`Cannot ${what}`, { why: `there is no folder "${root}"`, next });
  }
}

/** How many sessions with gaps a text names at most. */
const NAMED_SESSIONS = 10;

const KIND_NAMES: Readonly<Record<ItemKind, readonly [one: string, more: string]>> = {
  toolUse: ["tool use", "tool uses"],
  prompt: ["prompt", "prompts"],
  lastMessage: ["last message", "last messages"],
  compaction: ["compaction", "compactions"],
};

interface Showing {
  /** The word for filled gaps. */
  readonly label: "filled" | "imported";
  /** The command that fills the gaps. */
  readonly again: string;
  /** What a text lists: the sessions with gaps, the gaps of one session, or nothing. */
  readonly names?: "sessions" | "gaps" | "nothing";
  readonly first?: string;
}

/** Shows what was found and written: to people in a text, to programs with each gap. */
export function transcriptsView(
  context: CliContext,
  outcome: TranscriptOutcome,
  { label, again, names = "sessions", first }: Showing,
): View {
  const { database, transcripts, sessions, withoutTranscript, damaged, filled, worked } = outcome;
  const sum = (of: (one: ComparedSession) => number) =>
    sessions.reduce((total, one) => total + of(one), 0);
  const withGaps = sessions.filter(({ missing }) => missing.length > 0);
  const gaps = sum(({ missing }) => missing.length);
  const rows = sum(({ lacksRow }) => lacksRow ? 1 : 0);
  const next = filled === null
    ? gaps + rows > 0 ? again : null
    : filled.written > (worked ?? 0)
    ? "conclaude queue drain"
    : null;
  const left = filled === null ? gaps + rows : 0;
  const extra = sum((one) => one.extra) + withoutTranscript;
  const excluded = sum((one) => sumOf(one.excluded));
  const keys = new Set(sessions.flatMap((one) => Object.keys(one.excluded)));
  const eachGap = label === "filled" && names === "sessions" ? "; --session ID names each" : "";
  const counted = (n: number, what: string) => n === 0 ? null : `${n} ${what}`;
  const recent = sum((one) => one.recent);
  const facts = factLines([
    ["transcripts", `${transcripts}, of ${count(sessions.length, "session")}`],
    [
      "gaps",
      names === "nothing" && label !== "filled"
        ? null
        : gaps === 0
        ? "none"
        : `${gaps} in ${count(withGaps.length, "session")}${eachGap}`,
    ],
    [
      "sessions",
      counted(rows, `of which only captures were left${filled === null ? "" : ", made again"}`),
    ],
    ["excluded", counted(excluded, `kept out (${[...keys].join(", ")})`)],
    ["forgotten", counted(sum((one) => one.forgotten), "that stay away")],
    ["recent", counted(recent, "of the last minute, left to the hooks")],
    ["extra", extra === 0 ? null : `${count(extra, "capture")} that no transcript here has`],
    ...sessions.filter((one) => one.notHere !== null)
      .map((one): [string, string] => ["not here", notHereText(one)]),
    ...damageTexts(damaged).map((text): [string, string] => ["damaged", text]),
    [
      label,
      filled && `${count(filled.written, "capture")} of ${count(filled.sessions, "session")}`,
    ],
    ["memory", worked === null ? null : `${count(worked, "capture")} worked in`],
    ["next", next && nextHere(next, context.globals)],
  ], 12);
  const shown = names === "nothing" ? [] : withGaps.slice(0, NAMED_SESSIONS);
  const more = withGaps.length - shown.length;
  const named = shown.length === 0 ? [] : [
    sessionsTable(context, shown),
    ...names === "gaps" ? shown.flatMap(gapLines) : [],
    ...more > 0 ? [`… and ${more} more: --json names all`] : [],
    "",
  ];
  return {
    json: {
      ...{ database, transcripts, gaps, left, withoutTranscript },
      sessions: sessions.map(sessionJson),
      ...{ damaged, filled, worked, next },
    },
    text: [...first === undefined ? [] : [first], ...named, ...facts].join("\n"),
    exitCode: left > 0 && label === "filled" ? 1 : 0,
  };
}

function sessionJson(session: ComparedSession) {
  const { sessionId, project, transcript, missing, notHere } = session;
  const { found, forgotten, isUnknown, lacksRow, extra, excluded, recent } = session;
  return {
    ...{ sessionId, projectDir: project.hide(project.dir), transcript },
    state: notHere ?? "compared",
    ...(notHere === "elsewhere" ? { keptIn: project.database } : {}),
    ...{ found, isUnknown, lacksRow },
    missing: Object.fromEntries(ITEM_KINDS.map((kind) => [kind, countOf(session, kind)])),
    gaps: missing,
    ...{ forgotten, extra, excluded, recent },
  };
}

/** Describes unreadable transcripts, in one text for each file and reason. */
function damageTexts(damaged: TranscriptOutcome["damaged"]): string[] {
  const alike = Map.groupBy(damaged, ({ path, reason }) => JSON.stringify([path, reason]));
  return [...alike.values()].map(([first, ...others]) => {
    const { path, line, reason } = first!;
    const lines = others.length === 0
      ? `, line ${line}`
      : `, ${others.length + 1} lines, the first at ${line}`;
    return `${path}${line === null ? "" : lines}: ${reason}`;
  });
}

function sessionsTable(context: CliContext, sessions: readonly ComparedSession[]): string {
  return tableText(context, sessions, {
    SESSION: ({ sessionId }) => shortSessionId(sessionId),
    MISSING: [({ missing, found }) => `${missing.length} of ${found}`],
    WHAT: (session) =>
      ITEM_KINDS.flatMap((kind) => {
        const missed = countOf(session, kind);
        return missed === 0 ? [] : [count(missed, ...KIND_NAMES[kind])];
      }).join(", ") + (session.isUnknown ? "; nothing of it is kept" : ""),
    PROJECT: ({ project }) => project.hide(project.dir),
  }, "");
}

function gapLines({ missing }: ComparedSession): string[] {
  return missing.map(({ atMs, name, toolUseId }) =>
    plain(`  ${new Date(atMs).toISOString().slice(0, 19)}Z  ${name}  ${toolUseId ?? ""}`.trimEnd())
  );
}

function notHereText({ sessionId, project, notHere }: ComparedSession): string {
  const reasons: Readonly<Record<NotHere, string>> = {
    elsewhere: `its project keeps it in ${project.database}`,
    off: "its project keeps no database",
    removed: "worked into memory; its captures were removed when they were too old",
  };
  return `${shortSessionId(sessionId)}: ${reasons[notHere!]}`;
}

function countOf({ missing }: ComparedSession, kind: ItemKind): number {
  return missing.filter((gap) => gap.kind === kind).length;
}
