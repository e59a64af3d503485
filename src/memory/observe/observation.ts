/** Defines the types of observations, the rows of memory: something that was done, said or found in a session. */
import { quietly } from "../../base/errors.ts";
import { titleLine } from "../text.ts";

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

type Resolvable = Readonly<{ kind: ObservationKind; resolvedBy: number | null }>;

/** Tells whether an observation no longer holds: a commit, fix or edit was taken back, a decision or note replaced. */
export function isSuperseded(one: Resolvable): boolean {
  const isTakenBack = one.kind === "commit" || one.kind === "fix" || one.kind === "edit";
  return isReplaced(one) || isTakenBack && one.resolvedBy !== null;
}

/** Tells whether a note or decision was replaced: no session is told of it, and a search lists it last. */
export function isReplaced({ kind, resolvedBy }: Resolvable): boolean {
  return (kind === "note" || kind === "decision") && resolvedBy !== null;
}

/** The session id of notes that belong to no session. */
export const NO_SESSION = "notes";

export interface ObservedFile {
  /** Relative to the project's folder; absolute for a file outside of that folder. */
  readonly path: string;
  /** Digest of the file's content at that time; null when the capture does not hold the whole file. */
  readonly digest: string | null;
}

/** What a command checks. */
export type Check = "test" | "build" | "lint" | "type";

/** The key of a command or another tool use. A failure is open until something with the same key passes. */
export interface CommandKey {
  /** What the command checks; null when it checks nothing. */
  readonly check: Check | null;
  /** The program, its subcommand, and its package or folder. */
  readonly what: string;
  /** Whether `what` is a whole command as it was typed, and the shell reported that it passed. */
  readonly isLine?: true;
  /** Whether the command's output is understood. Then it counts when the shell hides the exit code. */
  readonly isRead?: true;
  /** The files and folders that the command selects, relative to the project's folder; empty for all. */
  readonly paths: readonly string[];
  /** The tests that the command selects by options; empty for all. */
  readonly chosen: readonly string[];
}

/** Facts of an observation beside its texts. Facts that do not apply are missing. */
export interface ObservedFacts {
  /** The command as it was typed. */
  readonly command?: string;
  readonly exitCode?: number;
  /** The line of the output that tells what is wrong. */
  readonly error?: string;
  readonly symbols?: readonly string[];
  /** Lines that an edit added and removed. */
  readonly added?: number;
  readonly removed?: number;
  /** Of an edit: digest of the file's content before it; missing when the capture does not hold the whole file. */
  readonly before?: string;
  /** The hash is null when the command did not print it. An amended commit replaced the one before it. */
  readonly commit?: Readonly<{ hash: string | null; subject: string | null; amended?: true }>;
  /** Numbers of tests, as their runner counts them. */
  readonly passed?: number;
  readonly failed?: number;
  /** The number of tests that did not run, or were expected to fail. */
  readonly skipped?: number;
  readonly failing?: readonly string[];
  /** Of a command: it worked on another branch, or another state of the files, than the session. */
  readonly isElsewhere?: true;
  /** Of a command: the shell hides how it ended, for example behind a pipe. */
  readonly isUntold?: true;
  /** Of a command: it was left running in the background. */
  readonly isStarted?: true;
  /** Of a failure: its rank among open ends (`OPEN_RANKS`); null when it is not an open end. */
  readonly openRank?: number | null;
  /** Of a failed command: what it checks, and the files and tests that it selected. Missing lists stand for all. */
  readonly check?: Check;
  readonly paths?: readonly string[];
  readonly chosen?: readonly string[];
  /** Of a failed command: digest of its key, which all failures with that key share. */
  readonly of?: string;
  /** Of a fix: the failure that it mended, and the changes that mended it, by their numbers. */
  readonly mended?: number;
  readonly by?: readonly number[];
  /** Of a list of tasks: the open tasks. Of a summary: all open tasks and failures. */
  readonly open?: readonly string[];
  /** Of a summary: the session's lists of tasks at its end; missing when it had none. */
  readonly todos?: {
    readonly open: readonly string[];
    readonly done: readonly string[];
    /** Open tasks with a lower number than a done one. Claude has probably forgotten to close them. */
    readonly passedOver?: readonly string[];
  };
  /** Of a message: the error of the API that ended the turn, as Claude Code names it. */
  readonly stopped?: string;
  /** Of a summary: the branches of the session, when there were several. */
  readonly branches?: readonly (string | null)[];
  /** Of a summary: the session holds a few short messages and nothing else. */
  readonly trivial?: true;
  /** Of a summary: all prompts were like `continue`, and nothing changed. It gets no line among the last sessions. */
  readonly brief?: true;
  /** Of a summary: how its session ended, in words; missing while it goes on. */
  readonly end?: string;
  /** Of a summary that a model has rewritten: digest of the original. */
  readonly rewrittenFrom?: string;
  readonly tool?: string;
  /** Of a message: Claude Code sent it in a person's place. */
  readonly isRelayed?: true;
}

/** The observation of one capture, before it is saved. */
export interface Observed {
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly title: string;
  readonly text: string;
  readonly files: readonly ObservedFile[];
  readonly facts: ObservedFacts;
  /** The key that repeats in a session share, so that they become one row; null when the observation has no repeats. */
  readonly sameAs: string | null;
  /** The error of a failure. Failures with the same `sameAs` and `wrong` are one failure. */
  readonly wrong?: string;
  /** The keys of commands that passed. They mend failures with the same keys. */
  readonly passes?: readonly CommandKey[];
  /** Another observation of the same capture, such as a commit that a command made before it failed. */
  readonly besides?: Observed;
}

/** Makes an observation of its title and text, and of what else there is to tell. */
export function makeObserved(
  kind: ObservationKind,
  title: string,
  rest: Pick<Observed, "text"> & Partial<Observed>,
): Observed {
  const nothingElse = { outcome: null, files: [], facts: {}, sameAs: null };
  return { kind, title: titleLine(title), ...nothingElse, ...rest };
}

/** A tool use or event, with the payload of its capture. */
export interface ToolUse {
  readonly toolName: string;
  readonly outcome: "success" | "failure";
  /** Fields of the payload: `tool_input`, `tool_response`, `error`, …. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The folder to which paths are relative, absolute; null when it is unknown. */
  readonly root: string | null;
  /** Whether the tool worked in another project. */
  readonly isForeign?: boolean;
}

/** Parses a list or an object that a row holds as JSON. Returns `instead` for damaged JSON, which `doctor` reports. */
export function keptJson<Value extends object>(text: unknown, instead: Value): Value {
  const value = quietly((): unknown => JSON.parse(String(text)));
  const isKept = typeof value === "object" && value !== null &&
    Array.isArray(value) === Array.isArray(instead);
  return isKept ? value as Value : instead;
}
