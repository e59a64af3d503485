/** The requirements, compiled from the configuration: plain JSON, so that hooks read them from the cache. */

/** How long a satisfaction holds: see {@linkcode isSatisfied} in `standing.ts`. */
export type Scope = "session" | "branch" | "permanent" | "single_use";

export const SCOPES = ["session", "branch", "permanent", "single_use"] as const;

export interface Trigger {
  readonly tool: string;
  /** Tried on the tool's name, flag `s`, where the configuration has a glob; else null. */
  readonly toolPattern: string | null;
  /** For shells: a regular expression that is searched in each command, flag `i`; null for all. */
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
  /** True: it denies no tool and is asked only when Claude stops. */
  readonly stopOnly: boolean;
  /** Replaces the usual reason, with the placeholders of `requirement_text.ts`; null for that. */
  readonly message: string | null;
  readonly shortMessage: string | null;
  readonly description: string | null;
  readonly checklist: readonly string[];
  readonly skills: readonly string[];
  /** The skill that a denial names; null for none. */
  readonly resolvedBy: string | null;
  /** How long a satisfaction by a skill lasts, in milliseconds; null without an end. */
  readonly lastsMs: number | null;
  /** How long a person's approval of a calculated value lasts, in milliseconds. */
  readonly approvalMs: number;
}

export interface RequirementPolicy {
  readonly requirements: readonly Requirement[];
  /** The scopes that a stop is judged by; empty for none. */
  readonly verifyScopes: readonly Scope[];
  /** How a session is told at its start where the requirements stand. */
  readonly briefing: "compact" | "standard" | "none";
  readonly header: string | null;
  /** Whether a new session takes over what another one has just satisfied; null when not. */
  readonly carryOver: { readonly windowMs: number; readonly scopes: readonly Scope[] } | null;
  /** Whether a prompt about edits or commits is answered with the open requirements. */
  readonly reminds: boolean;
  readonly clearsAtEnd: boolean;
}
