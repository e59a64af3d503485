import type { TypedCommandParameters } from "@stricli/core";
import type { CliContext } from "./context.ts";
import { show, showError, type View } from "./view.ts";

/** The work of a command: it returns what is to be said and prints nothing itself. */
export type Action<Flags, Args extends readonly unknown[]> = (
  context: CliContext,
  flags: Flags,
  ...args: Args
) => View | Promise<View>;

/** A command: what it is called with and what its help says. */
export interface CommandSpec<
  Flags extends Readonly<Record<string, unknown>>,
  Args extends readonly unknown[],
> {
  /** Loads the work when the command is run, so that no command pays for another one. */
  readonly load: () => Promise<Action<Flags, Args>>;
  readonly parameters: TypedCommandParameters<Flags, Args, CliContext>;
  /** One line, for the list of commands. */
  readonly brief: string;
  /** What it does, and what it leaves alone. */
  readonly about: string;
  /** Lines to paste; at least one. */
  readonly examples: readonly string[];
  /** Its name, where only a person may run it: `guard pause`. With `--dry-run` or `--preview` anybody may. */
  readonly person?: string;
}

/** A command as the table of verbs holds it: plain data, so that making it costs nothing. */
export interface Verb {
  readonly kind: "verb";
  // deno-lint-ignore no-explicit-any -- the flags and arguments were checked against each other when it was made
  readonly spec: CommandSpec<any, any>;
}

/** A noun with its verbs. */
export interface VerbGroup {
  readonly kind: "group";
  readonly verbs: Readonly<Record<string, Verb | VerbGroup>>;
  readonly brief: string;
  readonly examples: readonly string[];
  /** The verb that may be left out, by its name in `verbs`: `import FILE` is `import file FILE`. */
  readonly usual?: string;
}

/** A command whose action is loaded when it is run, and whose result or error is printed. */
export function command<
  Flags extends Readonly<Record<string, unknown>>,
  Args extends readonly unknown[] = [],
>(spec: CommandSpec<Flags, Args>): Verb {
  const { person } = spec;
  const load = person === undefined ? spec.load : () => loadForPerson(spec.load, person);
  return { kind: "verb", spec: { ...spec, load } as unknown as Verb["spec"] };
}

async function loadForPerson<
  Flags extends Readonly<Record<string, unknown>>,
  Args extends readonly unknown[],
>(load: () => Promise<Action<Flags, Args>>, verb: string): Promise<Action<Flags, Args>> {
  const [action, { requirePerson }] = await Promise.all([load(), import("./person.ts")]);
  return async (context, flags, ...args) => {
    if (flags["dryRun"] !== true && flags["preview"] !== true) await requirePerson(context, verb);
    return await action(context, flags, ...args);
  };
}

/** A group of commands: a noun with its verbs. */
export function group(
  group: {
    readonly verbs: Readonly<Record<string, Verb | VerbGroup>>;
    readonly brief: string;
    /** Lines to paste; at least one. */
    readonly examples: readonly string[];
    readonly usual?: string;
  },
): VerbGroup {
  return { kind: "group", ...group };
}

/** Does the work of a command, and prints its result or its error. */
export async function perform<Flags, Args extends readonly unknown[]>(
  context: CliContext,
  action: Action<Flags, Args>,
  { flags, args }: { readonly flags: Flags; readonly args: Args },
): Promise<void> {
  let view: View;
  try {
    view = await action(context, flags, ...args);
  } catch (thrown) {
    return showError(context, thrown);
  }
  show(context, view);
}

/**
 * Reads a text of the command line.
 *
 * @throws {SyntaxError} When it is empty, or blank.
 */
export function someText(text: string): string {
  if (text.trim() === "") throw new SyntaxError("it is empty");
  return text;
}

/**
 * Reads a whole number of the command line.
 *
 * @throws {SyntaxError} When it is none, or outside the range.
 */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (!/^[+-]?\d+$/.test(text.trim()) || n < min || n > max) {
      throw new SyntaxError(`expected a whole number from ${min} to ${max}, got "${text}"`);
    }
    return n;
  };
}

/**
 * Reads a text of the command line as it is.
 *
 * @throws {SyntaxError} When it is blank: `--settings "$UNSET"` must not be taken for the flag left out.
 */
export function filled(text: string): string {
  if (text.trim() === "") throw new SyntaxError("the value is empty");
  return text;
}

/** Rows of a table when nobody says how many. */
const TABLE_ROWS = 20;

/** The flag that many lists share. */
export const LIMIT_FLAG = {
  kind: "parsed",
  parse: wholeNumber(1, 1_000_000),
  optional: true,
  brief: `At most this many; without it ${TABLE_ROWS} in a table, and all with --json`,
  placeholder: "n",
} as const;

/** How many rows a list has at most: a person wants the newest few, a program wants them all. */
export function limitOf({ globals }: CliContext, given: number | undefined): number {
  return given ?? (globals.json ? Number.MAX_SAFE_INTEGER : TABLE_ROWS);
}
