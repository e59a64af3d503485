import { camel, kebab } from "./usage.ts";
import { VERBS } from "./verbs.ts";

const HELP: ReadonlySet<string> = new Set(["--help", "-h"]);

/**
 * The command line with the verb that a group lets people leave out: `import FILE` as `import file FILE`. Anything else,
 * help above all, as it is.
 *
 * @param words The command line without its global flags.
 */
export async function spellOutVerb(words: readonly string[]): Promise<readonly string[]> {
  const [noun = "", next, ...rest] = words;
  if (next === undefined || HELP.has(next) || !Object.hasOwn(VERBS, camel(noun))) return words;
  const target = await VERBS[camel(noun)]!();
  if (target.kind !== "group" || target.usual === undefined) return words;
  return Object.hasOwn(target.verbs, camel(next))
    ? words
    : [noun, kebab(target.usual), next, ...rest];
}
