import {
  buildCommand,
  buildRouteMap,
  type Command,
  type RouteMap,
  type TypedCommandParameters,
} from "@stricli/core";
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
}

/** Makes a command whose action is loaded when it is run, and whose result or error is printed. */
export function command<
  Flags extends Readonly<Record<string, unknown>>,
  Args extends readonly unknown[] = [],
>({ load, parameters, brief, about, examples }: CommandSpec<Flags, Args>): Command<CliContext> {
  return buildCommand<Flags, Args, CliContext>(
    {
      loader: async () => {
        const action = await load();
        return async function (this: CliContext, flags: Flags, ...args: Args): Promise<void> {
          let view: View;
          try {
            view = await action(this, flags, ...args);
          } catch (thrown) {
            return showError(this, thrown);
          }
          show(this, view);
        };
      },
      parameters,
      docs: {
        brief,
        fullDescription: withExamples(about, examples),
      },
    } as Parameters<typeof buildCommand<Flags, Args, CliContext>>[0],
  );
}

/** Makes a group of commands: a noun with its verbs. */
export function group<Verb extends string>(
  { verbs, brief, examples }: {
    readonly verbs: Readonly<Record<Verb, Command<CliContext> | RouteMap<CliContext>>>;
    readonly brief: string;
    /** Lines to paste; at least one. */
    readonly examples: readonly string[];
  },
): RouteMap<CliContext> {
  return buildRouteMap<Verb, CliContext>({
    routes: verbs,
    docs: { brief, fullDescription: withExamples(brief, examples) },
  });
}

function withExamples(about: string, examples: readonly string[]): string {
  return [about, "", "Examples:", ...examples.map((line) => `  ${line}`)].join("\n");
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
    if (text.trim() === "" || !Number.isInteger(n) || n < min || n > max) {
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
