import { plain } from "../../base/plain.ts";
import { TOKEN_KINDS, type TokenKind } from "../../claude/transcript/token_usage.ts";
import { compileGlob } from "../../config/globs.ts";
import { tellingId } from "../../db/sessions.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { type ModelTokens, sumTokens, USAGE_GROUPS, type UsageGroup } from "../../memory/store.ts";
import type { UsageSettings } from "../../memory/usage/usage_section.ts";
import { configHere } from "../context.ts";
import { LIMIT_FLAG, limitOf, oneOf, SINCE_FLAG, timeFlag, usually } from "../flags.ts";
import { openStore } from "../open_store.ts";
import { type Columns, tableText } from "../table.ts";
import { verb } from "../verb.ts";

type Prices = UsageSettings["prices"];

/** The tokens of a day, session, project, model or agent, or of all. */
interface UsageRow extends Record<TokenKind, number> {
  readonly name: string | null;
  messages: number;
  /** In USD; null where none of its models has a price. */
  cost: number | null;
}

export const usage = verb({
  flags: {
    by: usually("day", oneOf(USAGE_GROUPS, "What the tokens are summed by")),
    since: SINCE_FLAG,
    until: timeFlag("Only until then, written as for --since"),
    limit: LIMIT_FLAG,
  },
  about:
    "Sums the tokens that Claude took, as its transcripts tell: those of sub-agents count for their session, and each " +
    "message once. Drains count them, so they outlive the transcripts. Cost is told for models that `usage.prices` names.",
  examples: ["conclaude usage", "conclaude usage --by model --since 30d", "conclaude usage --json"],
  async run(context, { by, since = 0, until = Number.MAX_SAFE_INTEGER, limit }) {
    const { db } = await openStore(context, "read");
    const { prices } = (await configHere(context)).config.usage;
    const sums = sumTokens(db, by, { sinceMs: since, untilMs: until });
    const { rows, total, unpriced } = usageRows(sums, prices);
    // Days in their order, so that today stands above the total; all else by what was written most.
    if (by !== "day") rows.sort((a, b) => b.output - a.output);
    const most = limitOf(context, limit);
    const shown = by === "day" ? rows.slice(-most) : rows.slice(0, most);
    const json = { by, rows: shown, total, unpriced, more: rows.length > shown.length };
    if (rows.length === 0) {
      const text = sumTokens(db, by, { sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER }).length > 0
        ? "No tokens were used in that time."
        : "No tokens are counted yet. The drain after a turn counts them from Claude Code's transcripts.\n" +
          "To count those of all known sessions now: conclaude queue drain";
      return { json, text };
    }
    const nameOf = (row: UsageRow) => row === total ? "total" : nameIn(by, row.name);
    const columns: Columns<UsageRow> = {
      [by.toUpperCase()]: by === "session"
        ? (row) => row === total ? "total" : tellingId(db, row.name ?? "")
        : nameOf,
      MESSAGES: [(row) => row.messages],
      INPUT: [(row) => amountText(row.input)],
      OUTPUT: [(row) => amountText(row.output)],
      "CACHE READ": [(row) => amountText(row.cacheRead)],
      "CACHE WRITE": [(row) => amountText(row.cacheWrite)],
      COST: [(row) => row.cost === null ? null : `$${row.cost.toFixed(2)}`],
    };
    const left = rows.length - shown.length;
    const lines = [
      tableText(context, [...shown, total], columns, ""),
      ...left > 0 ? [`… and ${left} more, counted in the total: --limit`] : [],
      ...total.cost === null ? [] : unpriced.map((model) => `no price: ${plain(model)}`),
    ];
    return { json, text: lines.join("\n") };
  },
});

function nameIn(by: UsageGroup, name: string | null): string | null {
  return by === "project" && name !== null ? folderOfProject(name) : name;
}

/** Adds up the models of each group. */
function usageRows(sums: readonly ModelTokens[], prices: Prices) {
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

/** Finds the price of a model: that of its exact name, else of the first glob that matches it. */
function priceFinder(prices: Prices): (model: string) => Prices[string] | null {
  const globs = Object.entries(prices)
    .map(([glob, price]) => [new RegExp(compileGlob(glob), "s"), price] as const);
  return (model) =>
    (Object.hasOwn(prices, model) ? prices[model] : null) ??
      globs.find(([pattern]) => pattern.test(model))?.[1] ?? null;
}

/** @param price USD for a million tokens of each kind. */
function costOf(tokens: ModelTokens, price: Prices[string]): number {
  return TOKEN_KINDS.reduce((sum, kind) => sum + tokens[kind] * price[kind] / 1_000_000, 0);
}

/** A number with three digits or so: `950`, `12.3k`, `1.2M`, `3.4B`. */
function amountText(n: number): string {
  const steps = [[1e9, "B"], [1e6, "M"], [1e3, "k"]] as const;
  // What would be rounded to 1000.0k is 1.0M.
  const [size, unit] = steps.find(([size]) => n >= size * 0.99995) ?? [1, ""];
  return unit === "" ? String(n) : `${(n / size).toFixed(1)}${unit}`;
}
