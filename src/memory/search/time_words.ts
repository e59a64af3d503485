/**
 * Looks whether a question may name a time, and only then loads the reader of times: loading `chrono-node` and reading in
 * five languages takes as long as the whole search.
 */
import WORDS from "./time_words.json" with { type: "json" };
import type { SpokenTime } from "./spoken_time.ts";

const anyOf = (lines: readonly string[]) => lines.join(" ").replaceAll(" ", "|");
const LETTER = "[a-zà-ÿ]";
/** Matches a digit, a letter of Chinese or Japanese, or a word of time in English, German or French. */
const MAY_NAME_TIME = new RegExp(
  [
    String.raw`[\d\u3040-\u30ff\u3400-\u9fff]`,
    `(?<!${LETTER})(?:${anyOf(WORDS.beginnings)}|(?:${anyOf(WORDS.words)})(?!${LETTER}))`,
    ...WORDS.phrases,
  ].join("|"),
);

/** Tells whether a text may name a time. Recognises most texts that do not. */
export function mayNameTime(text: string): boolean {
  return MAY_NAME_TIME.test(text.toLowerCase());
}

/** Returns the first time in a text, as `spokenTime()` reads it; null when there is none. */
export async function timeIn(text: string, nowMs: number): Promise<SpokenTime | null> {
  if (!mayNameTime(text)) return null;
  const { spokenTime } = await import("./spoken_time.ts");
  return spokenTime(text, nowMs);
}
