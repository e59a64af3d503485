import { command, filled, group } from "../command.ts";

/** `conclaude import …` */
export const importGroup = group({
  verbs: {
    transcripts: command<{ readonly dryRun: boolean }, [string]>({
      load: async () => (await import("../actions/import_transcripts.ts")).importTranscripts,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [{
            parse: filled,
            brief: "A folder with transcripts, at any depth, or one of them",
            placeholder: "dir",
          }],
        },
        flags: {
          dryRun: { kind: "boolean", default: false, brief: "Only say what would be imported" },
        },
      },
      brief: "Take over what transcripts of Claude Code tell",
      about:
        "Makes of every transcript (*.jsonl) in a folder and below it the captures that hooks would have made, for\n" +
        "example of a copy from another machine. What is there already is not written twice, and a project's own\n" +
        "configuration counts where its folder is on this machine; it may lead to another database, then the session is\n" +
        "named and left out (--db takes them all). Secrets are masked and private parts dropped before anything is\n" +
        "written. It may be stopped at any time and run again.",
      examples: [
        "conclaude import transcripts ~/old-laptop/.claude/projects --dry-run",
        "conclaude import transcripts ~/old-laptop/.claude/projects",
      ],
    }),
  },
  brief: "Take over what other programs have kept",
  examples: ["conclaude import transcripts ~/old-laptop/.claude/projects"],
});
