/** Sums tokens by group, and computes their cost for models with a price. */
import { TOKEN_KINDS, type TokenKind } from "../../claude/transcript/token_usage.ts";
import { compileGlob } from "../../config/globs.ts";
import type { ModelTokens } from "../store.ts";
import type { UsageSettings } from "./usage_section.ts";
import { ownValue } from "../../base/mapping.ts";

type Prices = UsageSettings["prices"];

/** The tokens of one day, session, project, model or agent, or of all together. */
export interface UsageRow extends Record<TokenKind, number> {
  readonly name: string | null;
  messages: number;
  /** The cost in USD; null when none of the row's models has a price. */
  cost: number | null;
}

/** Adds up the models of each group. Returns also the total, and the names of models without a price. */
export function usageRows(sums: readonly ModelTokens[], prices: Prices) {
  const rows = new Map<string | null, UsageRow>();
  const total = emptyRow(null);
  const unpriced = new Set<string>();
  const priceOf = priceFinder(prices);
  for (const sum of sums) {
    const row = rows.get(sum.name) ?? emptyRow(sum.name);
    rows.set(sum.name, row);
    const price = priceOf(sum.model);
    if (price === null) unpriced.add(sum.model);
    for (const one of [row, total]) {
      one.messages += sum.messages;
      for (const kind of TOKEN_KINDS) one[kind] += sum[kind];
      if (price !== null) one.cost = (one.cost ?? 0) + costOf(sum, price);
    }
  }
  return { rows: [...rows.values()], total, unpriced: [...unpriced].sort() };
}

function emptyRow(name: string | null): UsageRow {
  return { name, messages: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: null };
}

/** Finds the price of a model: the price of its exact name, or of the first glob that matches. */
function priceFinder(prices: Prices): (model: string) => Prices[string] | null {
  const globs = Object.entries(prices)
    .map(([glob, price]) => [new RegExp(compileGlob(glob), "s"), price] as const);
  return (model) =>
    ownValue(prices, model) ??
      globs.find(([pattern]) => pattern.test(model))?.[1] ?? null;
}

/** Returns the cost in USD. @param price USD for a million tokens of each kind. */
function costOf(tokens: ModelTokens, price: Prices[string]): number {
  return TOKEN_KINDS.reduce((sum, kind) => sum + tokens[kind] * price[kind] / 1_000_000, 0);
}
