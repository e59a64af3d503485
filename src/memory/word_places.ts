/** Whether words that share most with others are of something else: in the place of one of them another stands. */
import { isBeyondAscii } from "../letters.ts";
import { openingOf } from "./left/words.ts";
import { once } from "./once.ts";
import { wordsOf } from "./sought_item.ts";

type Words = ReadonlySet<string>;

/** Of each line one excludes the others. */
const CONTRASTS = [
  "enable disable",
  "show hide",
  "lock unlock",
  "install uninstall",
  "subscribe unsubscribe",
  "encode decode",
  "encrypt decrypt",
  "compress decompress",
  "increase decrease",
  "import export",
  "importer exporter",
  "upload download",
  "undo redo",
  "login logout signup",
  "client server browser",
  "frontend backend",
  "staging production",
  "mobile desktop tablet",
  "windows macos linux android ios",
  "chrome firefox safari",
  "csv json xml yaml pdf",
  "postgres mysql sqlite",
  "api ui cli",
  "unit e2e integration",
  "english german french spanish italian portuguese polish dutch japanese chinese",
];
/** They turn round what is done to a thing: what is to be removed is not done by what says nothing of that. */
const TURNING = "remove disable hide revert uninstall unsubscribe";
/** Of these a thing may be in want: what is done to the thing without them is something else. */
const IN_WANT = "test document";
/** Verbs of which one at the beginning of a title is no other word for what is to be done. */
const BESIDE =
  "log document test run list show count measure benchmark plan draft sketch review print warn deprecate " +
  TURNING;
/** Verbs that say nothing of their own. */
const NEUTRAL =
  "write create build introduce provide generate allow let ensure set put update change improve extend take turn give start finish";
/** Nouns that only say of what kind a thing is: that one is not named makes no other thing of it. */
const KINDS =
  "endpoint page function method module file class component screen view table handler layer service field form case code app logic";
/** It says how, not what. */
const HOW = /ly$/;

const contrasts = once(() => CONTRASTS.map((line) => wordsOf([line])));
const required = once(() => wordsOf([TURNING, IN_WANT]));
const beside = once(() => wordsOf([BESIDE]));
const neutral = once(() => wordsOf([NEUTRAL]));
const kinds = once(() => wordsOf([KINDS]));

/** Whether both name one of some that exclude each other, and none that is the same. */
export function areContrary(about: Words, words: Words): boolean {
  return contrasts().some((group) => {
    const [one, other] = [about.intersection(group), words.intersection(group)];
    return one.size > 0 && other.size > 0 && one.isDisjointFrom(other);
  });
}

/** The words without which nothing is of that: those of what is to be removed or taken back, tested or documented. */
export function requiredOf(about: Words): Words {
  return about.intersection(required());
}

/**
 * Whether another word stands where one of what is sought is missing: `the upload endpoint` for `the login endpoint`.
 *
 * @param about What is sought, in its order. @param words In theirs. @param options `text`: what is sought; `isTitle`: theirs
 * begin with what is done; `isProse`: what stands behind a thing in theirs may be anything.
 */
export function standsForAnother(
  about: Words,
  words: Words,
  { text, isTitle = false, isProse = false }: {
    readonly text: string;
    readonly isTitle?: boolean;
    readonly isProse?: boolean;
  },
): boolean {
  const [sought, found] = [[...about], [...words]];
  const isMissing = (word: string | undefined) => word !== undefined && !words.has(word);
  const isOther = (word: string | undefined) =>
    word !== undefined && !about.has(word) && !isPair(word);
  return sought.some((word, at) => {
    if (!isMissing(word) || isMissing(sought[at - 1]) || isPair(word)) return false;
    let next = at;
    while (isMissing(sought[next])) next++;
    if (sought.slice(at, next).every((one) => kinds().has(one))) return false;
    if (next === sought.length) {
      return !isProse && at > 0 && !HOW.test(word) &&
        isOther(found[found.indexOf(sought[at - 1]!) + 1]);
    }
    const before = found.indexOf(sought[next]!) - 1;
    if (!isOther(found[before])) return false;
    const opening = at > 0 ? "thing" : openingOf(text);
    if (opening === "thing") return true;
    return before === 0 && (isTitle && beside().has(found[0]!) ||
      opening === "either" && !neutral().has(found[0]!));
  });
}

/** Two neighbours of a script without blanks, of which the next is always another. */
function isPair(word: string): boolean {
  return word.length === 2 && isBeyondAscii(word);
}
