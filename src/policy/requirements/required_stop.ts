/** Decides by the requirements whether Claude may stop. */
import type { BranchKey } from "./standing.ts";
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../../config/hook_config.ts";
import type { Environment } from "../../system/environment.ts";
import type { Repository } from "../../system/git/repository.ts";
import { hasBranch, workingTreeOf } from "../../system/git/working_trees.ts";
import { askedAtStop, type Facts, openForStop } from "./open_requirements.ts";
import type { Requirement, RequirementPolicy } from "./requirement_policy.ts";
import { type OpenOnBranch, stopText } from "./requirement_text.ts";
import { isPaused } from "../pauses_table.ts";
import { readStandings, type RequirementChange } from "./requirements_table.ts";
import { settleTriggers, triggeredBranches } from "./triggers_table.ts";
import { type GatheredFacts, gatherFacts, isStrict } from "./asked_requirements.ts";
import { groundFor } from "./ground.ts";
import { quietly } from "../../base/errors.ts";
import {
  noticeOf,
  type Proofs,
  proofsOn,
  type Proving,
  unprovenAmong,
  unprovenNotes,
} from "./proven.ts";
import { audienceOf } from "./standings.ts";

/** A branch on which the session has triggered requirements, with their facts. */
interface AskedBranch extends Omit<OpenOnBranch, "open"> {
  readonly key: BranchKey;
  readonly facts: Facts;
  readonly proofs: Proofs;
}

export interface PreparedStop extends Pick<GatheredFacts, "changes"> {
  readonly policy: RequirementPolicy;
  readonly branches: readonly AskedBranch[];
  readonly sessionId: string;
  readonly atMs: number;
}

export interface StopDecision {
  readonly names: readonly string[];
  /** What Claude is told; empty when it may stop. */
  readonly reason: string;
  readonly changes: readonly RequirementChange[];
  readonly notes: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
}

interface StopPlace {
  readonly config: Pick<HookConfig, "databaseEnabled" | "guards">;
  readonly db: DatabaseSync | null;
  readonly repository: Repository | undefined;
  readonly sessionId: string;
  readonly atMs: number;
  readonly projectDir: string | null;
  readonly transcriptPath: string | null;
  readonly hide: Proving["hide"];
  readonly environment: Environment;
}

/**
 * Looks up everything before the transaction begins. A requirement counts on the branch where the session triggered
 * it, also when another branch is checked out now. Null when no requirement can hold back a stop.
 */
export async function prepareStop(
  policy: RequirementPolicy,
  at: StopPlace,
): Promise<PreparedStop | null> {
  const { db, sessionId, atMs } = at;
  const { repository } = groundFor(at);
  if (repository === null || db === null) return null;
  const { commonDir } = repository;
  const triggered = quietly(() => triggeredBranches(db, { repository: commonDir, sessionId })) ??
    [];
  const asked = policy.requirements.filter(({ scope }) => policy.verifyScopes.includes(scope));
  const byBranch = Map.groupBy(triggered, ({ branch }) => branch);
  const names = [...byBranch.keys()].toSorted((a, b) =>
    Number(b === repository.branch) - Number(a === repository.branch)
  );
  const branches: (AskedBranch & GatheredFacts)[] = [];
  for (const branch of names) {
    const there = new Set(byBranch.get(branch)!.map(({ requirement }) => requirement));
    const requirements = asked.filter(({ name }) => there.has(name));
    if (requirements.length === 0) continue;
    branches.push(await lookAtBranch(branch, requirements, { ...at, repository }));
  }
  if (branches.length === 0) return null;
  const changes = branches.flatMap(({ changes }) => changes);
  return { policy, branches, changes, sessionId, atMs };
}

async function lookAtBranch(
  branch: string,
  requirements: readonly Requirement[],
  at: StopPlace & { readonly repository: Repository },
): Promise<AskedBranch & GatheredFacts> {
  const { repository, sessionId, atMs } = at;
  const isHere = repository.branch === branch;
  const tree = isHere ? repository : workingTreeOf(repository, branch);
  // Without a working tree, conditions about one are not judged.
  const { facts, changes }: GatheredFacts = tree === undefined
    ? { facts: { sessionId, atMs, branch, branchLines: null, otherSessions: [] }, changes: [] }
    : await gatherFacts(requirements, { ...at, repository: tree, branch });
  const key = { repository: repository.commonDir, branch };
  const proofs = proofsOn(key, requirements, { ...at, isStrict: isStrict(at.config) });
  return {
    key,
    facts,
    proofs,
    changes: [...changes, ...proofs.changes],
    to: audienceOf(facts, { repository, db: at.db, isCheckedOut: isHere }),
    place: isHere
      ? "here"
      : tree !== undefined || hasBranch(repository, branch)
      ? "elsewhere"
      : "gone",
  };
}

/** Decides in the transaction that writes the event. */
export function decideStop(
  { policy, branches, sessionId, atMs }: PreparedStop,
  db: DatabaseSync,
): StopDecision {
  settleTriggers(db, sessionId);
  const judged = branches.map(({ key, facts, proofs, to, place }) => {
    const standings = proofs.marked(readStandings(db, key, sessionId));
    const asked = askedAtStop(policy, standings, sessionId);
    const unproven = unprovenAmong(asked, standings, { key, facts });
    return { open: openForStop(policy, standings, facts), unproven, to, place };
  });
  const held = judged.filter(({ open }) => open.length > 0);
  const unproven = judged.flatMap((one) => one.unproven);
  const notes = unprovenNotes(unproven);
  if (held.length === 0 || isPaused(db, { sessionId, subject: "requirements", atMs })) {
    const told = noticeOf(held.length === 0 ? unproven : [], judged[0]!.to);
    return { names: [], reason: "", notes, ...told };
  }
  const names = held.flatMap(({ open }) => open.map(({ requirement }) => requirement.name));
  const reason = stopText(held);
  return { names: [...new Set(names)], reason, notes, changes: [], notices: [] };
}
