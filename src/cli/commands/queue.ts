import { command, group, LIMIT_FLAG, someText } from "../command.ts";
import { SESSION_FLAG } from "../flags.ts";

const load = () => import("../actions/queue.ts");
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
      about:
        "Lists captured tool uses: high priority first, then normal and low, each the oldest first.",
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
      brief: "Take in the spool, free stuck captures, compress payloads",
      about: [
        "Moves records from the spool into the database, lets captures wait again that have been in work for more",
        "than 10 minutes, and compresses payloads (queue show and export give them back as they were). When more than",
        "a quarter of the database is free then, the free room is given back to the disk.",
        "It may be stopped at any time, and run beside hooks and beside itself.",
      ].join("\n"),
      examples: ["conclaude queue drain", "conclaude queue drain --json"],
    }),
  },
  brief: "Captured tool uses that wait to be worked in",
  examples: [
    "conclaude queue list --status raw",
    "conclaude queue drain",
    "conclaude queue stats --json",
  ],
});
