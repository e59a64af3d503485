/** Reads plain command lines without the library, which costs as much time as a verb. It leaves the rest to the library. */
import { LETTERS, type Parameter } from "../operations/flags.ts";
import { type Given, type GivenCall, readCall } from "../operations/read_call.ts";
import { camel } from "../operations/usage.ts";
import { findVerb, typedIn } from "../operations/all_verbs.ts";

/** Thrown when the library has to read the command line. */
class NotPlain extends Error {}

/** The verb that a command line calls, ready to be run; null when the library has to read it. */
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
    const [, name = "", behind] = /^--([a-z][a-z-]*)(?:=([\s\S]+))?$/.exec(long) ?? [];
    const flag = typedIn(known, name);
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
