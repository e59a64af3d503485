import type { DatabaseSync } from "node:sqlite";
import { digestOf } from "../memory/fnv.ts";
import { isSmallTalk, summarizeSession } from "../memory/session_summary.ts";
import { summaryUid } from "../memory/summary_uid.ts";
import { indexedTerms } from "../memory/terms.ts";
import { transaction } from "../store/database.ts";
import { type Observation, replaceObservation } from "../store/observations.ts";
import {
  commandsToSummarize,
  observationsToSummarize,
  usedTools,
} from "../store/session_observations.ts";
import { forgetSummaryRequest, sessionsToSummarize } from "../store/queue_work.ts";
import { summaryOf } from "../store/summarizer_runs.ts";

/** Observations that a summary looks at: the newest. */
const MAX_PARTS = 400;
/** Commands that it looks at. */
const MAX_COMMANDS = 60;
const BATCH = 100;
/** A transaction takes in further summaries until so many milliseconds have passed: hooks wait for it. */
const TRANSACTION_MS = 5;

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
      transaction(db, () => {
        do writeSummary(db, sessions[at++]!); while (
          at < sessions.length && performance.now() < startMs + TRANSACTION_MS
        );
      });
      summaries += at - from;
      yield 0;
    }
  }
}

/** Says of a summary that was made without a model whether it is the same, and of the same. */
export function digestOfSummary(
  db: DatabaseSync,
  { sessionId, title, text, facts, files }: Observation,
): string {
  const parts = observationsToSummarize(db, sessionId, MAX_PARTS);
  return digestOfParts({ title, text, files, facts }, parts);
}

function digestOfParts(
  { title, text, files, facts }: Pick<Observation, "title" | "text" | "files" | "facts">,
  parts: readonly Observation[],
): string {
  return digestOf(
    JSON.stringify([title, text, facts.open ?? [], files, parts.map(({ title }) => title)]),
  );
}

function writeSummary(db: DatabaseSync, sessionId: string): void {
  const parts = observationsToSummarize(db, sessionId, MAX_PARTS);
  const last = parts.at(-1);
  const summary = summarizeSession(parts, commandsToSummarize(db, sessionId, MAX_COMMANDS));
  const known = summaryOf(db, sessionId)?.facts.rewrittenFrom;
  // What a model has made of the same stays.
  const isRewritten = summary !== null && known !== undefined &&
    known === digestOfParts(summary, parts);
  if (last !== undefined && summary !== null && !isRewritten) {
    const { title, text, files, facts } = summary;
    const isTrivial = isSmallTalk(parts) && !usedTools(db, sessionId);
    replaceObservation(db, {
      uid: summaryUid(sessionId),
      sessionId,
      project: last.project,
      branch: last.branch,
      kind: "summary",
      outcome: null,
      title,
      text,
      terms: indexedTerms([title, text, ...files].join("\n"), last.project),
      files: files.map((path) => ({ path, digest: null })),
      facts: isTrivial ? { ...facts, trivial: true } : facts,
      sameAs: digestOf("summary"),
      atMs: last.updatedAtMs,
    });
  }
  forgetSummaryRequest(db, sessionId);
}
