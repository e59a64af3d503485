/** In which order what was found is told: the words count most, then the session, the time, the files, the neighbours. */
import type { TimeSpan } from "./spans.ts";
import { isReplaced, type ObservationKind } from "./observation.ts";

/** What ranking looks at. */
export interface Rankable {
  readonly id: number;
  /** How well the words match, more than 0; 0 for what only stands next to a match. */
  readonly textScore: number;
  readonly sessionId: string;
  readonly kind: ObservationKind;
  readonly files: string;
  readonly createdAtMs: number;
  /** What mended or replaced it; null for most. */
  readonly resolvedBy: number | null;
  /** Whether all that was typed is in it; no when it is missing. */
  readonly isWhole?: boolean;
  /** How much of the question it holds, 0 to 1, whatever others do; 1 when it is missing. */
  readonly held?: number;
}

/** What stands next to a match. */
export interface RankableNeighbour<Hit extends Rankable> {
  readonly of: number;
  /** 1 is the next one; below 0 it stands before. */
  readonly distance: number;
  readonly hit: Hit;
}

/** Something that was found, with how good it is: 1 is about the best that words alone can do. */
export interface Ranked<Hit> {
  readonly hit: Hit;
  readonly score: number;
}

/** What a question says beside its words. */
export interface RankContext {
  readonly nowMs: number;
  /** The time that it speaks of. */
  readonly time: TimeSpan | null;
  /** Whether what says all of the question says the time as well. */
  readonly wholeSaysTime: boolean;
  /** Where that is a day by its date; null for any other time. */
  readonly day: AskedDay | null;
  /** Exact words of paths in it: `run.ts`. */
  readonly paths: readonly string[];
  /** Whose words it asks for. */
  readonly speaker: "person" | "claude" | null;
  /** What is the question itself, asked before: its answer stands behind it. */
  readonly echoes: ReadonlySet<number>;
  /** What has the marks of the question as they were typed: `#334`. */
  readonly literal: ReadonlySet<number>;
}

/** A day that a question tells by its date. */
export interface AskedDay {
  /** What the date may mean, the likeliest first; at least one. */
  readonly readings: readonly {
    /** What says the date itself counts as of that day, whenever it was said. */
    readonly saidBy: ReadonlySet<number>;
    readonly time: TimeSpan;
  }[];
  /** Whether the question asks what was done on it: then it counts as any other time does. */
  readonly isAsked: boolean;
  /** How many words the question has beside it: else each of them counts more than the day. */
  readonly words: number;
}

/** How much each of it counts, beside 1 for the words. */
export interface RankWeights {
  readonly session: number;
  readonly recency: number;
  readonly file: number;
  readonly time: number;
  /** For a day that is told by its date, shared among the words and the day. */
  readonly day: number;
  /** For what comes right after a match, and right before: an answer stands behind its question. */
  readonly next: number;
  readonly previous: number;
  /** For what was said by whom the question asks for. */
  readonly speaker: number;
  /** What is taken from the question itself, asked before. */
  readonly echo: number;
  /** For what has all that was typed with its marks. */
  readonly literal: number;
  /** For a note or a decision that another one replaced: it comes after everything else. */
  readonly replaced: number;
  readonly kinds: Readonly<Partial<Record<ObservationKind, number>>>;
}

/** Found with `conclaude memory eval` on generated histories. */
export const RANK_WEIGHTS: RankWeights = {
  session: 0.3,
  recency: 0.03,
  file: 0.15,
  time: 0.7,
  day: 1,
  next: 0.8,
  previous: 0.4,
  speaker: 0.3,
  echo: 0.4,
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
/** So many more than are asked for are looked at for a newer note. */
const MORE = 5;
const RECENT_MS = 14 * 86_400_000;
/** Beside 1 for what a date means in America what it means elsewhere (`3/4/2026`). */
const LESS_LIKELY = 0.8;
/** What is ahead by so much is ahead. */
const JUST_BEFORE = 1e-6;
/** Beside 1 for what says a day what was made on it, where anything says it. */
const MADE_THEN = 0.8;

/**
 * Orders what was found and what stands next to it, the best first, `limit` of them at most. All in loops: a command that
 * searches once has compiled nothing yet, and a callback for each would take it two milliseconds.
 */
export function rank<Hit extends Rankable>(
  hits: readonly Hit[],
  neighbours: readonly RankableNeighbour<Hit>[],
  context: RankContext,
  { weights = RANK_WEIGHTS, limit }: { readonly weights?: RankWeights; readonly limit: number },
): Ranked<Hit>[] {
  const most = limit + MORE;
  let best = Number.MIN_VALUE;
  for (const { textScore } of hits) if (textScore > best) best = textScore;
  const own = new Map<number, number>();
  const lends = new Map<number, number>();
  for (const { id, textScore, held } of hits) {
    own.set(id, textScore / best);
    lends.set(id, textScore / best * Math.sqrt(held ?? 1));
  }
  const sessions = sessionScores(hits, best);
  const texts = new Map(own);
  const all = [...hits];
  for (const { of, distance, hit } of neighbours) {
    const share = distance > 0 ? weights.next : weights.previous;
    const lent = share * (lends.get(of) ?? 0) / Math.abs(distance);
    const known = texts.get(hit.id);
    if (known === undefined) all.push(hit);
    const held = (own.get(hit.id) ?? 0) + lent * 0.3;
    texts.set(hit.id, known === undefined ? lent : Math.max(known, held, lent));
  }
  const { nowMs, paths, time, speaker, echoes, literal } = context;
  const found: Ranked<Hit>[] = [];
  const again: Ranked<Hit>[] = [];
  let bestPrompt = 0;
  for (const hit of all) {
    let score = texts.get(hit.id)! + weights.session * (sessions.get(hit.sessionId) ?? 0) +
      weights.recency * Math.exp(-Math.max(0, nowMs - hit.createdAtMs) / RECENT_MS) +
      (weights.kinds[hit.kind] ?? 0);
    if (time !== null) score += timeScore(hit, context, weights);
    if (paths.length > 0 && namesFile(hit, paths)) score += weights.file;
    if (speaker !== null && isOf(hit.kind, speaker)) score += weights.speaker;
    if (literal.has(hit.id)) score += weights.literal;
    if (isReplaced(hit)) score += weights.replaced;
    if (echoes.has(hit.id)) {
      again.push({ hit, score });
      continue;
    }
    if (hit.kind === "prompt" && score > bestPrompt) bestPrompt = score;
    keepBest(found, { hit, score }, most);
  }
  // Behind its answers, but not behind other prompts: none is nearer to what was typed, but for what was said in a time.
  for (const { hit, score } of again) {
    const before = bestPrompt + JUST_BEFORE;
    const least = time === null ? before : Math.min(score, before);
    keepBest(found, { hit, score: Math.max(score - weights.echo, least) }, most);
  }
  return newerNotesFirst(found).slice(0, limit);
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

/** Puts one in its place among the best so far; of equal ones the newest comes first. */
function keepBest<Hit extends Rankable>(
  best: Ranked<Hit>[],
  one: Ranked<Hit>,
  limit: number,
): void {
  const isBefore = (other: Ranked<Hit>) =>
    one.score > other.score || one.score === other.score && one.hit.id > other.hit.id;
  if (best.length >= limit && !isBefore(best.at(-1)!)) return;
  let at = best.length;
  while (at > 0 && isBefore(best[at - 1]!)) at--;
  best.splice(at, 0, one);
  if (best.length > limit) best.pop();
}

/** How much sessions are about the question: their best passages together, 1 for the best session. */
function sessionScores(hits: readonly Rankable[], best: number): ReadonlyMap<string, number> {
  const tops = new Map<string, [first: number, second: number, third: number]>();
  for (const { sessionId, textScore } of hits) {
    const top = tops.get(sessionId);
    if (top === undefined) tops.set(sessionId, [textScore, 0, 0]);
    else if (textScore > top[0]) tops.set(sessionId, [textScore, top[0], top[1]]);
    else if (textScore > top[1]) tops.set(sessionId, [top[0], textScore, top[1]]);
    else if (textScore > top[2]) top[2] = textScore;
  }
  const sums = new Map<string, number>();
  let most = Number.MIN_VALUE;
  for (const [session, [first, second, third]] of tops) {
    const sum = (first + second / 2 + third / 3) / best;
    sums.set(session, sum);
    if (sum > most) most = sum;
  }
  for (const [session, sum] of sums) sums.set(session, sum / most);
  return sums;
}

function namesFile({ files }: Rankable, paths: readonly string[]): boolean {
  return paths.some((path) => files.toLowerCase().includes(path));
}

function isOf(kind: ObservationKind, speaker: NonNullable<RankContext["speaker"]>): boolean {
  return speaker === "person" ? kind === "prompt" || kind === "note" : kind === "message";
}

function timeScore(
  { id, createdAtMs, isWhole }: Rankable,
  { time, day, wholeSaysTime }: RankContext,
  weights: RankWeights,
): number {
  if (time === null) return 0;
  if (day === null) {
    return weights.time * (isWhole && wholeSaysTime ? 1 : nearness(createdAtMs, time));
  }
  const made = day.readings.some(({ saidBy }) => saidBy.size > 0) ? MADE_THEN : 1;
  const nearest = day.readings.map(({ saidBy, time }, at) =>
    (at === 0 ? 1 : LESS_LIKELY) *
    Math.max(saidBy.has(id) ? 1 : 0, made * nearnessToDay(createdAtMs, time))
  );
  const share = day.isAsked ? weights.time : weights.day / (1 + day.words);
  return share * Math.max(...nearest);
}

/** 1 within the time, falling to 0 over as long again on either side. */
function nearness(atMs: number, { fromMs, untilMs }: TimeSpan): number {
  const outside = Math.max(fromMs - atMs, atMs - untilMs, 0);
  return Math.max(0, 1 - outside / (untilMs - fromMs));
}

/** 1 on the day itself, of which the time is widened by half a day for zones; a day before or behind it is 0.4. */
function nearnessToDay(atMs: number, { fromMs, untilMs }: TimeSpan): number {
  const quarter = (untilMs - fromMs) / 4;
  const outside = Math.max(fromMs + quarter - atMs, atMs - untilMs + quarter, 0);
  return Math.max(0, 1 - 0.3 * outside / quarter);
}
