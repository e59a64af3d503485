/** Judges how requirements stand on a branch, from their stored rows and from facts. Reads nothing itself. */
import { count } from "../../base/counts.ts";
import type { Requirement, Scope } from "./requirement_policy.ts";

export type SatisfiedBy = "skill" | "cli" | "cli_bypass" | "approval" | "carry_over" | "import";

/** A branch of a repository, which all of its worktrees share. */
export interface BranchKey {
  readonly repository: string;
  readonly branch: string;
}

/** The stored row of a requirement on a branch, for one session or for all. */
export interface Standing extends BranchKey {
  readonly requirement: string;
  /** The full id; empty where the row counts for the whole branch. */
  readonly sessionId: string;
  readonly scope: Scope;
  /** When it was satisfied, in epoch milliseconds; null where it was only triggered. */
  readonly satisfiedAtMs: number | null;
  readonly satisfiedBy: SatisfiedBy | null;
  /** When the first session satisfied it, if this session took that over; else the same as `satisfiedAtMs`. */
  readonly originalAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When a tool use of the session first fell under the requirement; null when none did. */
  readonly triggeredAtMs: number | null;
  readonly triggeredBy: string | null;
  /** `asked`: the tool use may not have run, because a person was asked or nobody reported its end. */
  readonly triggerState: "allowed" | "asked" | "ran" | null;
  /** Set where the satisfying event lacks a proof: why it lacks one, and whether the satisfaction still counts. */
  readonly unproven?: { readonly why: string; readonly counts: boolean };
}

/** Identifies the transcript's entry that proves a satisfying event. */
export interface Proof {
  readonly of: "skill" | "prompt";
  /** The id of the tool use or the prompt; null where the event has none. */
  readonly id: string | null;
  readonly sessionId: string;
  /** The sub-agent; null for the session itself. */
  readonly agentId: string | null;
  /** The transcript in which the proof was found; absent until then. */
  readonly foundIn?: string;
  /** True once the person has read that no transcript shows the proof. */
  readonly isTold?: true;
}

/** The session id that stands for the whole branch. */
export const WHOLE_BRANCH = "";

/** Why the size of a branch is unknown. */
const UNSIZED = {
  unknown:
    "git did not tell how much the branch has changed: it is missing, has failed or takes too long; " +
    "`git diff --stat` shows which",
  elsewhere: "it is calculated only where the branch is checked out",
  /** Denies nothing, even under a strict policy. */
  "no base":
    "there is nothing to compare the branch with, so that its size forbids nothing: no `origin/HEAD`, " +
    "`main` or `master` that it has a commit in common with; `git remote set-head origin --auto` asks for the first",
};

export interface Facts extends Now {
  readonly branch: string;
  /** The number of lines that the branch adds and removes; null for a trunk, from which other branches start. */
  readonly branchLines: number | null | keyof typeof UNSIZED;
  /** Other live sessions in the same working tree, by their short ids. */
  readonly otherSessions: readonly string[];
}

interface Now {
  readonly sessionId: string;
  readonly atMs: number;
}

/** A requirement with its status. */
export interface Judged {
  readonly requirement: Requirement;
  /** `met`: the condition holds without a satisfaction. `unknown`: the condition cannot be judged. */
  readonly status: "satisfied" | "met" | "open" | "unknown";
  /** What the condition found, or why it is unknown, as a sentence; null while it waits for a skill or a person. */
  readonly finding: string | null;
  /** Set where `finding` says more than the requirement's own message. */
  readonly isUnknown?: true;
  /** The satisfaction that counts. */
  readonly by?: Standing;
  /** A satisfaction without a proof, whether it counts or not; absent where another one has a proof. */
  readonly unproven?: Standing;
  /** Whether it would be open without a satisfaction. */
  readonly needsSatisfaction: boolean;
  /** The satisfaction that expired last; absent where one counts, or none has expired. */
  readonly expired?: Standing | undefined;
  /** The session's own row. */
  readonly own?: Standing | undefined;
  /** Whether a tool use of the session fell under the requirement and, as far as is known, ran. */
  readonly isTriggered: boolean;
}

/** A requirement that is open or unknown. */
export type Open = Pick<Judged, "requirement" | "finding" | "isUnknown">;

/** Judges requirements. `standings` are the rows of the branch and the session, as they are read. */
export function judgeAll(
  requirements: readonly Requirement[],
  standings: readonly Standing[],
  facts: Facts,
): Judged[] {
  return requirements.map((requirement) => judge(requirement, standings, facts));
}

function judge(requirement: Requirement, standings: readonly Standing[], facts: Facts): Judged {
  const { name } = requirement;
  const own = standings.find((one) =>
    one.requirement === name && one.sessionId === facts.sessionId
  );
  const isTriggered = own !== undefined && own.triggeredAtMs !== null &&
    own.triggerState !== "asked";
  const { lasting, expired } = satisfactionsOf(requirement, standings, facts);
  const by = countingOf(lasting);
  const [first] = lasting.some(({ unproven }) => unproven === undefined) ? [] : lasting;
  const condition = conditionOf(requirement, facts);
  const needsSatisfaction = condition.status === "open";
  const judged = {
    requirement,
    own,
    isTriggered,
    needsSatisfaction,
    ...first && { unproven: first },
  };
  if (by !== undefined) return { ...judged, status: "satisfied", finding: null, by };
  const found = { ...judged, ...condition, expired };
  if (found.status !== "open" || first === undefined) return found;
  const finding = `${first.unproven!.why}, and the policy is strict, so that it does not count`;
  return { ...found, finding, isUnknown: true };
}

export function isSatisfied(
  requirement: Pick<Requirement, "name" | "scope">,
  standings: readonly Standing[],
  now: Now,
): boolean {
  return countingOf(satisfactionsOf(requirement, standings, now).lasting) !== undefined;
}

/** Returns the satisfaction that counts: a proven one before one without a proof. */
function countingOf(satisfactions: readonly Standing[]): Standing | undefined {
  return satisfactions.find(({ unproven }) => unproven === undefined) ??
    satisfactions.find(({ unproven }) => unproven?.counts);
}

/**
 * Returns a requirement's satisfactions that last, and the one that expired last. Satisfactions of the branch come first;
 * they count for every session, and the scopes `branch` and `permanent` have no others. `permanent` never expires.
 */
function satisfactionsOf(
  { name, scope }: Pick<Requirement, "name" | "scope">,
  standings: readonly Standing[],
  { sessionId, atMs }: Now,
) {
  const owners = [WHOLE_BRANCH, ownerOf(scope, sessionId)];
  const satisfied = standings.filter((one) =>
    one.requirement === name && owners.includes(one.sessionId) && one.satisfiedAtMs !== null
  );
  const hasExpired = ({ expiresAtMs }: Standing) => expiresAtMs !== null && expiresAtMs <= atMs;
  return {
    lasting: satisfied.filter((one) => scope === "permanent" || !hasExpired(one)),
    expired: satisfied.filter(hasExpired).sort((a, b) => b.expiresAtMs! - a.expiresAtMs!)[0],
  };
}

/** Returns the session id under which a satisfaction is stored: the session's, or the one for the whole branch. */
export function ownerOf(scope: Scope, sessionId: string): string {
  return scope === "branch" || scope === "permanent" ? WHOLE_BRANCH : sessionId;
}

/** Returns what denies: open requirements, under a strict policy unknown ones, too, unless the branch has no base. */
export function denying(judged: readonly Judged[], facts: Facts, isStrict: boolean): Judged[] {
  const isDoubtful = isStrict && facts.branchLines !== "no base";
  return judged.filter(({ requirement, status }) =>
    !requirement.stopOnly && (status === "open" || (isDoubtful && status === "unknown"))
  );
}

/** Returns the requirements that may deny a tool use when the database cannot be read. */
export function mayBeOpen(requirements: readonly Requirement[], facts: Facts): Requirement[] {
  const open = denying(judgeAll(requirements, [], facts), facts, true)
    .map(({ requirement }) => requirement);
  return requirements.filter((requirement) =>
    open.includes(requirement) ||
    (!requirement.stopOnly && requirement.condition.type === "single_session")
  );
}

const MET = { status: "met", finding: null } as const;

/** Evaluates a requirement's condition, without any satisfaction. */
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
