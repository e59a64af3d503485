/** The requirements' part in the decision about a stop. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import type { Repository } from "../git/repository.ts";
import { type Open, openForStop } from "../requirement/judge.ts";
import type { RequirementPolicy } from "../requirement/policy.ts";
import { type Audience, stopText } from "../requirement/text.ts";
import { isPaused } from "../store/pauses.ts";
import { type BranchKey, readOwnStandings } from "../store/requirements.ts";
import { settleTriggers } from "../store/triggers.ts";
import { groundFor } from "./keeping.ts";
import { type GatheredFacts, gatherFacts } from "./requirements.ts";
import { audienceOf } from "./standings.ts";

/** A stop with all that its requirements ask about. */
export interface PreparedStop extends GatheredFacts {
  readonly policy: RequirementPolicy;
  readonly key: BranchKey;
  readonly to: Audience;
}

/** Why a session may not stop yet. */
export interface StopDecision {
  readonly open: readonly Open[];
  /** What Claude is told; empty when it may stop. */
  readonly reason: string;
}

const MAY_STOP: StopDecision = { open: [], reason: "" };

/** Looks up everything before the transaction begins. @returns Null when no requirement can hold a stop here. */
export async function prepareStop(
  policy: RequirementPolicy,
  at: {
    readonly config: Pick<HookConfig, "databaseEnabled">;
    readonly db: DatabaseSync | null;
    readonly repository: Repository | undefined;
    readonly sessionId: string;
    readonly atMs: number;
    readonly projectDir: string | null;
  },
): Promise<PreparedStop | null> {
  const ground = groundFor(at);
  if (ground.kind === "none" || policy.verifyScopes.length === 0) return null;
  const { repository, branch, key } = ground;
  const held = policy.requirements.filter(({ scope }) => policy.verifyScopes.includes(scope));
  const gathered = await gatherFacts(held, { ...at, repository, branch });
  return { ...gathered, policy, key, to: audienceOf(gathered.facts, { repository, db: at.db }) };
}

/**
 * Decides, in the transaction that writes the event.
 *
 * @throws {Error} What SQLite says.
 */
export function decideStop(
  { policy, key, facts, to }: PreparedStop,
  db: DatabaseSync,
): StopDecision {
  const { sessionId, atMs } = facts;
  settleTriggers(db, sessionId);
  const open = openForStop(policy, readOwnStandings(db, key, sessionId), facts);
  if (open.length === 0 || isPaused(db, { sessionId, subject: "requirements", atMs })) {
    return MAY_STOP;
  }
  return { open, reason: stopText(open, to) };
}
