import { optional, parsed, text, textFlag, toggle } from "../flags.ts";
import { many, verb } from "../verb.ts";

const load = () => import("../actions/memory_forget.ts");

const when = async (text: string) =>
  (await import("../point_in_time.ts")).parseSince(text, Date.now(), { isExact: true });

export const forget = verb({
  person: "memory forget",
  load: async () => (await load()).forgetMemory,
  args: many(text("Number of an observation, or id of a capture", "id")),
  flags: {
    session: textFlag("What was seen in this session, by its id or the beginning of it", "id"),
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
  about: [
    "Removes observations and what they were made of, in the database, its search index, its log and the spool; of",
    "several flags all must fit. With --text alone the text is taken out of every table, log and output of agents, too:",
    "`[forgotten]` stands there then. What room the removed left is overwritten, and every byte is looked through.",
    "It cannot be undone. The same is forgotten in the backups of this program; other files that hold the text are named.",
    "Asks first; without a terminal it needs --yes. Exit status 1 when something is left. What Claude runs is captured",
    "itself: use a terminal of your own. What was removed stays away from imports and backfills. Another row that holds a",
    "forgotten text is not known by its receipt: `memory verify RECEIPT --text TEXT` finds it.",
  ].join("\n"),
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
  about: [
    "Looks whether anything that a receipt names is back (from an import, for example), and whether the search index is",
    "sound. A receipt does not hold the text that was forgotten; given once more, it is looked for everywhere, also in rows",
    "that came later.",
    "Exit status 1 when something is back, with the command that removes it.",
  ].join("\n"),
  examples: [
    "conclaude memory verify 019a8f2e-3b1c-7",
    "conclaude memory verify 019a8f2e-3b1c-7 --text 'Project Zanzibar' --json",
  ],
});
