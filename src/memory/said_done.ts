/** What a session did, so that it is known later what of the things that were left it has done. */
import type { LeftItem } from "./observation.ts";
import { leftClauseOf, leftOpenIn } from "./said_open.ts";
import { tellingWords } from "./telling_words.ts";

/** So much is kept of a session, and so many words of each. */
const MAX_DEEDS = 30;
const MAX_WORDS = 24;
/** Words by which one says that something is done, … */
const DONE =
  /\b(?:done|finished|completed?|handle[ds]?|fixed|implemented|add(?:s|ed)?|works?|working|support(?:s|ed)?|resolved|solved|closed|written|wrote|updated|created|pass(?:es|ed)?|passing|green|covered|migrated|removed|cleared|merged|shipped|deployed|tested|renamed|now|exists?|in place|has|have|fertig|erledigt|behoben|jetzt|umgesetzt|geht|hecho|lista?|listos|funcionan?|terminé|fait)\b|完成|已|好了|対応しました/i;
/** … that it is not, … */
const NOT_DONE = /\b(?:not|never|cannot|still|tried|yet|nicht|kein\w*|noch)\b|n['’]t\b|没|未/i;
/** … and that it was given up. */
const GIVEN_UP =
  /\b(?:(?:did|does|do)(?: not|n['’]t) (?:work|help)|reverted|reverting|rolled (?:it |that |them )?back|g[ai]ve up|giving up|undid|could(?: not|n['’]t)|(?:was|is) unable to|without success|no luck|failed to)\b/i;
const CLAUSES = /[^.!?;。！？；\n]+(?:[.!?](?=\S)[^.!?;。！？；\n]*)*|\n/g;
/** Of clauses, how many behind one may say that it was given up. */
const LOOKED_BEHIND = 2;

/** What a message says is left, with the words that it is known by. */
export function leftItemsIn(message: string): LeftItem[] {
  return leftOpenIn(message).map((text) => ({ text, about: wordsOf(leftClauseOf(text)) }));
}

/**
 * What a session did: its commits and fixes, what its last message says is done, and, where it changed something and did
 * not give up, what it was asked for and the files that it changed.
 *
 * @returns For each the words that tell what it is about, with blanks between.
 */
export function deedsOf(
  { asked, done, files, last }: {
    readonly asked: readonly string[];
    /** Commits and fixes. */
    readonly done: readonly string[];
    readonly files: readonly string[];
    /** The last message; empty when there is none. */
    readonly last: string;
  },
): string[] {
  const hasWorked = files.length + done.length > 0 && !GIVEN_UP.test(last);
  const all = [...clausesDone(last), ...done, ...hasWorked ? [...asked, ...files] : []];
  return [...new Set(all.map(wordsOf))].filter((words) => words !== "").slice(0, MAX_DEEDS);
}

/** The clauses of a message that say that something is done. */
function clausesDone(message: string): string[] {
  const clauses = (message.match(CLAUSES) ?? []).flatMap((clause) => clause.split(/,? but /));
  return clauses.filter((clause, n) =>
    DONE.test(clause) && !NOT_DONE.test(clause) &&
    !clauses.slice(n, n + 1 + LOOKED_BEHIND).some((one) => GIVEN_UP.test(one))
  );
}

function wordsOf(text: string): string {
  return [...tellingWords(text)].slice(0, MAX_WORDS).join(" ");
}
