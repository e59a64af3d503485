/** Tells whether a shell command only looks for something, or tries something out. */
import { gitArguments } from "./git_words.ts";
import { calledWords } from "./script_words.ts";
import type { ScriptCommand } from "./shell_words.ts";
import WORDS from "./looking_words.json" with { type: "json" };

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));
/** Programs that only look, try or wait. Their failure means that something was not found. */
const LOOKING = wordSet(WORDS.programs.join(" "));
/** Programs that only look when they are called with these subcommands or options. */
const LOOKING_VERBS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(WORDS.verbs).map(([program, verbs]) => [program, wordSet(verbs)]),
);
/** Options and subcommands with which no program changes anything. */
const ASKING = wordSet(WORDS.asking);
/** Commands that neither look for something nor do anything. */
const NEUTRAL = wordSet(WORDS.neutral);

/** Tells whether all commands of a script only look for something. Neutral commands do not count. */
export function isOnlyLooking(commands: readonly ScriptCommand[]): boolean {
  const parts = commands.filter(({ words }) => !NEUTRAL.has(words[0]!));
  return parts.length > 0 && parts.every(looks);
}

/** Tells whether a command only looks for something, tries or waits. */
export function looks({ words }: ScriptCommand): boolean {
  const [program = "", ...args] = calledWords(words);
  const [verb = "", next = ""] = gitArguments([program, ...args]) ?? args;
  return program === "" || LOOKING.has(program) || LOOKING_VERBS.get(program)?.has(verb) === true ||
    LOOKING_VERBS.get(`${program} ${verb}`)?.has(next) === true ||
    (next === "" && ASKING.has(verb));
}
