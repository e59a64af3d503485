/** What is stored when a requirement is satisfied, and what a new session takes over. */
import type { Satisfaction } from "./requirements_table.ts";
import type { Requirement, RequirementPolicy } from "./requirement_policy.ts";
import { isOneOf } from "./skills.ts";
import { isSatisfied, ownerOf, type Proof, type Standing, WHOLE_BRANCH } from "./standing.ts";

/** A satisfaction that is not written yet. */
type Told = Omit<Satisfaction, "atMs">;

export function satisfiedBySkill(
  requirements: readonly Requirement[],
  skill: string,
  { sessionId, atMs, proof }: {
    readonly sessionId: string;
    readonly atMs: number;
    readonly proof: Proof;
  },
): Told[] {
  return requirements.filter(({ skills }) => isOneOf(skills, skill)).map((requirement) => ({
    requirement: requirement.name,
    sessionId: ownerOf(requirement.scope, sessionId),
    scope: requirement.scope,
    by: "skill",
    expiresAtMs: requirement.lastsMs === null ? null : atMs + requirement.lastsMs,
    metadata: { skill, proof },
  }));
}

export function takenOver(standings: readonly Standing[], sessionId: string): Told[] {
  return standings.map((standing) => ({
    requirement: standing.requirement,
    sessionId,
    scope: standing.scope,
    by: "carry_over",
    originalAtMs: standing.originalAtMs ?? standing.satisfiedAtMs ?? 0,
    expiresAtMs: standing.expiresAtMs,
    metadata: {
      ...standing.metadata,
      carried_from: standing.sessionId,
      original_satisfied_at_ms: standing.originalAtMs ?? standing.satisfiedAtMs,
      original_satisfied_by: standing.metadata["original_satisfied_by"] ?? standing.satisfiedBy,
    },
  }));
}

/** A person's word: a bypass where a skill could satisfy it, an approval with an end where it is calculated. */
export function toldByPerson(
  requirement: Requirement,
  options: {
    readonly sessionId: string;
    readonly wholeBranch: boolean;
    readonly atMs: number;
    readonly ttlMs: number | null;
    readonly metadata: Readonly<Record<string, unknown>>;
  },
): Told {
  const { sessionId, wholeBranch, atMs, ttlMs, metadata } = options;
  const isApproval = requirement.condition.type === "branch_size";
  const isBypass = requirement.skills.length > 0;
  const lastsMs = ttlMs ?? (isApproval ? requirement.approvalMs : null);
  return {
    requirement: requirement.name,
    sessionId: wholeBranch ? WHOLE_BRANCH : ownerOf(requirement.scope, sessionId),
    scope: requirement.scope,
    by: isApproval ? "approval" : isBypass ? "cli_bypass" : "cli",
    expiresAtMs: lastsMs === null ? null : atMs + lastsMs,
    metadata: isBypass && !isApproval ? { ...metadata, bypass: true } : metadata,
  };
}

/** A resumed or compacted session has its own standings. */
const NEW_SESSIONS: ReadonlySet<string> = new Set(["startup", "clear"]);

/**
 * The standings of other sessions that a new session takes over: of each requirement whose scope the configuration
 * names, the newest one, if it was satisfied in the window. The first satisfaction counts, so that
 * nothing is carried on for ever. Conditions, expired satisfactions and satisfied requirements are left out.
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
    if (!carryOver.scopes.includes(requirement.scope)) return [];
    if (requirement.condition.type !== "blocking") return [];
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
