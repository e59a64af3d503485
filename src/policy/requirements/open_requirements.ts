/** Finds which requirements are open, and so deny a tool use or hold back a stop. */
import { count } from "../../base/counts.ts";
import type { Requirement, RequirementPolicy } from "./requirement_policy.ts";
import { isSatisfied, isTriggered, type Standing, unprovenOf } from "./standing.ts";

/**
 * The lines that a branch adds and removes, or why they are unknown. Null for a trunk, from which other branches
 * start; `"no base"` where there is no branch to compare with. Neither of the two denies anything.
 */
export type BranchLines = number | null | "no base" | { readonly unknown: string };

export interface Facts {
  readonly sessionId: string;
  readonly atMs: number;
  readonly branch: string;
  readonly branchLines: BranchLines;
  /** Other live sessions in the same working tree, by their short ids. */
  readonly otherSessions: readonly string[];
}

export interface Open {
  readonly requirement: Requirement;
  /** What its condition found, as a sentence; null for a requirement that waits for a skill or a person. */
  readonly finding: string | null;
  /** True when it cannot be judged; then `finding` says why. */
  readonly isUnknown?: true;
}

/** The open requirements that deny a tool use; those that count only at a stop are left out. */
export function openForUse(
  triggered: readonly Requirement[],
  standings: readonly Standing[],
  facts: Facts,
): Open[] {
  return openOf(triggered.filter(({ stopOnly }) => !stopOnly), standings, facts);
}

export function openForStop(
  policy: Pick<RequirementPolicy, "requirements" | "verifyScopes">,
  standings: readonly Standing[],
  facts: Facts,
): Open[] {
  return openOf(askedAtStop(policy, standings, facts.sessionId), standings, facts);
}

/** The requirements that a stop is judged by: the session triggered them, and their scope is verified. */
export function askedAtStop(
  { requirements, verifyScopes }: Pick<RequirementPolicy, "requirements" | "verifyScopes">,
  standings: readonly Standing[],
  sessionId: string,
): Requirement[] {
  return requirements.filter((requirement) =>
    verifyScopes.includes(requirement.scope) && isTriggered(requirement, standings, sessionId)
  );
}

export function openOf(
  requirements: readonly Requirement[],
  standings: readonly Standing[],
  facts: Facts,
): Open[] {
  return requirements.flatMap((requirement): Open[] => {
    if (isSatisfied(requirement, standings, facts)) return [];
    const finding = findingOf(requirement, facts);
    if (finding === "met") return [];
    const unproven = unprovenOf(requirement, standings, facts)?.unproven;
    return unproven === undefined ? [{ requirement, finding }] : [{
      requirement,
      finding: `${unproven.why}, and the policy is strict, so that it does not count`,
      isUnknown: true,
    }];
  });
}

/** Requirements that cannot be judged, with the reason. A person can satisfy them. */
export function unknownOf(
  requirements: readonly Requirement[],
  standings: readonly Standing[],
  facts: Facts,
): Open[] {
  const lines = facts.branchLines;
  if (lines === null || typeof lines === "number") return [];
  const finding = lines === "no base" ? NO_BASE : lines.unknown;
  return requirements.filter((requirement) =>
    requirement.condition.type === "branch_size" && !isSatisfied(requirement, standings, facts)
  ).map((requirement) => ({ requirement, finding, isUnknown: true }));
}

const NO_BASE =
  "there is nothing to compare the branch with, so that its size forbids nothing: no `origin/HEAD`, " +
  "`main` or `master` that it has a commit in common with; `git remote set-head origin --auto` asks for the first";

/** The requirements that a strict policy denies because they cannot be judged. */
export function doubtfulOf(
  ...[requirements, standings, facts]: Parameters<typeof unknownOf>
): Open[] {
  return facts.branchLines === "no base" ? [] : unknownOf(requirements, standings, facts);
}

/** Requirements that may deny a tool use when the database cannot be read. */
export function mayBeOpen(requirements: readonly Requirement[], facts: Facts): Requirement[] {
  return requirements.filter((requirement) =>
    !requirement.stopOnly && (requirement.condition.type === "single_session" ||
      openOf([requirement], [], facts).length > 0 ||
      doubtfulOf([requirement], [], facts).length > 0)
  );
}

export function wantsBranchSize(requirements: readonly Requirement[]): boolean {
  return requirements.some(({ condition }) => condition.type === "branch_size");
}

function findingOf({ condition }: Requirement, facts: Facts): string | "met" | null {
  switch (condition.type) {
    case "blocking":
      return null;
    case "branch_size": {
      const lines = facts.branchLines;
      if (typeof lines !== "number" || lines < condition.block) return "met";
      return `the branch ${facts.branch} has changed ${
        count(lines, "line")
      }, the limit is ${condition.block}`;
    }
    case "protected_branch":
      return condition.branches.includes(facts.branch)
        ? `the branch ${facts.branch} is protected; \`git switch -c NAME\` begins another one`
        : "met";
    case "single_session":
      return facts.otherSessions.length > 0
        ? `another session works in this working tree: ${facts.otherSessions.join(", ")}`
        : "met";
  }
}
