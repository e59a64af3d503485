import { command, filled } from "../command.ts";
import { SESSION_FLAG, SINCE_FLAG } from "../flags.ts";

/** `conclaude reconcile` */
export const reconcile = command<
  {
    readonly session?: string;
    readonly project?: string;
    readonly since?: number;
    readonly transcripts?: string;
    readonly backfill: boolean;
  },
  []
>({
  load: async () => (await import("../actions/reconcile.ts")).reconcile,
  parameters: {
    flags: {
      session: SESSION_FLAG,
      project: {
        kind: "parsed",
        parse: filled,
        optional: true,
        brief: "Only sessions that began in this folder, below it, or in the same repository",
        placeholder: "dir",
      },
      since: SINCE_FLAG,
      transcripts: {
        kind: "parsed",
        parse: filled,
        optional: true,
        brief: "Where the transcripts are, instead of ~/.claude/projects",
        placeholder: "dir",
      },
      backfill: { kind: "boolean", default: false, brief: "Fill in what is missing" },
    },
  },
  brief: "Compare what was captured with Claude Code's own transcripts",
  about:
    "Reads Claude Code's transcripts, those of sub-agents too, and names everything in them that hooks would have kept\n" +
    "and that is not there: tool uses, prompts, Claude's last messages, summaries of compactions; also of sessions from\n" +
    "before the hooks were installed. What the configuration of a session's project keeps out is no gap, nor is what a\n" +
    "person or a rule has refused. The last minute is left to the hooks. Lines that cannot be read are named.\n\n" +
    "With --backfill the same captures are written that hooks would have written, secrets masked and private parts\n" +
    "dropped, at their time in the transcript. It may be stopped at any time, and run again or beside itself: nothing\n" +
    "comes twice. Counters and the audit trail stay as they are, since no hook ran.\n\n" +
    "Exit status: 0 when nothing is missing, 1 when something is left.",
  examples: [
    "conclaude reconcile",
    "conclaude reconcile --session 01980c5e",
    "conclaude reconcile --since 7d --backfill",
    "conclaude reconcile --project . --json",
  ],
});
