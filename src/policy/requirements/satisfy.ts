/** What is stored when a requirement is satisfied: by a skill, by a person, or by the session before. */
import { quietly } from "../../base/errors.ts";
import type { Ground, RequirementWork } from "./ground.ts";
import type { Requirement, RequirementPolicy } from "./requirement_policy.ts";
import { type RequirementChange, type Satisfaction, wasReported } from "./requirements_table.ts";
import { isOneOf } from "./skills.ts";
import { isSatisfied, ownerOf, type Proof, type Standing, WHOLE_BRANCH } from "./standing.ts";
import { deniedBranches, triggeredBranches } from "./triggers_table.ts";

/** A satisfaction that is not written yet. */
type Told = Omit<Satisfaction, "atMs">;

/**
 * The satisfactions that the use of a skill or a slash command brings: on the session's branch, and on other branches
 * of what the session has triggered there, or was denied. None where the skill satisfies
 * nothing, or where the same use was reported before.
 */
export function satisfactionsBySkill(
  requirements: readonly Requirement[],
  skill: string,
  { ground, db, sessionId, atMs, proof }: Pick<RequirementWork, "db" | "sessionId" | "atMs"> & {
    readonly ground: Ground;
    readonly proof: Proof;
  },
): RequirementChange[] {
  const told = requirements.filter(({ skills }) => isOneOf(skills, skill)).map((one): Told => ({
    requirement: one.name,
    sessionId: ownerOf(one.scope, sessionId),
    scope: one.scope,
    by: "skill",
    expiresAtMs: one.lastsMs === null ? null : atMs + one.lastsMs,
    metadata: { skill, proof },
  }));
  if (told.length === 0 || ground.repository === null) return [];
  if (db !== null && quietly(() => wasReported(db, proof))) return [];
  const repository = ground.repository.commonDir;
  const asked = { repository, sessionId };
  const elsewhere = db === null
    ? []
    : quietly(() => [...triggeredBranches(db, asked), ...deniedBranches(db, asked)]) ?? [];
  return told.flatMap((one) => {
    const there = elsewhere.filter(({ requirement }) => requirement === one.requirement)
      .map(({ branch }) => branch);
    const branches = new Set([...ground.kind === "branch" ? [ground.branch] : [], ...there]);
    return [...branches].map((branch) =>
      ({ kind: "satisfy", repository, branch, ...one }) as const
    );
  });
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
 * What a new session takes over of other sessions: of each requirement whose scope the configuration names, the newest
 * standing, if it was satisfied in the window. The first satisfaction counts, so that nothing is carried on for ever.
 * Conditions, expired satisfactions and satisfied requirements are left out.
 *
 * @param standings All of the branch. @param session `source`: how the session began.
 */
export function carriedOver(
  { carryOver, requirements }: Pick<RequirementPolicy, "requirements" | "carryOver">,
  standings: readonly Standing[],
  session: { readonly sessionId: string; readonly source: string; readonly atMs: number },
): Told[] {
  if (carryOver === null || !NEW_SESSIONS.has(session.source)) return [];
  const wanted = requirements.filter((requirement) =>
    carryOver.scopes.includes(requirement.scope) && requirement.condition.type === "blocking" &&
    !isSatisfied(requirement, standings, session)
  );
  return wanted.flatMap(({ name }) => {
    const [newest] = standings
      .filter((one) =>
        one.requirement === name && one.sessionId !== WHOLE_BRANCH &&
        one.sessionId !== session.sessionId && one.satisfiedAtMs !== null &&
        session.atMs - (one.originalAtMs ?? one.satisfiedAtMs) <= carryOver.windowMs &&
        (one.expiresAtMs === null || session.atMs < one.expiresAtMs)
      )
      .toSorted((a, b) => (b.satisfiedAtMs ?? 0) - (a.satisfiedAtMs ?? 0));
    return newest === undefined ? [] : [takenOver(newest, session.sessionId)];
  });
}

function takenOver(
  { requirement, scope, expiresAtMs, metadata, ...former }: Standing,
  sessionId: string,
): Told {
  const firstAtMs = former.originalAtMs ?? former.satisfiedAtMs;
  return {
    ...{ requirement, sessionId, scope, by: "carry_over", expiresAtMs },
    originalAtMs: firstAtMs ?? 0,
    metadata: {
      ...metadata,
      carried_from: former.sessionId,
      original_satisfied_at_ms: firstAtMs,
      original_satisfied_by: metadata["original_satisfied_by"] ?? former.satisfiedBy,
    },
  };
}
