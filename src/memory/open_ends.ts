/** Which failures are ends that were left open. */
import type { ObservationKind, ObservedFacts } from "./observation.ts";

/** What has to be known of an observation. */
export interface MaybeOpen {
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly facts: ObservedFacts;
  readonly resolvedBy: number | null;
}

/** What tells of which command a failure is. */
interface OfCommand {
  readonly id: number;
  readonly branch: string | null;
  readonly facts: ObservedFacts;
  readonly updatedAtMs: number;
}

/** Without the failures of a command on a branch that fails in another way since. */
export function newestOfEach<Failure extends OfCommand>(failures: readonly Failure[]): Failure[] {
  const newest = new Map<string, Failure>();
  for (const one of failures) {
    const { id, branch, facts, updatedAtMs } = one;
    const key = JSON.stringify([branch, facts.of ?? id]);
    const known = newest.get(key);
    const isNewer = known === undefined || updatedAtMs > known.updatedAtMs ||
      updatedAtMs === known.updatedAtMs && id > known.id;
    if (isNewer) newest.set(key, one);
  }
  const kept = new Set(newest.values());
  return failures.filter((one) => kept.has(one));
}

/** How much a failure matters: tests before builds and checks before what else should have worked. */
export const OPEN_RANKS = { tests: 0, checks: 1, others: 2 } as const;

/** Whether something failed that nothing has mended, whether it matters or not. */
export function isUnmended({ kind, outcome, resolvedBy }: Omit<MaybeOpen, "facts">): boolean {
  return (kind === "failure" || kind === "test") && outcome === "failure" && resolvedBy === null;
}

/** The rank of a failure that nothing has mended; null for what is no open end. */
export function openEndRank(one: MaybeOpen): number | null {
  if (!isUnmended(one)) return null;
  const { kind, facts } = one;
  // One of which it is not known is rather told than lost.
  if (facts.openRank === undefined) return kind === "test" ? OPEN_RANKS.tests : OPEN_RANKS.others;
  return facts.openRank;
}
