/** Reads simple command lines without the library, since loading it takes as long as running a verb. */
import { LETTERS, type Parameter } from "../operations/flags.ts";
import { type Given, type GivenCall, readCall } from "../operations/read_call.ts";
import { camel } from "../operations/usage.ts";
import { findVerb, typedIn } from "../operations/all_verbs.ts";

/** Thrown for a command line that only the library can read. */
class NotPlain extends Error {}

/** Returns the verb that a command line calls, with its arguments; null if only the library can read the line. */
export async function plainCall(words: readonly string[]) {
  try {
    const found = await findVerb(words);
    if (found === null) return null;
    const { verb, rest } = found;
    return { ...await readCall(verb, readWords(rest, verb.flags)), action: verb.run };
  } catch {
    // The library meets the same error and reports it.
    return null;
  }
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
    const [, name = "", attached] = /^--([a-z][a-z-]*)(?:=([\s\S]+))?$/.exec(long) ?? [];
    const flag = typedIn(known, name);
    const key = camel(name);
    if (flag === undefined || flag.variadic !== undefined || flags[key] !== undefined) {
      throw new NotPlain();
    }
    if (flag.kind === "boolean") {
      if (attached !== undefined) throw new NotPlain();
      flags[key] = true;
      continue;
    }
    const value = attached ?? words[++i];
    if (value === undefined || (attached === undefined && value.startsWith("-"))) {
      throw new NotPlain();
    }
    flags[key] = value;
  }
  return { flags, args };
}
