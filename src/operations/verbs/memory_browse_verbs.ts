/** `conclaude memory browse`: searches on a terminal while a person types. */
import type { DatabaseSync } from "node:sqlite";
import { cutToColumns } from "../../base/columns.ts";
import { count } from "../../base/counts.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { nowhereLine, observationLine, projectName } from "../../memory/search/observation_view.ts";
import type { MemoryFilter } from "../../memory/store.ts";
import type { Found } from "../browse.ts";
import { statusAfter } from "../drafts_on_signal.ts";
import { parsed } from "../flags.ts";
import { openStore } from "../open_store.ts";
import { observationNamed } from "../observation_lookup.ts";
import { isAtTerminal } from "../terminal.ts";
import { requireForwards, usageError } from "../usage.ts";
import { many, verb } from "../verb.ts";
import { shownOf } from "./memory_look_verbs.ts";
import { spokenTime } from "../../memory/search/spoken_time.ts";
import { FILTER_FLAGS, filterOf, findMemory } from "./memory_search_verbs.ts";

/** The most hits: instead of scrolling further, a person types another word. */
const MAX_HITS = 100;
const PROJECT_COLUMNS = 16;

export const browse = verb({
  args: many(parsed(String, "What to look for first, in any words", "query")),
  flags: FILTER_FLAGS,
  async run(context, flags, ...words) {
    if (!isAtTerminal(context)) {
      throw usageError("Cannot browse memory", {
        why: "there is no terminal to show it on",
        next: `conclaude memory search ${words.map(quoteWord).join(" ") || "WORDS"}`,
      });
    }
    requireForwards(flags, "memory browse");
    const { db } = await openStore(context, "read");
    const filter = filterOf(db, context, flags);
    const { browseOnTerminal } = await import("../browse_terminal.ts");
    const signal = await browseOnTerminal({
      find: (text) => foundIn(db, text, filter),
      open: (id) => shownOf(db, observationNamed(db, String(id))).lines,
    }, words.join(" "));
    return { json: undefined, text: "", exitCode: signal === null ? 0 : statusAfter(signal) };
  },
});

function foundIn(db: DatabaseSync, text: string, filter: MemoryFilter): Found {
  const nowMs = Date.now();
  // The screen has no line for a note that the index was rebuilt; the answer only comes later.
  const time = spokenTime(text, nowMs);
  const options = { filter, nowMs, time, limit: MAX_HITS, onRebuild: () => {} };
  const { results, quotedNowhere } = findMemory(db, text, options);
  const namesProject = new Set(results.map(({ project }) => project)).size > 1;
  const hits = results.map((one) => ({
    id: one.id,
    line: observationLine({ ...one, repeats: 1 }, nowMs) +
      (namesProject ? `  [${cutToColumns(projectName(one.project), PROJECT_COLUMNS)}]` : ""),
  }));
  const more = hits.length === MAX_HITS ? "The first " : "";
  const note = hits.length === 0
    ? "Nothing is remembered that matches."
    : quotedNowhere.length > 0
    ? nowhereLine(quotedNowhere)
    : `${more}${count(hits.length, "observation")}${
      text.trim() === "" ? ", the newest first" : ""
    }`;
  return { hits, note };
}
