/** How much of what is telling in a prompt an observation holds: rare words and names of code, not what half of memory has. */
import type { DatabaseSync } from "node:sqlite";
import { matchLimits } from "../memory/match.ts";
import { readQuestion } from "../memory/question.ts";
import { codeTerms } from "../memory/terms.ts";
import { countMatches, lastObservation, withTerm } from "../store/memory_search.ts";

/** Prompts that tell less are about what was said just before ("yes, fix that"). */
const MIN_TELLING = 2;
/** So many words of a prompt are looked at. */
const MAX_WORDS = 24;
/** A memory of a few observations is counted as if it had so many more, or each of its words would be everywhere. */
const FEW = 10;
/** What is told holds this part of a prompt, or of a long one what so many of its rarest words tell. */
const ENOUGH = { part: 0.5, words: 2.5 };
/** Words that ask for work, whatever it is about. */
const OF_WORK: ReadonlySet<string> = new Set(
  ("add build change check clean commit commits create delete do edit error errors fail failing fails file files fix implement " +
    "look merge move open pr project pull push refactor remove rename repo repository review run show start test tests update work write")
    .split(" ").map((word) => `"${word}"`),
);
/** With a name of code in it, this part of that is enough. */
const BESIDE_NAME = 0.5;

interface Word {
  readonly match: string;
  /** How much it tells: the more, the fewer observations have it. */
  readonly weight: number;
  /** Whether memory has it at all. */
  readonly isKnown: boolean;
}

/** The telling words of a prompt. */
export interface PromptWords {
  readonly words: readonly Word[];
  /** Names of code, as the index takes them. */
  readonly names: readonly string[];
  /** How much has to be held. */
  readonly enough: number;
}

/** Reads a prompt; null where it says too little, or memory cannot have enough of it. @throws {Error} What SQLite says. */
export function promptWords(db: DatabaseSync, prompt: string): PromptWords | null {
  const asked = readQuestion(prompt).terms.filter(({ kind }) => kind === "word").slice(
    0,
    MAX_WORDS,
  );
  const names = codeTerms(prompt).exact.slice(0, MAX_WORDS).map((name) => `"${name}"`);
  const telling = asked.filter(({ match }) => !OF_WORK.has(match));
  if (telling.length + names.length < MIN_TELLING) return null;
  const observations = lastObservation(db);
  const { perTerm } = matchLimits(observations);
  const words = telling.map(({ match }): Word => {
    const count = countMatches(db, match, perTerm);
    const weight = Math.log((observations + FEW) / (count + 1));
    return { match, weight: count < perTerm ? Math.max(0, weight) : 0, isKnown: count > 0 };
  });
  const rarest = Math.max(0, ...words.map(({ weight }) => weight));
  const enough = Math.min(ENOUGH.part * sum(words), ENOUGH.words * rarest);
  const needed = names.length === 0 ? enough : BESIDE_NAME * enough;
  const known = sum(words.filter(({ isKnown }) => isKnown));
  return known === 0 && names.length === 0 || known < needed ? null : { words, names, enough };
}

/** How an observation answers a prompt. */
export interface Held {
  /** Whether it is about the same. */
  readonly isEnough: boolean;
  /** Whether it has a name of code in the prompt. */
  readonly isNamed: boolean;
}

/** How each observation answers a prompt, in their order. @throws {Error} What SQLite says. */
export function heldOf(
  db: DatabaseSync,
  { words, names, enough }: PromptWords,
  ids: readonly number[],
): Held[] {
  const within = words.filter(({ isKnown, weight }) => isKnown && weight > 0)
    .map(({ match, weight }) => ({ weight, having: withTerm(db, match, ids) }));
  const named = names.length === 0 ? new Set() : withTerm(db, names.join(" OR "), ids);
  return ids.map((id) => {
    const isNamed = named.has(id);
    const held = sum(within.filter(({ having }) => having.has(id)));
    return {
      isEnough: (held > 0 || isNamed) && held >= (isNamed ? BESIDE_NAME : 1) * enough,
      isNamed,
    };
  });
}

function sum(words: readonly { readonly weight: number }[]): number {
  return words.reduce((all, { weight }) => all + weight, 0);
}
