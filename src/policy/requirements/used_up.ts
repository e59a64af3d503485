/**
 * What uses satisfactions for a single use up: an action by its end, and commits that came to be. Of those not the words of
 * a command count, but what git has afterwards.
 */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
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
import type { MeantPlace } from "./places.ts";
import type { Requirement } from "./requirement_policy.ts";
import type { Clearing } from "./requirements_table.ts";
import type { BranchKey, Standing } from "./standing.ts";
import { commandsUnder, commandText, triggeredBy } from "./trigger_match.ts";
import { type AllowedUse, readAllowedUses } from "./triggers_table.ts";

/** The words of git that move a branch; for a requirement about any but the first, it is used when a branch advances. */
const MOVES = "commit merge pull rebase cherry-pick revert am".split(" ");
const [COMMIT, ...OTHERS] = MOVES.map((verb) => commandText(["git", verb, "x"], false));

/** Whether words are a command of git that moves a branch: what it uses up is told by the branch. */
export function isMove(whole: string): boolean {
  return MOVES_BRANCH.test(whole);
}

const MOVES_BRANCH = new RegExp(
  `^(?:\\S*/)?git(?: -\\S+(?: [^-\\s]\\S*)?)*? (?:${MOVES.join("|")})(?![\\w-])`,
  "i",
);

function isAbout(
  requirement: Requirement,
  commands: Parameters<typeof triggeredBy>[1]["commands"],
) {
  return triggeredBy([requirement], { tool: "Bash", commands, changesFiles: false }).length > 0;
}

/** The requirements that `git commit` falls under and that a skill or a person satisfies. */
export function aboutCommits(requirements: readonly Requirement[]): Requirement[] {
  return requirements.filter((one) =>
    one.condition.type === "blocking" && !one.stopOnly && isAbout(one, [COMMIT!])
  );
}

/** The requirements that commits have anything to do with. */
export function countingCommits(requirements: readonly Requirement[]): Requirement[] {
  return requirements.filter((one) =>
    isAbout(one, [COMMIT!]) || (one.scope === "single_use" && isAbout(one, OTHERS))
  );
}

/** What is new since a look. */
export interface CameToBe {
  readonly commits: readonly (NewCommit & {
    /** The branches that were checked out before in the working trees that have moved. */
    readonly from: readonly string[];
  })[];
  /** Branches that have advanced, also by commits that others had made. */
  readonly advanced: readonly string[];
}

const NOTHING: CameToBe = { commits: [], advanced: [] };

/** Finds what is new between two looks. */
export async function cameToBe(
  db: DatabaseSync,
  { before, now, sinceMs, commonDir, lastBranch, environment }: {
    readonly before: Heads;
    readonly now: Heads;
    readonly sinceMs: number;
    readonly commonDir: string;
    /** The branch that counts where `HEAD` was detached; null for none. */
    readonly lastBranch: string | null;
    readonly environment: Environment;
  },
): Promise<CameToBe> {
  if (JSON.stringify(before) === JSON.stringify(now)) return NOTHING;
  const between = { before, now, sinceMs, suspects: wereViolations(db, commonDir) };
  const asking = { environment };
  const commits = await newCommits({ commonDir }, between, asking);
  // `HEAD` may be detached, or the commit is gone: then it was made on the branch that was left.
  const moved = Object.entries(before.trees).filter(([gitDir, tree]) =>
    JSON.stringify(now.trees[gitDir]) !== JSON.stringify(tree)
  );
  const from = moved.flatMap(([, { branch }]) => branch ?? lastBranch ?? []);
  return {
    commits: commits.map((one) => ({ ...one, from })),
    advanced: await advancedBranches({ commonDir }, between, asking),
  };
}

/** The branches on which a commit counts: those that have it, else those that were left. */
export function branchesOf({ branches, from }: CameToBe["commits"][number]): readonly string[] {
  return branches.length > 0 ? branches : from;
}

/** The satisfactions for a single use that are used up on a branch. */
export function usedUpOn(
  key: BranchKey,
  requirements: readonly Requirement[],
  { came: { commits, advanced }, sessionId, untilMs }: {
    readonly came: CameToBe;
    readonly sessionId: string;
    /** A satisfaction that is younger, and younger than the commit, stays; epoch milliseconds. */
    readonly untilMs: number;
  },
): Clearing[] {
  const here = commits.filter((one) => branchesOf(one).includes(key.branch));
  const lastMs = Math.max(untilMs, ...here.map(({ atMs }) => atMs));
  const isAdvanced = advanced.includes(key.branch);
  return requirements.filter((requirement) =>
    requirement.scope === "single_use" && (
      (here.length > 0 && isAbout(requirement, [COMMIT!])) ||
      (isAdvanced && isAbout(requirement, OTHERS))
    )
  ).map(({ name }) => ({ kind: "clear", ...key, requirement: name, sessionId, untilMs: lastMs }));
}

/** What commands of the session that still run have used up on a branch since the last look. */
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
  const at = { sinceMs, commonDir, lastBranch: key.branch, environment };
  const came = await cameToBe(db, { before, now, ...at });
  return usedUpOn(key, singleUse, { came, sessionId, untilMs: sinceMs });
}

/** Leaves out satisfactions that are used up; newer ones of the session stay. */
export function withoutSpent(
  stored: readonly Standing[],
  spent: readonly Clearing[],
): Standing[] {
  return stored.filter((standing) =>
    !spent.some(({ requirement, sessionId, untilMs = Infinity }) =>
      requirement === standing.requirement && sessionId === standing.sessionId &&
      (standing.satisfiedAtMs ?? 0) <= untilMs
    )
  );
}

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

/** The satisfactions that an action has used up by its success: those that allowed it, as its gate has noted. */
export function usedUp(
  toolUseId: string | null,
  { db, sessionId }: Pick<RequirementWork, "db" | "sessionId">,
): Clearing[] {
  if (db === null || toolUseId === null) return [];
  const allowed = quietly(() => readAllowedUses(db, { sessionId, toolUseId })) ?? [];
  return allowed.map((one) => ({ ...one, kind: "clear", sessionId }));
}
