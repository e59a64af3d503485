/** What a session left, of all that Claude said in it is still to be done. */
import { hasDone, soughtItem, wordsIn } from "./left_items.ts";
import type { LeftItem, ObservationKind, ObservedFacts } from "./observation.ts";
import { deedsOf, leftItemsIn } from "./said_done.ts";
import { tellingWords } from "./telling_words.ts";

/** What has to be known of an observation. */
interface Part {
  readonly kind: ObservationKind;
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly facts: ObservedFacts;
}

/** What was asked and done until Claude ended a turn, and what it said then. */
interface Turn {
  readonly asked: readonly string[];
  /** Commits and fixes. */
  readonly done: readonly string[];
  readonly files: readonly string[];
  /** Empty where the session broke off. */
  readonly message: string;
}

/** How the title of what a compaction kept begins: it tells of all turns before, and ends none. */
export const COMPACTION = "Compaction: ";

/** Turns that are looked at, the newest: what was left before them, and never spoken of again, is over. */
const MAX_TURNS = 12;

/** A prompt of such words says nothing of what it is about. */
export const GOES_ON =
  /^\W*(?:(?:ok(?:ay)?|yes|yeah|sure|please|just|hi|hello|hey|continue|go on|go ahead|carry on|keep going|proceed|resume|next|thanks?|weiter|mach weiter|ja|bitte|hallo|sigue|continúa|contin[úu]a|继续)\b\W*){1,6}$|^\W*继续\W*$/i;
/** One that asks for what was left, whatever that is, … */
const ASKS_FOR_REST =
  /\b(?:rest|remaining|left|open|next|steps?|to-?dos?|follow-?ups?|noch|rest(?:liche[ns]?)?|offene[ns]?|todo)\b|剩/i;
/** … one that says so with a word that may stand for it, … */
const ASKS_FOR_IT =
  /\b(?:it|that|this|them|these|those|both|all|everything|alles?|beides?|das|ambos|eso)\b|那|这/i;
/** … one that is about what is there already, or asks what, … */
const OF_WHAT_IS_THERE =
  /^\W*(?:(?:ok(?:ay)?|yes|please|now|just|and|then|great|good|can you|could you|bitte|let['’]?s)\b\W*)*(?:(?:git )?(?:commit|push|amend|squash|rebase|merge|stash|tag|release|ship|deploy|publish)|undo|redo|revert|re-?format|format|lint|simplify|shorten|rename|move|inline|refactor|clean|tidy|polish|test|re-?run|run|build|start|stop|try|check|verify|review|show|explain|describe|print|open|save|delete|remove|what|who|when|where|why|which|how)\b/i;
/** … one that only greets or thanks, … */
const GREETS = /^\W*(?:(?:thanks?|thank you|thx|hi|hello|hey|hallo|danke|gracias|merci)\b\W*)+$/i;
/** … and one that does not want it. */
const DECLINES =
  /\b(?:no need|never ?mind|forget (?:it|that|about)|skip (?:it|that|this|them|those)|leave (?:it|that|them|those)|(?:don['’]t|do not) (?:need|want|bother)|not (?:needed|necessary|wanted)|won['’]t (?:do|need|fix)|nicht nötig|brauchen wir nicht|lass (?:es|das)|no hace falta)\b/i;
/** Nothing of it is left, as Claude says behind what it did. */
const ALL_DONE =
  /\b(?:nothing (?:is |else )?(?:left|open|remains?|missing)|(?:all|both|everything)\b[^.!?\n]{0,60}\b(?:done|finished|complete[d]?|implemented|handled|covered|in place|mended|fixed))\b|(?:alles|beides) (?:ist )?(?:fertig|erledigt)/i;

/**
 * What is left at a session's end: what the last message that speaks of it says is, but for what a later turn has done, in
 * the same words as a later session would have to, what a person did not want, and what was asked for as a whole and
 * worked on.
 *
 * @param parts Oldest first.
 */
export function leftBy(parts: readonly Part[]): readonly LeftItem[] {
  const turns = turnsOf(parts).slice(-MAX_TURNS);
  let left: readonly LeftItem[] = [];
  let at = turns.length;
  // From the last one backwards: looking through a message costs more than all the rest.
  while (at > 0 && left.length === 0) left = leftItemsIn(turns[--at]!.message);
  const files = turns.slice(0, at + 1).flatMap((turn) => turn.files);
  for (const turn of turns.slice(at + 1)) {
    if (left.length > 0) left = stillLeft(left, turn, files);
    files.push(...turn.files);
  }
  return left;
}

/** What a turn that says nothing of it has left of what was left before. @param files Those that were changed before. */
function stillLeft(
  left: readonly LeftItem[],
  { asked, done, files: changed, message }: Turn,
  files: readonly string[],
): readonly LeftItem[] {
  const hasWorked = changed.length + done.length > 0;
  const isOver = asked.some((one) => DECLINES.test(one)) ||
    hasWorked && (ALL_DONE.test(message) || asked.some(asksForIt));
  if (isOver) return [];
  const did = deedsOf({ asked, done, files: changed, last: message }).map(wordsIn);
  return left.filter((item) => !hasDone(soughtItem(item), { did, files: changed }, { files }));
}

/** A prompt that goes back to what was said, and names nothing else. */
function asksForIt(prompt: string): boolean {
  if (GREETS.test(prompt)) return false;
  if (GOES_ON.test(prompt)) return true;
  const asks = ASKS_FOR_REST.test(prompt) ||
    ASKS_FOR_IT.test(prompt) && !OF_WHAT_IS_THERE.test(prompt);
  return asks && tellingWords(prompt).size <= 1;
}

function turnsOf(parts: readonly Part[]): Turn[] {
  const turns: Turn[] = [];
  let turn = { asked: [] as string[], done: [] as string[], files: [] as string[] };
  for (const { kind, title, text, files, facts } of parts) {
    if (kind === "prompt") turn.asked.push(title);
    else if (kind === "commit" || kind === "fix") turn.done.push(title);
    else if (kind === "edit") turn.files.push(...files);
    if (kind !== "message" || facts.tool !== undefined || title.startsWith(COMPACTION)) continue;
    turns.push({ ...turn, message: text });
    turn = { asked: [], done: [], files: [] };
  }
  const hasMore = turn.asked.length + turn.done.length + turn.files.length > 0;
  return hasMore ? [...turns, { ...turn, message: "" }] : turns;
}
