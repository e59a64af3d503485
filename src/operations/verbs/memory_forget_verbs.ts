import { optional, parsed, proposing, text, textFlag, toggle } from "../flags.ts";
import { many, verb } from "../verb.ts";

const load = () => import("../actions/memory_forget.ts");

const when = async (text: string) =>
  (await import("../point_in_time.ts")).parseSince(text, Date.now(), { isExact: true });

export const forget = verb({
  person: "memory forget",
  load: async () => (await load()).forgetMemory,
  args: many(proposing("observation", text("Number of an observation, or id of a capture", "id"))),
  flags: {
    session: proposing(
      "session",
      textFlag("What was seen in this session, by its id or the beginning of it", "id"),
    ),
    project: textFlag("What was seen in this project", "folder"),
    file: textFlag("What was done to this file, or to those in this folder", "path"),
    text: textFlag("Everything that holds this text, in letters of either case"),
    since: optional(
      parsed(
        when,
        "What was seen since then: an age (30m, 2h, 3d, 1w) or a date (2026-11-20)",
        "when",
      ),
    ),
    until: optional(parsed(when, "What was seen until then", "when")),
    dryRun: toggle("Say what would be removed, and remove nothing"),
    yes: toggle("Do not ask"),
  },
  brief: "Remove what must not be remembered, for good",
  about:
    "Removes for good what every flag fits, and what it was made of. --text alone takes the text out of every table, log, " +
    "output of agents and own backup; files that still hold it are named. Imports do not bring it back. Asks first; " +
    "without a terminal it needs --yes. Exit status 1 when something is left.",
  examples: [
    "conclaude memory forget 4711 --dry-run",
    "conclaude memory forget --text 'Project Zanzibar'",
    "conclaude memory forget --session 01980c5e --since 2h --yes --json",
  ],
});

export const verify = verb({
  load: async () => (await load()).verifyForgotten,
  args: [text("Id of a receipt, or its beginning", "receipt")],
  flags: { text: textFlag("The text that was forgotten: every byte is looked through for it") },
  brief: "Check that what was forgotten is still gone",
  about:
    "Looks whether anything that a receipt names is back, and whether the search index is sound. A receipt does not hold " +
    "the forgotten text: with --text it is looked for everywhere, also in later rows. Exit status 1 when something is back.",
  examples: [
    "conclaude memory verify 019a8f2e-3b1c-7",
    "conclaude memory verify 019a8f2e-3b1c-7 --text 'Project Zanzibar' --json",
  ],
});
