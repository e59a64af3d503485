/** What the use of a skill, or of a slash command, means for requirements. */
import type { DatabaseSync } from "node:sqlite";
import { findRepository } from "../git/repository.ts";
import { lookUpwards } from "../project/look.ts";
import type { Requirement } from "../requirement/policy.ts";
import { satisfiedBySkill } from "../requirement/satisfy.ts";
import { branchesOfDenials, worktreesOfDenials } from "../store/denials.ts";
import type { BranchKey, RequirementChange } from "../store/requirements.ts";
import { type Ground, groundOf, quietly } from "./requirements.ts";

/**
 * The satisfactions that a skill brings: on the branch of the session, on those of the other working trees in which the
 * session was denied something, and on those that a denied command would have checked out, for that was told of the skill.
 *
 * @returns None where the skill satisfies nothing.
 */
export function satisfactionsBySkill(
  requirements: readonly Requirement[],
  skill: string,
  at: {
    readonly ground: Extract<Ground, { readonly kind: "branch" }>;
    /** Null when it cannot be asked for denials. */
    readonly db: DatabaseSync | null;
    readonly sessionId: string;
    readonly atMs: number;
  },
): RequirementChange[] {
  const told = satisfiedBySkill(requirements, skill, at);
  if (told.length === 0) return [];
  return branchesOf(at).flatMap((key) =>
    told.map((one): RequirementChange => ({ kind: "satisfy", ...key, ...one }))
  );
}

function branchesOf(
  { ground, db, sessionId }: Parameters<typeof satisfactionsBySkill>[2],
): BranchKey[] {
  const denied = db === null ? undefined : quietly(() => ({
    folders: worktreesOfDenials(db, sessionId),
    branches: branchesOfDenials(db, sessionId),
  }));
  const checkedOut = (denied?.folders ?? [])
    .map((folder) => groundOf(findRepository(lookUpwards(folder))))
    .flatMap((other) => other.kind === "branch" ? [other.key] : []);
  const others = [...checkedOut, ...denied?.branches ?? []]
    .filter(({ repository }) => repository === ground.key.repository)
    .map(({ branch }) => branch);
  return [...new Set([ground.branch, ...others])].map((branch) => ({ ...ground.key, branch }));
}
