/** Reads plain command lines without the library, which costs as much time as a verb. It leaves the rest to the library. */
import { LETTERS, type Parameter } from "../operations/flags.ts";
import type { Verb, Verbs } from "../operations/verb.ts";
import { camel, kebab } from "../operations/usage.ts";
import { VERBS } from "./verbs.ts";

type Values = Readonly<Record<string, unknown>>;

/** Thrown when the library has to read the command line. */
class NotPlain extends Error {}

/** The verb that a command line calls, ready to be run; null when the library has to read it. */
export async function plainCall(words: readonly string[]) {
  try {
    const { verb, rest } = await findVerb(words);
    const { flags, args } = readWords(rest, verb.flags);
    return {
      flags: valuesOf(flags, verb.flags),
      args: argumentsOf(args, verb.args),
      action: verb.run,
    };
  } catch {
    // The library meets the same error and reports it.
    return null;
  }
}

async function findVerb(
  words: readonly string[],
): Promise<{ readonly verb: Verb; readonly rest: readonly string[] }> {
  let target: Verbs[string] | undefined = own(VERBS, words[0]);
  let at = 1;
  while (target !== undefined && target.kind !== "verb") {
    target = target.kind === "lazy" ? await target.load() : own(target.verbs, words[at++]);
  }
  if (target === undefined) throw new NotPlain();
  return { verb: target, rest: words.slice(at) };
}

function readWords(words: readonly string[], known: Readonly<Record<string, Parameter>>) {
  const flags = new Map<string, string | true>();
  const args: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (!word.startsWith("-")) {
      args.push(word);
      continue;
    }
    const long = /^-[a-z]$/.test(word) ? `--${LETTERS[word.slice(1)]}` : word;
    const [, name = "", behind] = /^--([a-z][a-z-]*)(?:=([\s\S]+))?$/.exec(long) ?? [];
    const flag = own(known, name);
    const key = camel(name);
    if (flag === undefined || flag.variadic !== undefined || flags.has(key)) throw new NotPlain();
    if (flag.kind === "boolean") {
      if (behind !== undefined) throw new NotPlain();
      flags.set(key, true);
      continue;
    }
    const value = behind ?? words[++i];
    if (value === undefined || (behind === undefined && value.startsWith("-"))) {
      throw new NotPlain();
    }
    flags.set(key, value);
  }
  return { flags, args };
}

function valuesOf(
  given: ReadonlyMap<string, string | true>,
  known: Readonly<Record<string, Parameter>>,
): Values {
  const values: Record<string, unknown> = {};
  for (const [key, flag] of Object.entries(known)) {
    const text = given.get(key);
    if (text === true) values[key] = true;
    else if (text !== undefined) values[key] = valueOf(text, flag);
    else if (flag.default !== undefined) {
      values[key] = flag.kind === "boolean" ? flag.default : valueOf(String(flag.default), flag);
    } else if (flag.optional !== true) throw new NotPlain();
  }
  return values;
}

function argumentsOf(words: readonly string[], known: Verb["args"]): unknown[] {
  if ("kind" in known) {
    if (words.length < (known.minimum ?? 0)) throw new NotPlain();
    return words.map((word) => valueOf(word, known.parameter));
  }
  if (words.length > known.length) throw new NotPlain();
  return known.map((parameter, i) => {
    const word = words[i] ?? parameter.default;
    if (word !== undefined) return valueOf(String(word), parameter);
    if (parameter.optional !== true) throw new NotPlain();
    return undefined;
  });
}

/** @throws {NotPlain} When the text is no value of the parameter. */
function valueOf(text: string, { kind, parse, values }: Parameter): unknown {
  if (kind === "enum" ? values?.includes(text) !== true : parse === undefined) throw new NotPlain();
  const value = parse === undefined ? text : parse(text);
  if (value instanceof Promise) {
    // The library reads the text again, and says what is wrong with it.
    value.catch(() => {});
    throw new NotPlain();
  }
  return value;
}

/** What a table holds under the name as it is typed: `set-priority`. */
function own<Value>(
  table: Readonly<Record<string, Value>>,
  typed: string | undefined,
): Value | undefined {
  if (typed === undefined) return undefined;
  const name = camel(typed);
  return kebab(name) === typed && Object.hasOwn(table, name) ? table[name] : undefined;
}
