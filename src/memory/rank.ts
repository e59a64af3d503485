/** In which order what was found is told: the words count most, then the session, the time, the files, the neighbours. */
import type { TimeSpan } from "./spans.ts";
import type { ObservationKind } from "./observation.ts";

/** What ranking looks at. */
export interface Rankable {
  readonly id: number;
  /** How well the words match, more than 0; 0 for what only stands next to a match. */
  readonly textScore: number;
  readonly sessionId: string;
  readonly kind: ObservationKind;
  readonly files: string;
  readonly createdAtMs: number;
  /** Whether all that was typed is in it; no when it is missing. */
  readonly isWhole?: boolean;
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
}

/** A day that a question tells by its date. */
export interface AskedDay {
  /** What the date may mean, the likeliest first; at least one. */
  readonly readings: readonly {
    /** What says the date itself counts as of that day, whenever it was said. */
    readonly saidBy: ReadonlySet<number>;
    readonly time: TimeSpan;
  }[];
  /** How many words the question has beside it: each of them counts more than the day. */
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

/** Passages of a session that say how much it is about the question. */
const TOP_PASSAGES = 3;
const RECENT_MS = 14 * 86_400_000;
/** Beside 1 for what a date means in America what it means elsewhere (`3/4/2026`). */
const LESS_LIKELY = 0.8;
/** Beside 1 for what says a day what was made on it, where anything says it. */
const MADE_THEN = 0.8;

/** Orders what was found and what stands next to it, the best first. */
export function rank<Hit extends Rankable>(
  hits: readonly Hit[],
  neighbours: readonly RankableNeighbour<Hit>[],
  context: RankContext,
  weights: RankWeights = RANK_WEIGHTS,
): Ranked<Hit>[] {
  const best = Math.max(...hits.map(({ textScore }) => textScore), Number.MIN_VALUE);
  const scores = new Map<number, { readonly hit: Hit; text: number }>();
  for (const hit of hits) scores.set(hit.id, { hit, text: hit.textScore / best });
  const sessions = sessionScores([...scores.values()]);
  const own = new Map([...scores].map(([id, { text }]) => [id, text]));
  for (const { of, distance, hit } of neighbours) {
    const share = distance > 0 ? weights.next : weights.previous;
    const lent = share * (own.get(of) ?? 0) / Math.abs(distance);
    const known = scores.get(hit.id);
    if (known === undefined) scores.set(hit.id, { hit, text: lent });
    else known.text = Math.max(known.text, (own.get(hit.id) ?? 0) + lent * 0.3, lent);
  }
  return [...scores.values()]
    .map(({ hit, text }) => ({
      hit,
      score: text +
        weights.session * (sessions.get(hit.sessionId) ?? 0) +
        weights.recency * Math.exp(-Math.max(0, context.nowMs - hit.createdAtMs) / RECENT_MS) +
        weights.file * (namesFile(hit, context.paths) ? 1 : 0) +
        timeScore(hit, context, weights) +
        weights.speaker * (isOf(hit.kind, context.speaker) ? 1 : 0) +
        (weights.kinds[hit.kind] ?? 0),
    }))
    .sort((one, other) => other.score - one.score || other.hit.id - one.hit.id);
}

/** How much sessions are about the question: their best passages together, 1 for the best session. */
function sessionScores<Hit extends Rankable>(
  found: readonly { readonly hit: Hit; readonly text: number }[],
): ReadonlyMap<string, number> {
  const bySession = Map.groupBy(found, ({ hit }) => hit.sessionId);
  const sums = [...bySession].map(([session, passages]): [string, number] => [
    session,
    passages.map(({ text }) => text).sort((one, other) => other - one).slice(0, TOP_PASSAGES)
      .reduce((sum, text, at) => sum + text / (at + 1), 0),
  ]);
  const most = Math.max(...sums.map(([, sum]) => sum), Number.MIN_VALUE);
  return new Map(sums.map(([session, sum]) => [session, sum / most]));
}

function namesFile({ files }: Rankable, paths: readonly string[]): boolean {
  return paths.some((path) => files.toLowerCase().includes(path));
}

function isOf(kind: ObservationKind, speaker: RankContext["speaker"]): boolean {
  return speaker === "person"
    ? kind === "prompt" || kind === "note"
    : speaker === "claude" && kind === "message";
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
  return weights.day / (1 + day.words) * Math.max(...nearest);
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
