/** Whether a later session, or a later turn, has done what was said to be left. */
import { isDeedThatRan } from "./left_deeds.ts";
import type { Deed, LeftItem, TurnDeeds } from "./observation.ts";
import { filesNamedIn, lackingIn, placesIn } from "./left_words.ts";
import { once } from "./once.ts";
import { firstOfSame } from "./same_words.ts";
import { tellingWords } from "./telling_words.ts";

/** Of so many words all have to be there; of more most. */
const FEW = 3;
const MOST = 0.6;
const ENOUGH = 5;

/** What is said of a file that only has to be written. */
const OF_WRITING = once(() => wordsOf(["update updated write written create created change docs"]));
/** Says that something does not work: no word of Claude alone takes that back. */
const FAILS = /\b(?:fail(?:s|ed|ing|ure)?|broken|breaks?|red|schlägt (?:noch )?fehl|falla)\b/i;
/** A deed of one of these is of nothing else. */
const ASIDE = once(() =>
  wordsOf([
    "typo typos rename renamed reformat format formatted layout style styling colour color blue font indent whitespace " +
    "speed faster slow slower spelling wording refactor refactored simplify simplified tidy rearrange",
  ])
);
/** The deeds of turns with their words: each is compared with all that was left. */
const READ = new WeakMap<TurnDeeds, readonly ReadDeed[]>();

type Words = ReadonlySet<string>;

/** Something that was left, to be looked for. */
export interface SoughtItem {
  readonly text: string;
  readonly about: Words;
  /** Of these what tells what is left, and not where, … */
  readonly what: Words;
  /** … and of these the word for what is not done with it; empty where it is any (`not handled yet`). */
  readonly lacks: Words;
  /** What is numbered in it: a version, an issue, a port. */
  readonly numbers: Words;
  /** The files that it names. */
  readonly names: readonly string[];
}

/** A session, or a turn, that came later. */
export interface Later {
  readonly turns: readonly TurnDeeds[];
  readonly files: readonly string[];
}

/** What was left, ready to be looked for. */
export function soughtItem({ text, about: kept }: LeftItem): SoughtItem {
  const about = wordsIn(kept);
  const what = about.difference(wordsOf(placesIn(text)));
  const lacks = wordsOf(lackingIn(text));
  return {
    text,
    about,
    what: what.size === 0 ? about : what,
    lacks: lacks.intersection(about),
    numbers: numbersIn(text),
    names: filesNamedIn(text),
  };
}

/** What the turns of a session did, as its summary keeps it. */
export function turnsIn(did: readonly (string | TurnDeeds)[]): TurnDeeds[] {
  return did.map((one) =>
    typeof one === "string" ? { did: [{ by: "made", about: one }], worked: true } : one
  );
}

/** Whether something that is left says of itself that it does not work. */
export function saysItFails({ text }: SoughtItem): boolean {
  return FAILS.test(text);
}

/**
 * Whether a later session has done what was left.
 *
 * @param options `files`: those of the session that left it. Where both have changed one of them, more than half of the words
 * will do.
 */
export function hasDone(
  item: SoughtItem,
  { turns, files }: Later,
  options: { readonly files: readonly string[] },
): boolean {
  // What has no words of its own is nobody's any more.
  if (item.about.size === 0) return true;
  const isNear = files.some((file) => options.files.includes(file));
  return turns.some((turn) => hasDoneIt(item, turn, isNear));
}

function hasDoneIt(item: SoughtItem, turn: TurnDeeds, isNear: boolean): boolean {
  const fails = saysItFails(item);
  const deeds = readDeeds(turn).filter(({ words }) => mayBeOf(item, words));
  const by = (...ways: readonly Deed["by"][]) => deeds.filter(({ by }) => ways.includes(by));
  const told = fails && turn.worked !== true ? by("made") : by("made", "said", "affirmed");
  return [...told, ...by("asked")].some((deed) => closes(item, deed, isNear)) ||
    wasAskedForAndTold(item, { wanted: by("asked", "wanted"), told }) ||
    turn.forIt === true &&
      told.some(({ words }) => 2 * sharedOf(item.what, words) >= item.what.size) ||
    (turn.files ?? []).some((file) => isOnlyFile(item, file)) ||
    !fails && isDeedThatRan(item.what, { ran: turn.ran ?? [], named: namedBy(turn) });
}

interface ReadDeed extends Deed {
  readonly words: Words;
}

function readDeeds(turn: TurnDeeds): readonly ReadDeed[] {
  const known = READ.get(turn) ?? turn.did.map((deed) => ({ ...deed, words: wordsIn(deed.about) }));
  READ.set(turn, known);
  return known;
}

/** Whether a deed by itself has done what is left. */
function closes(
  { what, lacks }: SoughtItem,
  { by, words, sure }: ReadDeed,
  isNear: boolean,
): boolean {
  if (!lacks.isSubsetOf(words) || by === "affirmed" && lacks.size === 0) return false;
  if (what.size === 1 && sure !== true) return false;
  return speakOf(what, words) || isNear && what.size > 1 && speakOf(what, words, { isNear });
}

/** Whether somebody wanted what is left and nothing else, and heard by the same word that it is done. */
function wasAskedForAndTold(
  { what, lacks }: SoughtItem,
  { wanted, told }: { readonly wanted: readonly ReadDeed[]; readonly told: readonly ReadDeed[] },
): boolean {
  return lacks.size > 0 &&
    wanted.some(({ words }) => words.isSubsetOf(what) && lacks.isSubsetOf(words)) &&
    told.some(({ words }) => lacks.isSubsetOf(words));
}

/** Whether what is left is a file to be written, and this is it. */
function isOnlyFile({ names, what }: SoughtItem, file: string): boolean {
  const isNamed = names.some((name) =>
    file === name || file.endsWith(`/${name}`) || nameOf(file).startsWith(`${name}.`)
  );
  return isNamed && what.isSubsetOf(wordsOf(names).union(OF_WRITING()));
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

/** What a turn says that its commands were run for, but for what was only wanted. */
function namedBy(turn: TurnDeeds): Words {
  return new Set(
    readDeeds(turn).filter(({ by }) => by !== "wanted").flatMap(({ words }) => [...words]),
  );
}

/** Whether a deed is of the same as what is left, as far as numbers go, and not of something beside it. */
function mayBeOf({ about }: SoughtItem, words: Words): boolean {
  return !areApart(numbersOf(about), numbersOf(words)) &&
    words.intersection(ASIDE()).isSubsetOf(about);
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

/** The words that are kept with blanks between, of those for the same deed the first. */
function wordsIn(kept: string): Words {
  return new Set(kept === "" ? [] : kept.split(" ").map(firstOfSame));
}

/** The words that tell something, of those for the same deed the first. */
function wordsOf(texts: readonly string[]): Words {
  return new Set([...tellingWords(texts.join(" "))].map(firstOfSame));
}

/** Whether some words are of what others are about. @param options `isNear`: more than half of them are enough. */
function speakOf(
  about: Words,
  words: Words,
  { isNear = false }: { readonly isNear?: boolean } = {},
): boolean {
  const { size } = about;
  const most = size <= FEW ? size : Math.max(FEW, Math.ceil(size * MOST));
  const wanted = Math.min(isNear ? Math.floor(size / 2) + 1 : most, ENOUGH);
  return size > 0 && sharedOf(about, words) >= wanted;
}

function sharedOf(about: Words, words: Words): number {
  let shared = 0;
  for (const word of about) if (words.has(word)) shared++;
  return shared;
}
