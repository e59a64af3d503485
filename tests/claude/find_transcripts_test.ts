import assert from "node:assert/strict";
import {
  findTranscripts,
  MAX_LINE_BYTES,
  transcriptLines,
} from "../../src/claude/transcript/find_transcripts.ts";
import { it } from "../support/fixtures.ts";
import { tempHome } from "../support/program.ts";

it.unix("a pipe and a link with the name of a transcript are left out", async () => {
  using home = tempHome();
  const folder = `${home.path}/projects/x`;
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(`${folder}/a.jsonl`, "{}\n");
  Deno.symlinkSync(`${folder}/a.jsonl`, `${folder}/b.jsonl`);
  await new Deno.Command("mkfifo", { args: [`${folder}/c.jsonl`] }).output();
  const { files, unreadable } = findTranscripts(home.path);
  assert.deepEqual(files.map(({ path }) => path), [`${folder}/a.jsonl`]);
  assert.deepEqual(unreadable, []);
});

function linesOf(content: string | Uint8Array) {
  const path = Deno.makeTempFileSync();
  try {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    Deno.writeFileSync(path, bytes);
    return [...transcriptLines(path)];
  } finally {
    Deno.removeSync(path);
  }
}

Deno.test("transcriptLines() gives each line that is not blank, with its number and whether it is complete", () => {
  const lines = linesOf('{"type":"user"}\n\n  \n{}\r\nthree');
  assert.deepEqual(lines, [
    { number: 1, value: { type: "user" }, fault: null, endsAt: 16, isEnded: true },
    { number: 4, value: {}, fault: null, endsAt: 24, isEnded: true },
    { number: 5, value: null, fault: "it is not JSON", endsAt: 29, isEnded: false },
  ]);
  assert.deepEqual(linesOf(""), []);
});

Deno.test("transcriptLines() joins a line that was read in several parts, and skips one that is too long", () => {
  const long = JSON.stringify({ type: "user", text: "ä€😀".repeat(400_000) });
  assert.deepEqual(linesOf(`{}\n${long}\n{}\n`).map(({ value }) => value), [
    {},
    JSON.parse(long),
    {},
  ]);
  const bytes = new Uint8Array(MAX_LINE_BYTES + 4).fill(97);
  bytes[MAX_LINE_BYTES + 1] = 10;
  assert.deepEqual(linesOf(bytes).map(({ number, fault }) => [number, fault]), [
    [1, "it is longer than 64 MiB"],
    [2, "it is not JSON"],
  ]);
});
