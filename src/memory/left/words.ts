/** What the sentence says that something is left with: which file, where, and by which word it is said what is not done. */
import { patternFor, WORD } from "../../letters.ts";
import { tellingWords } from "../telling_words.ts";

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
  "yet been be being fully properly really actually able to all".split(" "),
);
/** What stands before a list that is told in a sentence: `Remaining: `. */
const LEAD = /^[^:：\n]{1,60}[:：]\s*/;
/** A thing follows on a verb that says no more than that it is made, or on an article, … */
const BEFORE_A_THING =
  /^\W*(?:(?:add|implement|handle|fix|finish|complete|support|an?|the|der|die|das|el|la)\b\W*)+$/i;
/** … which stands behind any other verb. */
const BEFORE_ITS_THING =
  /^(?: (?:up|out|off|on|in|down))? (?:the|an?|all|our|its|their|each|every|that|this|these|those|der|die|das|den|el|la|los|las)\b/i;
/** Between the things of such a list, … */
const COMMAS = /\s*[,;、，；]\s*(?:(?:and|or|und|y|et)\s+)?/i;
const AND = /\s+(?:and|und|y|et|&)\s+/i;
/** … where none of them is done as well: `I did not add pagination or sorting`, … */
const AND_OR = /\s+(?:and|und|y|et|&|n?or|oder)\s+/i;
const NONE_OF = /^[^?？]*(?:\b(?:not|no|neither|never|nicht|kein\w*)\b|n['’]t\b)[^?？]*$/i;
/** … of which none begins so, … */
const GOES_ON =
  /^(?:which|who|that|so|since|because|but|once|if|when|as|while|unless|until|e\.g|i\.e|like|such|including|then|die|der|das|weil|wenn|aber|sobald)\b/i;
/** … and none has a word that may be of the others as well. */
const OF_ALL =
  /\b(?:for|in|to|of|on|at|by|with|from|into|für|von|im|zu|mit|de|para|en|pour|need|needs|are|is)\b/i;
/** What may stand before the rest of one that is done in part. */
export const STILL_OPEN = "Still open: ";
const MAX_PARTS = 8;
/** More is not looked at. */
const MAX_CHARS = 1_000;

/** `Pagination is missing, as is the export`: what is left stands on both sides. */
const AS_IS = /,? as (?:is|are) (?=(?:the|an?|all|any|our|its|their)\b(?! case\b))/i;

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

/** What the first telling word of a sentence tells: what is to be done, with which thing, or either. */
export type Opening = "deed" | "thing" | "either";

/** What the first word of what is left tells: `extract the prices`, `add a retry button`, `retry buttons`. */
export function openingOf(text: string): Opening {
  const head = text.slice(0, MAX_CHARS).replace(LEAD, "");
  for (const { 0: word, index } of head.matchAll(patternFor(WORD, head))) {
    if (tellingWords(word).size === 0) continue;
    if (BEFORE_A_THING.test(head.slice(0, index))) return "thing";
    return BEFORE_ITS_THING.test(head.slice(index + word.length)) ? "deed" : "either";
  }
  return "either";
}

/** A list that is told in a sentence: what stands before it, or may, and its things; none where it is no such list. */
export function listIn(text: string): { readonly lead: string; readonly parts: readonly string[] } {
  const head = text.slice(0, MAX_CHARS);
  const [lead] = LEAD.exec(head) ?? [];
  if (lead === undefined) {
    const parts = head.replace(/[.!\s]+$/, "").split(AS_IS);
    return parts.length > 1 ? { lead: STILL_OPEN, parts } : { lead: "", parts: [] };
  }
  const body = head.slice(lead.length).replace(/[.!。\s]+$/, "");
  const byComma = body.split(COMMAS);
  const parts = byComma.flatMap((part, n) =>
    n < byComma.length - 1 || OF_ALL.test(part) ? [part] : part.split(AND)
  );
  const isList = parts.length > 1 && parts.length <= MAX_PARTS &&
    !/[.!?。]\s/.test(body) &&
    parts.every((part) => !GOES_ON.test(part) && tellingWords(part).size > 0);
  return isList ? { lead, parts } : { lead: "", parts: [] };
}

/** Of what a text joins a word for each: those on both sides of an "and", or of an "or" behind a "not", and of a list the last that is its own. @param parts Of the list. */
export function joinedIn(text: string, parts: readonly string[]): ReadonlySet<string> {
  const wordsOf = (text: string) => [...tellingWords(text)];
  const joined = new Set<string>();
  const head = text.slice(0, MAX_CHARS);
  const texts = head.split(NONE_OF.test(head) ? AND_OR : AND);
  const [sides, listed] = [texts.length === 1 ? [] : texts.map(wordsOf), parts.map(wordsOf)];
  for (let n = 1; n < sides.length; n++) {
    const [before, after] = [sides[n - 1]!, sides[n]!];
    const last = before.findLast((word) => !after.includes(word));
    const first = after.find((word) => !before.includes(word));
    if (last !== undefined && first !== undefined) joined.add(last).add(first);
  }
  for (const part of listed) {
    const own = part.findLast((word) =>
      listed.every((other) => other === part || !other.includes(word))
    );
    if (own !== undefined) joined.add(own);
  }
  return joined;
}

function namesIn(text: string): string[] {
  return text.slice(0, MAX_CHARS).split(GAPS).map((name) => name.replace(FULL_STOPS, ""));
}
