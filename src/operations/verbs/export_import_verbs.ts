import { SESSION_FLAG, SINCE_FLAG, text, textFlag, toggle } from "../flags.ts";
import { group, verb } from "../verb.ts";

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

const DRY_RUN = toggle("Only say what would be taken over");

export const importVerb = group({
  verbs: {
    file: verb({
      person: "import",
      load: async () => (await import("../actions/import_file.ts")).importFile,
      args: [text("An export, or - for stdin", "file")],
      flags: { dryRun: DRY_RUN },
      brief: "Take an export back; the word `file` may be left out",
      about:
        "Puts the rows of an export into the database, with their ids and times. Of a row that is here already, the " +
        "version that was written last counts, so an import can be repeated. Secrets are masked, and what was forgotten " +
        "stays away. Exit status 1 when lines cannot be read or the end of the export is missing.",
      examples: [
        "conclaude import conclaude.jsonl",
        "conclaude import conclaude.jsonl --dry-run",
        "ssh other conclaude export | conclaude import -",
      ],
    }),
    claudeMem: verb({
      person: "import claude-mem",
      load: async () => (await import("../actions/import_claude_mem.ts")).importClaudeMem,
      args: [text("Its database, such as ~/.claude-mem/claude-mem.db", "file")],
      flags: {
        project: textFlag(
          "Only the project in this folder; claude-mem knows it by the folder's name",
          "dir",
        ),
        name: textFlag(
          "With --project: the name that claude-mem has for it, where it is another one",
          "name",
        ),
        dryRun: DRY_RUN,
      },
      brief: "Take over the memory of claude-mem",
      about:
        "Takes over the observations, summaries and prompts of claude-mem or claude-mem-lite; it can run again. They " +
        "belong to the one project here whose folder has the name that claude-mem knows, or to the folder of --project. " +
        "Secrets are masked, <private> parts left out.",
      examples: [
        "conclaude import claude-mem ~/.claude-mem/claude-mem.db --dry-run",
        "conclaude import claude-mem ~/.claude-mem/claude-mem.db",
        "conclaude import claude-mem ~/.claude-mem/claude-mem.db --project ~/src/website",
      ],
    }),
    transcripts: verb({
      person: "import transcripts",
      load: async () => (await import("../transcript_run.ts")).importTranscripts,
      args: [text("A folder with transcripts, at any depth, or one of them", "dir")],
      flags: { dryRun: DRY_RUN },
      brief: "Take over what transcripts of Claude Code tell",
      about:
        "Makes the captures that hooks would have made of every transcript (*.jsonl) in a folder and below, with secrets " +
        "masked. A project's own configuration counts where its folder is on this machine; a session whose project has " +
        "another database is left out. It can be stopped and run again.",
      examples: [
        "conclaude import transcripts ~/old-laptop/.claude/projects --dry-run",
        "conclaude import transcripts ~/old-laptop/.claude/projects",
      ],
    }),
  },
  usual: "file",
  examples: [
    "conclaude import conclaude.jsonl",
    "conclaude import transcripts ~/old-laptop/.claude/projects",
    "conclaude import claude-mem ~/.claude-mem/claude-mem.db --dry-run",
  ],
});
