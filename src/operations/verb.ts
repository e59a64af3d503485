/** Defines verbs: their flags, arguments and work. Runs a verb, and prints its output or its error. */
import { fitToColumns } from "../base/columns.ts";
import { isDatabaseBusy, isUserError, messageOf, UserError } from "../base/errors.ts";
import { plain } from "../base/plain.ts";
import type { CliContext, Globals } from "./context.ts";
import type { Parameter, Values } from "./flags.ts";
import { hintsHere, nextHere } from "./next_command.ts";
import { type Lines, linesOf } from "./table.ts";

/** The work of a verb. It returns its output and prints nothing itself. */
export type Action<Flags, Args extends readonly unknown[]> = (
  context: CliContext,
  flags: Flags,
  ...args: Args
) => View | Promise<View>;

export interface Many<Value> {
  readonly kind: "array";
  readonly parameter: Parameter<Value>;
  readonly minimum?: number;
}

/** The arguments of a verb: a fixed list, or any number of one kind. */
export type Arguments = readonly Parameter[] | Many<unknown>;

export type Given<Args extends Arguments> = Args extends Many<infer Value> ? Value[]
  : Args extends readonly Parameter[]
    ? { -readonly [I in keyof Args]: Args[I] extends Parameter<infer Value> ? Value : never }
  : never;

export interface VerbSpec<Flags, Args extends Arguments> {
  /** The name of a verb that only a person may run: `guard pause`. Anybody may with `--dry-run` or `--preview`. */
  readonly person?: string | undefined;
  readonly flags?: Flags;
  readonly args?: Args;
  readonly run: Action<Values<Flags>, Given<Args>>;
}

export type AnyFlags = Readonly<Record<string, Parameter>>;

/** A verb as the table of verbs holds it: plain data, so that making it costs nothing. */
export interface Verb {
  readonly kind: "verb";
  /** {@linkcode VerbSpec.person}; {@linkcode perform} checks it. */
  readonly person: string | undefined;
  readonly flags: AnyFlags;
  readonly args: Arguments;
  // deno-lint-ignore no-explicit-any -- the flags and arguments were checked against each other when it was made
  readonly run: Action<any, any>;
}

/** A verb whose code is loaded only if it is called. A list of verbs does not load it. */
export interface LazyVerb {
  readonly kind: "lazy";
  readonly load: () => Promise<Verb | VerbGroup>;
}

/** Verbs by their names as identifiers: `setPriority`. */
export type Verbs = Readonly<Record<string, Verb | VerbGroup | LazyVerb>>;

export interface VerbGroup {
  readonly kind: "group";
  readonly verbs: Verbs;
  /** The verb whose name may be left out, by its key in `verbs`: `import FILE` is `import file FILE`. */
  readonly usual: string | undefined;
}

/** Makes a verb. The types of its flags and arguments decide the parameters of `run`. */
export function verb<
  const Flags extends AnyFlags = Readonly<Record<never, never>>,
  const Args extends Arguments = [],
>(spec: VerbSpec<Flags, Args>): Verb {
  const { flags = {}, args = [], person, run } = spec;
  return { kind: "verb", flags, args, person, run };
}

export function many<Value>(parameter: Parameter<Value>, minimum = 0): Many<Value> {
  return { kind: "array", parameter, minimum };
}

/** Makes a verb that is loaded only if it is called, so that no verb pays for another. */
export function lazy(load: LazyVerb["load"]): LazyVerb {
  return { kind: "lazy", load };
}

/** {@linkcode lazy} for the verbs that one file exports, by their names. */
export function lazyFrom<Module>(load: () => Promise<Module>) {
  return (name: keyof Module): LazyVerb =>
    lazy(async () => (await load())[name] as Verb | VerbGroup);
}

export function group(verbs: Verbs, usual?: string): VerbGroup {
  return { kind: "group", verbs, usual };
}

export async function perform(
  context: CliContext,
  { run, person }: Verb,
  { flags, args }: {
    readonly flags: Readonly<Record<string, unknown>>;
    readonly args: readonly unknown[];
  },
): Promise<void> {
  let view: View;
  try {
    if (person !== undefined && flags["dryRun"] !== true && flags["preview"] !== true) {
      await (await import("./require_person.ts")).requirePerson(context, person);
    }
    view = await run(context, flags, ...args);
  } catch (thrown) {
    return showError(context, thrown);
  }
  show(context, view);
}

/** The output of a command, for people and for programs. */
export interface View {
  /** The output with `--json`; undefined prints nothing. */
  readonly json: unknown;
  /**
   * The output without `--json`, without the final newline. In an array of lines, control characters become blanks; a
   * string stays as it is. Lines that are too long for the terminal are broken.
   */
  readonly text: string | readonly Lines[];
  /** Whether the text is somebody else's or for programs, so that its lines stay as they are. */
  readonly quoted?: true;
  /** The exit status; 0 if absent. */
  readonly exitCode?: number;
}

export function show({ process, globals }: CliContext, view: View): void {
  const text = typeof view.text === "string" ? view.text : linesOf(view.text).map(plain).join("\n");
  if (globals.json) {
    if (view.json !== undefined) process.stdout.write(jsonText(view.json));
  } else if (text !== "" && !globals.quiet) {
    if (view.quoted) process.stdout.write(`${text}\n`);
    else print({ process, globals }, hintsHere(text, globals));
  }
  process.exitCode = view.exitCode ?? 0;
}

/** Prints a text for people, fitted to the terminal. @param text The text without the final newline. */
export function print(
  { process, globals }: Pick<CliContext, "process" | "globals">,
  text: string,
): void {
  process.stdout.write(`${fitToColumns(text, globals.columns)}\n`);
}

/** Prints an error on stderr, or as JSON on stdout, and sets the exit status. */
export function showError(context: CliContext, thrown: unknown): void {
  const { process, globals } = context;
  const error = asUserError(thrown, "Cannot finish the command");
  const { what, why, exitCode, reason, details } = error;
  if (globals.json) {
    const cause = reason === null ? {} : { reason, ...details };
    const next = stepHere(error, globals);
    process.stdout.write(jsonText({ error: { what, why, next, code: exitCode, ...cause } }));
  } else {
    process.stderr.write(errorText(error, globals));
  }
  process.exitCode = exitCode;
}

function jsonText(value: unknown): string {
  return `${wellFormedJson(JSON.stringify(value, null, 2))}\n`;
}

/** Formats an error as lines for what, why and, if there is one, the next step. It ends with a newline. */
export function errorText(
  error: { readonly what: string; readonly why: string; readonly next: string },
  globals: Pick<Globals, "db">,
): string {
  const [what, why, next] = [error.what, error.why, stepHere(error, globals)].map(plain);
  return `${what}\n  why:  ${why}\n${next === "" ? "" : `  next: ${next}\n`}`;
}

function stepHere({ next }: Pick<UserError, "next">, globals: Pick<Globals, "db">): string {
  return hintsHere(nextHere(next, globals), globals);
}

const UNCHANGED = "what could not be written was not changed";

/** Turns anything thrown into an error for people. @param what What failed, for errors that do not say it. */
export function asUserError(thrown: unknown, what: string): UserError {
  if (isUserError(thrown)) return thrown;
  if (isDatabaseBusy(thrown)) {
    return new UserError("The database is in use", {
      why: `another process writes to it for longer than a command waits; ${UNCHANGED}`,
      next: "Give the command again",
      reason: "DATABASE_BUSY",
      cause: thrown,
    });
  }
  const errcode = Number(Object(thrown).errcode) & 0xff;
  const why = messageOf(thrown) + (errcode in WAYS_OUT ? `; ${UNCHANGED}` : "");
  return new UserError(what, { why, next: WAYS_OUT[errcode] ?? "conclaude doctor", cause: thrown });
}

/** The next step if the database is not at fault, by codes of SQLite: 8 is READONLY, 13 is FULL. */
const WAYS_OUT: Readonly<Record<number, string>> = {
  8: "conclaude doctor",
  13: "Make room (`df -h` shows where there is none), then give the command again",
};

/** `JSON.stringify()` escapes a surrogate only if it is half of a pair, which few lines hold. */
const MAY_HOLD_HALF = /\\u[dD][89a-fA-F]/;

/** Matches every escape in JSON, a pair of surrogates as one. The group is half of a pair. */
const ESCAPES =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g;

/**
 * Replaces each half of a surrogate pair by U+FFFD. A text that was cut within a letter ends with a half, and many
 * readers refuse the whole line for it. The length stays.
 */
export function wellFormedJson(json: string): string {
  if (!MAY_HOLD_HALF.test(json)) return json;
  return json.replace(ESCAPES, (escape, half) => half === undefined ? escape : "\\ufffd");
}
