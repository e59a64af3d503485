/**
 * Ranks hits. A score is the sum of named weights: how much of the question the hit holds (1 for the best), how much its
 * session holds, its neighbours, its time, its kind.
 */
import { isReplaced, type ObservationKind } from "../observe/observation.ts";
import type { IndexHit, Neighbour } from "./memory_search_table.ts";
import type { MemoryQuestion } from "./question.ts";

export type Ranked = Readonly<{ hit: IndexHit; score: number }>;

/** The facts of a question besides its words. */
interface RankContext extends Pick<MemoryQuestion, "time" | "paths" | "speaker"> {
  readonly nowMs: number;
  /** Earlier prompts with the same question. The answer comes after them. */
  readonly echoes: ReadonlySet<number>;
}

/** The weights, beside 1 for the words, found with `conclaude memory eval` on generated histories. */
const RANK_WEIGHTS = {
  /** For the session that holds most of the question. */
  session: 0.35,
  /** For a new observation; it halves in ten days. */
  recency: 0.03,
  /** For an observation with a path of the question. */
  file: 0.15,
  /** For an observation of the time that the question names. */
  time: 0.7,
  /** For the observation right after a hit, and right before it: an answer follows its question. */
  next: 0.8,
  previous: 0.3,
  /** For the words of the speaker that the question asks for. */
  speaker: 0.3,
  /** For an earlier prompt with the same question; it still ranks above other prompts. */
  echo: -0.4,
  /** For a note, times how much of the question it holds: it was kept to be found, and has no session around it. */
  kept: 1.1,
  /** For a replaced note or decision. */
  replaced: -10,
  /** For what others of the team made. */
  others: -0.01,
};

const KIND_WEIGHTS: Readonly<Partial<Record<ObservationKind, number>>> = {
  fix: 0.06,
  commit: 0.04,
  decision: 0.06,
  note: 0.06,
  summary: -0.02,
  command: -0.03,
  search: -0.08,
};

/** The largest difference between the scores of two notes that count as equal, so that the newer comes first. */
const SIMILAR = 0.1;
/** How many further hits are searched for a newer note. */
const FURTHER_HITS = 5;
const RECENT_MS = 14 * 86_400_000;
/** The slack around a named day in milliseconds, since the day may be of any time zone. */
const TIME_SLACK_MS = 43_200_000;
/** The share of what a hit lends to its neighbour that is added when the neighbour is a hit itself. */
const BESIDE_OWN = 0.3;

/** Ranks hits and their neighbours, the best first, of equal ones the newest; at most `limit`. */
export function rank(
  hits: readonly IndexHit[],
  neighbours: readonly Neighbour[],
  context: RankContext,
  limit: number,
): Ranked[] {
  const own = new Map<number, number>();
  for (const { id, textScore } of hits) own.set(id, textScore);
  const texts = new Map(own);
  const all = [...hits];
  for (const hit of neighbours) {
    const { of, distance } = hit;
    const share = distance > 0 ? RANK_WEIGHTS.next : RANK_WEIGHTS.previous;
    const lent = share * (own.get(of) ?? 0) / Math.abs(distance);
    const known = texts.get(hit.id);
    if (known === undefined) all.push(hit);
    texts.set(hit.id, Math.max(known ?? 0, (own.get(hit.id) ?? 0) + lent * BESIDE_OWN, lent));
  }
  const sessions = sessionScores(hits);
  const { nowMs, paths, time, speaker, echoes } = context;
  const ranked = all.map((hit) => {
    let score = texts.get(hit.id)! + RANK_WEIGHTS.session * (sessions.get(hit.sessionId) ?? 0) +
      RANK_WEIGHTS.recency * Math.exp(-Math.max(0, nowMs - hit.createdAtMs) / RECENT_MS) +
      (KIND_WEIGHTS[hit.kind] ?? 0);
    if (time !== null) score += RANK_WEIGHTS.time * nearness(hit.createdAtMs, time);
    if (paths.length > 0 && namesFile(hit, paths)) score += RANK_WEIGHTS.file;
    if (speaker !== null && isOf(hit.kind, speaker)) score += RANK_WEIGHTS.speaker;
    if (hit.kind === "note") score += RANK_WEIGHTS.kept * (own.get(hit.id) ?? 0);
    if (isReplaced(hit)) score += RANK_WEIGHTS.replaced;
    if (hit.author !== null) score += RANK_WEIGHTS.others;
    return { hit, score };
  });
  const isEcho = ({ hit }: Ranked) => echoes.has(hit.id);
  const bestPrompt = Math.max(
    ...ranked.filter((one) => one.hit.kind === "prompt" && !isEcho(one)).map(({ score }) => score),
  );
  const best = ranked.map((one) =>
    isEcho(one)
      ? { ...one, score: Math.max(one.score + RANK_WEIGHTS.echo, bestPrompt + 1e-6) }
      : one
  ).sort((one, other) => other.score - one.score || other.hit.id - one.hit.id);
  return newerNotesFirst(best.slice(0, limit + FURTHER_HITS)).slice(0, limit);
}

/** Swaps two notes with similar scores when the later one is newer. The scores stay at their places. */
function newerNotesFirst(ranked: readonly Ranked[]): Ranked[] {
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

/** Returns how much of the question sessions hold, by their three best hits: 1 for the best session. */
function sessionScores(hits: readonly IndexHit[]): ReadonlyMap<string, number> {
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

function namesFile({ files }: IndexHit, paths: readonly string[]): boolean {
  const lower = files.toLowerCase();
  return paths.some((path) => lower.includes(path));
}

function isOf(kind: ObservationKind, speaker: NonNullable<RankContext["speaker"]>): boolean {
  return speaker === "person" ? kind === "prompt" || kind === "note" : kind === "message";
}

/** Returns 1 within the time. Before and after it the value falls to 0 over as long a time. */
function nearness(atMs: number, time: NonNullable<RankContext["time"]>): number {
  const fromMs = time.fromMs - TIME_SLACK_MS;
  const untilMs = time.untilMs + TIME_SLACK_MS;
  const outside = Math.max(fromMs - atMs, atMs - untilMs, 0);
  return Math.max(0, 1 - outside / (untilMs - fromMs));
}

/** A word of the question among the hits. */
export interface CoveredTerm {
  /** The number of observations with the word. */
  readonly count: number;
  /** The weight of the term: 1 for a word. */
  readonly weight: number;
  /** Whether a person typed the word like this. A hit with all typed words ranks higher. */
  readonly isTyped: boolean;
  /** The hits that hold the word, and hits that hold a similar word. */
  readonly within: ReadonlySet<number>;
  readonly resembling: ReadonlySet<number>;
}

/** The shares of a word's weight: for a similar word, and for the word elsewhere in the session. */
const RESEMBLING_SHARE = 0.5;
const SESSION_SHARE = 0.2;
/** The factors for holding all typed words (of two at least), and for holding them together. */
const ALL_TYPED = 1.2;
const MIN_TYPED = 2;
const TOGETHER = 1.05;
/** A word with less than this part of the rarest word's weight may be missing from "all typed words". */
const TELLING = 0.25;
/** The least weight of a word, since a question of common words alone needs some weight, too. */
const LEAST_RARITY = 0.1;
/** The two parameters of BM25 for the length of a text, k1 and b; b is usually 0.75. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.25;
/** From this many times the usual length on, more length costs nothing more: a log may have one good line. */
const LONG = 6;

/**
 * Returns how much of a question each hit holds, 1 for the best. Rare words count most, and length costs little.
 * @param options `together`: the hits in which all typed words stand close together.
 */
export function coverageOf(
  hits: readonly IndexHit[],
  terms: readonly CoveredTerm[],
  { observations, together }: Readonly<{ observations: number; together: ReadonlySet<number> }>,
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

/** Returns the weight of a word in `count` observations: BM25's, and less the larger their share of all of them is. */
function rarityOf(count: number, observations: number): number {
  const rarity = Math.log((observations - count + 0.5) / (count + 0.5));
  return Math.max(LEAST_RARITY, rarity * Math.max(0, 1 - 2 * count / observations));
}
