import assert from "node:assert/strict";
import { findTranscripts } from "../../src/recall/transcripts/find.ts";
import { needsTools, testWhere } from "../support/requirements.ts";
import { tempHome } from "../support/program.ts";

testWhere(
  needsTools("mkfifo"),
  "a pipe and a link that are called as a transcript is are passed over",
  async () => {
    using home = tempHome();
    const folder = `${home.path}/projects/x`;
    Deno.mkdirSync(folder, { recursive: true });
    Deno.writeTextFileSync(`${folder}/a.jsonl`, "{}\n");
    Deno.symlinkSync(`${folder}/a.jsonl`, `${folder}/b.jsonl`);
    await new Deno.Command("mkfifo", { args: [`${folder}/c.jsonl`] }).output();
    const { files, unreadable } = findTranscripts(home.path);
    assert.deepEqual(files.map(({ path }) => path), [`${folder}/a.jsonl`]);
    assert.deepEqual(unreadable, []);
  },
);
