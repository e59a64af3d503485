/** Which expression of FTS5 asks for a query, so that it takes about as long in a database of any size. */
import type { MemoryQuery, QueryTerm } from "./query.ts";
import { projectTerm } from "./terms.ts";

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
  /** What all words together may be in. */
  readonly together: number;
}

/** What the limits are in a database of so many observations. */
export function matchLimits(observations: number): MatchLimits {
  const perTerm = Math.min(20_000, Math.max(4_000, Math.floor(observations / 50)));
  return { perTerm, together: 2 * perTerm };
}

/**
 * Chooses the words to ask for: the rarest first, as long as they stay within the limits together.
 *
 * @param counts In how many observations each term is, in the order of the query; at most `perTerm`.
 */
export function planMatch(
  { terms, phrases }: MemoryQuery,
  counts: readonly number[],
  { limits, project }: { readonly limits: MatchLimits; readonly project: string | null },
): MatchPlan {
  const within = project === null ? "" : ` AND "${projectTerm(project)}"`;
  const known = terms.map((term, at) => ({ term, count: counts[at] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => one.count - other.count);
  if (known.length === 0) return { kind: "none" };
  const chosen: QueryTerm[] = [];
  let together = 0;
  for (const { term, count } of known) {
    if (count >= limits.perTerm) break;
    together += count;
    if (chosen.length > 0 && together > limits.together) break;
    chosen.push(term);
  }
  const required = phrases.map((phrase) => ` AND ${quoted(phrase)}`).join("");
  if (chosen.length > 0) {
    return { kind: "ranked", match: `(${joined(chosen, " OR ")})${required}${within}` };
  }
  const all = known.map(({ term }) => term);
  return {
    kind: "newest",
    all: `(${joined(all, " AND ")})${required}${within}`,
    any: `(${joined(all, " OR ")})${within}`,
  };
}

/** An expression for words that begin like those of the query; empty when they are too short to tell. */
export function prefixMatch({ terms }: MemoryQuery, project: string | null): string {
  const long = terms.filter(({ match, kind }) => kind !== "exact" && match.length >= 6);
  if (long.length === 0) return "";
  const within = project === null ? "" : ` AND "${projectTerm(project)}"`;
  return `(${long.map(({ match }) => `${match} *`).join(" OR ")})${within}`;
}

function joined(terms: readonly QueryTerm[], operator: string): string {
  return terms.map(({ match }) => match).join(operator);
}

/** A text as one phrase of FTS5, whatever it holds. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
