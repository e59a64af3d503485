/** Whether a later session, or a later turn, has done what was said to be left. */
import { areApart, numbersOf, sharedOf, speakOf } from "./compared.ts";
import { isDeedThatRan } from "./deeds.ts";
import { isDropped, isOfAll } from "./dropped.ts";
import { isToBeMade, wasMade } from "./things.ts";
import { type DoneIn, isOutlived } from "./states.ts";
import type { Deed, TurnDeeds } from "../observation.ts";
import { once } from "../once.ts";
import { openingOf } from "./words.ts";
import { saysItFails, type SoughtItem, wordsIn, wordsOf } from "../sought_item.ts";
import { areContrary, requiredOf, standsForAnother } from "../word_places.ts";

/** A thing is called by so many words. */
const MAX_NAME = 3;

/** What is said of a file that only has to be written. */
const OF_WRITING = once(() => wordsOf(["update updated write written create created change docs"]));
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

/** A session, or a turn, that came later. */
export interface Later {
  readonly turns: readonly TurnDeeds[];
  readonly files: readonly string[];
}

/** What the turns of a session did, as its summary keeps it. */
export function turnsIn(did: readonly (string | TurnDeeds)[]): TurnDeeds[] {
  return did.map((one) =>
    typeof one === "string" ? { did: [{ by: "made", about: one }], worked: true } : one
  );
}

/**
 * Whether a later session has done what was left.
 *
 * @param options Of the session that left it. `files`: where both have changed one of them, more than half of the words will
 * do. `title`: what it was about.
 */
export function hasDone(
  item: SoughtItem,
  { turns, files }: Later,
  options: { readonly files: readonly string[]; readonly title?: string },
): boolean {
  // What has no words of its own is nobody's once work went on.
  if (item.about.size === 0) return turns.some(({ worked }) => worked === true);
  const isNear = files.some((file) => options.files.includes(file));
  const isMissing = isToBeMade(item);
  return turns.some((turn) =>
    hasDoneIt(item, turn, isNear) ||
    isMissing &&
      wasMade(item, readDeeds(turn).filter((deed) => mayBeOf(item, deed)), { ...options, isNear })
  );
}

/** Whether a person did not want in a later session what was left, or has done it. */
export function hasDropped(item: SoughtItem, { turns }: Later): boolean {
  return turns.some((turn) =>
    readDeeds(turn).some((deed) =>
      deed.by === "dropped" && mayBeOf(item, deed) && isDropped(item, deed)
    )
  );
}

function hasDoneIt(item: SoughtItem, turn: TurnDeeds, isNear: boolean): boolean {
  const fails = saysItFails(item);
  const deeds = readDeeds(turn).filter((deed) => mayBeOf(item, deed));
  const by = (...ways: readonly Deed["by"][]) => deeds.filter(({ by }) => ways.includes(by));
  const told = fails && turn.worked !== true ? by("made") : by("made", "said", "affirmed");
  if (isOutlived(item.text, doneIn(turn))) return true;
  return by("dropped").some((deed) => isDropped(item, deed)) ||
    by("asked").some((deed) => isNamed(item, deed)) ||
    isDoneByTurn(item, { told, wanted: by("asked", "wanted") }, isNear) ||
    [...told, ...by("asked")].some((deed) => closes(item, deed, isNear)) ||
    wasAskedForAndTold(item, { wanted: by("asked", "wanted"), told }) ||
    turn.forIt === true && wasToldOfAll(item, told) ||
    (turn.files ?? []).some((file) => isOnlyFile(item, file)) ||
    !fails && turn.ran !== undefined &&
      isDeedThatRan(item.what, { ran: turn.ran, named: namedBy(turn) });
}

/** A deed with its words. */
export interface ReadDeed extends Deed {
  readonly words: Words;
  /** Of these what is numbered, and what a deed may be of beside all else. */
  readonly numbers: Words;
  readonly aside: Words;
}

function readDeeds(turn: TurnDeeds): readonly ReadDeed[] {
  const known = READ.get(turn);
  if (known !== undefined) return known;
  const deeds = turn.did.map((deed) => {
    const words = wordsIn(deed.about);
    return { ...deed, words, numbers: numbersOf(words), aside: words.intersection(ASIDE()) };
  });
  READ.set(turn, deeds);
  return deeds;
}

/** Whether a deed by itself has done what is left. */
function closes(item: SoughtItem, deed: ReadDeed, isNear: boolean): boolean {
  const { what, lacks } = item;
  const { by, words, sure } = deed;
  if (!lacks.isSubsetOf(words) || by === "affirmed" && lacks.size === 0) return false;
  if (what.size === 1 && sure !== true) return false;
  return (speakOf(what, words) || isNear && what.size > 1 && speakOf(what, words, { isNear })) &&
    isOfIt(item, deed);
}

/** What a turn did, for what is told of how far the work is: that shares no words with it. */
function doneIn(turn: TurnDeeds): DoneIn {
  return {
    told: readDeeds(turn).filter(({ by }) => by !== "dropped").map(({ words }) => words),
    hasChanged: (turn.files ?? []).length > 0,
  };
}

/** Whether what is left was asked for by its name: no other word is said, and more than one of it is. */
function isNamed(item: SoughtItem, deed: ReadDeed): boolean {
  const { words } = deed;
  return words.size > 1 && words.size <= MAX_NAME && words.isSubsetOf(item.about) &&
    requiredOf(item.about).isSubsetOf(words) && item.joined.isSubsetOf(words);
}

/**
 * Whether a turn has done what is left, by all that was asked, made and said in it, where a word of two of these tells what it
 * was about: of a turn that changed the same files a third of the words is enough, else most of them are wanted; and none of
 * it is of something else.
 */
function isDoneByTurn(item: SoughtItem, turn: DoneByTurn, isNear: boolean): boolean {
  const { what, about, joined, lacks, text } = item;
  const { told, wanted } = turn;
  if (told.length === 0 || what.size === 0) return false;
  const groups = [
    wanted,
    told.filter(({ by }) => by === "made"),
    told.filter(({ by }) => by !== "made"),
  ].map(wordsOfDeeds);
  const all = groups.reduce((some, more) => some.union(more));
  const shared = sharedOf(what, all);
  const verb = openingOf(text) === "thing" ? undefined : [...about][0];
  const sure = [...what].filter((word) =>
    word !== verb && groups.filter((words) => words.has(word)).length > 1
  );
  const isMost = isNear
    ? sure.length > 0 && shared * 3 >= what.size
    : sure.length > 1 && sure.length * 3 >= what.size * 2 && all.has([...what][0]!) ||
      what.size > 1 && wanted.length > 0 && speakOf(what, all);
  // What names the whole thing and not the deed has done another one to it.
  const isDeed = lacks.isSubsetOf(all) || isNear && !what.difference(lacks).isSubsetOf(all);
  return isMost && isDeed && joined.isSubsetOf(all) && requiredOf(about).isSubsetOf(all) &&
    !areContrary(about, all) &&
    (shared === what.size ||
      ![...told, ...wanted].some(({ by, words }) =>
        (by === "made" || sharedOf(what, words) * 2 > what.size) && sharedOf(what, words) > 0 &&
        standsForAnother(about, words, { text, isTitle: true })
      ));
}

/** What a turn says is done or was made, and what was asked for in it. */
interface DoneByTurn {
  readonly told: readonly ReadDeed[];
  readonly wanted: readonly ReadDeed[];
}

function wordsOfDeeds(deeds: readonly ReadDeed[]): Words {
  return new Set(deeds.flatMap(({ words }) => [...words]));
}

/** Whether a deed that shares words with what is left is of that, of all that it joins, and not of its contrary. */
function isOfIt(
  { text, about, joined }: SoughtItem,
  { by, words }: ReadDeed,
  told: Words = words,
): boolean {
  const isTitle = by === "made" || by === "asked" || by === "wanted";
  return joined.isSubsetOf(told) && requiredOf(about).isSubsetOf(words) &&
    !areContrary(about, words) && !standsForAnother(about, words, { text, isTitle });
}

/** Whether, where all was asked for, one of what is told is about what is left, and what it joins is told of. */
function wasToldOfAll(item: SoughtItem, told: readonly ReadDeed[]): boolean {
  const all = new Set(told.flatMap(({ words }) => [...words]));
  return told.some((deed) =>
    2 * sharedOf(item.what, deed.words) >= item.what.size && isOfIt(item, deed, all)
  );
}

/** Whether somebody wanted what is left and nothing else, all that it joins, and heard by the same word that it is done. */
function wasAskedForAndTold(
  item: SoughtItem,
  { wanted, told }: { readonly wanted: readonly ReadDeed[]; readonly told: readonly ReadDeed[] },
): boolean {
  const { what, lacks } = item;
  return lacks.size > 0 &&
    wanted.some(({ words }) =>
      words.isSubsetOf(what) && lacks.isSubsetOf(words) && isOfAll(item, words)
    ) &&
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

/** Whether a deed shares a word with what is left, is of the same as far as numbers go, and not of something beside it. */
function mayBeOf({ about }: SoughtItem, { words, numbers, aside }: ReadDeed): boolean {
  return sharedOf(about, words) > 0 &&
    (numbers.size === 0 || !areApart(numbersOf(about), numbers)) && aside.isSubsetOf(about);
}

/** Whether some others say again what is left; of a list one of its things is not all. */
export function saysAgain(item: SoughtItem, others: readonly SoughtItem[]): boolean {
  return others.some((other) =>
    other.text === item.text ||
    !areApart(other.numbers, item.numbers) &&
      (isSaidBy(item, other) ||
        item.parts.length === 0 && item.about.size > 1 && other.about.size > 1 &&
          isSaidBy(other, item))
  );
}

/** Whether one of two has most words of the other, and none in the place of another. */
function isSaidBy(item: SoughtItem, other: SoughtItem): boolean {
  return speakOf(item.about, other.about) && !areContrary(item.about, other.about) &&
    !standsForAnother(item.about, other.about, item) &&
    !standsForAnother(other.about, item.about, other);
}
