/** The section of the configuration about what tokens cost. */
import * as z from "zod/mini";
import type { SectionValues } from "../../config/config_schema.ts";
import { globText, named, needed, section } from "../../config/schema_kit.ts";

function price(of: string) {
  return needed("number", z.number().check(z.minimum(0)), `USD for a million ${of}.`);
}

export const USAGE = section("The prices from which `conclaude usage` computes costs.", {
  prices: named(
    "price",
    globText(),
    {
      input: price("tokens of input"),
      output: price("tokens of output"),
      cacheRead: price("tokens that are read from the cache"),
      cacheWrite: price("tokens that are written to the cache"),
    },
    "What a model costs, by its name or a glob (`claude-sonnet-4-5*`); an exact name outranks globs. Tokens without a price have no cost.",
  ),
});

export type UsageSettings = SectionValues<{ usage: typeof USAGE }>["usage"];
