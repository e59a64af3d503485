/** How requirements stand on a branch: judged from what is stored about them, and from facts. Pure. */
import { count } from "../../base/counts.ts";
import type { Requirement, Scope } from "./requirement_policy.ts";

export type SatisfiedBy = "skill" | "cli" | "cli_bypass" | "approval" | "carry_over" | "import";

/** A branch of a repository, which all of its worktrees share. */
export interface BranchKey {
  readonly repository: string;
  readonly branch: string;
}

/** What is stored about a requirement on a branch, for one session or for all. */
export interface Standing extends BranchKey {
  readonly requirement: string;
  /** The full id; empty where it counts for the whole branch. */
  readonly sessionId: string;
  readonly scope: Scope;
  /** Null where the requirement was triggered and not satisfied. */
  readonly satisfiedAtMs: number | null;
  readonly satisfiedBy: SatisfiedBy | null;
  /** The first time, if another session satisfied it and this one took it over; else the same as `satisfiedAtMs`. */
  readonly originalAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When a tool use of the session first fell under it; null when none did. */
  readonly triggeredAtMs: number | null;
  readonly triggeredBy: string | null;
  /** `asked`: the tool use may not have run, since a person was asked or nobody reported its end. */
  readonly triggerState: "allowed" | "asked" | "ran" | null;
  /** Set where the event that satisfied it lacks a proof: why, and whether it counts all the same. */
  readonly unproven?: { readonly why: string; readonly counts: boolean };
}

/** What shows in a transcript that an event which satisfied something has happened. */
export interface Proof {
  readonly of: "skill" | "prompt";
  /** The id of the tool use or the prompt; null where the event has none. */
  readonly id: string | null;
  readonly sessionId: string;
  /** The sub-agent; null for the session itself. */
  readonly agentId: string | null;
  /** The transcript that shows it, once it was found. */
  readonly foundIn?: string;
  /** The person was told that no transcript shows it. */
  readonly isTold?: true;
}

/** The session id that stands for the whole branch. */
export const WHOLE_BRANCH = "";

/** Why the lines of a branch are unknown. */
const UNSIZED = {
  unknown:
    "git did not tell how much the branch has changed: it is missing, has failed or takes too long; " +
    "`git diff --stat` shows which",
  elsewhere: "it is calculated only where the branch is checked out",
  /** This denies nothing. */
  "no base":
    "there is nothing to compare the branch with, so that its size forbids nothing: no `origin/HEAD`, " +
    "`main` or `master` that it has a commit in common with; `git remote set-head origin --auto` asks for the first",
};

export interface Facts extends Now {
  readonly branch: string;
  /** The lines that the branch adds and removes; null for a trunk, from which other branches start. */
  readonly branchLines: number | null | keyof typeof UNSIZED;
  /** Other live sessions in the same working tree, by their short ids. */
  readonly otherSessions: readonly string[];
}

interface Now {
  readonly sessionId: string;
  readonly atMs: number;
}

/** A requirement as it stands. */
export interface Judged {
  readonly requirement: Requirement;
  /** `met`: its condition holds by itself. `unknown`: that cannot be judged. */
  readonly status: "satisfied" | "met" | "open" | "unknown";
  /** What its condition found, or why it is unknown, as a sentence; null for one that waits for a skill or a person. */
  readonly finding: string | null;
  /** Whether `finding` says more than the requirement's own message. */
  readonly isUnknown?: true;
  /** What satisfies it. */
  readonly by?: Standing;
  /** Its satisfaction, where that has no proof, counted or not. */
  readonly unproven?: Standing;
}

/** A requirement that is open or unknown. */
export type Open = Pick<Judged, "requirement" | "finding" | "isUnknown">;

/** Judges requirements. `standings` are all those of the branch, in any order. */
export function judgeAll(
  requirements: readonly Requirement[],
  standings: readonly Standing[],
  facts: Facts,
): Judged[] {
  return requirements.map((requirement) => judge(requirement, standings, facts));
}

function judge(requirement: Requirement, standings: readonly Standing[], facts: Facts): Judged {
  const told = toldOf(requirement, standings, facts);
  const by = countingOf(told);
  const [first] = told.some(({ unproven }) => unproven === undefined) ? [] : told;
  const unproven = first && { unproven: first };
  if (by !== undefined) {
    return { requirement, status: "satisfied", finding: null, by, ...unproven };
  }
  const found = conditionOf(requirement, facts);
  if (found.status !== "open" || first === undefined) return { requirement, ...found, ...unproven };
  const finding = `${first.unproven!.why}, and the policy is strict, so that it does not count`;
  return { requirement, ...found, finding, isUnknown: true, ...unproven };
}

export function isSatisfied(
  requirement: Pick<Requirement, "name" | "scope">,
  standings: readonly Standing[],
  now: Now,
): boolean {
  return countingOf(toldOf(requirement, standings, now)) !== undefined;
}

/** The satisfaction that counts: a proven one comes first. */
function countingOf(told: readonly Standing[]): Standing | undefined {
  return told.find(({ unproven }) => unproven === undefined) ??
    told.find(({ unproven }) => unproven?.counts);
}

/**
 * All its satisfactions that have not expired, those of the branch first, which count for every session. The scopes
 * `branch` and `permanent` have no other; `permanent` never expires.
 */
function toldOf(
  { name, scope }: Pick<Requirement, "name" | "scope">,
  standings: readonly Standing[],
  { sessionId, atMs }: Now,
): Standing[] {
  return givenTo({ name, scope }, standings, sessionId).filter(({ expiresAtMs }) =>
    scope === "permanent" || expiresAtMs === null || atMs < expiresAtMs
  );
}

function givenTo(
  { name, scope }: Pick<Requirement, "name" | "scope">,
  standings: readonly Standing[],
  sessionId: string,
): Standing[] {
  return [...new Set([WHOLE_BRANCH, ownerOf(scope, sessionId)])].flatMap((owner) =>
    standings.filter((standing) =>
      standing.sessionId === owner && standing.requirement === name &&
      standing.satisfiedAtMs !== null
    )
  );
}

/** Where a satisfaction is stored: for the session, or for the branch. */
export function ownerOf(scope: Scope, sessionId: string): string {
  return scope === "branch" || scope === "permanent" ? WHOLE_BRANCH : sessionId;
}

/** The satisfaction that expired last; undefined when there is none. */
export function expiredOf(
  requirement: Pick<Requirement, "name" | "scope">,
  standings: readonly Standing[],
  { sessionId, atMs }: Now,
): Standing | undefined {
  return givenTo(requirement, standings, sessionId)
    .filter(({ expiresAtMs }) => expiresAtMs !== null && expiresAtMs <= atMs)
    .sort((one, other) => other.expiresAtMs! - one.expiresAtMs!)[0];
}

/** Whether a tool use of the session fell under it and ran, as far as anybody knows. */
export function isTriggered(
  { name }: Pick<Requirement, "name">,
  standings: readonly Standing[],
  sessionId: string,
): boolean {
  return standings.some((standing) =>
    standing.requirement === name && standing.sessionId === sessionId &&
    standing.triggeredAtMs !== null && standing.triggerState !== "asked"
  );
}

/** What denies: open requirements, under a strict policy also those that cannot be judged, but for want of a base. */
export function denying(judged: readonly Judged[], facts: Facts, isStrict: boolean): Judged[] {
  const isDoubtful = isStrict && facts.branchLines !== "no base";
  return judged.filter(({ requirement, status }) =>
    !requirement.stopOnly && (status === "open" || (isDoubtful && status === "unknown"))
  );
}

/** Requirements that may deny a tool use when the database cannot be read. */
export function mayBeOpen(requirements: readonly Requirement[], facts: Facts): Requirement[] {
  const open = denying(judgeAll(requirements, [], facts), facts, true)
    .map(({ requirement }) => requirement);
  return requirements.filter((requirement) =>
    open.includes(requirement) ||
    (!requirement.stopOnly && requirement.condition.type === "single_session")
  );
}

/** The satisfactions without proof on which something depends. */
export function neededUnproven(judged: readonly Judged[], facts: Facts): Standing[] {
  return judged.flatMap(({ requirement, unproven }) =>
    unproven !== undefined && conditionOf(requirement, facts).status === "open" ? [unproven] : []
  );
}

const MET = { status: "met", finding: null } as const;

/** What its condition says without any satisfaction. */
function conditionOf(
  { condition }: Requirement,
  { branch, branchLines: lines, otherSessions }: Facts,
): Pick<Judged, "finding" | "isUnknown"> & { readonly status: "met" | "open" | "unknown" } {
  const open = (finding: string | null) => ({ status: "open", finding }) as const;
  switch (condition.type) {
    case "blocking":
      return open(null);
    case "branch_size":
      if (lines === null) return MET;
      if (typeof lines === "string") {
        return { status: "unknown", finding: UNSIZED[lines], isUnknown: true };
      }
      return lines < condition.block ? MET : open(
        `the branch ${branch} has changed ${count(lines, "line")}, the limit is ${condition.block}`,
      );
    case "protected_branch":
      return condition.branches.includes(branch)
        ? open(`the branch ${branch} is protected; \`git switch -c NAME\` begins another one`)
        : MET;
    case "single_session":
      return otherSessions.length > 0
        ? open(`another session works in this working tree: ${otherSessions.join(", ")}`)
        : MET;
  }
}
