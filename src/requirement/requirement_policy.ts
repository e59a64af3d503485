/**
 * What has to be true before something is done, compiled from the configuration: plain JSON, so that a hook takes it from
 * the cache.
 */

/** For how long a satisfaction holds: see {@linkcode isSatisfied} in `standing.ts`. */
export type Scope = "session" | "branch" | "permanent" | "single_use";

/** All scopes. */
export const SCOPES = ["session", "branch", "permanent", "single_use"] as const;

/** A use of a tool that a requirement is about. */
export interface Trigger {
  /** The tool's name. */
  readonly tool: string;
  /** Where the name is a glob: to be tried on the tool's name, flag `s`; else null. */
  readonly toolPattern: string | null;
  /** Of Bash: the source of a regular expression, searched in each command that would run, flag `i`; null for all. */
  readonly command: string | null;
}

/** What is asked: somebody's word, or a condition that is looked at anew each time. */
export type Condition =
  | { readonly type: "blocking" }
  /** The lines that the branch has changed; `warn` is noted, `block` and more forbids. */
  | {
    readonly type: "branch_size";
    readonly warn: number;
    readonly block: number;
    /** How long a measured size counts, in milliseconds. */
    readonly cacheMs: number;
  }
  | { readonly type: "protected_branch"; readonly branches: readonly string[] }
  /** No other live session works in the same working tree. */
  | { readonly type: "single_session" };

/** One requirement. */
export interface Requirement {
  readonly name: string;
  readonly condition: Condition;
  readonly scope: Scope;
  readonly triggers: readonly Trigger[];
  /** True: it never forbids a tool, it is asked when Claude stops. */
  readonly stopOnly: boolean;
  /** Told instead of the usual reason, with the placeholders of `text.ts`; null for that. */
  readonly message: string | null;
  readonly shortMessage: string | null;
  readonly description: string | null;
  readonly checklist: readonly string[];
  /** Skills whose use satisfies it. */
  readonly skills: readonly string[];
  /** The skill that a denial names; null when there is none. */
  readonly resolvedBy: string | null;
  /** How long a satisfaction by a skill lasts, in milliseconds; null without an end. */
  readonly lastsMs: number | null;
  /** How long a person's word about a calculated value lasts, in milliseconds. */
  readonly approvalMs: number;
}

/** Everything about requirements that a hook needs. */
export interface RequirementPolicy {
  readonly requirements: readonly Requirement[];
  /** Scopes that are looked at when Claude stops; empty when nothing is. */
  readonly verifyScopes: readonly Scope[];
  /** How the session's start tells where things stand. */
  readonly briefing: "compact" | "standard" | "none";
  readonly header: string | null;
  /** A session takes over what another one has just satisfied; null when it does not. */
  readonly carryOver: { readonly windowMs: number; readonly scopes: readonly Scope[] } | null;
  /** Whether a prompt that speaks of edits or commits is answered with what is open. */
  readonly reminds: boolean;
  /** Whether the session's end takes its satisfactions along. */
  readonly clearsAtEnd: boolean;
}
