import { command, group } from "../command.ts";

/** `conclaude retention …` */
export const retention = group({
  verbs: {
    run: command({
      load: async () => (await import("../actions/retention.ts")).runRetentionNow,
      parameters: {
        flags: {
          dryRun: {
            kind: "boolean",
            default: false,
            brief: "Say what would be removed, and remove nothing",
          },
        },
      },
      brief: "Remove what is older than the retention time",
      about: [
        "Removes sessions that ended longer ago than store.sessionRetentionDays (30; 0 keeps everything), with their",
        "audit trail, captures and counters, and older rows that belong to no session. Active sessions stay.",
        "Closed tasks are deleted after store.taskRetentionDays, and removed for good, with their agents and output,",
        "store.taskSoftDeleteDays later; workflows go store.workflowRetentionDays after their end, events after",
        "store.eventRetentionHours. What runs, or waits for a person, stays. The daemon does the same every hour.",
        "It may be stopped at any time; SessionEnd does a little of the same.",
      ].join("\n"),
      examples: ["conclaude retention run --dry-run", "conclaude retention run --json"],
    }),
  },
  brief: "How long state is kept",
  examples: [
    "conclaude retention run --dry-run",
  ],
});
