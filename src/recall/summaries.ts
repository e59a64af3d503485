import type { DatabaseSync } from "node:sqlite";
import { digestOf } from "../memory/fnv.ts";
import {
  endInWords,
  type SessionEnd,
  whyCutOff,
  withEnd,
  withoutEnd,
} from "../memory/session_end.ts";
import { isSmallTalk, type SummarizedPart, summarizeSession } from "../memory/session_summary.ts";
import { summaryUid } from "../memory/summary_uid.ts";
import { indexedTerms } from "../memory/terms.ts";
import { indexTogether } from "../store/index_together.ts";
import { type Observation, replaceObservation } from "../store/observations.ts";
import {
  commandsToSummarize,
  observationsToSummarize,
  usedTools,
} from "../store/session_observations.ts";
import { forgetSummaryRequest, sessionsToSummarize } from "../store/queue_work.ts";
import { sessionEnd } from "../store/session_end.ts";
import { sessionTitle } from "../store/sessions.ts";
import { rewriteSummary, summaryOf } from "../store/summarizer_runs.ts";

/** Observations that a summary looks at: the newest. */
const MAX_PARTS = 400;
/** Commands that it looks at. */
const MAX_COMMANDS = 60;
const BATCH = 100;
/** A transaction takes in further summaries until so many milliseconds have passed: hooks wait for it. */
const TRANSACTION_MS = 5;

const NO_PLACE = { project: null, branch: null };

/** What became of the summaries so far. */
export interface SummariesReport {
  readonly summaries: number;
  /** False when the time ran out first. */
  readonly complete: boolean;
}

/** Writes the summaries anew of sessions that have news; a step is a transaction with a few of them. */
export function* summarySteps(
  db: DatabaseSync,
  { untilMs }: { readonly untilMs: number },
): Generator<number, SummariesReport> {
  let summaries = 0;
  for (;;) {
    const sessions = sessionsToSummarize(db, BATCH);
    if (sessions.length === 0) return { summaries, complete: true };
    for (let at = 0; at < sessions.length;) {
      const [from, startMs] = [at, performance.now()];
      if (startMs >= untilMs) return { summaries, complete: false };
      indexTogether(db, () => {
        do writeSummary(db, sessions[at++]!); while (
          at < sessions.length && performance.now() < startMs + TRANSACTION_MS
        );
      });
      summaries += at - from;
      yield 0;
    }
  }
}

/**
 * Says of a summary that was made without a model whether it is the same, and of the same. How its session ended is not of that:
 * no model is asked once more for it.
 */
export function digestOfSummary(
  db: DatabaseSync,
  { sessionId, title, text, facts, files }: Observation,
): string {
  const parts = observationsToSummarize(db, sessionId, MAX_PARTS);
  return digestOfParts({ title, text, files, facts }, parts);
}

function digestOfParts(
  { title, text, files, facts }: Pick<Observation, "title" | "text" | "files" | "facts">,
  parts: readonly Pick<Observation, "title">[],
): string {
  const titles = parts.map(({ title }) => title);
  const { open = [], underWay } = facts;
  const told = [title, withoutEnd(text), open, files, titles];
  return digestOf(JSON.stringify(underWay === undefined ? told : [...told, underWay]));
}

/** What is known of a session beside what was worked in. */
interface Besides {
  /** Those that wait to be worked in, oldest first. */
  readonly prompts: readonly SummarizedPart[];
  /** Where it is. */
  readonly place: { readonly project: string; readonly branch: string | null };
  /** Whether tool uses of it wait as well. */
  readonly hasWorked: boolean;
}

/** Writes the summary of a session anew. */
export function writeSummary(db: DatabaseSync, sessionId: string, besides?: Besides): void {
  const known = observationsToSummarize(db, sessionId, MAX_PARTS);
  const waiting = besides?.prompts ?? [];
  const parts: readonly SummarizedPart[] = waiting.length === 0
    ? known
    : [...known, ...waiting].sort((one, other) => seenAtMs(one) - seenAtMs(other));
  const last = parts.at(-1);
  const end = sessionEnd(db, sessionId);
  const isUnderWay = end !== null && (end.turn?.kind ?? "ended") !== "ended";
  const commands = commandsToSummarize(db, sessionId, MAX_COMMANDS);
  const called = sessionTitle(db, sessionId);
  const summary = summarizeSession(parts, commands, { isUnderWay, called });
  const stored = summaryOf(db, sessionId);
  const rewrittenFrom = stored?.facts.rewrittenFrom;
  const ended = end === null ? "" : endInWords(end);
  // What a model has made of the same stays.
  const isRewritten = summary !== null && rewrittenFrom !== undefined &&
    rewrittenFrom === digestOfParts(summary, parts);
  if (isRewritten) tellEnd(db, stored!, ended);
  else if (last !== undefined && summary !== null) {
    const { title, files, facts } = summary;
    const text = withEnd(summary.text, ended);
    const { project, branch } = known.at(-1) ?? besides?.place ?? NO_PLACE;
    const isTrivial = isSmallTalk(parts) && besides?.hasWorked !== true &&
      !usedTools(db, sessionId) && !wasLost(end, facts.underWay?.about ?? "");
    replaceObservation(db, {
      uid: summaryUid(sessionId),
      sessionId,
      project,
      branch,
      kind: "summary",
      outcome: null,
      title,
      text,
      terms: indexedTerms([title, text, ...files].join("\n"), project),
      files: files.map((path) => ({ path, digest: null })),
      facts: {
        ...facts,
        ...ended === "" ? {} : { end: ended },
        ...isTrivial ? { trivial: true } : {},
      },
      sameAs: digestOf("summary"),
      atMs: last.updatedAtMs,
    });
  }
  forgetSummaryRequest(db, sessionId);
}

function seenAtMs({ createdAtMs, updatedAtMs }: SummarizedPart): number {
  return createdAtMs ?? updatedAtMs;
}

/** A model's words stay; how the session ended is said behind them. */
function tellEnd(db: DatabaseSync, stored: Observation, ended: string): void {
  const { id, title, files, project, facts } = stored;
  // The model was told of it.
  if ((facts.end ?? "") === ended) return;
  const text = withEnd(stored.text, ended);
  const terms = indexedTerms([title, text, ...files].join("\n"), project);
  rewriteSummary(db, id, { text, terms, rewrittenFrom: facts.rewrittenFrom ?? "", end: ended });
}

/** Whether nobody has answered what a session was asked, in more than a word, for it was cut off, and not by the person. */
function wasLost(end: SessionEnd | null, about: string): boolean {
  const isLost = end !== null && (end.turn?.kind === "failed" || end.status === "abandoned");
  return isLost && whyCutOff(end) !== null && about.includes(" ");
}
