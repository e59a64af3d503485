/** What a comparison with transcripts found, for people and for programs. */
import { count } from "../counts.ts";
import { plain } from "../capture/plain.ts";
import { ITEM_KINDS, type ItemKind } from "../memory/transcript/reader.ts";
import type { ComparedSession } from "../recall/transcripts/compare.ts";
import type { Entry } from "../recall/transcripts/scan.ts";
import { shortSessionId } from "../ids.ts";
import type { TranscriptOutcome } from "./transcript_run.ts";

/** So many gaps of a session are named in a text, unless more are asked for. */
const NAMED_GAPS = 20;

const KIND_NAMES: Readonly<Record<ItemKind, readonly [one: string, more: string]>> = {
  toolUse: ["tool use", "tool uses"],
  prompt: ["prompt", "prompts"],
  lastMessage: ["last message", "last messages"],
  compaction: ["compaction", "compactions"],
};

/** How many gaps there were, and how many are left. */
export function gapsOf({ sessions, filled }: TranscriptOutcome): {
  readonly gaps: number;
  readonly left: number;
} {
  const gaps = sessions.reduce((sum, { missing }) => sum + missing.length, 0);
  return { gaps, left: filled === null ? gaps : 0 };
}

/** Everything that was found, each gap by itself. */
export function outcomeJson(outcome: TranscriptOutcome): Readonly<Record<string, unknown>> {
  const { database, transcripts, sessions, withoutTranscript, damaged, filled } = outcome;
  return {
    database,
    transcripts,
    ...gapsOf(outcome),
    withoutTranscript,
    sessions: sessions.map((compared) => {
      const { session, missing, forgotten, isUnknown, extra, notHere } = compared;
      const { sessionId, project, transcriptPath, entries, excluded, recent } = session;
      return {
        sessionId,
        projectDir: project.hide(project.dir),
        transcript: transcriptPath,
        state: notHere?.kind ?? "compared",
        ...(notHere?.kind === "elsewhere" ? { keptIn: notHere.database } : {}),
        found: entries.length,
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

/** The same as lines. @param options `all`: name every gap of a session, however many there are. */
export function outcomeLines(
  outcome: TranscriptOutcome,
  { all }: { readonly all: boolean },
): string[] {
  const { transcripts, sessions, damaged, withoutTranscript } = outcome;
  const { gaps } = gapsOf(outcome);
  const withGaps = sessions.filter(({ missing }) => missing.length > 0);
  const sum = (of: (one: ComparedSession) => number) =>
    sessions.reduce((total, one) => total + of(one), 0);
  const excluded = sum(({ session }) =>
    Object.values(session.excluded).reduce((total, count) => total + count, 0)
  );
  const recent = sum(({ session }) => session.recent);
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

/** What cannot be read, a line for each file and reason. */
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
  { session, missing, isUnknown }: ComparedSession,
  limit: number,
): string[] {
  const { sessionId, project, entries } = session;
  const what = ITEM_KINDS.flatMap((kind) => {
    const missed = countOf(missing, kind);
    return missed === 0 ? [] : [count(missed, ...KIND_NAMES[kind])];
  });
  const named = missing.slice(0, limit).map(({ atMs, name, toolUseId }) =>
    `  ${new Date(atMs).toISOString().slice(0, 19)}Z  ${name}${
      toolUseId === null ? "" : `  ${toolUseId}`
    }`
  );
  const more = missing.length - named.length;
  return [
    `${shortSessionId(sessionId)}  ${
      project.hide(project.dir)
    }  ${missing.length} of ${entries.length} missing: ` +
    `${what.join(", ")}${isUnknown ? "; nothing of it is kept" : ""}`,
    ...named,
    ...more > 0 ? [`  … ${more} more: conclaude reconcile --session ${sessionId}`] : [],
  ].map(plain);
}

function notHereLine({ session, notHere }: ComparedSession): string {
  const why = notHere?.kind === "elsewhere"
    ? `its project keeps it in ${notHere.database}`
    : notHere?.kind === "off"
    ? "its project keeps no database"
    : "worked into memory; its captures were removed when they were too old";
  return plain(`not here    ${shortSessionId(session.sessionId)}: ${why}`);
}

function countOf(entries: readonly Entry[], kind: ItemKind): number {
  return entries.filter((entry) => entry.kind === kind).length;
}

function keysOf(sessions: readonly ComparedSession[]): string {
  return [...new Set(sessions.flatMap(({ session }) => Object.keys(session.excluded)))].join(", ");
}
