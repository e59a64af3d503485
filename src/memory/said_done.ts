/** Whether a later session has done what an earlier one said is left. */
import { leftClauseOf, leftOpenIn } from "./said_open.ts";
import { speaksOf, tellingWords } from "./telling_words.ts";

/** What is known of a session that came later. */
export interface LaterSession {
  /** Its summary: sections with a heading and a list, and its last message behind `Last:`. */
  readonly text: string;
  /** What it changed. */
  readonly files: readonly string[];
}

/** What the sections of a summary say. */
interface Told {
  readonly asked: readonly string[];
  readonly done: readonly string[];
  readonly last: string;
}

const SECTION = /^(Asked|Done|Decided|Changed|Open):$/;
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

/**
 * Whether a session has done what was left: it says so, a commit or a fix of it does, or it was asked for that, changed
 * something, and says neither that it gave up nor that it is open still.
 *
 * @param options `files`: those of the session that left it. Where both have changed one of them, half of the words will do.
 */
export function hasDone(
  item: string,
  later: LaterSession,
  { files }: { readonly files: readonly string[] },
): boolean {
  const words = tellingWords(leftClauseOf(item));
  // What has no words of its own is nobody's any more.
  if (words.size === 0) return true;
  const isNear = later.files.some((file) => files.includes(file));
  const isOf = (text: string) => speaksOf(words, text, { isNear });
  const { asked, done, last } = toldIn(later.text);
  if (saysAgain(item, leftOpenIn(last))) return false;
  if (done.some(isOf) || clausesDone(last).some(isOf)) return true;
  const hasChanged = later.files.length > 0 || done.length > 0;
  return hasChanged && !GIVEN_UP.test(last) &&
    (asked.some(isOf) || later.files.some((file) => speaksOf(words, file)));
}

/** Whether something of a list is the same as what is left. */
export function saysAgain(item: string, others: readonly string[]): boolean {
  const words = tellingWords(leftClauseOf(item));
  return others.some((other) => {
    const othersWords = tellingWords(leftClauseOf(other));
    return other === item || speaksOf(words, other) ||
      words.size > 1 && othersWords.size > 1 && speaksOf(othersWords, item);
  });
}

/** The clauses of a message that say that something is done. */
function clausesDone(message: string): string[] {
  const clauses = (message.match(CLAUSES) ?? []).flatMap((clause) => clause.split(/,? but /));
  return clauses.filter((clause, n) =>
    DONE.test(clause) && !NOT_DONE.test(clause) &&
    !clauses.slice(n, n + 1 + LOOKED_BEHIND).some((one) => GIVEN_UP.test(one))
  );
}

function toldIn(summary: string): Told {
  const told: { asked: string[]; done: string[]; last: string } = { asked: [], done: [], last: "" };
  let section = "";
  const lines = summary.split("\n");
  for (const [n, line] of lines.entries()) {
    const [, heading] = SECTION.exec(line) ?? [];
    if (line.startsWith("Last: ")) {
      return { ...told, last: lines.slice(n).join("\n").slice("Last: ".length) };
    }
    if (heading !== undefined) section = heading;
    else if (section === "Asked") told.asked.push(line);
    else if (section === "Done") told.done.push(line);
    // A summary in words of its own has no sections.
    else if (section === "") told.last += `${line}\n`;
  }
  return told;
}
