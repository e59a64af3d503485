import { readVerb } from "../list_and_show.ts";
import { plain } from "../../base/plain.ts";
import { sessionTitle, tellingId } from "../../db/sessions.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { sumTokens, USAGE_GROUPS } from "../../memory/store.ts";
import { type UsageRow, usageRows } from "../../memory/usage/usage_rows.ts";
import { configHere } from "../context.ts";
import { limitOf, oneOf, SHARED, timeFlag, usually } from "../flags.ts";
import { type Columns, linesOf, tableText } from "../table.ts";

export const usage = readVerb({
  flags: {
    by: usually("day", oneOf(USAGE_GROUPS, "What the tokens are summed by")),
    since: SHARED.since,
    until: timeFlag("Only until then, written as for --since"),
    limit: SHARED.limit,
  },
  async run({ db, context }, { by, since = 0, until = Number.MAX_SAFE_INTEGER, limit }) {
    const { prices } = (await configHere(context)).config.usage;
    const sums = sumTokens(db, by, { sinceMs: since, untilMs: until });
    const { rows, total, unpriced } = usageRows(sums, prices);
    // Days are sorted by date, so that today stands above the total; all else by output tokens, the most first.
    if (by !== "day") rows.sort((a, b) => b.output - a.output);
    const maxRows = limitOf(context, limit);
    const shown = by === "day" ? rows.slice(-maxRows) : rows.slice(0, maxRows);
    const json = { by, rows: shown, total, unpriced, more: rows.length > shown.length };
    if (rows.length === 0) {
      const text = sumTokens(db, by, { sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER }).length > 0
        ? "No tokens were used in that time."
        : "No tokens are counted yet. The drain after a turn counts them from Claude Code's transcripts.\n" +
          "To count those of all known sessions now: conclaude queue drain";
      return { json, text };
    }
    const nameOf = (row: UsageRow) => {
      if (row === total) return "total";
      if (by === "session") return tellingId(db, row.name ?? "");
      return by === "project" && row.name !== null ? folderOfProject(row.name) : row.name;
    };
    const columns: Columns<UsageRow> = {
      [by.toUpperCase()]: nameOf,
      MESSAGES: [(row) => row.messages],
      INPUT: [(row) => amountText(row.input)],
      OUTPUT: [(row) => amountText(row.output)],
      "CACHE READ": [(row) => amountText(row.cacheRead)],
      "CACHE WRITE": [(row) => amountText(row.cacheWrite)],
      COST: [(row) => row.cost === null ? null : `$${row.cost.toFixed(2)}`],
      ...by === "session" && {
        TITLE: (row) => row === total ? "" : sessionTitle(db, row.name ?? ""),
      },
    };
    const left = rows.length - shown.length;
    const lines = linesOf([
      tableText(context, [...shown, total], columns, ""),
      left > 0 && `… and ${left} more, counted in the total: --limit`,
      total.cost !== null && unpriced.map((model) => `no price: ${plain(model)}`),
    ]);
    return { json, text: lines.join("\n") };
  },
});

/** Formats a number with about three digits: `950`, `12.3k`, `1.2M`, `3.4B`. */
function amountText(n: number): string {
  const steps = [[1e9, "B"], [1e6, "M"], [1e3, "k"]] as const;
  // A number that would round to 1000.0k becomes 1.0M.
  const [size, unit] = steps.find(([size]) => n >= size * 0.99995) ?? [1, ""];
  return unit === "" ? String(n) : `${(n / size).toFixed(1)}${unit}`;
}
