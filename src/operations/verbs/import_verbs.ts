import { text, textFlag, toggle } from "../flags.ts";
import { group, verb } from "../verb.ts";

const DRY_RUN = toggle("Only say what would be taken over");

export const importVerb = group({
  verbs: {
    file: verb({
      person: "import",
      load: async () => (await import("../actions/import_file.ts")).importFile,
      args: [text("An export, or - for stdin", "file")],
      flags: { dryRun: DRY_RUN },
      brief: "Take an export back; the word `file` may be left out",
      about: [
        "Puts the rows of an export (`conclaude export`) into the database, with their ids and times. Of a row that is",
        "here already the version that was written last counts, and its history comes only together with it; so an import",
        "can be repeated, and exports of several machines can come together. An observation or an event whose number is",
        "taken gets another one, and what refers to it follows. Secrets are masked, and what was forgotten stays away.",
        "Lines that cannot be read are named, and the others are taken over; then, and when the end of the export is",
        "missing, the exit status is 1.",
      ].join("\n"),
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
      about: [
        "Takes the observations, summaries and prompts of claude-mem's database over as observations. The file is only",
        "read, and can be in use. It can be run again: what was taken over is known.",
        "claude-mem knows of a project only the name of its folder. Where exactly one project with sessions here has",
        "that name, what is taken over belongs to it; everything else keeps the name, and is found by a search in all",
        "projects. `--project DIR` says where a project lies, also afterwards: what kept the name belongs to it then.",
        "A database of claude-mem-lite is taken over as well: its observations, the summaries of sessions, and learnings.",
        "Secrets are masked, and what is between <private> and </private> is left out.",
      ].join("\n"),
      examples: [
        "conclaude import claude-mem ~/.claude-mem/claude-mem.db --dry-run",
        "conclaude import claude-mem ~/.claude-mem/claude-mem.db",
        "conclaude import claude-mem ~/.claude-mem/claude-mem.db --project ~/src/website",
      ],
    }),
    transcripts: verb({
      person: "import transcripts",
      load: async () => (await import("../actions/import_transcripts.ts")).importTranscripts,
      args: [text("A folder with transcripts, at any depth, or one of them", "dir")],
      flags: { dryRun: DRY_RUN },
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
  usual: "file",
  examples: [
    "conclaude import conclaude.jsonl",
    "conclaude import transcripts ~/old-laptop/.claude/projects",
    "conclaude import claude-mem ~/.claude-mem/claude-mem.db --dry-run",
  ],
});
