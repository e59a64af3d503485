/** Types of the compiled requirements: plain JSON, so that hooks read them from the cache. */
import { parseOnce } from "../../base/parse_once.ts";

export const SCOPES = ["session", "branch", "permanent", "single_use"] as const;

/** How far a satisfaction reaches: see `satisfactionsOf` in `standing.ts`. */
export type Scope = (typeof SCOPES)[number];

export interface Trigger {
  readonly tool: string;
  /** The regular expression of a glob (flag `s`), matched against the tool's name; null for a plain name. */
  readonly toolPattern: string | null;
  /** A regular expression (flag `i`) that is searched in each command of a shell; null for every command. */
  readonly command: string | null;
}

/** When a requirement is open. `blocking` waits for a skill or a person; the others are calculated at each use. */
export type Condition =
  | { readonly type: "blocking" }
  /** The lines that the branch has changed: from `warn` on they are noted, from `block` on they deny. */
  | {
    readonly type: "branch_size";
    readonly warn: number;
    readonly block: number;
    /** How long a measured size stays valid, in milliseconds. */
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
  /** Replaces the usual reason, with placeholders; null keeps the usual reason. */
  readonly message: string | null;
  readonly shortMessage: string | null;
  readonly description: string | null;
  readonly checklist: readonly string[];
  readonly skills: readonly string[];
  readonly resolvedBy: string | null;
  /** How long a satisfaction by a skill lasts, in milliseconds; null for a satisfaction without an end. */
  readonly lastsMs: number | null;
  /** How long a person's approval of a calculated value lasts, in milliseconds. */
  readonly approvalMs: number;
}

export interface RequirementPolicy {
  readonly requirements: readonly Requirement[];
  /** The scopes of the requirements that may hold back a stop. */
  readonly verifyScopes: readonly Scope[];
  /** The form in which a session reads at its start how the requirements stand. */
  readonly briefing: "compact" | "standard" | "none";
  readonly header: string | null;
  /** Which recent satisfactions of another session a new session takes over; null for none. */
  readonly carryOver: { readonly windowMs: number; readonly scopes: readonly Scope[] } | null;
  readonly reminds: boolean;
  readonly clearsAtEnd: boolean;
}

/** Parses the compiled section of a configuration, once. */
export const requirementPolicyIn = parseOnce<RequirementPolicy>();
