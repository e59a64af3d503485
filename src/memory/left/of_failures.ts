/** What is said of a failure that is told: that it is there, or that it be mended. It has no line of its own. */
import type { Tellable } from "../context_text.ts";
import { saysItFails, type SoughtItem, withoutWordsOfFailing, wordsOf } from "../sought_item.ts";

/** A failure that is told. */
export interface ToldFailure {
  readonly words: ReadonlySet<string>;
  /** Of its command alone. */
  readonly command: ReadonlySet<string>;
  /** Of the tests that failed, in small letters: `tests/a.py::test_tax`. */
  readonly failing: readonly string[];
}

/** Says that it be mended. */
const TO_MEND =
  /^(?:[^:]{1,40}: *)?\W*(?:fix|mend|repair|debug|solve|resolve|investigate|behebe|arregla)\b/i;
/** What fails, and of what a check complains; not why it does, or when. */
const FAILS_STILL =
  /^\W*(?:(?:the|our|test)\b\W*)*([^;\n]{1,120}?)[`*_"”]* (?:(?:still|also|is|are) )+(?:fail(?:s|ing)?|broken|red|complain(?:s|ing))(?: (?:about|at|in|of)\b(?!.*\b(?:since|because|as|when|if|unless|due)\b).*)?\W*$/i;
/** What is said beside that, and leaves nothing more. */
const LEFT_SO =
  /^\W*(?:and )?I(?:['’]ve| have)? (?:left (?:it|that|this|them|those)|stopped here|did(?: not|n['’]t) (?:fix|touch|change) (?:it|that|this|them|those))(?: (?:alone|open|for now|as (?:it|they) (?:is|are|was|were)))*\W*$/i;
const CLAUSE_ENDS = /[;.] |,? but |,? and (?=I\b)/;
/** Between the parts of a test's name. */
const NAME_ENDS = /::| > | › /;

/** A failure as it is compared with what is said. */
export function toldFailure({ title, files, facts }: Tellable): ToldFailure {
  return {
    words: wordsOf([title, ...files]),
    command: wordsOf([facts.command ?? ""]),
    failing: (facts.failing ?? []).map((one) => one.toLowerCase()),
  };
}

/** Whether what is left is nothing but that one of some failures is there, or that it be mended. */
export function isOfFailure(item: SoughtItem, failures: readonly ToldFailure[]): boolean {
  const about = withoutWordsOfFailing(item.about);
  const isSaid = about.size > 0 && (saysItFails(item) || TO_MEND.test(item.text));
  return isSaid && failures.some(({ words }) => about.isSubsetOf(words)) ||
    isOfSameCheck(item.text, failures);
}

/** Whether all that is said is that the test or the check of a failure fails, by its name, and that it was left so. */
function isOfSameCheck(text: string, failures: readonly ToldFailure[]): boolean {
  const clauses = text.split(CLAUSE_ENDS).filter((clause) => !LEFT_SO.test(clause));
  const [, subject = ""] = clauses.length === 1 ? FAILS_STILL.exec(clauses[0]!) ?? [] : [];
  const name = subject.toLowerCase().trim();
  const words = wordsOf([name]);
  return name !== "" &&
    failures.some(({ command, failing }) =>
      words.size > 0 && words.isSubsetOf(command) ||
      failing.some((one) => one === name || one.split(NAME_ENDS).at(-1) === name)
    );
}
