/** The requirements' part in the decision about a tool use. */
import type { DatabaseSync } from "node:sqlite";
import { type Open, openForUse } from "../requirement/judge.ts";
import type { Requirement, RequirementPolicy } from "../requirement/policy.ts";
import { isTriggered, type Standing } from "../requirement/standing.ts";
import { isPaused } from "../store/pauses.ts";
import { type BranchKey, readOwnStandings, type RequirementChange } from "../store/requirements.ts";
import type { AskedUse } from "./judge.ts";
import { type GatheredFacts, gatherFacts, type Ground, requirementsFor } from "./requirements.ts";

/** A tool use with all that its requirements ask about. */
export interface PreparedUse extends GatheredFacts {
  readonly key: BranchKey;
  readonly toolUseId: string | null;
  /** What it falls under; never empty. */
  readonly triggered: readonly Requirement[];
}

/** What the requirements say of a tool use. */
export interface UseDecision {
  readonly open: readonly Open[];
  /** What is to be written with the event. */
  readonly changes: readonly RequirementChange[];
  /** Whether a person has lifted them for the session. */
  readonly paused: boolean;
  /** Names of calculated requirements that are near their limit. */
  readonly warned: readonly string[];
}

/** Looks up everything before the transaction begins. @returns Null when the tool use falls under no requirement. */
export async function prepareUse(
  policy: RequirementPolicy,
  use: AskedUse & { readonly toolUseId: string | null },
  at: {
    readonly ground: Extract<Ground, { kind: "branch" }>;
    readonly db: DatabaseSync | null;
    readonly sessionId: string;
    readonly atMs: number;
  },
): Promise<PreparedUse | null> {
  const { repository, branch } = at.ground;
  const triggered = await requirementsFor(policy.requirements, use, repository.root);
  if (triggered.length === 0) return null;
  const gathered = await gatherFacts(triggered, {
    ...at,
    repository,
    branch,
    projectDir: use.projectDir,
  });
  return {
    ...gathered,
    key: { repository: repository.commonDir, branch },
    toolUseId: use.toolUseId,
    triggered,
  };
}

/**
 * Decides, in the transaction that writes the event. A requirement is triggered only by a tool that may be used.
 *
 * @param isDenied Whether a guard has denied it already.
 * @throws {Error} What SQLite says.
 */
export function decideUse(
  { facts, changes, key, toolUseId, triggered }: PreparedUse,
  db: DatabaseSync,
  isDenied: boolean,
): UseDecision {
  const { sessionId, atMs, branchLines } = facts;
  const standings = readOwnStandings(db, key, sessionId);
  const open = openForUse(triggered, standings, facts);
  const paused = open.length > 0 && isPaused(db, { sessionId, subject: "requirements", atMs });
  const fresh = isDenied || open.length > 0 ? [] : triggered
    .filter((requirement) => !isKnown(requirement, standings, sessionId))
    .map(({ name, scope }): RequirementChange => ({
      kind: "trigger",
      ...key,
      requirement: name,
      scope,
      sessionId,
      toolUseId,
    }));
  return {
    open,
    changes: [...changes, ...fresh],
    paused,
    warned: triggered.flatMap(({ name, condition }) =>
      condition.type === "branch_size" && (branchLines ?? 0) >= condition.warn ? [name] : []
    ),
  };
}

/** Whether it is triggered for certain; where a person was asked since, this use may take the other's place. */
function isKnown(
  requirement: Requirement,
  standings: readonly Standing[],
  sessionId: string,
): boolean {
  return isTriggered(requirement, standings, sessionId);
}
