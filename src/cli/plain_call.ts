/** Reads plain command lines without the library, which costs as much time as a verb. It leaves the rest to the library. */
import { LETTERS, type Parameter } from "../operations/flags.ts";
import { type Given, type GivenCall, readCall } from "../operations/read_call.ts";
import type { Verb, Verbs } from "../operations/verb.ts";
import { camel, kebab } from "../operations/usage.ts";
import { VERBS } from "../operations/all_verbs.ts";

/** Thrown when the library has to read the command line. */
class NotPlain extends Error {}

/** The verb that a command line calls, ready to be run; null when the library has to read it. */
export async function plainCall(words: readonly string[]) {
  try {
    const { verb, rest } = await findVerb(words);
    return { ...await readCall(verb, readWords(rest, verb.flags)), action: verb.run };
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

function readWords(
  words: readonly string[],
  known: Readonly<Record<string, Parameter>>,
): GivenCall {
  const flags: Record<string, Given> = {};
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
    if (flag === undefined || flag.variadic !== undefined || flags[key] !== undefined) {
      throw new NotPlain();
    }
    if (flag.kind === "boolean") {
      if (behind !== undefined) throw new NotPlain();
      flags[key] = true;
      continue;
    }
    const value = behind ?? words[++i];
    if (value === undefined || (behind === undefined && value.startsWith("-"))) {
      throw new NotPlain();
    }
    flags[key] = value;
  }
  return { flags, args };
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
