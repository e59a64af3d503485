/** The parts of the daemon's answers that the page uses. */
import type { timesByLane } from "../claude/settings/installed_hooks.ts";
import type { HookSummary } from "../db/executions.ts";
import type { Steps } from "../memory/tell/session_steps.ts";
import type { SessionStory } from "../memory/tell/shown_story.ts";

export interface Session {
  readonly sessionId: string;
  readonly shortId: string;
  readonly status: "active" | "ended" | "abandoned";
  readonly title: string | null;
  readonly projectDir: string | null;
  readonly branch: string | null;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
}

/** A session with its current activity. */
export interface SessionNow extends Session {
  readonly tool: string | null;
  /** The command or the file of the tool. */
  readonly wanted: string;
  readonly lastHook: string | null;
  readonly lastAtMs: number;
  readonly waitsFor: string | null;
}

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly type: string;
  readonly options: readonly string[];
  readonly status: string;
  /** `notification` and `elicitation` mean that a session itself asks the question. */
  readonly source: string;
  readonly taskTitle: string | null;
  /** The tool use that a session asks a permission for. */
  readonly wanted: string | null;
  readonly sessionId: string | null;
  readonly createdAtMs: number;
}

export interface Now {
  readonly sessions: readonly SessionNow[];
  readonly questions: readonly Question[];
}

export interface Line {
  readonly id: number;
  readonly title: string;
}

export interface SessionWhole {
  readonly session: Session;
  readonly story: SessionStory;
  /** The violations that the session was told of. */
  readonly violations: readonly {
    readonly name: string;
    readonly rule: string;
    readonly isOpen: boolean;
    readonly createdAtMs: number;
  }[];
  readonly agents: readonly Agent[];
}

export interface Log extends Steps {
  readonly sessionId: string;
}

export interface Observation {
  readonly id: number;
  readonly sessionId: string;
  readonly project: string | null;
  readonly branch: string | null;
  readonly kind: string;
  readonly outcome: "success" | "failure" | null;
  readonly title: string;
  readonly text?: string;
  readonly snippet?: string;
  readonly resolvedBy: number | null;
  readonly createdAtMs: number;
  readonly tokens?: number;
}

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
  readonly projectDir: string | null;
  readonly claimedBy: string | null;
  readonly leaseUntilMs: number | null;
  /** Open tasks that must be closed first. */
  readonly waitsFor: readonly { readonly id: string; readonly title: string }[];
  readonly reason: string | null;
  readonly updatedAtMs: number;
}

export interface Workflow {
  readonly id: string;
  readonly name: string;
  /** Null if the task no longer exists. */
  readonly taskTitle: string | null;
  readonly status: string;
  readonly currentStep: string | null;
  readonly reason: string | null;
  /** A person's decision that the daemon has not carried out yet. */
  readonly decision: string | null;
  readonly branch: string | null;
  readonly baseBranch: string | null;
  readonly updatedAtMs: number;
}

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly taskTitle?: string | null;
  readonly workflowId: string | null;
  readonly sessionId: string | null;
  /** The agent's own working tree, if it has one. */
  readonly worktree: string | null;
  readonly startedAtMs: number;
  readonly createdAtMs: number;
}

/** A line of `audit stats`. */
export type HookStats = HookSummary & ReturnType<typeof timesByLane>;

export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  readonly next: string | null;
}

export interface Requirement {
  readonly name: string;
  readonly type: string;
  readonly scope: string;
  readonly status: string;
  readonly satisfiedBy: string | null;
  readonly why: string | null;
  readonly run: string | null;
}
