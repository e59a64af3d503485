/** The words of a question as the index knows them: how often each occurs, and what stands for those that hardly do. */
import type { DatabaseSync } from "node:sqlite";
import type { MemoryQuery, QueryTerm } from "../memory/query.ts";
import { beginningsOf, otherNames, slipsOf } from "../memory/resembling.ts";
import { exactTerm, projectTerm } from "../memory/terms.ts";
import { countMatches } from "../store/memory_search.ts";

/** A word of a question in this memory. */
export interface AskedTerm {
  readonly term: QueryTerm;
  /** In how many observations it is, up to the limit. */
  readonly count: number;
  /** An expression for what resembles it, and in how many observations that is; null when there is no need or nothing. */
  readonly resembling: { readonly match: string; readonly count: number } | null;
}

/** A word in no more observations than these, or one of so many, may be called by another name there. */
const RARE = { count: 2, oneOf: 200 };
/** So many words that are nowhere are taken for slips: each stands for a few hundred words to look up. */
const MAX_SLIPS = 1;
/** A question of more words finds enough with the others. */
const MAX_LOOKED_UP = 8;

/** Where and how far words are counted. */
export interface CountOptions {
  /** Occurrences are counted up to this. */
  readonly limit: number;
  readonly observations: number;
  /** A word that is nowhere in this project is as good as nowhere. */
  readonly project: string | null;
}

/** Looks the words of a question up. */
export function askedTerms(
  db: DatabaseSync,
  { terms }: MemoryQuery,
  options: CountOptions,
): AskedTerm[] {
  const { limit, observations } = options;
  const counts = countTerms(db, terms, limit);
  const rare = Math.max(RARE.count, observations / RARE.oneOf);
  // An identifier that is nowhere is no slip.
  const names = new Set(
    terms.filter(({ kind }) => kind === "exact").map(({ match }) => match.slice(1, -1)),
  );
  let slips = 0;
  let lookedUp = 0;
  return terms.map((term, at) => {
    const count = counts[at]!;
    if (term.kind !== "word" || count > rare || lookedUp++ >= MAX_LOOKED_UP) {
      return { term, count, resembling: null };
    }
    const word = term.match.slice(1, -1);
    const named = existing(db, otherNames(word), options);
    if (named !== null || isHere(db, term.match, options)) {
      return { term, count, resembling: named };
    }
    const begun = beginning(db, word, options);
    if (begun !== null || slips >= MAX_SLIPS || names.has(exactTerm(word))) {
      return { term, count, resembling: begun };
    }
    slips++;
    return { term, count, resembling: existing(db, slipsOf(word), options) };
  });
}

/** In how many observations each term is. Two words that are everywhere are not looked for as a pair: that takes long. */
function countTerms(db: DatabaseSync, terms: readonly QueryTerm[], limit: number): number[] {
  const counts = new Map<string, number>();
  for (const { match, kind } of terms) {
    if (kind !== "pair") counts.set(match, countMatches(db, match, limit));
  }
  return terms.map(({ match, kind }) => {
    if (kind !== "pair") return counts.get(match)!;
    const [one, other] = match.slice(1, -1).split(" ").map((word) => counts.get(`"${word}"`));
    const rarest = Math.min(one ?? 0, other ?? 0);
    return rarest === 0 || rarest >= limit ? 0 : countMatches(db, match, limit);
  });
}

function isHere(db: DatabaseSync, match: string, { project }: CountOptions): boolean {
  return countMatches(db, project === null ? match : `${match} AND "${projectTerm(project)}"`, 1) >
    0;
}

function existing(
  db: DatabaseSync,
  words: readonly string[],
  options: CountOptions,
): AskedTerm["resembling"] {
  const known = words.map((word) => `"${word}"`).filter((match) => isHere(db, match, options));
  if (known.length === 0) return null;
  return counted(db, `(${known.join(" OR ")})`, options);
}

function beginning(db: DatabaseSync, word: string, options: CountOptions): AskedTerm["resembling"] {
  const start = beginningsOf(word).find((start) => isHere(db, `"${start}" *`, options));
  return start === undefined ? null : counted(db, `"${start}" *`, options);
}

/** What is in too many observations resembles everything. */
function counted(
  db: DatabaseSync,
  match: string,
  { limit }: CountOptions,
): AskedTerm["resembling"] {
  const count = countMatches(db, match, limit);
  return count >= limit ? null : { match, count };
}
