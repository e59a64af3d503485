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
  /** Whether it holds all that was typed and tells something, of two words at least. */
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
/** By how much it is better that all of it stands together. */
const TOGETHER = 1.05;
/** Words that tell less than this part of what the rarest tells need not be there for all to be there. */
const TELLING = 0.25;
/** What the commonest word counts: something, or a question of nothing else would be answered by chance. */
const LEAST_RARITY = 0.1;
/** How fast more length takes less, and how much of the score it can take, as in BM25; there the share is 0.75. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.25;
/** So many times as long as usual, and what is longer still is no poorer for it: a whole log has its one line. */
const LONG = 6;

/**
 * How much of a question each passage holds, in the order of the passages.
 *
 * @param observations How many there are in all, so that it is known what is rare.
 * @param together The passages in which all that was typed stands together: the length of the rest says nothing of them.
 */
export function coverageOf(
  passages: readonly Passage[],
  terms: readonly CoveredTerm[],
  { observations, together }: {
    readonly observations: number;
    readonly together: ReadonlySet<number>;
  },
): Coverage[] {
  const rarities = terms.map(({ count, weight }) => weight * rarityOf(count, observations));
  const most = Math.max(0, ...rarities);
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
        if (isTyped && rarity >= TELLING * most) missing[n] = true;
        if (resembling.has(id)) held[n]! += RESEMBLING_SHARE * rarity;
        else if (around.has(sessionId)) held[n]! += SESSION_SHARE * rarity;
      }
    }
  }
  return passages.map(({ id, length }, n) => {
    const isWhole = !missing[n];
    const isTogether = together.has(id);
    const most = isTogether ? 1 : LONG;
    const longer = 1 - LENGTH_SHARE + LENGTH_SHARE * Math.min(most, length / Math.max(1, usual));
    const better = (isWhole ? ALL_TYPED : 1) * (isTogether ? TOGETHER : 1);
    const share = all === 0 ? 0 : held[n]! / all * better;
    return { score: share * (SATURATION + 1) / (1 + SATURATION * longer), isWhole };
  });
}

/**
 * How much a word tells that is in so many observations: as in BM25, and less the larger its part of them all is, so that a
 * word in 40 of 100 says next to nothing beside a name.
 */
function rarityOf(count: number, observations: number): number {
  const rarity = Math.log((observations - count + 0.5) / (count + 0.5));
  return Math.max(LEAST_RARITY, rarity * Math.max(0, 1 - 2 * count / observations));
}
