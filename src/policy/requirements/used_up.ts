/**
 * Finds which satisfactions for a single use are used up, by an action's success or by new commits. New commits are
 * found in git afterwards, not in the words of a command.
 */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { sessionStartMs } from "../../db/sessions.ts";
import type { Environment } from "../../system/environment.ts";
import { type Heads, readHeads } from "../../system/git/heads.ts";
import { advancedBranches, type NewCommit, newCommits } from "../../system/git/new_commits.ts";
import {
  isShellRunning,
  lookedAt,
  readSnapshot,
  wereViolations,
} from "../effects/effects_table.ts";
import type { RequirementWork } from "./ground.ts";
import type { TriggeredPlace } from "./places.ts";
import { MOVES } from "./requirement_look.ts";
import type { Requirement } from "./requirement_policy.ts";
import { type AllowedUse, type Clearing, readAllowedUses } from "./requirements_table.ts";
import type { BranchKey, Standing } from "./standing.ts";
import { commandsUnder, type CommandText, commandText, triggeredBy } from "./trigger_match.ts";

const [COMMIT, ...OTHERS] = MOVES.map((verb) => commandText(["git", verb, "x"], false));

/** Tells whether words are a git command that moves a branch: then the branch itself shows what is used up. */
export function isMove(whole: string): boolean {
  return MOVES_BRANCH.test(whole);
}

const MOVES_BRANCH = new RegExp(
  `^(?:\\S*/)?git(?: -\\S+(?: [^-\\s]\\S*)?)*? (?:${MOVES.join("|")})(?![\\w-])`,
  "i",
);

function covers(requirement: Requirement, commands: readonly CommandText[]) {
  return triggeredBy([requirement], { tool: "Bash", commands, changesFiles: false }).length > 0;
}

/** Returns the requirements that a skill or a person has to satisfy before `git commit`. */
export function satisfiedBeforeCommits(requirements: readonly Requirement[]): Requirement[] {
  return requirements.filter((one) =>
    one.condition.type === "blocking" && !one.stopOnly && covers(one, [COMMIT!])
  );
}

/** Returns the requirements that commits trigger or use up. */
export function touchedByCommits(requirements: readonly Requirement[]): Requirement[] {
  return requirements.filter((one) =>
    covers(one, [COMMIT!]) || (one.scope === "single_use" && covers(one, OTHERS))
  );
}

/** What is new in git since a look. */
export interface NewInGit {
  readonly commits: readonly (NewCommit & {
    /** The branches that the working trees whose HEAD has moved had checked out before. */
    readonly left: readonly string[];
  })[];
  /** Branches that have advanced, also by commits that others had made. */
  readonly advanced: readonly string[];
}

export async function newInGit(
  db: DatabaseSync,
  { before, now, sinceMs, sessionId, commonDir, lastBranch, environment }: {
    readonly before: Heads;
    readonly now: Heads;
    readonly sinceMs: number;
    readonly sessionId: string;
    readonly commonDir: string;
    /** The branch that counts where HEAD was detached; null for none. */
    readonly lastBranch: string | null;
    readonly environment: Environment;
  },
): Promise<NewInGit> {
  if (JSON.stringify(before) === JSON.stringify(now)) return { commits: [], advanced: [] };
  const sessionMs = sessionStartMs(db, sessionId) ?? sinceMs;
  const between = { before, now, sinceMs, sessionMs, suspects: wereViolations(db, commonDir) };
  const asking = { environment };
  const commits = await newCommits({ commonDir }, between, asking);
  // A commit that no branch has (HEAD is detached, or the commit is gone) counts on the branch that was left.
  const moved = Object.entries(before.trees).filter(([gitDir, tree]) =>
    JSON.stringify(now.trees[gitDir]) !== JSON.stringify(tree)
  );
  const left = moved.flatMap(([, { branch }]) => branch ?? lastBranch ?? []);
  return {
    commits: commits.map((one) => ({ ...one, left })),
    advanced: await advancedBranches({ commonDir }, between, asking),
  };
}

/** Returns the branches on which a commit counts: those that have it, else those that were left. */
export function branchesOf({ branches, left }: NewInGit["commits"][number]): readonly string[] {
  return branches.length > 0 ? branches : left;
}

/** Returns the satisfactions for a single use that new commits have used up on a branch. */
export function usedUpOn(
  key: BranchKey,
  requirements: readonly Requirement[],
  { news: { commits, advanced }, sessionId, untilMs }: {
    readonly news: NewInGit;
    readonly sessionId: string;
    /** Satisfactions that are newer than this time and than the last commit stay; epoch milliseconds. */
    readonly untilMs: number;
  },
): Clearing[] {
  const here = commits.filter((one) => branchesOf(one).includes(key.branch));
  const lastMs = Math.max(untilMs, ...here.map(({ atMs }) => atMs));
  const isAdvanced = advanced.includes(key.branch);
  return requirements.filter((requirement) =>
    requirement.scope === "single_use" && (
      (here.length > 0 && covers(requirement, [COMMIT!])) ||
      (isAdvanced && covers(requirement, OTHERS))
    )
  ).map(({ name }) => ({ kind: "clear", ...key, requirement: name, sessionId, untilMs: lastMs }));
}

/** Returns what the session's running commands have used up on a branch since the last look. */
export async function usedUpSince(
  requirements: readonly Requirement[],
  { db, key, sessionId, atMs, environment }:
    & Pick<RequirementWork, "db" | "sessionId" | "atMs" | "environment">
    & { readonly key: BranchKey },
): Promise<Clearing[]> {
  const singleUse = requirements.filter(({ scope }) => scope === "single_use");
  if (db === null || singleUse.length === 0) return [];
  const last = quietly(() =>
    isShellRunning(db, { sessionId, atMs }) ? readSnapshot(db, sessionId) : null
  );
  const before = last?.heads;
  if (last == null || before === undefined) return [];
  const commonDir = key.repository;
  const now = await readHeads({ commonDir }, before, { environment });
  const sinceMs = lookedAt(db, sessionId).atMs ?? last.atMs;
  const at = { sinceMs, sessionId, commonDir, lastBranch: key.branch, environment };
  const news = await newInGit(db, { before, now, ...at });
  return usedUpOn(key, singleUse, { news, sessionId, untilMs: sinceMs });
}

/** Leaves out used-up satisfactions; newer satisfactions of the session stay. */
export function withoutUsedUp(
  stored: readonly Standing[],
  usedUp: readonly Clearing[],
): Standing[] {
  return stored.filter((standing) =>
    !usedUp.some(({ requirement, sessionId, untilMs = Infinity }) =>
      requirement === standing.requirement && sessionId === standing.sessionId &&
      (standing.satisfiedAtMs ?? 0) <= untilMs
    )
  );
}

/** Returns the single uses of an action at a place, except moves of branches here, which git shows afterwards. */
export function singleUsesOf(
  { triggered, repository: { commonDir, branch }, commands }: TriggeredPlace,
): Omit<AllowedUse, "untilMs">[] {
  return triggered.filter((requirement) => {
    const under = commandsUnder(requirement, commands);
    const isShownByBranch = under.length > 0 &&
      under.every(({ whole, isElsewhere }) => !isElsewhere && isMove(whole));
    return requirement.scope === "single_use" && !isShownByBranch;
  }).map(({ name }) => ({ requirement: name, repository: commonDir, branch: branch ?? "" }));
}

/** Returns the satisfactions that a successful action has used up: those noted when the action was allowed. */
export function usedUp(
  toolUseId: string | null,
  { db, sessionId }: Pick<RequirementWork, "db" | "sessionId">,
): Clearing[] {
  if (db === null || toolUseId === null) return [];
  const allowed = quietly(() => readAllowedUses(db, { sessionId, toolUseId })) ?? [];
  return allowed.map((one) => ({ ...one, kind: "clear", sessionId }));
}
