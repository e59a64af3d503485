import { command, group, LIMIT_FLAG, someText } from "../command.ts";
import { SESSION_FLAG, SINCE_FLAG } from "../flags.ts";

const load = () => import("../actions/audit.ts");

/** `conclaude audit …` */
export const audit = group({
  verbs: {
    list: command({
      load: async () => (await load()).listAudit,
      parameters: {
        flags: {
          session: SESSION_FLAG,
          hook: {
            kind: "parsed",
            parse: someText,
            optional: true,
            brief: "Only of this hook event, for example PostToolUse",
            placeholder: "name",
          },
          tool: {
            kind: "parsed",
            parse: someText,
            optional: true,
            brief: "Only of this tool, for example Bash",
            placeholder: "name",
          },
          status: {
            kind: "enum",
            values: ["success", "blocked", "failure", "timeout", "skipped"],
            optional: true,
            brief: "Only with this status",
          },
          since: SINCE_FLAG,
          limit: LIMIT_FLAG,
        },
      },
      brief: "List handled hook events, newest first",
      about: "Lists the hook events that were handled and what became of them, newest first.",
      examples: [
        "conclaude audit list --since 2h --status failure",
        "conclaude audit list --session 01980c5e --tool Bash --json",
      ],
    }),
    stats: command({
      load: async () => (await load()).showAuditStats,
      parameters: { flags: { since: SINCE_FLAG } },
      brief: "Show how often hooks ran and how long they took",
      about: [
        "Counts handled events by hook, with failures (timeouts are failures), blocks, and the time from the start",
        "of the hook's process to its write: the median, the 95th and 99th percentile (nearest rank), the longest.",
      ].join("\n"),
      examples: ["conclaude audit stats", "conclaude audit stats --since 3d --json"],
    }),
  },
  brief: "The audit trail: every hook event that was handled",
  examples: [
    "conclaude audit list --since 2h --status failure",
    "conclaude audit stats --json",
  ],
});
