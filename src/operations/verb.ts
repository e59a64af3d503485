import type { CliContext } from "./context.ts";
import type { Parameter, Values } from "./flags.ts";
import { show, showError, type View } from "./view.ts";

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

/** A verb as the table of verbs holds it: plain data, so that making it costs nothing. */
export interface Verb {
  readonly kind: "verb";
  /** {@linkcode VerbSpec.person}; {@linkcode perform} checks it. */
  readonly person: string | undefined;
  readonly flags: Readonly<Record<string, Parameter>>;
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
  const Flags extends Readonly<Record<string, Parameter>> = Readonly<Record<never, never>>,
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
