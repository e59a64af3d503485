/** What the daemon answers, as far as the page shows it. */

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

/** A session with what it is at. */
export interface SessionNow extends Session {
  readonly tool: string | null;
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
  readonly taskId: string | null;
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

export interface Story {
  readonly asked: { readonly first: string | null; readonly count: number };
  readonly files: readonly {
    readonly path: string;
    readonly added: number;
    readonly removed: number;
  }[];
  readonly commits: readonly Line[];
  readonly tests: { readonly green: number; readonly red: number };
  readonly failed: readonly (Line & { readonly mendedBy: number | null })[];
  readonly fixes: readonly Line[];
  readonly decided: readonly Line[];
  readonly open: readonly string[];
  readonly end: string | null;
  readonly waiting: number;
}

export interface SessionWhole {
  readonly session: Session;
  readonly story: Story;
  readonly agents: readonly Agent[];
}

export interface Step {
  readonly id: string;
  readonly atMs: number;
  readonly kind: "prompt" | "tool" | "message" | "gate" | "session";
  readonly name: string;
  readonly subject: string;
  readonly result: string;
  readonly tookMs: number | null;
  readonly toolUseId: string | null;
  readonly observation: number | null;
}

export interface Log {
  readonly steps: readonly Step[];
  readonly more: boolean;
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

export interface Execution {
  readonly id: string;
  readonly sessionId: string;
  readonly hookName: string;
  readonly toolName: string | null;
  readonly status: string;
  readonly durationMs: number;
  readonly errorMessage: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAtMs: number;
}

export interface HookTimes {
  readonly hookName: string;
  readonly count: number;
  readonly failures: number;
  readonly blocked: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
  readonly projectDir: string | null;
  readonly claimedBy: string | null;
  readonly leaseUntilMs: number | null;
  readonly dependsOn: readonly string[];
  readonly reason: string | null;
  readonly updatedAtMs: number;
}

export interface Workflow {
  readonly id: string;
  readonly name: string;
  readonly taskId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly updatedAtMs: number;
}

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly taskId: string | null;
  readonly startedAtMs: number;
}

export interface State {
  readonly tasks: readonly Task[];
  readonly workflows: readonly Workflow[];
  readonly agents: readonly Agent[];
  readonly questions: readonly Question[];
}

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
