/** How much of a question a passage holds: rare words count most, and a long passage is not taken for a poor one. */

/** A word of the question among the candidates. */
export interface CoveredTerm {
  /** In how many observations it is. */
  readonly count: number;
  /** How much it counts beside a word: 1. */
  readonly weight: number;
  /** Whether it was typed as it is: what holds all that was typed is what was meant. */
  readonly isTyped: boolean;
  /** Which of the candidates have it, and which have something that resembles it. */
  readonly within: ReadonlySet<number>;
  readonly resembling: ReadonlySet<number>;
}

/** How much of a question a passage holds. */
export interface Coverage {
  /** 0 to about 1. */
  readonly score: number;
  /** Whether it holds all that was typed, two words at least. */
  readonly isWhole: boolean;
}

/** A candidate, as far as its score depends on it. */
export interface Passage {
  readonly id: number;
  readonly sessionId: string;
  /** Bytes. */
  readonly length: number;
}

/** What resembles a word counts so much of it, and what only stands elsewhere in the session. */
const RESEMBLING_SHARE = 0.5;
const SESSION_SHARE = 0.2;
/** By how much it is better to hold all that was typed, and how many words that must be. */
const ALL_TYPED = 1.1;
const MIN_TYPED = 2;
/** How fast more length takes less, and how much of the score it can take, as in BM25; there the share is 0.75. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.1;
/** So many times as long as usual, and what is longer still is no poorer for it: a whole log has its one line. */
const LONG = 6;

/**
 * How much of a question each passage holds, in the order of the passages.
 *
 * @param observations How many there are in all, so that it is known what is rare.
 */
export function coverageOf(
  passages: readonly Passage[],
  terms: readonly CoveredTerm[],
  observations: number,
): Coverage[] {
  const rarities = terms.map(({ count, weight }) =>
    weight * Math.log(1 + (observations + 0.5) / (count + 0.5))
  );
  const all = rarities.reduce((sum, rarity) => sum + rarity, 0);
  const usual = passages.reduce((sum, { length }) => sum + length, 0) /
    Math.max(1, passages.length);
  const typed = terms.filter(({ isTyped }) => isTyped).length;
  const held = passages.map(() => 0);
  const missing = passages.map(() => typed < MIN_TYPED);
  // In loops, since a command that searches once has compiled nothing yet: callbacks would take twice as long.
  for (const [at, { within, resembling, isTyped }] of terms.entries()) {
    const rarity = rarities[at]!;
    const around = new Set<string>();
    for (const { id, sessionId } of passages) if (within.has(id)) around.add(sessionId);
    for (const [n, { id, sessionId }] of passages.entries()) {
      if (within.has(id)) held[n]! += rarity;
      else {
        if (isTyped) missing[n] = true;
        if (resembling.has(id)) held[n]! += RESEMBLING_SHARE * rarity;
        else if (around.has(sessionId)) held[n]! += SESSION_SHARE * rarity;
      }
    }
  }
  return passages.map(({ length }, n) => {
    const isWhole = !missing[n];
    const longer = 1 - LENGTH_SHARE + LENGTH_SHARE * Math.min(LONG, length / Math.max(1, usual));
    const share = all === 0 ? 0 : held[n]! / all * (isWhole ? ALL_TYPED : 1);
    return { score: share * (SATURATION + 1) / (1 + SATURATION * longer), isWhole };
  });
}
