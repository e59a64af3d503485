/** Reads flags and arguments of a verb without the library, for plain command lines and for requests to the daemon. */
import type { Parameter } from "./flags.ts";
import type { Verb } from "./verb.ts";

/** A value before it is parsed: a word of a command line, or a value from JSON. */
export type Given = string | number | boolean | undefined;

/** The unparsed flags of a call by their names, and its arguments in their order. */
export interface GivenCall {
  readonly flags: Readonly<Record<string, Given>>;
  readonly args: readonly Given[];
}

/** Thrown for a value that a verb does not accept, and for a missing one. */
export class WrongValue extends Error {
  /** @param parameter The name of a flag, or the index of an argument, from 0. */
  constructor(readonly parameter: string | number, why: string) {
    super(why);
  }
}

/**
 * Parses flags and arguments for a verb's work. It ignores flags that the verb does not have.
 * @throws {WrongValue} Also if there is one argument too many.
 */
export async function readCall(
  { flags, args }: Pick<Verb, "flags" | "args">,
  given: GivenCall,
): Promise<{ readonly flags: Readonly<Record<string, unknown>>; readonly args: unknown[] }> {
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) {
    const value = await valueOf(name, flag, given.flags[name]);
    if (value !== undefined) values[name] = value;
  }
  const isMany = "kind" in args;
  const words = isMany ? given.args.filter((word) => word !== undefined) : given.args;
  const length = isMany ? Math.max(words.length, args.minimum ?? 0) : args.length;
  if (words.length > length) throw new WrongValue(length, "it is one too many");
  const read: unknown[] = [];
  for (let at = 0; at < length; at++) {
    read.push(await valueOf(at, isMany ? args.parameter : args[at]!, words[at]));
  }
  return { flags: values, args: read };
}

async function valueOf(
  name: string | number,
  { kind, parse, values, optional, default: usual, variadic }: Parameter,
  given: Given,
): Promise<unknown> {
  const value = given ?? usual;
  if (kind === "boolean") return ["true", "1"].includes(String(value));
  if (value === undefined) {
    if (optional) return undefined;
    throw new WrongValue(name, "it is missing");
  }
  const text = String(value);
  if (kind === "enum" && values?.includes(text) !== true) {
    throw new WrongValue(name, `expected one of ${values?.join(", ")}`);
  }
  try {
    const read = parse === undefined ? text : await parse(text);
    return variadic === undefined ? read : [read];
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw new WrongValue(name, thrown.message);
    throw thrown;
  }
}
