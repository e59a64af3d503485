/** The words of a sentence that tell what it is about. */
import { isBeyondAscii, patternFor, scriptPattern, WORD } from "../letters.ts";
import { numberWords } from "./number_words.ts";
import { STOP_WORDS } from "./stop_words.ts";

/** Scripts that are written without blanks between words: two neighbours count as a word. */
const unspaced = scriptPattern(
  String.raw`^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]{2,}$`,
  "u",
);
/** Words of how far something is, whatever it is. */
const OF_STATE = new Set([
  ...numberWords("english"),
  ...("open left missing remain remains remaining todo done finish finished complete completed handle handled implement " +
    "implemented fix fixed add added adding work works working needed needs step steps issue issues known problem bug " +
    "fail fails failing failed broken red green unclear unfinished outstanding follow followup ready real proper actual " +
    "couple several few item items task tasks point points one part parts implementation stub stubbed hardcoded " +
    "anything everything nothing blocked " +
    "noch offen fehlt fehlen nicht ist sind fertig die der das und ein eine im in den dem für mit wird werden " +
    "pendiente pendientes queda quedan falta faltan que los las el la de y il reste à").split(" "),
]);
/** The same where words are not apart. */
const STATE_UNSPACED =
  /还没有?(?:完成)?|還沒有?(?:完成)?|尚未(?:完成)?|未完成|未実装|未対応|待办|待完成|残作業|残タスク/g;
/** Endings, one after the other: `validations` and `validated` are of the same. Some only of longer words. */
const ENDINGS: readonly {
  readonly ending: RegExp;
  readonly instead: string;
  readonly from: number;
}[] = [
  { ending: /(?:ies|ied)$/, instead: "y", from: 5 },
  { ending: /(?:(?<=[sxz]|ch|sh)es|(?<!s)s|(?<!e)ed|ing)$/, instead: "", from: 5 },
  { ending: /^(\w{3})(?<!s)s$/, instead: "$1", from: 4 },
  { ending: /(?<=at)ion$/, instead: "", from: 5 },
  { ending: /([bdgmnprt])\1$/, instead: "$1", from: 5 },
  { ending: /e$/, instead: "", from: 4 },
];

/** The words that tell what a text is about, each once, without their endings. */
export function tellingWords(text: string): ReadonlySet<string> {
  return wordsOf(
    text.replace(STATE_UNSPACED, " "),
    (word) => STOP_WORDS.has(word) || OF_STATE.has(word),
  );
}

/** The words of a text, each once, without their endings. @param tellsNothing Of these words none is wanted. */
export function wordsOf(
  text: string,
  tellsNothing: (word: string) => boolean,
): ReadonlySet<string> {
  const words = new Set<string>();
  const lower = text.toLowerCase();
  for (const [word] of lower.matchAll(patternFor(WORD, lower))) {
    if (isBeyondAscii(word) && unspaced().test(word)) {
      for (let at = 0; at + 1 < word.length; at++) words.add(word.slice(at, at + 2));
    } else if (word.length > 1 && !tellsNothing(word)) {
      words.add(withoutEnding(word));
    }
  }
  return words;
}

/** A word as the others of its kind are. */
function withoutEnding(word: string): string {
  return ENDINGS.reduce(
    (rest, { ending, instead, from }) => word.length < from ? rest : rest.replace(ending, instead),
    word,
  );
}
