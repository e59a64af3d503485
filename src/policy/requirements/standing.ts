/** Whether a requirement is satisfied, from what is stored about it. */
import type { Requirement, Scope } from "./requirement_policy.ts";

export type SatisfiedBy = "skill" | "cli" | "cli_bypass" | "approval" | "carry_over" | "import";

/** A branch of a repository, which all of its worktrees share. */
export interface BranchKey {
  readonly repository: string;
  readonly branch: string;
}

/** What is stored about a requirement on a branch, for one session or for all. */
export interface Standing {
  readonly requirement: string;
  /** The full id; empty where it counts for the whole branch. */
  readonly sessionId: string;
  readonly scope: Scope;
  /** Null where the requirement was triggered and not satisfied. */
  readonly satisfiedAtMs: number | null;
  readonly satisfiedBy: SatisfiedBy | null;
  /** The first time, if another session satisfied it and this one took it over; else the same as `satisfiedAtMs`. */
  readonly originalAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When a tool use of the session first fell under it; null when none did. */
  readonly triggeredAtMs: number | null;
  readonly triggeredBy: string | null;
  /** `asked`: the tool use may not have run, since a person was asked or nobody reported its end. */
  readonly triggerState: "allowed" | "asked" | "ran" | null;
  /** Set where the event that satisfied it lacks a proof: why, and whether it counts all the same. */
  readonly unproven?: { readonly why: string; readonly counts: boolean };
}

/** The session id that stands for the whole branch. */
export const WHOLE_BRANCH = "";

/**
 * Whether something stored satisfies a requirement; conditions are judged elsewhere. A satisfaction of the whole
 * branch counts for every session. The scopes `branch` and `permanent` have no other; `permanent` never expires.
 * `standings` are all those of the branch, in any order.
 */
export function isSatisfied(
  requirement: Pick<Requirement, "name" | "scope">,
  standings: readonly Standing[],
  now: { readonly sessionId: string; readonly atMs: number },
): boolean {
  return satisfyingOf(requirement, standings, now) !== undefined;
}

/** The standing that satisfies it: proven ones come first, then those of the branch. */
export function satisfyingOf(...about: Parameters<typeof isSatisfied>): Standing | undefined {
  const told = toldOf(...about);
  return told.find(({ unproven }) => unproven === undefined) ??
    told.find(({ unproven }) => unproven?.counts);
}

/** A satisfaction without proof, where there is none with proof; undefined otherwise. */
export function unprovenOf(...about: Parameters<typeof isSatisfied>): Standing | undefined {
  const told = toldOf(...about);
  return told.every(({ unproven }) => unproven !== undefined) ? told[0] : undefined;
}

/** All its satisfactions that have not expired, those of the branch first. */
function toldOf(
  ...[{ name, scope }, standings, { sessionId, atMs }]: Parameters<typeof isSatisfied>
): Standing[] {
  return [...new Set([WHOLE_BRANCH, ownerOf(scope, sessionId)])].flatMap((owner) =>
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
  const owners = [WHOLE_BRANCH, ownerOf(scope, sessionId)];
  return standings.filter(({ requirement, sessionId: owner, satisfiedAtMs, expiresAtMs }) =>
    requirement === name && owners.includes(owner) && satisfiedAtMs !== null &&
    expiresAtMs !== null && expiresAtMs <= atMs
  ).sort((one, other) => other.expiresAtMs! - one.expiresAtMs!)[0];
}

/** Where a satisfaction is stored: for the session, or for the branch. */
export function ownerOf(scope: Scope, sessionId: string): string {
  return scope === "branch" || scope === "permanent" ? WHOLE_BRANCH : sessionId;
}

/** Whether a tool use of the session fell under it and ran, as far as anybody knows. */
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
