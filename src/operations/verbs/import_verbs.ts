import { group, lazyFrom } from "../verb.ts";

const file = lazyFrom(() => import("./import_file_verbs.ts"));
const claudeMem = lazyFrom(() => import("./import_claude_mem_verbs.ts"));
const transcripts = lazyFrom(() => import("./reconcile_verbs.ts"));

export const importVerb = group({
  file: file("importFile"),
  claudeMem: claudeMem("importClaudeMem"),
  transcripts: transcripts("importTranscripts"),
}, "file");
