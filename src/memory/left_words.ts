/** What the sentence says that something is left with: which file, where, and by which word it is said what is not done. */
import { patternFor, WORD } from "../letters.ts";

/** Between the words of a text that may be names of files. */
const GAPS = /[\s`'"“”‘’()<>,;:!?*]+/;
const FILE_NAME = /^[\w@./-]*\w\.[A-Za-z]{1,5}$/;
const FULL_STOPS = /\.+$/;
/** Files that are called by such a word, whatever their ending. */
const KNOWN_FILES: ReadonlySet<string> = new Set(
  "README CHANGELOG LICENSE CONTRIBUTING Makefile Dockerfile".split(" "),
);
/** Before the name of a file they say where it is. */
const WHERE: ReadonlySet<string> = new Set("in of at inside from into within for im".split(" "));
/** Behind these it is said what is not done, … */
const LACKING: ReadonlySet<string> = new Set("not never be t nicht".split(" "));
/** … whatever of these stands between. */
const BETWEEN: ReadonlySet<string> = new Set(
  "yet been be being fully properly really actually to all".split(" "),
);
/** More is not looked at. */
const MAX_CHARS = 1_000;

/** The files that a sentence names. */
export function filesNamedIn(text: string): string[] {
  return namesIn(text).filter((name) => FILE_NAME.test(name) || KNOWN_FILES.has(name));
}

/** The files in which it says that something is left. */
export function placesIn(text: string): string[] {
  const names = namesIn(text);
  return names.filter((name, n) =>
    FILE_NAME.test(name) && WHERE.has((names[n - 1] ?? "").toLowerCase())
  );
}

/** The words for what is not done: `sent` of `not sent yet`, `applied` of `still has to be applied`. */
export function lackingIn(text: string): string[] {
  const head = text.slice(0, MAX_CHARS).toLowerCase();
  const words = head.match(patternFor(WORD, head)) ?? [];
  return words.flatMap((word, n) => {
    if (!LACKING.has(word)) return [];
    return words.slice(n + 1).find((next) => !BETWEEN.has(next)) ?? [];
  });
}

function namesIn(text: string): string[] {
  return text.slice(0, MAX_CHARS).split(GAPS).map((name) => name.replace(FULL_STOPS, ""));
}
