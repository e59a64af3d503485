/** Builds the satisfactions that a skill, a person or a carry-over from another session brings. */
import { quietly } from "../../base/errors.ts";
import type { Ground, RequirementWork } from "./ground.ts";
import type { Requirement, RequirementPolicy } from "./requirement_policy.ts";
import {
  deniedBranches,
  type NewSatisfaction,
  type RequirementChange,
  triggeredBranches,
  wasReported,
} from "./requirements_table.ts";
import { isOneOf } from "./skills.ts";
import { isSatisfied, ownerOf, type Proof, type Standing, WHOLE_BRANCH } from "./standing.ts";

/**
 * Returns the satisfactions that the use of a skill or a slash command brings: on the session's branch, and on other
 * branches where the session triggered the requirement or was denied by it. Returns none where the skill satisfies
 * nothing, or where an earlier event reported the same use.
 */
export function satisfactionsBySkill(
  requirements: readonly Requirement[],
  skill: string,
  { ground, db, sessionId, atMs, proof }: Pick<RequirementWork, "db" | "sessionId" | "atMs"> & {
    readonly ground: Ground;
    readonly proof: Proof;
  },
): RequirementChange[] {
  const satisfied = requirements.filter(({ skills }) => isOneOf(skills, skill));
  if (satisfied.length === 0 || ground.repository === null) return [];
  if (db !== null && quietly(() => wasReported(db, proof))) return [];
  const repository = ground.repository.commonDir;
  const key = { repository, sessionId };
  const elsewhere = db === null
    ? []
    : quietly(() => [...triggeredBranches(db, key), ...deniedBranches(db, key)]) ?? [];
  return satisfied.flatMap(({ name, scope, lastsMs }) => {
    const there = elsewhere.filter(({ requirement }) => requirement === name)
      .map(({ branch }) => branch);
    const branches = new Set([...ground.kind === "branch" ? [ground.branch] : [], ...there]);
    return [...branches].map((branch): RequirementChange => ({
      kind: "satisfy",
      repository,
      branch,
      requirement: name,
      scope,
      by: "skill",
      sessionId: ownerOf(scope, sessionId),
      expiresAtMs: lastsMs === null ? null : atMs + lastsMs,
      metadata: { skill, proof },
    }));
  });
}

/** Builds a person's satisfaction: a bypass where a skill could satisfy, a limited approval of a calculated value. */
export function toldByPerson(
  requirement: Requirement,
  { sessionId, wholeBranch, atMs, ttlMs, metadata }: Pick<Standing, "sessionId" | "metadata"> & {
    readonly wholeBranch: boolean;
    readonly atMs: number;
    readonly ttlMs: number | null;
  },
): NewSatisfaction {
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

/** How a session begins that may take satisfactions over: a resumed or compacted session has its own. */
const NEW_SESSIONS: ReadonlySet<string> = new Set(["startup", "clear"]);

/**
 * Returns what a new session takes over from other sessions: for each requirement whose scope the configuration names,
 * the newest satisfaction. Its first time must lie in the window, so that sessions cannot carry one on for ever.
 * Leaves out conditions, expired satisfactions, and requirements that are satisfied already.
 *
 * @param standings All rows of the branch. @param session `source` is how the session began.
 */
export function carriedOver(
  { carryOver, requirements }: Pick<RequirementPolicy, "requirements" | "carryOver">,
  standings: readonly Standing[],
  session: { readonly sessionId: string; readonly source: string; readonly atMs: number },
): NewSatisfaction[] {
  if (carryOver === null || !NEW_SESSIONS.has(session.source)) return [];
  const { sessionId, atMs } = session;
  const firstAtMs = (one: Standing) => one.originalAtMs ?? one.satisfiedAtMs ?? 0;
  const wanted = requirements.filter((requirement) =>
    carryOver.scopes.includes(requirement.scope) && requirement.condition.type === "blocking" &&
    !isSatisfied(requirement, standings, session)
  );
  return wanted.flatMap(({ name }) => {
    const newest = standings
      .filter((one) =>
        one.requirement === name && one.sessionId !== WHOLE_BRANCH &&
        one.sessionId !== sessionId && one.satisfiedAtMs !== null &&
        atMs - firstAtMs(one) <= carryOver.windowMs &&
        (one.expiresAtMs === null || atMs < one.expiresAtMs)
      )
      .toSorted((a, b) => b.satisfiedAtMs! - a.satisfiedAtMs!)
      .slice(0, 1);
    return newest.map((one): NewSatisfaction => ({
      requirement: name,
      sessionId,
      scope: one.scope,
      by: "carry_over",
      originalAtMs: firstAtMs(one),
      expiresAtMs: one.expiresAtMs,
      metadata: {
        ...one.metadata,
        carried_from: one.sessionId,
        original_satisfied_at_ms: firstAtMs(one),
        original_satisfied_by: one.metadata["original_satisfied_by"] ?? one.satisfiedBy,
      },
    }));
  });
}
