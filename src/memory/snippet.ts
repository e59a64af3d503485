/** The part of a text that a question is about, for a person to see why it was found. */
import { LETTER_OR_DIGIT, occursIn } from "../letters.ts";
import { isUnspaced } from "./terms.ts";
import { shortened } from "./text.ts";

/** Places of one word that are looked at. */
const MAX_PLACES = 50;
/** What is shown before the first word that was found, in characters. */
const LEAD_CHARS = 40;
/** What an ending takes at most of a word, and what it leaves at least. */
const ENDING_CHARS = 2;
const MIN_STEM_CHARS = 4;

/** A word of the question in the text. */
interface Place {
  readonly at: number;
  readonly word: string;
}

/**
 * The part of a text that holds most of the words, the first of equal ones, on one line; the beginning where it holds
 * none. A word counts where one begins like it, whatever its ending.
 *
 * @param words In small letters. @param maxChars What is left out is told by `…`, which counts.
 */
export function snippetOf(text: string, words: readonly string[], maxChars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= maxChars) return line;
  const places = placesOf(line.toLowerCase(), words);
  const from = startOf(line, bestPlace(places, maxChars - 2 * LEAD_CHARS));
  return from === 0 ? shortened(line, maxChars) : `…${shortened(line.slice(from), maxChars - 1)}`;
}

/** Where words begin like those of the question, in the order of the text. */
function placesOf(text: string, words: readonly string[]): Place[] {
  const places: Place[] = [];
  for (const word of words) {
    const start = word.slice(0, Math.max(MIN_STEM_CHARS, word.length - ENDING_CHARS));
    let at = text.indexOf(start);
    for (let seen = 0; at >= 0 && seen < MAX_PLACES; seen++) {
      const before = text[at - 1];
      if (
        before === undefined || isUnspaced(start) ||
        !occursIn(LETTER_OR_DIGIT, before)
      ) {
        places.push({ at, word });
      }
      at = text.indexOf(start, at + start.length);
    }
  }
  return places.sort((one, other) => one.at - other.at);
}

/** Where the part begins that holds most words, each counted once; 0 when there is none. */
function bestPlace(places: readonly Place[], reach: number): number {
  let best = { at: 0, count: 0 };
  for (const [i, { at }] of places.entries()) {
    const within = new Set<string>();
    for (let j = i; j < places.length && places[j]!.at < at + reach; j++) {
      within.add(places[j]!.word);
    }
    if (within.size > best.count) best = { at, count: within.size };
  }
  return best.at;
}

/** A little before a place, at the beginning of a word. */
function startOf(line: string, at: number): number {
  if (at <= LEAD_CHARS) return 0;
  const blank = line.indexOf(" ", at - LEAD_CHARS);
  return blank < 0 || blank >= at ? at : blank + 1;
}
