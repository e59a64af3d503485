import { parseAge } from "../age.ts";
import { command, group, LIMIT_FLAG, someText } from "../command.ts";
import { SESSION_FLAG } from "../flags.ts";

const load = () => import("../actions/queue.ts");
const loadPrune = () => import("../actions/queue_prune.ts");
const loadDrain = () => import("../actions/queue_drain.ts");

const ID = {
  parse: someText,
  brief: "Id of a capture, or its beginning",
  placeholder: "id",
} as const;

/** `conclaude queue …` */
export const queue = group({
  verbs: {
    list: command({
      load: async () => (await load()).listItems,
      parameters: {
        flags: {
          status: {
            kind: "enum",
            values: ["raw", "processing", "done", "error"],
            optional: true,
            brief: "Only with this status",
          },
          session: SESSION_FLAG,
          priority: {
            kind: "enum",
            values: ["high", "normal", "low"],
            optional: true,
            brief: "Only with this priority",
          },
          limit: LIMIT_FLAG,
        },
      },
      brief: "List captures in the order in which they are worked in",
      about: [
        "Lists captured tool uses: high priority first, then normal and low, each the oldest first. Below them it says",
        "how many records wait in the spool because the database could not take them.",
      ].join("\n"),
      examples: [
        "conclaude queue list --status raw --priority high",
        "conclaude queue list --session 01980c5e --json",
      ],
    }),
    show: command({
      load: async () => (await load()).showItem,
      parameters: { positional: { kind: "tuple", parameters: [ID] } },
      brief: "Show one capture with its payload",
      about:
        "Shows what was captured of one tool use: its input, its response, the files that it names.",
      examples: [
        "conclaude queue show 019a8f2e-3b1c-7",
        "conclaude queue show 019a8f2e-3b1c-7 --json",
      ],
    }),
    stats: command({
      load: async () => (await load()).showQueueStats,
      parameters: { flags: {} },
      brief: "Count captures and the room that they take",
      about: [
        "Counts captures by status and priority, with the size of their JSON and what it takes as stored, the oldest",
        "one that waits, and the records that wait in the spool because the database could not take them.",
      ].join("\n"),
      examples: ["conclaude queue stats", "conclaude queue stats --json"],
    }),
    retry: command({
      load: async () => (await load()).retryItems,
      parameters: {
        positional: { kind: "array", parameter: ID },
        flags: {
          all: { kind: "boolean", default: false, brief: "All that have the status error" },
        },
      },
      brief: "Let captures wait again that were given up",
      about: [
        "Sets captures with the status error back to raw, without error and with no attempts counted, so that they",
        "are tried as often as new ones. Captures with another status are left alone.",
      ].join("\n"),
      examples: ["conclaude queue retry --all", "conclaude queue retry 019a8f2e-3b1c-7"],
    }),
    drain: command({
      load: async () => (await loadDrain()).drainQueue,
      parameters: { flags: {} },
      brief: "Take in the spool, work captures into memory, compress payloads",
      about: [
        "Moves records from the spool into the database, works captures into memory, and compresses payloads (queue",
        "show and export give them back as they were). When more than a quarter of the database is free then, the free",
        "room is given back to the disk. Where memory.summarizer names a command, it rewrites the summaries of sessions",
        "that are over. It may be stopped at any time, and run beside hooks and beside itself.",
      ].join("\n"),
      examples: ["conclaude queue drain", "conclaude queue drain --json"],
    }),
    prune: command({
      load: async () => (await loadPrune()).pruneQueue,
      parameters: {
        flags: {
          olderThan: {
            kind: "parsed",
            parse: parseAge,
            default: "30d",
            brief: "Captured longer ago than this: 30d, 2w, 3m (months of 30 days)",
            placeholder: "age",
          },
          keepRaw: {
            kind: "parsed",
            parse: Number,
            default: "100",
            brief: "How many of these to leave alone, the newest",
            placeholder: "n",
          },
          unreadable: {
            kind: "boolean",
            default: false,
            brief: "Instead, those that are damaged and that nobody can read any more, of any age",
          },
          dryRun: { kind: "boolean", default: false, brief: "Only say what would be pruned" },
        },
      },
      brief: "Take the payloads of old captures away that are worked into memory",
      about: [
        "Takes away what was captured whole, of captures that are worked in: their payload is then",
        '{"pruned":true,"bytes":N}. What memory made of them stays, and so do the captures themselves, what waits, and',
        "what was given up.",
      ].join("\n"),
      examples: [
        "conclaude queue prune --older-than 2w --keep-raw 1000 --dry-run",
        "conclaude queue prune --older-than 3m --keep-raw 0",
        "conclaude queue prune --unreadable",
      ],
    }),
  },
  brief: "Captured tool uses that wait to be worked in",
  examples: [
    "conclaude queue list --status raw",
    "conclaude queue drain",
    "conclaude queue stats --json",
  ],
});
