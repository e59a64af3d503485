/** The types of observations, the rows of memory: something that was done, said or found in a session. */

export const OBSERVATION_KINDS = [
  "edit",
  "command",
  "failure",
  "fix",
  "test",
  "commit",
  "search",
  "fetch",
  "decision",
  "task",
  "prompt",
  "message",
  "note",
  "summary",
] as const;

export type ObservationKind = typeof OBSERVATION_KINDS[number];

/** Kinds that can be taken back or replaced. */
const TAKEN_BACK: ReadonlySet<ObservationKind> = new Set([
  "commit",
  "decision",
  "note",
  "fix",
  "edit",
]);

/** Whether an observation no longer holds: a commit, fix or edit was taken back, a decision or note was replaced. */
export function isSuperseded(
  { kind, resolvedBy }: { readonly kind: ObservationKind; readonly resolvedBy: number | null },
): boolean {
  return TAKEN_BACK.has(kind) && resolvedBy !== null;
}

/** Whether it is a replaced note or decision: no session is told of it, and a search lists it last. */
export function isReplaced(
  { kind, resolvedBy }: { readonly kind: ObservationKind; readonly resolvedBy: number | null },
): boolean {
  return (kind === "note" || kind === "decision") && resolvedBy !== null;
}

/** The session id of notes that belong to no session. */
export const NO_SESSION = "notes";

export interface ObservedFile {
  /** Relative to the project's folder; absolute when it lies elsewhere. */
  readonly path: string;
  /** Digest of its content at that time; null when the capture does not hold the whole file. */
  readonly digest: string | null;
}

/** What a command checks. */
export type Check = "test" | "build" | "lint" | "type";

/** The key of a command or another tool use. A failure is open until something with the same key passes. */
export interface CommandKey {
  /** Null for a command that checks nothing. */
  readonly check: Check | null;
  /** Program, subcommand, package or folder. */
  readonly what: string;
  /** Whether `what` is a whole command as it was typed, and the shell said that it passed. */
  readonly isLine?: true;
  /** Whether its output is understood. Then the output counts when the shell hides the exit code. */
  readonly isRead?: true;
  /** The files and folders that it selects, relative to the project's folder; empty for all. */
  readonly paths: readonly string[];
  /** The tests that it selects by options; empty for all. */
  readonly chosen: readonly string[];
}

/** Facts of an observation beside its texts; those that do not apply are missing. */
export interface ObservedFacts {
  /** As it was typed. */
  readonly command?: string;
  readonly exitCode?: number;
  /** The line of the output that says what is wrong. */
  readonly error?: string;
  readonly symbols?: readonly string[];
  /** Lines that an edit added and removed. */
  readonly added?: number;
  readonly removed?: number;
  /** Of an edit: digest of the file before it; missing when the capture does not hold the whole file. */
  readonly before?: string;
  /**
   * The hash is null when the command did not print it, the subject when the message is not in the command. An amended
   * commit replaced the one before it.
   */
  readonly commit?: {
    readonly hash: string | null;
    readonly subject: string | null;
    readonly amended?: true;
  };
  /** Numbers of tests, as the runner counts them. */
  readonly passed?: number;
  readonly failed?: number;
  /** Tests that did not run, and those that were expected to fail. */
  readonly skipped?: number;
  readonly failing?: readonly string[];
  /** Of a command: it worked on another branch or state of the files than the session. */
  readonly isElsewhere?: true;
  /** Of a command: the shell hides how it ended, behind a pipe for example. */
  readonly isUntold?: true;
  /** Of a command: it was left running in the background. */
  readonly isStarted?: true;
  /** Of a failure: its rank among open ends (`OPEN_RANKS`); null when it is none. */
  readonly openRank?: number | null;
  /** Of a failed command: what it checks, and the files and tests that it selected; missing for all. */
  readonly check?: Check;
  readonly paths?: readonly string[];
  readonly chosen?: readonly string[];
  /** Of a failed command: digest of its key, the same for all its failures. */
  readonly of?: string;
  /** Of a fix: the failure that it mended, and the changes that did so. */
  readonly mended?: number;
  readonly by?: readonly number[];
  /** Of a list of tasks: the open tasks. Of a summary: all open tasks and failures. */
  readonly open?: readonly string[];
  /** Of a summary: the session's lists of tasks at its end; missing when it had none. */
  readonly todos?: {
    readonly open: readonly string[];
    readonly done: readonly string[];
    readonly passedOver?: readonly string[];
  };
  /** Of a message: the error of the API that ended the turn, as Claude Code names it. */
  readonly stopped?: string;
  /** Of a summary: the branches of the session, when there were several. */
  readonly branches?: readonly (string | null)[];
  /** Of a summary: the session holds a few short messages and nothing else. */
  readonly trivial?: true;
  /** Of a session of a word (`continue`) that changed nothing: it takes no line among the last sessions. */
  readonly brief?: true;
  /** Of a summary: how its session ended, in words; missing while it goes on. */
  readonly end?: string;
  /** Of a summary that a model has rewritten: digest of the original. */
  readonly rewrittenFrom?: string;
  readonly tool?: string;
  /** Of a message: Claude Code sent it in a person's place. */
  readonly isRelayed?: true;
  readonly role?: string;
}

/** The observation of one capture, before it is saved. */
export interface Observed {
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  /** One line. */
  readonly title: string;
  readonly text: string;
  readonly files: readonly ObservedFile[];
  readonly facts: ObservedFacts;
  /** Observations of a session with the same text here are repeats of one; null when none is a repeat. */
  readonly sameAs: string | null;
  /** The error of a failure. Failures with the same `sameAs` and `wrong` are one failure. */
  readonly wrong?: string;
  /** The keys of commands that passed: these mend failures with the same keys. */
  readonly passes?: readonly CommandKey[];
  /** A further observation of the same capture: a commit that a command made before it failed. */
  readonly besides?: Observed;
}

/** A capture as the queue has it, its payload read. */
export interface ToolUse {
  readonly toolName: string;
  readonly outcome: "success" | "failure";
  /** Fields of the payload: `tool_input`, `tool_response`, `error`, …. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The folder that paths are relative to, absolute; null when it is not known. */
  readonly root: string | null;
  /** Whether it was done in another project. */
  readonly isForeign?: boolean;
}

/** Parses a list or an object that a row holds as JSON; `instead` when it is damaged, which `doctor` reports. */
export function keptJson<Value extends object>(text: unknown, instead: Value): Value {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null &&
        Array.isArray(value) === Array.isArray(instead)
      ? value as Value
      : instead;
  } catch {
    return instead;
  }
}
