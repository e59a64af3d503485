import { command } from "../command.ts";

/** `conclaude token` */
export const token = command({
  load: async () => (await import("../actions/token.ts")).printToken,
  parameters: {
    flags: {
      revoke: {
        kind: "boolean",
        default: false,
        brief: "Make every token so far worthless, and print none",
      },
    },
  },
  brief: "Print a token for a script of your own",
  about:
    "Prints a new token. A script that shows it in CONCLAUDE_TOKEN may run the verbs of a person without a\n" +
    "terminal, also while a session is under way; what Claude Code started may not, with a token or without.\n" +
    "Only a hash of it is kept. From the first session on this needs a terminal.",
  examples: [
    'CONCLAUDE_TOKEN="$(conclaude token)" ./nightly.sh',
    "conclaude token --revoke",
  ],
});
