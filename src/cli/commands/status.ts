import { command } from "../command.ts";

/** `conclaude status` */
export const status = command({
  load: async () => (await import("../actions/status.ts")).showStatus,
  parameters: { flags: {} },
  brief: "Show what is known, on one screen",
  about: [
    "Shows the database, the sessions of this project and of all, the queue, the work of agents that there is,",
    "the hooks of the last 24 hours, what waits in the spool, and the configuration that is in force in this",
    "folder. It changes nothing.",
  ].join("\n"),
  examples: ["conclaude status", "conclaude status --json"],
});
