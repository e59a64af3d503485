import { command, someText } from "../command.ts";

const load = () => import("../actions/memory_forget.ts");

const when = async (text: string) =>
  (await import("../since.ts")).parseSince(text, Date.now(), { isExact: true });

/** `conclaude memory forget` */
export const forget = command({
  person: "memory forget",
  load: async () => (await load()).forgetMemory,
  parameters: {
    positional: {
      kind: "array",
      parameter: {
        parse: someText,
        brief: "Number of an observation, or id of a capture",
        placeholder: "id",
      },
    },
    flags: {
      session: {
        kind: "parsed",
        parse: someText,
        optional: true,
        brief: "What was seen in this session, by its id or the beginning of it",
        placeholder: "id",
      },
      project: {
        kind: "parsed",
        parse: someText,
        optional: true,
        brief: "What was seen in this project",
        placeholder: "folder",
      },
      file: {
        kind: "parsed",
        parse: someText,
        optional: true,
        brief: "What was done to this file, or to those in this folder",
        placeholder: "path",
      },
      text: {
        kind: "parsed",
        parse: someText,
        optional: true,
        brief: "Everything that holds this text, in letters of either case",
        placeholder: "text",
      },
      since: {
        kind: "parsed",
        parse: when,
        optional: true,
        brief: "What was seen since then: an age (30m, 2h, 3d, 1w) or a date (2026-11-20)",
        placeholder: "when",
      },
      until: {
        kind: "parsed",
        parse: when,
        optional: true,
        brief: "What was seen until then",
        placeholder: "when",
      },
      dryRun: {
        kind: "boolean",
        default: false,
        brief: "Say what would be removed, and remove nothing",
      },
      yes: { kind: "boolean", default: false, brief: "Do not ask" },
    },
  },
  brief: "Remove what must not be remembered, for good",
  about: [
    "Removes observations and what they were made of, in the database, its search index, its log and the spool; of",
    "several flags all must fit. With --text alone the text is taken out of every table, log and output of agents, too:",
    "`[forgotten]` stands there then. What room the removed left is overwritten, and every byte is looked through.",
    "It cannot be undone. Backups are not touched; those that hold the text are named. Asks first; without a terminal it",
    "needs --yes. Exit status 1 when something is left. What Claude runs is captured itself: use a terminal of your own.",
    "What was removed stays away from imports and backfills. Another row that holds a forgotten text is not known by its",
    "receipt: `memory verify RECEIPT --text TEXT` finds it.",
  ].join("\n"),
  examples: [
    "conclaude memory forget 4711 --dry-run",
    "conclaude memory forget --text 'Project Zanzibar'",
    "conclaude memory forget --session 01980c5e --since 2h --yes --json",
  ],
});

/** `conclaude memory verify` */
export const verify = command({
  load: async () => (await load()).verifyForgotten,
  parameters: {
    positional: {
      kind: "tuple",
      parameters: [{
        parse: someText,
        brief: "Id of a receipt, or its beginning",
        placeholder: "receipt",
      }],
    },
    flags: {
      text: {
        kind: "parsed",
        parse: someText,
        optional: true,
        brief: "The text that was forgotten: every byte is looked through for it",
        placeholder: "text",
      },
    },
  },
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
