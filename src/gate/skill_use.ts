/** What the use of a skill, or of a slash command, means for requirements. */
import type { DatabaseSync } from "node:sqlite";
import { findRepository, type Repository } from "../git/repository.ts";
import { lookUpwards } from "../project/look.ts";
import type { Requirement } from "../requirement/policy.ts";
import { satisfiedBySkill } from "../requirement/satisfy.ts";
import { branchesOfDenials, worktreesOfDenials } from "../store/denials.ts";
import type { BranchKey, RequirementChange } from "../store/requirements.ts";
import { triggeredBranches, type TriggeredOn } from "../store/triggered_branches.ts";
import { type Ground, groundOf, quietly } from "./requirements.ts";

/**
 * The satisfactions that a skill brings: on the branch of the session, on those of the other working trees in which the
 * session was denied something, and on those that a denied command would have checked out, for that was told of the
 * skill, and wherever the session has triggered what the skill
 * satisfies, for that holds its stops.
 *
 * @returns None where the skill satisfies nothing.
 */
export function satisfactionsBySkill(
  requirements: readonly Requirement[],
  skill: string,
  at: {
    readonly ground: Ground;
    /** Null when it cannot be asked for denials. */
    readonly db: DatabaseSync | null;
    readonly sessionId: string;
    readonly atMs: number;
  },
): RequirementChange[] {
  const told = satisfiedBySkill(requirements, skill, at);
  const { repository } = at.ground;
  if (told.length === 0 || repository === null) return [];
  const usual = branchesOf(at);
  const triggered = triggeredOf({ ...at, repository })
    .filter(({ branch }) => !usual.some((key) => key.branch === branch));
  return [
    ...usual.flatMap((key) =>
      told.map((one): RequirementChange => ({ kind: "satisfy", ...key, ...one }))
    ),
    ...triggered.flatMap(({ branch, requirement }) =>
      told.filter((one) => one.requirement === requirement).map((one): RequirementChange => ({
        kind: "satisfy",
        repository: repository.commonDir,
        branch,
        ...one,
      }))
    ),
  ];
}

/** Where the skill counts as a whole. */
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
  const here = ground.kind === "branch" ? [ground.key] : [];
  const others = [...checkedOut, ...denied?.branches ?? []]
    .filter(({ repository }) => repository === ground.repository?.commonDir);
  return [...new Map([...here, ...others].map((key) => [key.branch, key])).values()];
}

function triggeredOf(
  { db, sessionId, repository }: {
    readonly db: DatabaseSync | null;
    readonly sessionId: string;
    readonly repository: Repository;
  },
): readonly TriggeredOn[] {
  if (db === null) return [];
  const asked = { repository: repository.commonDir, sessionId };
  return quietly(() => triggeredBranches(db, asked)) ?? [];
}
