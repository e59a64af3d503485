/** Whether a requirement is satisfied, from what is stored about it. */
import type { Requirement, Scope } from "./requirement_policy.ts";

export type SatisfiedBy = "skill" | "cli" | "cli_bypass" | "approval" | "carry_over" | "import";

/** What is stored of a requirement on a branch, for one session or for all. */
export interface Standing {
  readonly requirement: string;
  /** The full id; empty for the whole branch. */
  readonly sessionId: string;
  readonly scope: Scope;
  /** Null where it was only triggered. */
  readonly satisfiedAtMs: number | null;
  readonly satisfiedBy: SatisfiedBy | null;
  /** When it was satisfied in the session that it was carried over from; else the same as `satisfiedAtMs`. */
  readonly originalAtMs: number | null;
  /** When it ends; null without an end. */
  readonly expiresAtMs: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When a tool use of the session first fell under it; null when none did. */
  readonly triggeredAtMs: number | null;
  readonly triggeredBy: string | null;
  /** `asked`: it may not have run, since a person was asked, or no end was reported. */
  readonly triggerState: "allowed" | "asked" | "ran" | null;
  /** Set for a satisfaction by an event without a proof: the reason, and whether it counts nevertheless. */
  readonly unproven?: { readonly why: string; readonly counts: boolean };
}

/** The session id that stands for the whole branch. */
export const WHOLE_BRANCH = "";

/**
 * Whether a requirement is satisfied on this branch, by word alone: conditions are looked at elsewhere.
 *
 * A satisfaction of the branch counts for every session. `branch` and `permanent` know no other; `permanent` never
 * expires.
 *
 * @param standings Those of the branch, in any order; others' sessions are passed over.
 */
export function isSatisfied(
  requirement: Pick<Requirement, "name" | "scope">,
  standings: readonly Standing[],
  now: { readonly sessionId: string; readonly atMs: number },
): boolean {
  return satisfyingOf(requirement, standings, now) !== undefined;
}

/** The standing that satisfies it: proven ones first, then the branch's before the session's. */
export function satisfyingOf(...about: Parameters<typeof isSatisfied>): Standing | undefined {
  const told = toldOf(...about);
  return told.find(({ unproven }) => unproven === undefined) ??
    told.find(({ unproven }) => unproven?.counts);
}

/** The unproven satisfaction that would count alone; undefined when there is none. */
export function unprovenOf(...about: Parameters<typeof isSatisfied>): Standing | undefined {
  const told = toldOf(...about);
  return told.every(({ unproven }) => unproven !== undefined) ? told[0] : undefined;
}

/** All its satisfactions that have not expired, the branch's first. */
function toldOf(
  ...[{ name, scope }, standings, { sessionId, atMs }]: Parameters<typeof isSatisfied>
): Standing[] {
  const owners = scope === "branch" || scope === "permanent"
    ? [WHOLE_BRANCH]
    : [WHOLE_BRANCH, sessionId];
  return owners.flatMap((owner) =>
    standings.filter((standing) =>
      standing.sessionId === owner && standing.requirement === name &&
      standing.satisfiedAtMs !== null &&
      (scope === "permanent" || standing.expiresAtMs === null || atMs < standing.expiresAtMs)
    )
  );
}

/** The satisfaction that expired last; undefined when there is none. */
export function expiredOf(
  { name, scope }: Pick<Requirement, "name" | "scope">,
  standings: readonly Standing[],
  { sessionId, atMs }: { readonly sessionId: string; readonly atMs: number },
): Standing | undefined {
  const owners = [
    WHOLE_BRANCH,
    ...(scope === "branch" || scope === "permanent" ? [] : [sessionId]),
  ];
  return standings.filter(({ requirement, sessionId: owner, satisfiedAtMs, expiresAtMs }) =>
    requirement === name && owners.includes(owner) && satisfiedAtMs !== null &&
    expiresAtMs !== null && expiresAtMs <= atMs
  ).sort((one, other) => other.expiresAtMs! - one.expiresAtMs!)[0];
}

/** Where a satisfaction is stored: for the session, or for the branch. */
export function ownerOf(scope: Scope, sessionId: string): string {
  return scope === "branch" || scope === "permanent" ? WHOLE_BRANCH : sessionId;
}

/** Whether a tool use of the session fell under it and was not refused, as far as is known. */
export function isTriggered(
  { name }: Pick<Requirement, "name">,
  standings: readonly Standing[],
  sessionId: string,
): boolean {
  return standings.some((standing) =>
    standing.requirement === name && standing.sessionId === sessionId &&
    standing.triggeredAtMs !== null && standing.triggerState !== "asked"
  );
}
