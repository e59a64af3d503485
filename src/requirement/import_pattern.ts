/** Regular expressions of Python's, as this program reads them. */

/** What became of an expression: the same in JavaScript's syntax, or why there is none. */
export type PatternReading =
  | { readonly kind: "pattern"; readonly source: string }
  | { readonly kind: "fault"; readonly why: string };

/** What a backslash means outside of brackets, where JavaScript would take the letter itself, or something else. */
const ESCAPES: Readonly<Record<string, string>> = { A: "^", Z: "$", a: "\\x07" };
/** Escapes that name a character, which JavaScript would read as the letter. */
const UNKNOWN_ESCAPES = "NU";

/** Beginnings of groups, and what they are called in JavaScript. */
const GROUPS: readonly (readonly [python: RegExp, javascript: string])[] = [
  [/^\(\?P<(\w+)>/, "(?<$1>"],
  [/^\(\?P=(\w+)\)/, "\\k<$1>"],
  [/^\(\?#[^)]*\)/, ""],
];

/** Both letters change nothing here: upper and lower case are alike anyway. */
const HARMLESS_FLAGS = /^\(\?[iu]+\)/;

/**
 * A Python expression in JavaScript's syntax, so that it means the same. What would be compiled and mean something else
 * (`\A`, `{,3}`, `[]x]`) is written anew; what cannot be said is a fault.
 */
export function readPattern(python: string): PatternReading {
  let rest = python.replace(HARMLESS_FLAGS, "");
  let source = "";
  let inBrackets = false;
  while (rest !== "") {
    const [taken, written] = inBrackets ? readInBrackets(rest) : readOutside(rest);
    if (written === null) {
      return { kind: "fault", why: `"${taken}" has no counterpart in JavaScript's expressions` };
    }
    if (!inBrackets && taken.startsWith("[")) inBrackets = true;
    else if (inBrackets && taken === "]") inBrackets = false;
    source += written;
    rest = rest.slice(taken.length);
  }
  try {
    new RegExp(source, "i");
    return { kind: "pattern", source };
  } catch (error) {
    return { kind: "fault", why: error instanceof Error ? error.message : String(error) };
  }
}

type Step = readonly [taken: string, written: string | null];

function readOutside(rest: string): Step {
  if (rest.startsWith("\\")) return readEscape(rest, ESCAPES);
  // A bracket that closes at once is itself a member in Python; in JavaScript the set would be empty.
  const opening = /^\[\^?\]?/.exec(rest)?.[0];
  if (opening !== undefined) return [opening, opening.replace("]", "\\]")];
  const upTo = /^\{,(\d+)\}/.exec(rest);
  if (upTo !== null) return [upTo[0], `{0,${upTo[1]}}`];
  for (const [python, javascript] of GROUPS) {
    const taken = python.exec(rest)?.[0];
    if (taken !== undefined) return [taken, taken.replace(python, javascript)];
  }
  return [rest[0]!, rest[0]!];
}

function readInBrackets(rest: string): Step {
  return rest.startsWith("\\") ? readEscape(rest, { a: ESCAPES.a! }) : [rest[0]!, rest[0]!];
}

function readEscape(rest: string, known: Readonly<Record<string, string>>): Step {
  const letter = rest[1] ?? "";
  const taken = rest.slice(0, 2);
  if (letter !== "" && UNKNOWN_ESCAPES.includes(letter)) return [taken, null];
  return [taken, Object.hasOwn(known, letter) ? known[letter]! : taken];
}
