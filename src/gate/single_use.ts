/** Satisfactions that allow one action: what an action stands for before it happens, and what it has used up after it. */
import type { DatabaseSync } from "node:sqlite";
import { hasOnlyGone } from "../git/head_log.ts";
import { findRepository, readRef, type Repository } from "../git/repository.ts";
import { lookUpwards } from "../project/look.ts";
import {
  type AllowedUse,
  endTellsOfAll,
  isUsedUp,
  movesBranch,
} from "../requirement/single_use.ts";
import { readAllowedUses } from "../store/allowed_uses.ts";
import type { RequirementChange } from "../store/requirements.ts";
import { type AskedUse, commandOf } from "./judge.ts";
import { type MeantPlace, quietly, requirementsFor } from "./requirements.ts";

/** What a use is, of the requirements that are satisfied for one use each. */
export function usesOf(place: MeantPlace): Omit<AllowedUse, "untilMs">[] {
  const { triggered, repository, startsAt, commands } = place;
  const singleUse = triggered.filter(({ scope }) => scope === "single_use");
  return singleUse.map((requirement) => ({
    requirement: requirement.name,
    repository: repository.commonDir,
    branch: repository.branch ?? "",
    worktree: repository.root,
    stoodAt: startsAt !== null && movesBranch(requirement, commands) !== "none"
      ? readRef(repository, `heads/${startsAt}`)
      : null,
  }));
}

/**
 * What a use that has ended used up: the satisfactions that allowed it, on the branch where it happened, wherever the
 * command has led since. Of a use that nobody has seen begin, those of the branch that is checked out.
 */
export async function usedUp(
  requirements: Parameters<typeof requirementsFor>[0],
  use: AskedUse & { readonly toolUseId: string | null; readonly succeeded: boolean },
  { repository, db, sessionId }: {
    readonly repository: Repository;
    /** Null when it cannot be asked how the use began. */
    readonly db: DatabaseSync | null;
    readonly sessionId: string;
  },
): Promise<RequirementChange[]> {
  const singleUse = requirements.filter(({ scope }) => scope === "single_use");
  const places = await requirementsFor(singleUse, use, repository);
  if (places.every(({ triggered }) => triggered.length === 0)) return [];
  const { toolUseId, succeeded } = use;
  const allowed = db === null || toolUseId === null
    ? []
    : quietly(() => readAllowedUses(db, { sessionId, toolUseId })) ?? [];
  const ended = { succeeded, tellsOfAll: endTellsOfAll(commandOf(use.input) ?? "") };
  if (allowed.length === 0) {
    return places.flatMap(({ triggered, repository: { commonDir, branch } }) =>
      branch === null || !succeeded ? [] : triggered.map(({ name }): RequirementChange => ({
        kind: "clear",
        repository: commonDir,
        branch,
        requirement: name,
        sessionId,
      }))
    );
  }
  const commands = places.flatMap((place) => place.commands);
  const under = new Map(places.flatMap(({ triggered }) => triggered).map((one) => [one.name, one]));
  return allowed.flatMap((one): RequirementChange[] => {
    const { repository, branch, requirement, untilMs } = one;
    const asked = under.get(requirement);
    if (asked === undefined) return [];
    if (!isUsedUp(ended, hasMoved(one), movesBranch(asked, commands))) return [];
    return [{ kind: "clear", repository, branch, requirement, sessionId, untilMs }];
  });
}

/** Whether a branch has moved since; null when that is not known, or another one may have instead. */
function hasMoved({ repository, branch, worktree, stoodAt, untilMs }: AllowedUse): boolean | null {
  const standsAt = stoodAt === null ? null : readRef({ commonDir: repository }, `heads/${branch}`);
  if (standsAt === null) return null;
  if (standsAt !== stoodAt) return true;
  const now = findRepository(lookUpwards(worktree));
  if (now === undefined) return null;
  return now.branch === branch || hasOnlyGone(now, untilMs) ? false : null;
}
