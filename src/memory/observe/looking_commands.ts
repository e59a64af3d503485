/** Tells whether a shell command only looks for something, or tries something out. */
import WORDS from "./looking_words.json" with { type: "json" };

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));
/** Programs that only look, try or wait. When one fails, something was not found. */
const LOOKING = wordSet(WORDS.programs.join(" "));
/** Programs that only look when they are called with these subcommands or options. */
const LOOKING_VERBS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(WORDS.verbs).map(([program, verbs]) => [program, wordSet(verbs)]),
);
/** Options and subcommands with which no program changes anything. */
const ASKING = wordSet(WORDS.asking);
/** Parts of a command that neither look nor do. */
const NEUTRAL = wordSet(WORDS.neutral);
/** Words before a program that do not change what it does. */
const BEFORE = /^(?:\w+=\S* +|(?:sudo|time|!|timeout \S+|env(?= +(?:\w+=|-)\S* +\S)) +)+/;
const GIT_PLACE = /^git (?:-C \S+ |--no-pager )+/;
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;

/** Whether every part of a command only looks for something. */
export function isOnlyLooking(command: string): boolean {
  if (command === "") return false;
  const parts = command.replace(QUOTED, "''").split(/&&|\|\|?|;|\n/)
    .map((part) => part.trim().replace(BEFORE, "").replace(GIT_PLACE, "git ").split(/\s+/))
    .filter(([program = ""]) => program !== "" && !NEUTRAL.has(program));
  return parts.length > 0 && parts.every(looks);
}

function looks([program = "", verb = "", next = ""]: readonly string[]): boolean {
  return LOOKING.has(program) || LOOKING_VERBS.get(program)?.has(verb) === true ||
    LOOKING_VERBS.get(`${program} ${verb}`)?.has(next) === true ||
    (next === "" && ASKING.has(verb));
}
