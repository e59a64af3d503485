/** Finds what the use of a skill or a slash command satisfies. */
import type { BranchKey, Proof } from "./standing.ts";
import type { DatabaseSync } from "node:sqlite";
import { findRepository, lookUpwards, type Repository } from "../../system/git/repository.ts";
import type { Requirement } from "./requirement_policy.ts";
import { satisfiedBySkill } from "./satisfy.ts";
import { type RequirementChange, wasReported } from "./requirements_table.ts";
import {
  deniedOnto,
  triggeredBranches,
  type TriggeredOn,
  worktreesOfDenials,
} from "./triggers_table.ts";
import { quietly } from "../../base/errors.ts";
import { type Ground, groundOf } from "./ground.ts";

/**
 * The satisfactions that a skill brings: on the session's branch, on the branches of other working trees where the
 * session was denied something, and for single requirements that were triggered or denied on other branches. None
 * where the skill satisfies nothing, or where the same use was reported before.
 */
export function satisfactionsBySkill(
  requirements: readonly Requirement[],
  skill: string,
  at: {
    readonly ground: Ground;
    readonly db: DatabaseSync | null;
    readonly sessionId: string;
    readonly atMs: number;
    readonly proof: Proof;
  },
): RequirementChange[] {
  const told = satisfiedBySkill(requirements, skill, at);
  const { db, proof, ground: { repository } } = at;
  if (told.length === 0 || repository === null) return [];
  if (db !== null && quietly(() => wasReported(db, proof))) return [];
  const usual = branchesOf(at);
  const elsewhere = askedElsewhere({ ...at, repository })
    .filter(({ branch }) => !usual.some((key) => key.branch === branch));
  return [
    ...usual.flatMap((key) =>
      told.map((one): RequirementChange => ({ kind: "satisfy", ...key, ...one }))
    ),
    ...elsewhere.flatMap(({ branch, requirement }) =>
      told.filter((one) => one.requirement === requirement).map((one): RequirementChange => ({
        kind: "satisfy",
        repository: repository.commonDir,
        branch,
        ...one,
      }))
    ),
  ];
}

/** The branches on which the skill satisfies all its requirements. */
function branchesOf(
  { ground, db, sessionId }: Parameters<typeof satisfactionsBySkill>[2],
): BranchKey[] {
  const folders = db === null ? [] : quietly(() => worktreesOfDenials(db, sessionId)) ?? [];
  const here = ground.kind === "branch" ? [ground.key] : [];
  const others = folders.map((folder) => groundOf(findRepository(lookUpwards(folder))))
    .flatMap((other) => other.kind === "branch" ? [other.key] : [])
    .filter(({ repository }) => repository === ground.repository?.commonDir);
  return [...new Map([...here, ...others].map((key) => [key.branch, key])).values()];
}

/** Requirements that hold back the session's stops on other branches, or denied it a tool there. */
function askedElsewhere(
  { db, sessionId, repository }: {
    readonly db: DatabaseSync | null;
    readonly sessionId: string;
    readonly repository: Repository;
  },
): readonly TriggeredOn[] {
  if (db === null) return [];
  const asked = { repository: repository.commonDir, sessionId };
  const found = quietly(() => [
    ...triggeredBranches(db, asked),
    ...deniedOnto(db, sessionId).filter((one) => one.repository === asked.repository),
  ]) ?? [];
  const byName = found.map((one) => [`${one.requirement} ${one.branch}`, one] as const);
  return [...new Map(byName).values()];
}
