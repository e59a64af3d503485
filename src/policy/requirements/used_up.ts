/** Satisfactions for a single use that an action uses up by its end; commits are counted in `commits.ts`. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import type { Repository } from "../../system/git/repository.ts";
import type { AskedUse } from "../guards/judge_use.ts";
import { type MeantPlace, requirementsFor } from "./places.ts";
import { isMove } from "./commits.ts";
import type { Requirement } from "./requirement_policy.ts";
import type { Clearing } from "./requirements_table.ts";
import { commandsUnder } from "./trigger_match.ts";
import { type AllowedUse, readAllowedUses } from "./triggers_table.ts";

/** The single uses that an action at a place is, but for what the branches here tell themselves. */
export function usesOf(
  { triggered, repository: { commonDir, branch }, commands }: MeantPlace,
): Omit<AllowedUse, "untilMs">[] {
  return triggered.filter((requirement) => {
    const under = commandsUnder(requirement, commands);
    const isTold = under.length > 0 &&
      under.every(({ whole, isElsewhere }) => !isElsewhere && isMove(whole));
    return requirement.scope === "single_use" && !isTold;
  }).map(({ name }) => ({ requirement: name, repository: commonDir, branch: branch ?? "" }));
}

/** The satisfactions that an action has used up by its success: those that allowed it, else those on the checked-out branch. */
export async function usedUp(
  requirements: readonly Requirement[],
  use: AskedUse & { readonly toolUseId: string | null },
  { repository, db, sessionId }: {
    readonly repository: Repository;
    /** Null when the beginning of the use cannot be looked up. */
    readonly db: DatabaseSync | null;
    readonly sessionId: string;
  },
): Promise<Clearing[]> {
  const { toolUseId } = use;
  const allowed = db === null || toolUseId === null
    ? []
    : quietly(() => readAllowedUses(db, { sessionId, toolUseId })) ?? [];
  const singleUse = requirements.filter(({ scope }) => scope === "single_use");
  const used: readonly Omit<Clearing, "kind" | "sessionId">[] = allowed.length > 0
    ? allowed
    : (await requirementsFor(singleUse, use, repository)).flatMap(usesOf);
  return used.map((one) => ({ ...one, kind: "clear", sessionId }));
}
