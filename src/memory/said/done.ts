/** What the turns of a session did, so that it is known later what of the things that were left they have done. */
import { deed, told } from "../deed.ts";
import { clausesOf, givenUpIn, givenUpInPart, hasGivenUp, tellsPart } from "../given_up.ts";
import type { Deed, LeftItem, TurnDeeds } from "../observation.ts";
import { asksForIt, asksWhatRemains } from "../prompt_asks.ts";
import { allDoneIn } from "./all.ts";
import { leftClauseOf, saidLeft } from "./open.ts";
import { doneByHand } from "./by_hand.ts";
import { answersHow } from "./person.ts";
import { keptWords, leftItem } from "../sought_item.ts";
import { tellingWords } from "../telling_words.ts";
import { droppedIn, type Picked, pickedIn, triedIn } from "../prompt_picks.ts";
import { hadToStop, lastQuestion, tellsPlan, waitsForAnswer } from "../turn_end.ts";
import { hasWorked, type Turn } from "../turns.ts";

/** So much is kept of a session, and so many files of a turn. */
const MAX_DEEDS = 30;
const MAX_FILES = 8;
/** Words by which one says that something is done, … */
const DOES =
  /\b(?:done|finished|completed?|handle[ds]?|fixed|implemented|add(?:s|ed)?|works?|working|support(?:s|ed)?|resolved|solved|closed|written|wrote|updated|created|pass(?:es|ed)?|passing|green|covered|migrated|removed|gone|cleared|merged|shipped|deployed|tested|renamed|in place|(?:is|are)(?: now| both| all| also)* in(?=\s*(?:[,:)–—]|$))|fertig|erledigt|behoben|umgesetzt|geht|hecho|lista?|listos|funcionan?|terminé|fait)\b|完成|已|好了|対応しました/i;
/** … or is so, without a word for what was done, … */
const IS_SO = /\b(?:now|exists?|has|have|jetzt)\b/i;
/** … by the same word as before, which counts where something was done, … */
const AFFIRMS =
  /\b(?:is|are|was|were|been|got|have|has|I|you|all|everything|now|it)(?:(?:'|’)ve)? (?:\w+ly |now |also |again |both ){0,3}(?:\w{2,}ed|sent|built|run|written|set|put|made|drawn|kept|shown|taken|given|brought)\b|^\W*(?:(?:all|both|now|successfully|everything|ok(?:ay)?|yes|done)\b\W{1,3}){0,3}(?:\w{2,}ed|sent|built)\b/i;
/** … and that it is not. */
const NOT_DONE = /\b(?:not|never|cannot|still|tried|yet|nicht|kein\w*|noch)\b|n['’]t\b|没|未/i;
/** Of clauses, how many behind one may say that it was given up. */
const LOOKED_BEHIND = 2;
/** A prompt that begins so asks what is, not that something be done. */
const ASKS_WHAT =
  /^\W*(?:why|what|who|when|where|which|how|explain|describe|show|tell|is|are|does|do|did|warum|wieso|was|wie)\b/i;
/** Claude tells that what was not there before was made. */
const MADE =
  /\b(?:(?<!should be )(?:added|wrote|written|created|built|introduced|generated|implemented)|(?:are|is) (?:now )?(?:in place|there now)|(?:is|are)(?: now| both| all| also)* in(?=\s*(?:[,:)–—]|$))|tests? (?:now )?covers?)\b/i;
/** What stands before a thing on a list. */
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
/** How the title of a commit begins. */
const COMMIT_TITLE = /^Commit\b[^:]*: /;

/** What a message says is left, with the words that it is known by. @param asked What it answers. */
export function leftItemsIn(message: string, asked: readonly string[] = []): LeftItem[] {
  return saidLeft(message, { isAnswer: asked.some(asksWhatRemains) })
    .filter(({ text }) => !answersHow(text, asked))
    .map((said) => ({ ...said, ...leftItem(said.text, leftClauseOf(said.text)) }));
}

/**
 * Whether a turn ended as one that did what it was asked for: with a message that neither gives up, nor tells of a part alone, nor
 * had to stop, nor has a plan or a question instead.
 */
export function hasEnded({ message, asked }: Pick<Turn, "message" | "asked">): boolean {
  return !hasGivenUp(message) && !tellsPart(message) && hasAnswered({ message, asked });
}

/** The same, whatever it says was given up. */
function hasAnswered({ message, asked }: Pick<Turn, "message" | "asked">): boolean {
  if (message === "" || hadToStop(message)) return false;
  return !waitsForAnswer(message) || saysDone(message, asked);
}

/** Whether a message says of what was asked for that it is done, or of all. */
function saysDone(message: string, asked: readonly string[]): boolean {
  const words = tellingWords(asked.join("\n"));
  return clausesOf(message.replace(lastQuestion(message), "")).some((clause) => {
    if (NOT_DONE.test(clause)) return false;
    if (!DOES.test(clause) && !AFFIRMS.test(clause)) return false;
    const about = tellingWords(clause);
    if (about.size === 0) return true;
    if (words.size === 0) return DOES.test(clause) && !tellsPlan(clause);
    return !about.isDisjointFrom(words);
  });
}

/** What the turns of a session did of which one can tell it, by what each of them did. @param turns Both oldest first. */
export function sessionDeeds(
  turns: readonly Turn[],
  deeds: readonly TurnDeeds[],
): TurnDeeds[] {
  const told: TurnDeeds[] = [];
  let room = MAX_DEEDS;
  let gaveUp = false;
  for (let n = turns.length - 1; n >= 0 && room > 0; n--) {
    const { did, ran = [], files = [], ...more } = deeds[n]!;
    // What was only said before is told by the last message, or over.
    const isOver = n < turns.length - 1 && more.worked !== true;
    const kept = did.filter(({ by }) => by === "dropped" || !isOver && (!gaveUp || by === "made"))
      .slice(0, room);
    const { message } = turns[n]!;
    const isUndone = gaveUp || hasGivenUp(message) && givenUpInPart(message) === null;
    gaveUp ||= hasGivenUp(message);
    room -= kept.length;
    if (kept.length + ran.length + files.length === 0) continue;
    told.unshift({
      ...(isUndone ? {} : more),
      ...(more.worked === true ? { worked: true } : {}),
      did: kept,
      ...(ran.length > 0 ? { ran } : {}),
      ...(files.length > 0 && !gaveUp ? { files } : {}),
    });
  }
  return told;
}

/**
 * What a turn did: its commits and fixes, what it says is done, and, where it changed something, ended and did not give up,
 * what it was asked for and the files that it changed; what the person has done by hand was run in it as well.
 */
export function deedsOf(turn: Omit<Turn, "endedAtMs">): TurnDeeds {
  const { asked, made, files, message, hasChanged } = turn;
  const ran = [...new Set([...turn.ran, ...asked.flatMap(doneByHand)])];
  const worked = hasWorked(turn);
  const isDone = worked && hasEnded(turn);
  const isMade = hasChanged || made.length > 0;
  const prompts = isDone ? asked.filter((one) => !ASKS_WHAT.test(one)) : [];
  const did = [
    ...clausesDone(message, { worked, left: leftItemsIn(message, asked) }),
    ...made.map((title) => deed("made", title.replace(COMMIT_TITLE, ""))),
    ...prompts.map((prompt) => deed(isMade ? "asked" : "wanted", prompt)),
    ...asked.flatMap(droppedIn).map((one) => deed("dropped", one)),
    ...asked.flatMap(triedIn).map((one) => ({ ...deed("dropped", one), tried: true as const })),
  ].filter(({ about }) => about !== "");
  const picks = asked.map(pickedIn).find((one) => one !== null);
  return {
    did: [...new Map(did.map((one) => [`${one.by} ${one.about}`, one])).values()],
    ...(ran.length > 0 ? { ran } : {}),
    ...(isDone && files.length > 0 ? { files: files.slice(0, MAX_FILES) } : {}),
    ...(worked ? { worked } : {}),
    ...(isDone && hasChanged && asked.some(asksForIt) ? { forIt: true, ...allBy(turn) } : {}),
    ...(picks ? pickedBy(turn, picks) : {}),
  };
}

/** Of how many things a turn says that they are done, where it says so of all, and that nothing is left. */
function allBy({ message, asked }: Pick<Turn, "message" | "asked">): Pick<TurnDeeds, "all"> {
  const all = allDoneIn(message);
  return all === null || leftItemsIn(message, asked).length > 0 ? {} : { all };
}

/** What a turn did of what was picked: all of it, or all but what it says it could not do. */
function pickedBy(turn: Omit<Turn, "endedAtMs">, picks: Picked): Pick<TurnDeeds, "picked"> {
  if (!hasWorked(turn) || !hasAnswered(turn) || tellsPart(turn.message)) return {};
  if (!hasGivenUp(turn.message)) return { picked: picks };
  const but = givenUpInPart(turn.message);
  if (but === null) return {};
  return { picked: { ...picks, but: `${picks.but ?? ""} ${keptWords(but)}`.trim() } };
}

/** The clauses of a message that say that something is done, and are not of what it says is left. */
function clausesDone(
  message: string,
  { worked, left }: { readonly worked: boolean; readonly left: readonly LeftItem[] },
): Deed[] {
  const clauses = clausesOf(message);
  const isLeft = (clause: string) => {
    const said = clause.replace(LIST_MARK, "").replace(/\s+/g, " ").trim();
    return said !== "" && left.some(({ text }) => text.includes(said));
  };
  return clauses.flatMap((clause, n) => {
    if (NOT_DONE.test(clause) || isLeft(clause)) return [];
    const does = DOES.test(clause);
    const isSo = does || IS_SO.test(clause);
    if (!isSo && !(worked && AFFIRMS.test(clause))) return [];
    const about = tellingWords(clause);
    const isBack = (behind: string) =>
      hasGivenUp(behind) &&
      (givenUpIn(behind).size === 0 || !givenUpIn(behind).isDisjointFrom(about));
    if (clauses.slice(n, n + 1 + LOOKED_BEHIND).some(isBack)) return [];
    return [told(isSo ? "said" : "affirmed", about, {
      isSure: does || about.size <= 2,
      makes: MADE.test(clause),
    })];
  });
}
