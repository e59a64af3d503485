/** Which failures are ends that were left open. */
import type { ObservationKind, ObservedFacts } from "./observation.ts";
import { areAmong } from "./observe/same_tests.ts";

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

/**
 * Without the failures of a command on a branch that fails in another way since, and without those of tests that another
 * one tells of as well. What ended at its first failure says nothing of those that one told which ran to its end.
 */
export function newestOfEach<Failure extends OfCommand>(failures: readonly Failure[]): Failure[] {
  const whole = new Map<string, Failure>();
  const early = new Map<string, Failure>();
  for (const one of failures) {
    const newest = one.facts.stopsEarly === true ? early : whole;
    const key = keyOf(one);
    const known = newest.get(key);
    if (known === undefined || isNewer(one, known)) newest.set(key, one);
  }
  const isTold = (one: Failure) => {
    const key = keyOf(one);
    const all = whole.get(key);
    return all === one || early.get(key) === one && (all === undefined || isNewer(one, all));
  };
  return withoutSameTests(failures.filter(isTold));
}

/** Tests that failed in several runs are told once: with the most of them, by one that went to its end, by the newest. */
function withoutSameTests<Failure extends OfCommand>(failures: readonly Failure[]): Failure[] {
  const places = Map.groupBy(
    failures.filter(({ facts }) => facts.failsAt !== undefined),
    ({ branch, facts }) => JSON.stringify([branch, facts.failsAt!.place]),
  );
  const again = new Set<Failure>();
  for (const same of places.values()) {
    for (const one of same) {
      const isTold = same.some((other) =>
        other !== one && areAmong(one.facts, other.facts) &&
        (!areAmong(other.facts, one.facts) || tellsMore(other, one))
      );
      if (isTold) again.add(one);
    }
  }
  return failures.filter((one) => !again.has(one));
}

function tellsMore(one: OfCommand, other: OfCommand): boolean {
  const [isEarly, isOtherEarly] = [one, other].map(({ facts }) => facts.stopsEarly === true);
  return isEarly === isOtherEarly ? isNewer(one, other) : isOtherEarly!;
}

function keyOf({ id, branch, facts }: OfCommand): string {
  return JSON.stringify([branch, facts.of ?? id]);
}

function isNewer(one: OfCommand, other: OfCommand): boolean {
  return one.updatedAtMs > other.updatedAtMs ||
    one.updatedAtMs === other.updatedAtMs && one.id > other.id;
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
