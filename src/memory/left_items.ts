/** Whether a later session has done what an earlier one said is left. */
import type { LeftItem } from "./observation.ts";

/** Of so many words all have to be there; of more most. */
const FEW = 3;
const MOST = 0.6;
const ENOUGH = 5;

type Words = ReadonlySet<string>;

/** Something that was left, to be looked for. */
export interface SoughtItem {
  readonly text: string;
  readonly about: Words;
  /** What is numbered in it: a version, an issue, a port. */
  readonly numbers: Words;
}

/** A session that came later. */
export interface LaterSession {
  readonly did: readonly Words[];
  readonly files: readonly string[];
}

/** What was left, ready to be looked for. */
export function soughtItem({ text, about }: LeftItem): SoughtItem {
  return { text, about: wordsIn(about), numbers: numbersIn(text) };
}

/**
 * Whether a later session has done what was left.
 *
 * @param options `files`: those of the session that left it. Where both have changed one of them, half of the words will do.
 */
export function hasDone(
  item: SoughtItem,
  { did, files }: LaterSession,
  options: { readonly files: readonly string[] },
): boolean {
  // What has no words of its own is nobody's any more.
  if (item.about.size === 0) return true;
  const isNear = files.some((file) => options.files.includes(file));
  return did.some((words) =>
    !areApart(numbersOf(item.about), numbersOf(words)) && speakOf(item.about, words, { isNear })
  );
}

/** Whether something of a list is the same as what is left. */
export function saysAgain(item: SoughtItem, others: readonly SoughtItem[]): boolean {
  return others.some(({ text, about, numbers }) =>
    text === item.text ||
    !areApart(numbers, item.numbers) &&
      (speakOf(item.about, about) ||
        item.about.size > 1 && about.size > 1 && speakOf(about, item.about))
  );
}

function numbersIn(text: string): Words {
  return new Set(text.match(/\d+(?:\.\d+)*/g));
}

/** The words with a digit. */
function numbersOf(words: Words): Words {
  return new Set([...words].filter((word) => /\d/.test(word)));
}

/** Whether both are of something with a number, and of none that is the same. */
function areApart(one: Words, other: Words): boolean {
  return one.size > 0 && other.size > 0 && one.isDisjointFrom(other);
}

/** The words that are kept with blanks between. */
export function wordsIn(kept: string): Words {
  return new Set(kept === "" ? [] : kept.split(" "));
}

/** Whether some words are of what others are about. @param options `isNear`: half of them are enough. */
function speakOf(
  about: Words,
  words: Words,
  { isNear = false }: { readonly isNear?: boolean } = {},
): boolean {
  const { size } = about;
  const most = size <= FEW ? size : Math.max(FEW, Math.ceil(size * MOST));
  const wanted = Math.min(isNear ? Math.ceil(size / 2) : most, ENOUGH);
  let shared = 0;
  for (const word of about) if (words.has(word)) shared++;
  return size > 0 && shared >= wanted;
}
