import type { DatabaseSync } from "node:sqlite";
import { digestOf } from "../memory/fnv.ts";
import { summarizeSession } from "../memory/session_summary.ts";
import { indexedTerms } from "../memory/terms.ts";
import { transaction } from "../store/database.ts";
import { observationsToSummarize, replaceObservation } from "../store/observations.ts";
import { forgetSummaryRequest, sessionsToSummarize } from "../store/queue_work.ts";

/** Observations that a summary looks at: the newest. */
const MAX_PARTS = 400;
const BATCH = 100;

/**
 * Writes the summaries anew of sessions that have news, each in a transaction of its own.
 *
 * @returns How many; `complete` is false when the time ran out first.
 */
export function writeSummaries(
  db: DatabaseSync,
  { untilMs }: { readonly untilMs: number },
): { readonly summaries: number; readonly complete: boolean } {
  let summaries = 0;
  for (;;) {
    const sessions = sessionsToSummarize(db, BATCH);
    if (sessions.length === 0) return { summaries, complete: true };
    for (const sessionId of sessions) {
      if (performance.now() >= untilMs) return { summaries, complete: false };
      transaction(db, () => writeSummary(db, sessionId));
      summaries++;
    }
  }
}

function writeSummary(db: DatabaseSync, sessionId: string): void {
  const parts = observationsToSummarize(db, sessionId, MAX_PARTS);
  const last = parts.at(-1);
  const summary = summarizeSession(parts);
  if (last !== undefined && summary !== null) {
    const { title, text, files, open } = summary;
    replaceObservation(db, {
      uid: `summary/${sessionId}`,
      sessionId,
      project: last.project,
      branch: last.branch,
      kind: "summary",
      outcome: null,
      title,
      text,
      terms: indexedTerms([title, text, ...files].join("\n"), last.project),
      files: files.map((path) => ({ path, digest: null })),
      facts: { open },
      sameAs: digestOf("summary"),
      atMs: last.updatedAtMs,
    });
  }
  forgetSummaryRequest(db, sessionId);
}
