import { command, group, LIMIT_FLAG, someText } from "../command.ts";

const load = () => import("../actions/session.ts");

/** `conclaude session …` */
export const session = group({
  verbs: {
    list: command({
      load: async () => (await load()).listSessions,
      parameters: {
        flags: {
          status: {
            kind: "enum",
            values: ["active", "ended", "abandoned"],
            optional: true,
            brief: "Only sessions with this status",
          },
          here: { kind: "boolean", default: false, brief: "Only of the project in this folder" },
          limit: LIMIT_FLAG,
        },
      },
      brief: "List sessions, newest first",
      about: "Lists the sessions that hooks have seen, newest first.",
      examples: [
        "conclaude session list",
        "conclaude session list --here --status abandoned --json",
      ],
    }),
    show: command({
      load: async () => (await load()).showSession,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [{
            parse: someText,
            brief: "Its id, or the beginning of it",
            placeholder: "id",
          }],
        },
      },
      brief: "Show one session",
      about:
        "Shows one session: where it ran, how it ended, what its counters say. Four characters of the id do, when no\n" +
        "other id begins with them; case and dashes do not matter.",
      examples: ["conclaude session show 01980c5e", "conclaude session show 0198 --json"],
    }),
  },
  brief: "Sessions of Claude Code",
  examples: [
    "conclaude session list --here",
    "conclaude session show 01980c5e --json",
  ],
});
