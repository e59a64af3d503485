/** Words that may replace a word of a question: another name of the same thing, another ending, a typing error. */
import { isBeyondAscii, scriptPattern } from "../../base/letters.ts";
import { isUnspaced } from "./terms.ts";

/** Names of one thing in the talk about programs, and a few of every day; each word is in one group. */
const SAME_THING = [
  "database db",
  "repository repo",
  "environment env",
  "configuration config settings preferences options",
  "dependency dependencies deps",
  "authentication auth login signin",
  "authorization authz permissions",
  "documentation docs",
  "directory folder dir",
  "kubernetes k8s",
  "performance perf speed latency",
  "slow sluggish",
  "parameter argument param arg",
  "function method",
  "error exception failure",
  "crash segfault panic",
  "hang stuck freeze deadlock",
  "javascript js",
  "typescript ts",
  "python py",
  "postgres postgresql",
  "version release",
  "remove delete drop",
  "image picture photo",
  "memory ram heap",
  "container docker",
  "certificate cert tls ssl",
  "internationalization i18n",
  "pull pr",
  "job work employer",
  "mother mum mom",
  "father dad",
  "car vehicle",
  "flat apartment",
  "holiday vacation trip",
  "doctor physician",
  "price cost",
  "movie film",
  "kids children",
  "bike bicycle",
];

let groups: ReadonlyMap<string, readonly string[]> | undefined;

/** Other names of the same thing; empty for most words. */
export function otherNames(word: string): readonly string[] {
  groups ??= new Map(
    SAME_THING.map((line) => line.split(" ")).flatMap((names) =>
      names.map((name) => [name, names.filter((other) => other !== name)] as const)
    ),
  );
  return groups.get(word) ?? [];
}

const accent = scriptPattern(String.raw`\p{M}`, "gu");
const HANGUL = /^[\uac00-\ud7a3]+$/;
/** Greek letters that may have lost their accent, and the one of Russian that most people write without its dots. */
const ACCENTED: Readonly<Record<string, string>> = {
  е: "ё",
  α: "ά",
  ε: "έ",
  η: "ή",
  ι: "ί",
  ο: "ό",
  υ: "ύ",
  ω: "ώ",
};

/**
 * Other ways to write a word, which the index does not take for the same: `ss` for `ß`, `oe` for `ö`, thousands that are set apart, letters
 * without their accents, Greek ones and the Russian е with the one that was left out, Korean words with a blank between them; empty for most.
 */
export function otherSpellings(word: string): readonly string[] {
  const spellings = new Set([word.replaceAll("ß", "ss"), word.replaceAll("ss", "ß")]);
  // ä, ö and ü as they are written without them; the index knows these without their dots.
  const umlauts = word.replace(/ae|oe|ue/g, (two) => two[0]!);
  spellings.add(umlauts).add(umlauts.replaceAll("ss", "ß"));
  if (/^[1-9]\d{3,14}$/.test(word)) spellings.add(word.replace(/\B(?=(?:\d{3})+$)/g, " "));
  if (isBeyondAscii(word)) {
    spellings.add(word.normalize("NFD").replace(accent(), "").normalize("NFC"));
    for (let at = 0; at < word.length; at++) {
      const accented = ACCENTED[word[at]!];
      if (accented !== undefined) spellings.add(word.slice(0, at) + accented + word.slice(at + 1));
      if (at > 0 && word.length > 2 && HANGUL.test(word)) {
        spellings.add(`${word.slice(0, at)} ${word.slice(at)}`);
      }
    }
  }
  spellings.delete(word);
  return [...spellings];
}

/** Endings that are taken off at most, and what must stay. */
const MAX_ENDING = 3;
const MIN_STEM = 6;

/** How a word that is nowhere may begin, the longest first: languages that nothing stems, compounds, half a word. */
export function beginningsOf(word: string): string[] {
  if (word.length < 4) return isUnspaced(word) || isKorean(word) ? [word] : [];
  return Array.from({ length: MAX_ENDING + 1 }, (_, cut) => word.slice(0, word.length - cut))
    .filter((start, cut) => cut === 0 || start.length >= MIN_STEM);
}

/** Two syllables of Korean are a word, which has endings behind it. */
function isKorean(word: string): boolean {
  return word.length > 1 && HANGUL.test(word);
}

/** The lengths of words that are corrected. Shorter ones resemble too many words, longer ones have too many slips. */
const SLIPS = { min: 5, max: 12 };
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** The letters that are tried as missing in a longer word, besides a doubled one. */
const COMMON_LETTERS = "aeiounrstl";
const LONG_WORD = 8;
const KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/**
 * The words from which a word comes by one slip behind its first letter: a letter too many or too few, the key beside the
 * right one, or two letters that changed places. A few hundred; none for words that are no plain letters.
 */
export function slipsOf(word: string): string[] {
  if (word.length < SLIPS.min || word.length > SLIPS.max || !/^[a-z]+$/.test(word)) return [];
  const found = new Set<string>();
  for (let at = 1; at <= word.length; at++) {
    const [head, letter, tail] = [word.slice(0, at), word[at] ?? "", word.slice(at + 1)];
    const missed = word.length >= LONG_WORD ? COMMON_LETTERS + word[at - 1]! : LETTERS;
    for (const missing of missed) found.add(head + missing + letter + tail);
    if (letter === "") continue;
    found.add(head + tail);
    for (const meant of keysBeside(letter)) found.add(head + meant + tail);
    if (tail !== "") found.add(head + tail[0] + letter + tail.slice(1));
  }
  found.delete(word);
  return [...found];
}

/** Vowels are mixed up by ear, other letters by the finger. */
function keysBeside(letter: string): string[] {
  const beside = KEYS.flatMap((row) => {
    const at = row.indexOf(letter);
    return at < 0 ? [] : [row[at - 1], row[at + 1]];
  }).filter((key) => key !== undefined);
  return "aeiou".includes(letter) ? [...beside, ..."aeiou"] : beside;
}
