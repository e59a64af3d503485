/** The kinds of flags and arguments, and the ones that several verbs share. */
import { daysMs } from "../base/time.ts";
import type { CliContext } from "./context.ts";

declare const VALUE: unique symbol;

/** A flag or an argument. The verb gets a `Value`, or undefined if it may be left out. */
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
  readonly proposes?: Proposed;
  /** Never set; it only carries the type. */
  readonly [VALUE]?: { readonly of: Value };
}

/** One-letter forms for every flag of these names. */
export const LETTERS: Readonly<Record<string, string>> = { n: "limit", o: "output" };

type ValueOf<P> = P extends Parameter<infer Value> ? Value : never;

type All<Flags> = { readonly [Name in keyof Flags]: ValueOf<Flags[Name]> };
type Optional<Flags> = {
  [Name in keyof Flags]: undefined extends ValueOf<Flags[Name]> ? Name : never;
}[keyof Flags];

export type Values<Flags> =
  & Omit<All<Flags>, Optional<Flags>>
  & { readonly [Name in Optional<Flags>]?: Exclude<All<Flags>[Name], undefined> };

/** Makes a parameter that a function reads. @param placeholder Its name in the help. */
export function parsed<Value>(
  parse: (text: string) => Value | Promise<Value>,
  brief: string,
  placeholder: string,
): Parameter<Value> {
  return { kind: "parsed", parse, brief, placeholder };
}

export function optional<Value>(parameter: Parameter<Value>): Parameter<Value | undefined> {
  return { ...parameter, optional: true } as Parameter<Value | undefined>;
}

/** Gives a parameter a default. @param text The default as a person would type it. */
export function usually<Value>(text: string, parameter: Parameter<Value>): Parameter<Value> {
  return { ...parameter, default: text };
}

/** The names that a shell proposes: fixed words, or all that exist of a kind. */
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
export function proposing<P extends Parameter>(proposes: Proposed, parameter: P): P {
  return { ...parameter, proposes };
}

/** Lets people give a flag several times. @param separator Separates several values of one flag. */
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

export function numberFlag(...range: Parameters<typeof number>): Parameter<number | undefined> {
  return optional(number(...range));
}

export function oneOfFlag<const Word extends string>(
  words: readonly Word[],
  brief: string,
): Parameter<Word | undefined> {
  return optional(oneOf(words, brief));
}

/** Makes a switch that `--no-…` turns off. */
export function toggle(brief: string, usual = false): Parameter<boolean> {
  return { kind: "boolean", default: usual, brief };
}

export function switchOn(brief: string): Parameter<boolean> {
  return { kind: "boolean", default: false, withNegated: false, brief };
}

export function textFlag(brief: string, placeholder = "text"): Parameter<string | undefined> {
  return optional(text(brief, placeholder));
}

/** An optional text that may be empty, which removes the stored text. */
export function clearingFlag(brief: string, placeholder = "text"): Parameter<string | undefined> {
  return optional(parsed(String, brief, placeholder));
}

/** Optional words, separated by commas; blank ones do not count. */
export function wordsFlag(brief: string, placeholder: string): Parameter<string[] | undefined> {
  return optional(parsed(wordsOf, brief, placeholder));
}

/** An optional point in time, in epoch milliseconds. Its code is loaded only when it is given. */
export function timeFlag(
  brief: string,
  how?: { readonly isExact: boolean },
): Parameter<number | undefined> {
  const parse = async (text: string) =>
    (await import("../memory/search/point_in_time.ts")).parseSince(text, Date.now(), how);
  return optional(parsed(parse, brief, "when"));
}

/** @throws {SyntaxError} If the text is blank: `--settings "$UNSET"` must not count as the flag left out. */
export function someText(text: string): string {
  if (text.trim() === "") throw new SyntaxError("it is empty");
  return text;
}

/** Returns a reader of whole numbers. It throws a `SyntaxError` for other texts and for numbers outside the range. */
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

/** Splits tags at commas. An empty text gives one blank tag, which the check of tags refuses. */
export function tagsOf(text: string): string[] {
  const tags = wordsOf(text);
  return tags.length === 0 ? [""] : tags;
}

const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30 };

/** An age in milliseconds: `30d`, `2w`, or `3m` (months of 30 days). */
export function age(brief: string): Parameter<number> {
  return parsed(parseAge, brief, "age");
}

function parseAge(text: string): number {
  const [, number, unit] = /^(\d{1,5})([dwm])$/.exec(text.trim()) ?? [];
  if (number === undefined) {
    throw new SyntaxError(`expected an age such as 30d, 2w or 3m (months), got "${text}"`);
  }
  return daysMs(Number(number) * UNIT_DAYS[unit!]!);
}

const TABLE_ROWS = 20;
/** The most rows that `--limit` allows in a list, and in one that has pages. */
export const MOST_ROWS = { list: 1_000_000, page: 1_000 };
export const SHARED = {
  limit: numberFlag(
    1,
    MOST_ROWS.list,
    `At most this many; by default ${TABLE_ROWS} in a table, all with --json`,
  ),
  /** The size of a page of tasks, workflows, agents or questions. */
  page: usually("100", number(1, MOST_ROWS.page, "How many at most")),
  session: proposing("session", textFlag("Only of this session, by the beginning of its id", "id")),
  /** The session that a verb is about, instead of the current one. */
  ofSession: proposing(
    "session",
    textFlag(
      "The session, by its id or the beginning of it; without it, the one that this runs in",
      "id",
    ),
  ),
  ofBranch: textFlag("The branch; without it, the one that is checked out", "name"),
  since: timeFlag(
    "Only since then: an age (30m, 2h, 3d, 1w), a date (2026-11-20, 2026-11-20T08:30) or a day (yesterday, monday)",
  ),
  until: timeFlag("Only before then, as --since"),
  ofTask: proposing("task", clearingFlag("Only of this task", "id")),
  allProjects: switchOn("Of all projects, not only of this repository"),
  agentId: clearingFlag(
    "Who does it; without it the session of Claude Code that this runs in, else `user`",
    "name",
  ),
  /** Works on a shared task although the team's server cannot be reached. */
  offline: switchOn(
    "Do not ask the team's server: the next sync settles it, and says who else has the task",
  ),
  /** The number of the claim, for a holder who wants to be sure that the claim is still the same. */
  claimToken: numberFlag(
    1,
    Number.MAX_SAFE_INTEGER,
    "The `claimToken`; refused when the task was claimed anew",
  ),
  yes: toggle("Do not ask"),
};

/** Returns the most rows of a list: by default a person gets the newest few, a program all. */
export function limitOf({ globals }: CliContext, given: number | undefined): number {
  return given ?? (globals.json ? Number.MAX_SAFE_INTEGER : TABLE_ROWS);
}

export const PROJECT_FLAGS = {
  project: textFlag("Only of the project that another folder is in", "dir"),
  here: switchOn("Only of the project that you are in"),
} as const;

export const TASK = proposing(
  "task",
  text("The task, by its id, or 4 or more characters of its beginning or end", "id"),
);

export const WORKFLOW = proposing(
  "workflow",
  text(
    "The workflow, by its id or its task's, or 4 or more characters of the beginning or end of one",
    "id",
  ),
);

export const NAMED_SESSION = proposing(
  "session",
  textFlag("Its id, or 4 or more characters of its beginning; else the newest here", "id"),
);

export const REQUIREMENT = proposing("requirement", text("Names of requirements", "name"));
