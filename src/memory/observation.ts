/** What memory is made of: observations, each a thing that was done, said or found out in a session. */

import type { Check } from "./observe/checks.ts";
import type { GitEnd, GitOperation } from "./observe/git_operations.ts";
import type { TakenBack } from "./observe/taken_back.ts";
import type { SetAside } from "./observe/set_aside.ts";
import type { ShownOutput } from "./observe/shown_part.ts";
import type { TakenTests } from "./observe/skipped_tests.ts";
import type { TestTarget, TookTests } from "./observe/test_target.ts";

/** What an observation is about. */
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

/** A kind of {@linkcode OBSERVATION_KINDS}. */
export type ObservationKind = typeof OBSERVATION_KINDS[number];

/** What may be taken back. */
const TAKEN_BACK: ReadonlySet<ObservationKind> = new Set(["commit", "decision", "fix", "edit"]);

/** Whether it is a commit, a rule, a fix or an edit that was taken back: it is told of no more as what is there, or as what holds. */
export function isSuperseded(
  { kind, resolvedBy }: { readonly kind: ObservationKind; readonly resolvedBy: number | null },
): boolean {
  return TAKEN_BACK.has(kind) && resolvedBy !== null;
}

/** The session of what a person remembers outside of any. */
export const NO_SESSION = "notes";

/** A file of an observation. */
export interface ObservedFile {
  /** From the project's folder; whole when it lies elsewhere. */
  readonly path: string;
  /** Of the content that it had then; null where the capture does not hold it whole. */
  readonly digest: string | null;
}

/** Where tests fail, so that those of runs in other words are known to be the same. */
export interface FailsAt {
  /** Digest of what a run of tests is in: folder, package, set-up. */
  readonly place: string;
  /** Files, or Go's packages; as far as they are told. */
  readonly files: readonly string[];
}

/** Tests of a failure that pass by a fix, while others of it did not, or are told by another failure. */
export interface MendedTests {
  /** The `uid` of the fix. */
  readonly by: string;
  readonly tests: readonly string[];
  /** The fix was undone: they fail again, until it is put back. None are named where the failure names none. */
  readonly isUndone?: true;
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
  /** Of an edit: digest of the file as it was; not there where the capture does not hold it whole. */
  readonly before?: string;
  /** Of an edit of a file of Go's tests: those that are passed over in it since. */
  readonly skips?: readonly string[];
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
  /** Those that did not run, and those whose failing was expected. */
  readonly skipped?: number;
  readonly failing?: readonly string[];
  /** Digests of the errors that they fail with, without what changes by chance; as far as the output tells them. */
  readonly errors?: readonly string[];
  /** Of tests that failed: the run ended at the first of them, and says nothing of the others. */
  readonly stopsEarly?: true;
  /** Every file or test that failed, as the runner names them; only where it is known that these are all. */
  readonly failedIn?: readonly string[];
  /** Go's packages in which they failed, as it names them; where `failedIn` is there. */
  readonly failedAt?: readonly string[];
  /** Of tests that failed; only where all of them are named in `failing`. */
  readonly failsAt?: FailsAt;
  /** Of tests that failed: those of them that passed before the others. Of any failure: what has mended it and was undone. */
  readonly mendedTests?: readonly MendedTests[];
  /** Of a command: it worked on another branch, or at another state of the files, than the one that it was called in. */
  readonly isElsewhere?: true;
  /** Of a command: what it has put aside of the work (`git stash`), or back. */
  readonly aside?: SetAside;
  /** Of a command: the shell hides how it ended, behind a pipe for example. */
  readonly isUntold?: true;
  /** Of a command: it was left running in the background. */
  readonly isStarted?: true;
  /** Of a failure: the operation of git that it is. */
  readonly git?: GitOperation;
  /** Of a failure of a command: it only tried something out, or was told to do what there is not. */
  readonly isTried?: true;
  /** Of a failure of a command: it was called wrongly; as what the calls count that end it. */
  readonly slip?: string;
  /** Of a failure: how much it matters while nothing mends it (`OPEN_RANKS`); null when it is no open end. */
  readonly openRank?: number | null;
  /** Of a failure of a command: the same for all failures of that command, however it is spelled. */
  readonly of?: string;
  /** Of a fix: the failure that it mended, and what was done between. */
  readonly mended?: number;
  readonly by?: readonly number[];
  /** Of a list of tasks: those that are open. Of a summary: all that was left open. */
  readonly open?: readonly string[];
  /** Of a summary: the session's lists, as it left them; not there when it had none. */
  readonly todos?: { readonly open: readonly string[]; readonly done: readonly string[] };
  /** Of a message: an error of the API ended the turn, as Claude Code names it. */
  readonly stopped?: string;
  /** Of a summary: the branches that the session was on, when they are several. */
  readonly branches?: readonly (string | null)[];
  /** Of a summary: nothing was done but to exchange a few short words. */
  readonly trivial?: true;
  /** Of a summary: how its session ended, in words; not there while it goes on. */
  readonly end?: string;
  /** Of a summary that a model has rewritten: digest of the one that it was made of. */
  readonly rewrittenFrom?: string;
  readonly tool?: string;
  /** Of a message: Claude Code sent it in a person's place, so the session itself has not said it. */
  readonly isRelayed?: true;
  readonly role?: string;
}

/** What one capture tells, before it is known what was there already. */
export interface Observed {
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  /** One line. */
  readonly title: string;
  readonly text: string;
  readonly files: readonly ObservedFile[];
  readonly facts: ObservedFacts;
  /** Says of captures of one session that they are the same; null when none is. */
  readonly sameAs: string | null;
  /** What is wrong: failures of a command with the same `sameAs` are one where this is the same as well. */
  readonly wrong?: string;
  /** Says which failures this success mends: their `sameAs`. */
  readonly mends: string | null;
  /** The same of the parts of a script that have passed with it, or before what failed, and of their other forms. */
  readonly mendsParts?: readonly string[];
  /**
   * The failures of the same command line that its output alone had shown, and shows no more, where the shell hides how it
   * ended: their `sameAs`, and how much is seen.
   */
  readonly mendsShown?: Omit<ShownOutput, "command"> & { readonly of: string };
  /** What this success has built and checked: it mends what failed with no more than that. */
  readonly checks?: readonly Check[];
  /** The tests that this success has taken: it mends the failures of those as well. */
  readonly passes?: readonly TestTarget[];
  /** What it says of the single tests: those that it passed over are not mended. */
  readonly taken?: TakenTests;
  /** As what the programs count that a command has run: what was called wrongly of them before is over. */
  readonly calls?: readonly string[];
  /** The branch that it has merged. */
  readonly merged?: string;
  /** The commits that it has taken back. */
  readonly takenBack?: TakenBack;
  /** The operations of git that this success has ended. */
  readonly ended?: readonly GitEnd[];
  /** The tests that this failure has taken, and all of them that fail: those that failed before it pass by now. */
  readonly took?: TookTests;
  /** What the capture tells as well: the commit that a command made before it failed, or before another commit. */
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
