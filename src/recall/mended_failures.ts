/** Pairs failures with what mended them. */
import type { DatabaseSync } from "node:sqlite";
import { digestOf } from "../memory/fnv.ts";
import { describeFix } from "../memory/mended.ts";
import type { ObservedFile } from "../memory/observation.ts";
import { indexedTerms } from "../memory/terms.ts";
import { digestsOf } from "../store/memory_context.ts";
import {
  changesBetween,
  openFailures,
  resolveFailure,
  saveObservation,
} from "../store/observations.ts";
import { askForSummary, type ClaimedCapture } from "../store/queue_work.ts";

/** What is between a failure and its success, at most. */
const MAX_CHANGES = 20;

/** A command passes: what had failed before is mended, by whatever was changed between. */
export function mendFailures(
  db: DatabaseSync,
  { capture, mends, by, nowMs }: {
    readonly capture: ClaimedCapture;
    readonly mends: string;
    readonly by: number;
    readonly nowMs: number;
  },
): void {
  const { id, sessionId, project, branch, createdAtMs } = capture;
  const before = { sameAs: digestOf(mends), project, before: createdAtMs, nowMs };
  for (const failure of openFailures(db, before)) {
    const changes = changesBetween(db, sessionId, {
      fromMs: failure.updatedAtMs,
      untilMs: createdAtMs,
      limit: MAX_CHANGES,
    });
    let resolvedBy = by;
    if (changes.length > 0) {
      const { files, ...fix } = describeFix(failure, changes);
      resolvedBy = saveObservation(db, {
        ...fix,
        uid: `${id}/fix/${failure.id}`,
        sessionId,
        project,
        branch,
        kind: "fix",
        outcome: "success",
        terms: indexedTerms([fix.title, fix.text, ...files].join("\n"), project),
        files: filesOf(db, changes, files),
        sameAs: null,
        atMs: createdAtMs,
      });
    }
    resolveFailure(db, failure.id, resolvedBy);
    if (failure.sessionId !== sessionId) askForSummary(db, failure.sessionId);
  }
}

/** The files of some changes, with the content that the last of them left. */
function filesOf(
  db: DatabaseSync,
  changes: readonly { readonly id: number }[],
  paths: readonly string[],
): ObservedFile[] {
  const digests = digestsOf(db, changes.map(({ id }) => id));
  return paths.map((path) => {
    const last = changes.findLast(({ id }) => digests.get(id)?.has(path));
    return { path, digest: (last && digests.get(last.id)?.get(path)) ?? null };
  });
}
