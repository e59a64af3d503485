/** What all steps of one look share. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../../config/hook_config.ts";
import type { policiesIn } from "../policies.ts";
import type { Requirement } from "../requirements/requirement_policy.ts";
import type { WatchedRule } from "./types.ts";
import type { PolicyKind, ProtectedBranches, WatchPlace } from "./watched.ts";

export interface EffectWork extends Omit<WatchPlace, "root" | "projectDir"> {
  readonly db: DatabaseSync | null;
  readonly config: Pick<HookConfig, "held"> & Parameters<typeof policiesIn>[0];
  readonly projectDir: string | null;
  readonly sessionId: string;
  readonly transcriptPath: string | null;
  readonly atMs: number;
}

/** The moment of a look: before a tool use, after it, or at a stop. */
export type Moment =
  | { readonly is: "before" | "after"; readonly toolUseId: string | null; readonly command: string }
  | { readonly is: "stop" };

export interface Ground {
  readonly db: DatabaseSync;
  readonly work: EffectWork;
  readonly place: WatchPlace;
  readonly rules: readonly WatchedRule[];
  readonly stamp: string;
  readonly kinds: ReadonlyMap<string, PolicyKind>;
  readonly branches: ProtectedBranches;
  /** None where commits have nothing to do with them. */
  readonly requirements: readonly Requirement[];
  readonly project: string;
}
