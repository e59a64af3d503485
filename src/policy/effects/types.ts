/** Types of the check of effects: a look and its context, watched rules and lists, snapshots, changes, violations. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../../config/hook_config.ts";
import type { Locations } from "../../system/environment.ts";
import type { Heads } from "../../system/git/heads.ts";
import type { Rule } from "../guards/guard_policy.ts";
import type { RequirementWork } from "../requirements/ground.ts";
import type { Requirement } from "../requirements/requirement_policy.ts";

/** The session whose effects are checked, and where it works. */
export interface EffectWork extends RequirementWork {
  readonly config: HookConfig;
  readonly home: string | null;
  readonly locations: Pick<Locations, "dataFolder" | "dataNames">;
}

/** The context that all steps of one look share. */
export interface Ground extends EffectWork {
  readonly db: DatabaseSync;
  readonly projectDir: string;
  /** The folder that the rules' patterns start from, then its place in the working tree of the command, if elsewhere. */
  readonly roots: readonly [string, ...string[]];
  readonly rules: readonly WatchedRule[];
  readonly kinds: ReadonlyMap<string, PolicyKind>;
  readonly branches: ProtectedBranches;
  /** The requirements that commits trigger or use up. */
  readonly requirements: readonly Requirement[];
  readonly project: string;
}

/** The moment of a look: before a tool use, after it, or at a stop. */
export type Moment =
  | { readonly is: "before" | "after"; readonly toolUseId: string | null; readonly command: string }
  | { readonly is: "stop" };

/** The kind of a policy file, which decides how its changed content is judged. */
export type PolicyKind = "settings" | "git config" | "program" | "other";

/** The branches that rules protect, or the default ones where no rule names any. */
export interface ProtectedBranches {
  readonly names: readonly string[];
  /** Whether a rule names them; then they may only get commits from their remote. */
  readonly isNamed: boolean;
}

/** A rule whose files are watched. */
export interface WatchedRule
  extends Pick<Rule, "name" | "glob" | "pattern" | "needle" | "writtenBy"> {
  /** Whether the rule forbids only new files. */
  readonly onlyNew: boolean;
  readonly blocks: boolean;
}

/** Files and folders by absolute path, with the number of the rule that watches them. */
export interface WatchList {
  readonly files: readonly (readonly [path: string, rule: number])[];
  /** The paths of those files that git has no version of. */
  readonly untracked?: readonly string[];
  /** Folders in which a rule watches for new files. */
  readonly folders: readonly (readonly [path: string, rule: number])[];
  /** How many files are left out, because there are too many to watch. */
  readonly left: number;
  /** A fingerprint of the rules. */
  readonly rules: string;
}

/** The watched state at one moment. States of files are by path, from `stateOf()`; empty for a missing file. */
export interface Snapshot {
  readonly atMs: number;
  /** A fingerprint of the rules. */
  readonly rules: string;
  readonly policy: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  /** Mode and digest of files whose content git may not hold, from `digestsOf()`. */
  readonly digests?: Readonly<Record<string, string>>;
  /** By watched folder: the files there that its rule means. */
  readonly folders: Readonly<Record<string, readonly string[]>>;
  /** The keys of those folders that hold too many entries to read all; absent where there are none. */
  readonly cut?: readonly string[] | undefined;
  /** The commits of protected branches, local and remote-tracking, by whole name; empty for a missing branch. */
  readonly refs: Readonly<Record<string, string>>;
  /** The working tree whose branch, commit and log these are; absent outside of a repository. */
  readonly tree?: string | undefined;
  /** The checked-out branch, and its commit. */
  readonly head: string;
  readonly commit: string;
  /** The commit of the newest stash; empty for none. */
  readonly stash: string;
  /** The length of HEAD's reflog in bytes; later entries stand behind it. */
  readonly logBytes: number;
  /** Changed configuration files whose earlier version stays in force. */
  readonly held: readonly string[];
  /** The commits of all branches; absent where no requirement concerns commits. */
  readonly heads?: Heads | undefined;
}

export type ViolationKind = "policy" | "ref" | "file";

export interface Change {
  /** An absolute path, or the whole name of a branch. */
  readonly subject: string;
  readonly kind: ViolationKind;
  readonly became: "changed" | "made" | "removed";
  /** The state of a file, or the commit of a branch, before the change. */
  readonly before: string;
  readonly after: string;
  /** The number of the rule that watches a file; null for other kinds. */
  readonly rule: number | null;
}

/** Begins the `rule` of a commit violation, before the name of the requirement; its `before` is the branch. */
export const REQUIREMENT = "requirements.";

export function ofCommit({ kind, rule }: Pick<Violation, "kind" | "rule">): boolean {
  return kind === "ref" && rule.startsWith(REQUIREMENT);
}

/** Begins the `before` of a file that commits have changed; the id of the commit that they came after follows. */
export const COMMITTED = "commit ";

export interface Violation {
  readonly id: string;
  readonly sessionId: string;
  readonly project: string;
  /** A path, the whole name of a branch, or the id of a commit. */
  readonly subject: string;
  /** The subject as a person would name it. */
  readonly name: string;
  readonly kind: ViolationKind;
  readonly rule: string;
  readonly who: "command" | "unknown";
  /** Whether the violation holds back a stop. */
  readonly blocks: boolean;
  readonly before: string;
  /** The command that undoes the change; null where there is none. */
  readonly undo: string | null;
  /** The length of HEAD's reflog before the change, in bytes. */
  readonly logBytes: number;
  readonly createdAtMs: number;
  readonly settledAtMs: number | null;
}
