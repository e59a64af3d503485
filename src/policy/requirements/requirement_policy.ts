/** The requirements, compiled from the configuration to plain JSON, so that hooks read them from the cache. */
import { parseOnce } from "../../base/parse_once.ts";

export const SCOPES = ["session", "branch", "permanent", "single_use"] as const;

/** How long a satisfaction holds: see {@linkcode isSatisfied} in `standing.ts`. */
export type Scope = (typeof SCOPES)[number];

export interface Trigger {
  readonly tool: string;
  /** Tried on the tool's name where the configuration has a glob (flag `s`); null for a plain name. */
  readonly toolPattern: string | null;
  /** For a shell: a regular expression that is searched in each command (flag `i`); null for every command. */
  readonly command: string | null;
}

/** `blocking` waits for a skill or a person; the others are checked each time. */
export type Condition =
  | { readonly type: "blocking" }
  /** The lines that the branch has changed: `warn` is noted, `block` and more denies. */
  | {
    readonly type: "branch_size";
    readonly warn: number;
    readonly block: number;
    /** How long a measured size counts, in milliseconds. */
    readonly cacheMs: number;
  }
  | { readonly type: "protected_branch"; readonly branches: readonly string[] }
  | { readonly type: "single_session" };

export interface Requirement {
  readonly name: string;
  readonly condition: Condition;
  readonly scope: Scope;
  readonly triggers: readonly Trigger[];
  /** Whether it counts only when Claude stops, and denies no tool. */
  readonly stopOnly: boolean;
  /** Replaces the usual reason, with placeholders; null keeps that. */
  readonly message: string | null;
  readonly shortMessage: string | null;
  readonly description: string | null;
  readonly checklist: readonly string[];
  readonly skills: readonly string[];
  readonly resolvedBy: string | null;
  /** How long a satisfaction by a skill lasts, in milliseconds; null without an end. */
  readonly lastsMs: number | null;
  /** How long a person's approval of a calculated value lasts, in milliseconds. */
  readonly approvalMs: number;
}

export interface RequirementPolicy {
  readonly requirements: readonly Requirement[];
  /** The scopes of the requirements that a stop is judged by. */
  readonly verifyScopes: readonly Scope[];
  /** How a session is told at its start where the requirements stand. */
  readonly briefing: "compact" | "standard" | "none";
  readonly header: string | null;
  /** What a new session takes over of what another one has just satisfied; null for nothing. */
  readonly carryOver: { readonly windowMs: number; readonly scopes: readonly Scope[] } | null;
  readonly reminds: boolean;
  readonly clearsAtEnd: boolean;
}

/** The policy in the section of a configuration. */
export const requirementPolicyIn = parseOnce<RequirementPolicy>();
