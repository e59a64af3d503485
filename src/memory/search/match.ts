/** Which expression of FTS5 asks for a query, so that it takes about as long in a database of any size. */

/** How the index is asked. */
export type MatchPlan =
  /** Ranked by the words: any of them may match. */
  | { readonly kind: "ranked"; readonly match: string }
  /** Each word is in so many observations that only the newest that have all, else any, are looked at. */
  | { readonly kind: "newest"; readonly all: string; readonly any: string }
  /** There is no word to ask for. */
  | { readonly kind: "none" };

/** How much ranking may look at. */
export interface MatchLimits {
  /** A word in more observations than this says too little to be ranked by. */
  readonly perTerm: number;
  /** The most observations that all words together may occur in. */
  readonly together: number;
  /** The most observations in which a common word is still looked for. */
  readonly small: number;
}

/** The limits for a database of this many observations. */
export function matchLimits(observations: number): MatchLimits {
  const perTerm = Math.min(20_000, Math.max(4_000, Math.floor(observations / 50)));
  return { perTerm, together: 2 * perTerm, small: perTerm / 4 };
}

/** A word in no more observations than these is asked for by itself, a commoner one beside another first. */
const RARE = 500;
/** The number of common words that are asked for in pairs, the rarest ones. */
const BESIDE = 4;

/** An expression for a word, and in how many observations it is; at most `perTerm` is known. */
export interface CountedMatch {
  readonly match: string;
  readonly count: number;
}

/** Chooses the words to ask for: the rarest first, as long as they stay within the limits together. */
export function planMatch(
  terms: readonly CountedMatch[],
  phrases: readonly string[],
  limits: MatchLimits,
): MatchPlan {
  const known = terms.filter(({ count }) => count > 0)
    .sort((one, other) => one.count - other.count);
  if (known.length === 0) return { kind: "none" };
  const chosen: CountedMatch[] = [];
  let together = 0;
  for (const term of known) {
    if (term.count >= limits.perTerm) break;
    together += term.count;
    if (chosen.length > 0 && together > limits.together) break;
    chosen.push(term);
  }
  const required = requiring(phrases);
  if (chosen.length > 0) return { kind: "ranked", match: `(${joined(chosen, " OR ")})${required}` };
  return {
    kind: "newest",
    all: `(${joined(known, " AND ")})${required}`,
    any: `(${joined(known, " OR ")})`,
  };
}

/** A narrower question that is asked before that of {@linkcode planMatch}. */
export interface NarrowMatch {
  /** The words that rank the hits, each named once, since the index counts a word as often as it is named. */
  readonly match: string;
  /** A condition that each hit must match as well. */
  readonly among: string;
}

/**
 * The rare words, and of the others two together, which are in few observations where each is in thousands. What has two
 * words answers better than what has one, and to rank the few takes a part of the time.
 *
 * @returns Null where words are too few or too common for it.
 */
export function narrowMatch(
  terms: readonly CountedMatch[],
  phrases: readonly string[],
  limits: MatchLimits,
): NarrowMatch | null {
  const known = terms.filter(({ count }) => count > 0 && count <= limits.together)
    .sort((one, other) => one.count - other.count);
  const rare = known.filter(({ count }) => count <= RARE);
  const common = known.slice(rare.length, rare.length + BESIDE);
  if (common.length < 2) return null;
  const together = common.slice(0, -1).map(({ match }, at) =>
    `(${match} AND (${joined(common.slice(at + 1), " OR ")}))`
  );
  const any = [...rare.map(({ match }) => match), ...together].join(" OR ");
  return {
    match: `(${joined([...rare, ...common], " OR ")})`,
    among: `(${any})${requiring(phrases)}`,
  };
}

function requiring(phrases: readonly string[]): string {
  return phrases.map((phrase) => ` AND ${quoted(phrase)}`).join("");
}

function joined(terms: readonly CountedMatch[], operator: string): string {
  return terms.map(({ match }) => match).join(operator);
}

/** A text as one phrase of FTS5, whatever it holds. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
