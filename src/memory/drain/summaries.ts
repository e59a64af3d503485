import type { DatabaseSync } from "node:sqlite";
import { digestOf } from "../../base/fnv.ts";
import { endInWords, whyCutOff, withEnd, withoutEnd } from "../tell/ended_session.ts";
import { isSmallTalk, summarizeSession } from "../tell/session_summary.ts";
import { type Observation, replaceObservation, summaryUid } from "./observations_table.ts";
import { indexedTerms } from "../search/terms.ts";
import { indexTogether } from "../search/memory_index_table.ts";
import { observationsToSummarize, usedTools } from "../observe/session_observations_table.ts";
import { forgetSummaryRequest, sessionsToSummarize } from "../../db/queue_work.ts";
import { sessionEnd, sessionTitle } from "../../db/sessions.ts";
import { rewriteSummary, summaryOf } from "./summarizer_runs_table.ts";

/** Observations that a summary looks at: the newest. */
const MAX_PARTS = 400;
const BATCH = 100;
/** A transaction takes in further summaries until so many milliseconds have passed: hooks wait for it. */
const TRANSACTION_MS = 5;

/** The result of writing summaries. */
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
  return digestOf(JSON.stringify([title, withoutEnd(text), facts.open ?? [], files, titles]));
}

/** Writes the summary of a session anew. */
function writeSummary(db: DatabaseSync, sessionId: string): void {
  const parts = observationsToSummarize(db, sessionId, MAX_PARTS);
  const last = parts.at(-1);
  const summary = summarizeSession(parts, sessionTitle(db, sessionId));
  const end = sessionEnd(db, sessionId);
  const ended = end === null ? "" : endInWords(end);
  const stored = summaryOf(db, sessionId);
  const rewrittenFrom = stored?.facts.rewrittenFrom;
  // What a model has made of the same stays.
  const isRewritten = summary !== null && rewrittenFrom !== undefined &&
    rewrittenFrom === digestOfParts(summary, parts);
  if (isRewritten) tellEnd(db, stored!, ended);
  else if (last !== undefined && summary !== null) {
    const { title, files, facts } = summary;
    const text = withEnd(summary.text, ended);
    const { project, branch } = last;
    const isTrivial = isSmallTalk(parts) && !usedTools(db, sessionId) &&
      (end === null || whyCutOff(end) === null);
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

/** A model's words stay; how the session ended is said behind them. */
function tellEnd(db: DatabaseSync, stored: Observation, ended: string): void {
  const { id, title, files, project, facts } = stored;
  // The model was told of it.
  if ((facts.end ?? "") === ended) return;
  const text = withEnd(stored.text, ended);
  const terms = indexedTerms([title, text, ...files].join("\n"), project);
  rewriteSummary(db, id, { text, terms, rewrittenFrom: facts.rewrittenFrom ?? "", end: ended });
}
