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
  about: [
    "Writes sessions, audit trail, observations, captures with their payloads, counters, requirements, tasks, agents,",
    "workflows, questions and events as JSON Lines, which `conclaude import` takes back: the first line has the type",
    '"meta", the last one "end" with the counts. All of it is from one moment, also while hooks write. Left out is what',
    "is made anew (the search index, cached configurations, sizes of branches), and what belongs to running sessions",
    "alone (what was lifted for a while, what a stop is judged by). What waits in the spool is taken in first; where the",
    "database cannot take it, stderr tells how many records are missing, and the exit status is 1.",
    "A damaged page of the database costs only the rows on it: stderr tells how many, and the exit status is 1.",
  ].join("\n"),
  examples: [
    "conclaude export --output conclaude.jsonl",
    `conclaude export --since 3d | jq -r 'select(.type == "capture") | .payload.tool_name'`,
  ],
});
