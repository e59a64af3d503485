/** What a new session takes over from one that has just ended: a plan that was approved, then executed in a cleared context. */
import type { Requirement, RequirementPolicy } from "./policy.ts";
import { isSatisfied, type Standing, WHOLE_BRANCH } from "./standing.ts";

/** Where a session begins as a new one; a resumed or compacted one has its own standings. */
const NEW_SESSIONS: ReadonlySet<string> = new Set(["startup", "clear"]);

/**
 * The standings of other sessions that a new session takes over: of each requirement whose scope the configuration
 * names, the newest one, if it was satisfied in the window. Judged by when it was first satisfied, so that nothing is
 * carried on for ever. What is a condition is never taken over, nor what has expired, nor what is satisfied already.
 *
 * @param standings All of the branch. @param session `source`: how the session began.
 */
export function carriedOver(
  policy: Pick<RequirementPolicy, "requirements" | "carryOver">,
  standings: readonly Standing[],
  session: { readonly sessionId: string; readonly source: string; readonly atMs: number },
): Standing[] {
  const { carryOver, requirements } = policy;
  if (carryOver === null || !NEW_SESSIONS.has(session.source)) return [];
  return requirements.flatMap((requirement): Standing[] => {
    if (!carryOver.scopes.includes(requirement.scope) || isCondition(requirement)) return [];
    if (isSatisfied(requirement, standings, session)) return [];
    const [newest] = standings
      .filter((one) =>
        one.requirement === requirement.name && one.sessionId !== WHOLE_BRANCH &&
        one.sessionId !== session.sessionId && one.satisfiedAtMs !== null &&
        session.atMs - (one.originalAtMs ?? one.satisfiedAtMs) <= carryOver.windowMs &&
        (one.expiresAtMs === null || session.atMs < one.expiresAtMs)
      )
      .toSorted((a, b) => (b.satisfiedAtMs ?? 0) - (a.satisfiedAtMs ?? 0));
    return newest === undefined ? [] : [newest];
  });
}

function isCondition({ condition }: Requirement): boolean {
  return condition.type !== "blocking";
}
