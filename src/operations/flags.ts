/** Flags and arguments: how each kind is read, and those that several verbs take. */
import { daysMs } from "../base/time.ts";
import type { CliContext } from "./context.ts";

declare const VALUE: unique symbol;

/** A flag or an argument; `Value` is what the verb gets for it, undefined where it may be left out. */
export interface Parameter<Value = unknown> {
  readonly kind: "parsed" | "boolean" | "enum";
  readonly brief: string;
  readonly parse?: (text: string) => unknown;
  readonly values?: readonly string[];
  readonly default?: unknown;
  readonly optional?: boolean;
  readonly variadic?: true | string;
  readonly withNegated?: boolean;
  readonly placeholder?: string;
  /** What a shell proposes for it. */
  readonly proposes?: Proposed;
  /** No object has this; it only carries the type. */
  readonly [VALUE]?: { readonly of: Value };
}

/** The letters of flags, wherever a verb has such a flag. */
export const LETTERS: Readonly<Record<string, string>> = { n: "limit", o: "output" };

type ValueOf<P> = P extends Parameter<infer Value> ? Value : never;

type All<Flags> = { readonly [Name in keyof Flags]: ValueOf<Flags[Name]> };

/** The names of the flags that may be left out. */
type Open<Flags> = {
  [Name in keyof Flags]: undefined extends ValueOf<Flags[Name]> ? Name : never;
}[keyof Flags];

export type Values<Flags> =
  & Omit<All<Flags>, Open<Flags>>
  & { readonly [Name in Open<Flags>]?: Exclude<All<Flags>[Name], undefined> };

/** A value that a function reads. @param placeholder What stands for it in the help. */
export function parsed<Value>(
  parse: (text: string) => Value | Promise<Value>,
  brief: string,
  placeholder: string,
): Parameter<Value> {
  return { kind: "parsed", parse, brief, placeholder };
}

/** A parameter made one that may be left out. */
export function optional<Value>(parameter: Parameter<Value>): Parameter<Value | undefined> {
  return { ...parameter, optional: true } as Parameter<Value | undefined>;
}

/** A parameter with a default, written as a person would type it. */
export function usually<Value>(text: string, parameter: Parameter<Value>): Parameter<Value> {
  return { ...parameter, default: text };
}

/** Words, or what there is of a kind. */
export type Proposed =
  | readonly string[]
  | "session"
  | "task"
  | "observation"
  | "workflow"
  | "agent"
  | "question"
  | "requirement"
  | "key";

/** A parameter for which a shell proposes something. */
export function proposing<P extends Parameter>(proposes: Proposed, parameter: P): P {
  return { ...parameter, proposes };
}

/** A flag that may be given several times. @param separator Stands between several values of one. */
export function several<Value>(
  parameter: Parameter<Value>,
  separator?: string,
): Parameter<Value[] | undefined> {
  return { ...parameter, variadic: separator ?? true, optional: true } as Parameter<never>;
}

export function text(brief: string, placeholder: string): Parameter<string> {
  return parsed(someText, brief, placeholder);
}

export function number(
  min: number,
  max: number,
  brief: string,
  placeholder = "n",
): Parameter<number> {
  return parsed(wholeNumber(min, max), brief, placeholder);
}

export function oneOf<const Word extends string>(
  words: readonly Word[],
  brief: string,
): Parameter<Word> {
  return { kind: "enum", values: words, brief };
}

/** A switch that `--no-…` turns off again. */
export function toggle(brief: string, usual = false): Parameter<boolean> {
  return { kind: "boolean", default: usual, brief };
}

/** A switch without a `--no-…`. */
export function switchOn(brief: string): Parameter<boolean> {
  return { kind: "boolean", default: false, withNegated: false, brief };
}

/** Goes on without a question. */
export const YES_FLAG = toggle("Do not ask");

/** {@linkcode text} that may be left out. */
export function textFlag(brief: string, placeholder = "text"): Parameter<string | undefined> {
  return optional(text(brief, placeholder));
}

/** A text that may be left out, and may be empty, which takes away what was there. */
export function clearingFlag(brief: string, placeholder = "text"): Parameter<string | undefined> {
  return optional(parsed(anyText, brief, placeholder));
}

/** Words between commas that may be left out; blank ones do not count. */
export function wordsFlag(brief: string, placeholder: string): Parameter<string[] | undefined> {
  return optional(parsed(wordsOf, brief, placeholder));
}

/** A point in time that may be left out, in epoch milliseconds. */
export function timeFlag(brief: string): Parameter<number | undefined> {
  return optional(parsed(parseWhen, brief, "when"));
}

export const anyText = (text: string): string => text;

/** @throws {SyntaxError} When a text is blank: `--settings "$UNSET"` must not be taken for the flag left out. */
export function someText(text: string): string {
  if (text.trim() === "") throw new SyntaxError("it is empty");
  return text;
}

/** Reads a whole number. @throws {SyntaxError} When it is none, or outside the range. */
function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (!/^[+-]?\d+$/.test(text.trim()) || n < min || n > max) {
      throw new SyntaxError(`expected a whole number from ${min} to ${max}, got "${text}"`);
    }
    return n;
  };
}

function wordsOf(text: string): string[] {
  return text.split(",").map((word) => word.trim()).filter((word) => word !== "");
}

/** Tags between commas. An empty text gives one blank tag, which the check of tags refuses. */
export function tagsOf(text: string): string[] {
  const tags = wordsOf(text);
  return tags.length === 0 ? [""] : tags;
}

/** Reads a point in time as a person says it; the code for that is loaded when one is given. */
async function parseWhen(text: string): Promise<number> {
  return (await import("../memory/search/point_in_time.ts")).parseSince(text, Date.now());
}

const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30 };

/** Reads an age (`30d`, `2w`, or `3m`, months of 30 days) in milliseconds. @throws {SyntaxError} When the text is none. */
export function parseAge(text: string): number {
  const [, number, unit] = /^(\d{1,5})([dwm])$/.exec(text.trim()) ?? [];
  if (number === undefined) {
    throw new SyntaxError(`expected an age such as 30d, 2w or 3m (months), got "${text}"`);
  }
  return daysMs(Number(number) * UNIT_DAYS[unit!]!);
}

const TABLE_ROWS = 20;

export const LIMIT_FLAG = optional(
  number(1, 1_000_000, `At most this many; by default ${TABLE_ROWS} in a table, all with --json`),
);

/** How many rows a list has at most: a person wants the newest few, a program wants them all. */
export function limitOf({ globals }: CliContext, given: number | undefined): number {
  return given ?? (globals.json ? Number.MAX_SAFE_INTEGER : TABLE_ROWS);
}

/** How many rows a page of tasks, workflows, agents or questions has. */
export const PAGE_FLAG = usually("100", number(1, 1000, "How many at most"));

export const SESSION_FLAG = proposing(
  "session",
  textFlag("Only of this session, by the beginning of its id", "id"),
);

export const SINCE_FLAG = timeFlag(
  "Only since then: an age (30m, 2h, 3d, 1w), a date (2026-11-20, 2026-11-20T08:30) or a day (yesterday, monday)",
);

export const UNTIL_FLAG = timeFlag("Only before then, as --since");

export const PROJECT_FLAGS = {
  project: textFlag("Only of the project of this folder", "dir"),
  here: switchOn("Only of the project of the current folder"),
} as const;

export const ALL_PROJECTS = switchOn("Of all projects, not only of this repository");

export const TASK = proposing(
  "task",
  text("The task, by its id, or 4 or more characters of its beginning or end", "id"),
);

export const AGENT_FLAG = clearingFlag(
  "Who does it; without it the session of Claude Code that this runs in, else `user`",
  "name",
);

/** For a task that is shared with a team whose server cannot be reached. */
export const OFFLINE_FLAG = switchOn(
  "Do not ask the team's server: the next sync settles it, and says who else has the task",
);

/** The number of the claim, for a holder who wants to be sure that it is still the same one. */
export const TOKEN_FLAG = optional(
  number(1, Number.MAX_SAFE_INTEGER, "The `claimToken`; refused when the task was claimed anew"),
);

export const WORKFLOW = proposing(
  "workflow",
  text(
    "The workflow, by its id or its task's, or 4 or more characters of the beginning or end of one",
    "id",
  ),
);

export const OF_SESSION = proposing(
  "session",
  textFlag(
    "The session, by its id or the beginning of it; without it, the one that this runs in",
    "id",
  ),
);

/** A session that is shown. */
export const NAMED_SESSION = proposing(
  "session",
  optional(text("Its id, or 4 or more characters of its beginning; else the newest here", "id")),
);

export const OF_BRANCH = textFlag("The branch; without it, the one that is checked out", "name");

export const REQUIREMENT = proposing("requirement", text("Names of requirements", "name"));
