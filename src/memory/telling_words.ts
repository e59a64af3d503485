/** The words of a sentence that tell what it is about. */
import { isBeyondAscii, patternFor, scriptPattern, WORD } from "../letters.ts";
import { STOP_WORDS } from "./stop_words.ts";

/** Scripts that are written without blanks between words: two neighbours count as a word. */
const unspaced = scriptPattern(
  String.raw`^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]{2,}$`,
  "u",
);
/** Words of how far something is, whatever it is. */
const OF_STATE = new Set(
  ("open left missing remain remaining todo done finish finished complete completed handle handled implement " +
    "implemented fix fixed add added adding work works working needed needs step steps issue issues known problem bug " +
    "fail fails failing failed broken red green unclear unfinished outstanding follow followup ready real proper actual " +
    "two three four couple several few item items task tasks point points one part parts implementation stub stubbed hardcoded " +
    "noch offen fehlt fehlen nicht ist sind fertig die der das und ein eine im in den dem für mit " +
    "pendiente pendientes queda quedan que los las el la de y").split(" "),
);
/** The same where words are not apart. */
const STATE_UNSPACED =
  /还没有?(?:完成)?|還沒有?(?:完成)?|尚未(?:完成)?|未完成|未実装|未対応|待办|待完成/g;
/** The words that tell what a text is about, each once, without their endings. */
export function tellingWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  const lower = text.toLowerCase().replace(STATE_UNSPACED, " ");
  for (const [word] of lower.matchAll(patternFor(WORD, lower))) {
    if (isBeyondAscii(word) && unspaced().test(word)) {
      for (let at = 0; at + 1 < word.length; at++) words.add(word.slice(at, at + 2));
    } else if (word.length > 1 && !STOP_WORDS.has(word) && !OF_STATE.has(word)) {
      words.add(withoutEnding(word));
    }
  }
  return words;
}

function withoutEnding(word: string): string {
  if (word.length <= 4) return word.length === 4 && word.endsWith("s") ? word.slice(0, -1) : word;
  return word.replace(/ies$/, "y").replace(/(?:(?<=[sxz]|ch|sh)es|(?<!s)s|ed|ing)$/, "");
}
