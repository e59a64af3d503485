/** Observations: memory is made of them. Each is something that was done, said or found out in a session. */

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

/** Whether it was taken back (a commit, a fix, an edit) or replaced (a decision, a note): it no longer holds. */
export function isSuperseded(
  { kind, resolvedBy }: { readonly kind: ObservationKind; readonly resolvedBy: number | null },
): boolean {
  return TAKEN_BACK.has(kind) && resolvedBy !== null;
}

/** Whether it is a note or a decision that another one replaced: nobody is told of it, and a search lists it last. */
export function isReplaced(
  { kind, resolvedBy }: { readonly kind: ObservationKind; readonly resolvedBy: number | null },
): boolean {
  return (kind === "note" || kind === "decision") && resolvedBy !== null;
}

/** The session of what a person remembers outside of any. */
export const NO_SESSION = "notes";

export interface ObservedFile {
  /** Relative to the project's folder; absolute when it lies elsewhere. */
  readonly path: string;
  /** Digest of its content at that time; null where the capture does not hold it whole. */
  readonly digest: string | null;
}

/** What a command looks after. */
export type Check = "test" | "build" | "lint" | "type";

/** The key of a command or another tool use. A failure is open until something with the same key passes. */
export interface CommandKey {
  /** Null for a command that checks nothing. */
  readonly check: Check | null;
  /** Program, subcommand, package or folder. */
  readonly what: string;
  /** Whether it is known what its output means: then that counts as well where the shell hides how it ended. */
  readonly isRead?: true;
  /** The files and folders that it takes, from the project's folder; none for all that there are. */
  readonly paths: readonly string[];
  /** The tests that it takes, as its options name them; none for all that there are. */
  readonly chosen: readonly string[];
}

/** Facts of an observation beside its texts; what does not apply is not there. */
export interface ObservedFacts {
  /** As it was typed. */
  readonly command?: string;
  readonly exitCode?: number;
  /** The line of the output that says what is wrong. */
  readonly error?: string;
  readonly symbols?: readonly string[];
  /** Lines that an edit added and took away. */
  readonly added?: number;
  readonly removed?: number;
  /** Of an edit: digest of the file before it; missing where the capture does not hold it whole. */
  readonly before?: string;
  /**
   * The hash is null when the command did not print it, the subject when its message was somewhere else. One that was
   * amended took the place of the one before it.
   */
  readonly commit?: {
    readonly hash: string | null;
    readonly subject: string | null;
    readonly amended?: true;
  };
  /** Tests by their number, as the runner counts them. */
  readonly passed?: number;
  readonly failed?: number;
  /** Tests that did not run, and those that were expected to fail. */
  readonly skipped?: number;
  readonly failing?: readonly string[];
  /** Of a command: it worked on another branch, or on another state of the files, than the session. */
  readonly isElsewhere?: true;
  /** Of a command: the shell hides how it ended, behind a pipe for example. */
  readonly isUntold?: true;
  /** Of a command: it was left running in the background. */
  readonly isStarted?: true;
  /** Of a failure that an older version wrote: the operation of git that failed. */
  readonly git?: { readonly verb: string; readonly isStopped?: true };
  /** Of a failure: its rank among open ends (`OPEN_RANKS`); null when it is none. */
  readonly openRank?: number | null;
  /** Of a failed command: what it checks, and the files and tests that it took; none named means all. */
  readonly check?: Check;
  readonly paths?: readonly string[];
  readonly chosen?: readonly string[];
  /** Of a failed command: digest of its key, the same for all its failures. */
  readonly of?: string;
  /** Of a fix: the failure that it mended, and the changes between. */
  readonly mended?: number;
  readonly by?: readonly number[];
  /** Of a list of tasks: the open ones. Of a summary: everything that was left open. */
  readonly open?: readonly string[];
  /** Of a summary: the session's lists in the end; missing when it had none. */
  readonly todos?: {
    readonly open: readonly string[];
    readonly done: readonly string[];
    readonly passedOver?: readonly string[];
  };
  /** Of a message: the error of the API that ended the turn, as Claude Code names it. */
  readonly stopped?: string;
  /** Of a summary: the branches of the session, when there were several. */
  readonly branches?: readonly (string | null)[];
  /** Of a summary: the session exchanged a few short words and did nothing else. */
  readonly trivial?: true;
  /** Of a summary: how its session ended, in words; missing while it goes on. */
  readonly end?: string;
  /** Of a summary that a model has rewritten: digest of the original. */
  readonly rewrittenFrom?: string;
  readonly tool?: string;
  /** Of a message: Claude Code sent it in a person's place. */
  readonly isRelayed?: true;
  readonly role?: string;
}

/** The observation of one capture, before it is compared with those in the database. */
export interface Observed {
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  /** One line. */
  readonly title: string;
  readonly text: string;
  readonly files: readonly ObservedFile[];
  readonly facts: ObservedFacts;
  /** Captures of one session with the same text here are the same; null when none is. */
  readonly sameAs: string | null;
  /** What is wrong. Failures with the same `sameAs` and the same `wrong` are one failure. */
  readonly wrong?: string;
  /** The keys that have passed; failures with the same keys are mended. */
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
  /** The folder that paths are told from, absolute; null when it is not known. */
  readonly root: string | null;
  /** Whether it was done in another project. */
  readonly isForeign?: boolean;
}

/** A list or an object that a row keeps as JSON; `instead` where it is damaged, which `doctor` tells. */
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
