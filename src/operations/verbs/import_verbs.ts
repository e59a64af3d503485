import { group, lazyFrom } from "../verb.ts";

const file = lazyFrom(() => import("./import_file_verbs.ts"));
const claudeMem = lazyFrom(() => import("./import_claude_mem_verbs.ts"));
const transcripts = lazyFrom(() => import("./reconcile_verbs.ts"));

export const importVerb = group({
  verbs: {
    file: file("Take an export back; the word `file` may be left out", "importFile"),
    claudeMem: claudeMem("Take over the memory of claude-mem", "importClaudeMem"),
    transcripts: transcripts("Take over what transcripts of Claude Code tell", "importTranscripts"),
  },
  usual: "file",
  examples: [
    "conclaude import conclaude.jsonl",
    "conclaude import transcripts ~/old-laptop/.claude/projects",
    "conclaude import claude-mem ~/.claude-mem/claude-mem.db --dry-run",
  ],
});
