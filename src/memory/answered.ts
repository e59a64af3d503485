/** What was left with a question to the person, and is over by the answer alone. */
import { numbersOf, sharedOf } from "./left/compared.ts";
import { hasEnded } from "./said/done.ts";
import { LEFT_SO } from "./said/fragments.ts";
import { leftClauseOf } from "./said/open.ts";
import { NEEDS_ANSWER } from "./said/person.ts";
import type { SoughtItem } from "./sought_item.ts";
import { tellingWords } from "./telling_words.ts";
import { lastQuestion } from "./turn_end.ts";
import type { Turn } from "./turns.ts";

/** That Claude needs the answer, and for what. */
const ASKS_FOR_ANSWER = new RegExp(`\\b${NEEDS_ANSWER}.*`, "is");
/** A prompt that only says no. */
const SAYS_NO =
  /^\W*(?:no|nope|nah|nein|non|não|いいえ|不)(?:,? (?:thanks?|thank you|please|danke|gracias|merci))?\W*$/i;
/** A question that one can say no to, … */
const IS_YES_OR_NO =
  /(?:^|[:：–—-]|\bor)\s*(?:should|shall|do|does|did|is|are|can|could|would|will|may|must|soll(?:en)?|dois|devons)\b/i;
/** … but for one after whose no something is to be done. */
const KEEPS =
  /\b(?:leave|keep|skip|ignore|drop|stay|wait|later|without|still|enough|fine|ok(?:ay)?|lassen|bleiben)\b/i;
const KEEPS_ALL = new RegExp(KEEPS, "gi");
/** By these an answer is told to be carried out. */
const DO_SO =
  /\b(?:(?:please )?(?:do|use|take|make|go (?:for|with)|let['’]?s (?:do|use|take|go (?:for|with))) (?:it|that|this|so)?)\b/gi;

/** What the person is asked by what was left: at its end, or before it says how that is until the answer; empty where nothing is. */
export function questionIn(text: string): string {
  return ASKS_FOR_ANSWER.exec(text)?.[0] ?? lastQuestion(text.replace(leftSoIn(text), ""));
}

/**
 * Whether a turn has settled what the one before it left with a question: the person said no to what was only asked, or to leave
 * it as it is, or answered in words of the question, or with what has none (`0`), and the turn changed something and ended.
 */
export function isSettledBy({ text }: Pick<SoughtItem, "text">, turn: Turn): boolean {
  const question = questionIn(text);
  const [prompt] = turn.asked;
  if (question === "" || prompt === undefined || turn.asked.length > 1) return false;
  if (SAYS_NO.test(prompt)) return isAskedAlone(text, question);
  if (/[?？]\s*$/.test(prompt)) return false;
  const answer = prompt.replace(DO_SO, " ");
  if (keepsIt(answer, leftSoIn(text))) return true;
  return turn.hasChanged && hasEnded(turn) && isAnswer(answer, question);
}

/** Whether words answer a question, in words of it or with none; where Claude could not go on without it, in half of them. */
function isAnswer(answer: string, question: string): boolean {
  const [words, asked] = [tellingWords(answer), tellingWords(question)];
  if (!ASKS_FOR_ANSWER.test(question)) return words.isSubsetOf(asked);
  const named = words.difference(numbersOf(words));
  return 2 * sharedOf(named, asked) >= named.size;
}

/** The sentence at the end that says how it is until the answer; empty where none does. */
function leftSoIn(text: string): string {
  const last = text.slice(Math.max(text.lastIndexOf("?"), text.lastIndexOf("？")) + 1);
  return LEFT_SO.test(last) ? last : "";
}

/** Whether an answer is to leave it as it is. */
function keepsIt(answer: string, leftSo: string): boolean {
  const words = tellingWords(answer.replace(KEEPS_ALL, " "));
  return words.size > 0 && words.isSubsetOf(tellingWords(leftSo));
}

/** Whether nothing is left but what is asked, and no is an answer that leaves all as it is. */
function isAskedAlone(text: string, question: string): boolean {
  return leftClauseOf(text) === text && IS_YES_OR_NO.test(question) && !KEEPS.test(question);
}
