import { SESSION_FLAG, SINCE_FLAG, textFlag } from "../flags.ts";
import { verb } from "../verb.ts";

export const exportVerb = verb({
  load: async () => (await import("../actions/export.ts")).exportDatabase,
  flags: {
    session: SESSION_FLAG,
    since: SINCE_FLAG,
    output: textFlag(
      "Write this file instead of stdout; it is replaced as a whole, for your eyes only (0600)",
      "file",
    ),
  },
  about:
    "Writes all that is kept as JSON Lines for `conclaude import`, except what is made anew (the search index) and what " +
    "belongs to running sessions alone. It takes in the spool first. Exit status 1 when a record of the spool or a row " +
    "on a damaged page is missing.",
  examples: [
    "conclaude export --output conclaude.jsonl",
    `conclaude export --since 3d | jq -r 'select(.type == "capture") | .payload.tool_name'`,
  ],
});
