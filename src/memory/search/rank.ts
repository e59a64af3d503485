/**
 * Orders hits. A score is the sum of named weights: how much of the question a hit holds (1 is about the best), how
 * much its session is about it, its neighbours, its time, its kind.
 */
import { isReplaced, type ObservationKind } from "../observe/observation.ts";
import type { SpokenTime } from "./spoken_time.ts";

export interface Rankable {
  readonly id: number;
  readonly sessionId: string;
  readonly kind: ObservationKind;
  /** JSON. */
  readonly files: string;
  readonly createdAtMs: number;
  /** What replaced it; null for most. */
  readonly resolvedBy: number | null;
  /** Bytes of the text. */
  readonly length: number;
}

/** A hit with how much of the question it holds: more than 0, 1 for the best of them. */
export type Scored<Hit extends Rankable> = Hit & { readonly textScore: number };

export interface RankableNeighbour<Hit extends Rankable> {
  readonly of: number;
  /** 1 is the next one; below 0 it stands before. */
  readonly distance: number;
  readonly hit: Hit;
}

export interface Ranked<Hit> {
  readonly hit: Hit;
  readonly score: number;
}

/** The facts of a question besides its words. */
export interface RankContext {
  readonly nowMs: number;
  readonly time: Pick<SpokenTime, "fromMs" | "untilMs"> | null;
  /** Paths in it, in small letters: `run.ts`. */
  readonly paths: readonly string[];
  readonly speaker: "person" | "claude" | null;
  /** The question itself, asked before: its answer stands behind it. */
  readonly echoes: ReadonlySet<number>;
  /** Hits with the marks of the question as they were typed: `#334`. */
  readonly literal: ReadonlySet<number>;
}

/** How much each of it counts, beside 1 for the words. */
export interface RankWeights {
  /** For the session that is most about the question. */
  readonly session: number;
  /** For what was made now; it halves in ten days. */
  readonly recency: number;
  /** For what has a path of the question. */
  readonly file: number;
  /** For what was made in the time of the question. */
  readonly time: number;
  /** For what comes right after a hit, and right before: an answer stands behind its question. */
  readonly next: number;
  readonly previous: number;
  /** For what was said by whom the question asks for. */
  readonly speaker: number;
  /** For the question itself, asked before; it stays before other prompts, which are less like it. */
  readonly echo: number;
  /** For what has all that was typed with its marks. */
  readonly literal: number;
  /** For what was replaced by something newer. */
  readonly replaced: number;
  readonly kinds: Readonly<Partial<Record<ObservationKind, number>>>;
}

/** Found with `conclaude memory eval` on generated histories. */
export const RANK_WEIGHTS: RankWeights = {
  session: 0.3,
  recency: 0.03,
  file: 0.15,
  time: 0.7,
  next: 0.8,
  previous: 0.4,
  speaker: 0.3,
  echo: -0.4,
  literal: 1,
  replaced: -10,
  kinds: {
    fix: 0.06,
    commit: 0.04,
    decision: 0.06,
    note: 0.06,
    summary: -0.02,
    command: -0.03,
    search: -0.08,
  },
};

/** Notes whose scores differ by at most so much say about the same: the newer one comes first. */
const SIMILAR = 0.1;
/** The number of further hits that are looked at for a newer note. */
const MORE = 5;
const RECENT_MS = 14 * 86_400_000;
/** Nobody says in which zone a day is meant. */
const TIME_SLACK_MS = 43_200_000;
/** The share of a neighbour's score that a hit gets which holds something of the question itself. */
const BESIDE_OWN = 0.3;

/**
 * Orders hits and what stands next to them, the best first, of equal ones the newest; `limit` of them at most. In loops: a
 * command that searches once has compiled nothing yet, and a callback for each hit would take it two milliseconds.
 */
export function rank<Hit extends Rankable>(
  hits: readonly Scored<Hit>[],
  neighbours: readonly RankableNeighbour<Hit>[],
  context: RankContext,
  { weights = RANK_WEIGHTS, limit }: { readonly weights?: RankWeights; readonly limit: number },
): Ranked<Hit>[] {
  const own = new Map<number, number>();
  for (const { id, textScore } of hits) own.set(id, textScore);
  const texts = new Map(own);
  const all: Hit[] = [...hits];
  for (const { of, distance, hit } of neighbours) {
    const share = distance > 0 ? weights.next : weights.previous;
    const lent = share * (own.get(of) ?? 0) / Math.abs(distance);
    const known = texts.get(hit.id);
    if (known === undefined) all.push(hit);
    texts.set(hit.id, Math.max(known ?? 0, (own.get(hit.id) ?? 0) + lent * BESIDE_OWN, lent));
  }
  const sessions = sessionScores(hits);
  const { nowMs, paths, time, speaker, echoes, literal } = context;
  const ranked = all.map((hit) => {
    let score = texts.get(hit.id)! + weights.session * (sessions.get(hit.sessionId) ?? 0) +
      weights.recency * Math.exp(-Math.max(0, nowMs - hit.createdAtMs) / RECENT_MS) +
      (weights.kinds[hit.kind] ?? 0);
    if (time !== null) score += weights.time * nearness(hit.createdAtMs, time);
    if (paths.length > 0 && namesFile(hit, paths)) score += weights.file;
    if (speaker !== null && isOf(hit.kind, speaker)) score += weights.speaker;
    if (literal.has(hit.id)) score += weights.literal;
    if (isReplaced(hit)) score += weights.replaced;
    return { hit, score };
  });
  const isEcho = ({ hit }: Ranked<Hit>) => echoes.has(hit.id);
  const bestPrompt = Math.max(
    ...ranked.filter((one) => one.hit.kind === "prompt" && !isEcho(one)).map(({ score }) => score),
  );
  const best = ranked.map((one) =>
    isEcho(one) ? { ...one, score: Math.max(one.score + weights.echo, bestPrompt + 1e-6) } : one
  ).sort((one, other) => other.score - one.score || other.hit.id - one.hit.id);
  return newerNotesFirst(best.slice(0, limit + MORE)).slice(0, limit);
}

/** Puts the newer of two notes with similar scores in the place of the older one, whose score it takes. */
export function newerNotesFirst<Hit extends Pick<Rankable, "id" | "kind" | "createdAtMs">>(
  ranked: readonly Ranked<Hit>[],
): Ranked<Hit>[] {
  const hits = ranked.map(({ hit }) => hit);
  for (const [at, { score }] of ranked.entries()) {
    if (hits[at]!.kind !== "note") continue;
    let newest = at;
    for (let other = at + 1; other < hits.length; other++) {
      if (score - ranked[other]!.score > SIMILAR) break;
      const { kind, createdAtMs } = hits[other]!;
      if (kind === "note" && createdAtMs > hits[newest]!.createdAtMs) newest = other;
    }
    [hits[at], hits[newest]] = [hits[newest]!, hits[at]!];
  }
  return ranked.map(({ score }, at) => ({ hit: hits[at]!, score }));
}

/** How much sessions are about the question: their three best hits together, 1 for the best session. */
function sessionScores(hits: readonly Scored<Rankable>[]): ReadonlyMap<string, number> {
  const tops = new Map<string, number[]>();
  for (const { sessionId, textScore } of hits) {
    const top = tops.get(sessionId) ?? [];
    tops.set(sessionId, [...top, textScore].sort((one, other) => other - one).slice(0, 3));
  }
  const sums = Array.from(
    tops,
    ([session, [first = 0, second = 0, third = 0]]) =>
      [session, first + second / 2 + third / 3] as const,
  );
  const most = Math.max(...sums.map(([, sum]) => sum), Number.MIN_VALUE);
  return new Map(sums.map(([session, sum]) => [session, sum / most]));
}

function namesFile({ files }: Rankable, paths: readonly string[]): boolean {
  const lower = files.toLowerCase();
  return paths.some((path) => lower.includes(path));
}

function isOf(kind: ObservationKind, speaker: NonNullable<RankContext["speaker"]>): boolean {
  return speaker === "person" ? kind === "prompt" || kind === "note" : kind === "message";
}

/** 1 within the time, falling to 0 over as long again on either side. */
function nearness(atMs: number, time: NonNullable<RankContext["time"]>): number {
  const fromMs = time.fromMs - TIME_SLACK_MS;
  const untilMs = time.untilMs + TIME_SLACK_MS;
  const outside = Math.max(fromMs - atMs, atMs - untilMs, 0);
  return Math.max(0, 1 - outside / (untilMs - fromMs));
}

/** A word of the question among the hits. */
export interface CoveredTerm {
  /** In how many observations it is. */
  readonly count: number;
  /** How much it counts beside a word: 1. */
  readonly weight: number;
  /** Whether it was typed as it is: what holds all that was typed is what was meant. */
  readonly isTyped: boolean;
  /** The hits that have it, and those that have something that resembles it. */
  readonly within: ReadonlySet<number>;
  readonly resembling: ReadonlySet<number>;
}

/** The shares of a word's weight: for a similar word, and for the word elsewhere in the session. */
const RESEMBLING_SHARE = 0.5;
const SESSION_SHARE = 0.2;
/** The factors for holding all typed words (of two at least), and for holding them together. */
const ALL_TYPED = 1.1;
const MIN_TYPED = 2;
const TOGETHER = 1.05;
/** Words with less than this part of the rarest word's weight may be missing where "all words" are needed. */
const TELLING = 0.25;
/** The least weight of a word. A question of common words alone needs some weight, too. */
const LEAST_RARITY = 0.1;
/** How fast more length takes less, and how much of the score it can take, as in BM25; there the share is 0.75. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.25;
/** The length, in usual lengths, from which on more length takes nothing more: a log may have one good line. */
const LONG = 6;

/**
 * How much of a question each hit holds, 1 for the best: rare words count most, and a long text is not taken for a poor one.
 * @param together The hits in which all that was typed stands together.
 */
export function coverageOf(
  hits: readonly Rankable[],
  terms: readonly CoveredTerm[],
  { observations, together }: {
    readonly observations: number;
    readonly together: ReadonlySet<number>;
  },
): number[] {
  const rarities = terms.map(({ count, weight }) => weight * rarityOf(count, observations));
  const rarest = Math.max(0, ...rarities);
  const all = rarities.reduce((sum, rarity) => sum + rarity, 0);
  const usual = hits.reduce((sum, { length }) => sum + length, 0) / Math.max(1, hits.length);
  const typed = terms.filter(({ isTyped }) => isTyped).length;
  const held = hits.map(() => 0);
  const missing = hits.map(() => typed < MIN_TYPED);
  for (const [at, { within, resembling, isTyped }] of terms.entries()) {
    const rarity = rarities[at]!;
    const around = new Set<string>();
    for (const { id, sessionId } of hits) if (within.has(id)) around.add(sessionId);
    for (const [n, { id, sessionId }] of hits.entries()) {
      if (within.has(id)) held[n]! += rarity;
      else {
        if (isTyped && rarity >= TELLING * rarest) missing[n] = true;
        if (resembling.has(id)) held[n]! += RESEMBLING_SHARE * rarity;
        else if (around.has(sessionId)) held[n]! += SESSION_SHARE * rarity;
      }
    }
  }
  const scores = hits.map(({ id, length }, n) => {
    const isTogether = together.has(id);
    const longer = Math.min(isTogether ? 1 : LONG, length / Math.max(1, usual));
    const better = (missing[n] ? 1 : ALL_TYPED) * (isTogether ? TOGETHER : 1);
    const share = all === 0 ? 0 : held[n]! / all * better;
    return share / (1 + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * longer));
  });
  const best = Math.max(...scores, Number.MIN_VALUE);
  return scores.map((score) => score / best);
}

/**
 * How much a word tells that is in so many observations: as in BM25, and less the larger its part of them all is, so that a
 * word in 40 of 100 says next to nothing beside a name.
 */
function rarityOf(count: number, observations: number): number {
  const rarity = Math.log((observations - count + 0.5) / (count + 0.5));
  return Math.max(LEAST_RARITY, rarity * Math.max(0, 1 - 2 * count / observations));
}
