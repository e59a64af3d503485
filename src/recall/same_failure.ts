/** Finds the failure of which another one is a repeat. */
import type { DatabaseSync } from "node:sqlite";
import { digestOf } from "../memory/fnv.ts";
import type { Observed } from "../memory/observation.ts";
import { isSameFailure } from "../memory/observe/same_failure.ts";
import type { ClaimedCapture } from "../store/queue_work.ts";
import { openFailuresOfSession, sameFailure } from "../store/open_failures.ts";

/** What repeats of an observation have in common in their session, as it is stored; null when it has none. */
export function storedSameAs(
  db: DatabaseSync,
  { sameAs, wrong, facts }: Observed,
  capture: Pick<ClaimedCapture, "sessionId" | "branch">,
): string | null {
  if (sameAs === null) return null;
  const of = digestOf(sameAs);
  if (wrong === undefined) return of;
  const exact = sameFailure(of, digestOf(wrong));
  const known = openFailuresOfSession(db, capture, of);
  if (known.some(({ sameAs }) => sameAs === exact)) return exact;
  return known.find((one) => isSameFailure(one.facts, facts))?.sameAs ?? exact;
}
