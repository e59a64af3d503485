import assert from "node:assert/strict";
import {
  fileLines,
  findTranscripts,
  MAX_LINE_BYTES,
} from "../../src/upkeep/transfer/find_transcripts.ts";
import { needsTools, testWhere } from "../support/requirements.ts";
import { tempHome } from "../support/program.ts";

testWhere(
  needsTools("mkfifo"),
  "a pipe and a link with the name of a transcript are left out",
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

function linesOf(content: string | Uint8Array) {
  const path = Deno.makeTempFileSync();
  try {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    Deno.writeFileSync(path, bytes);
    return [...fileLines(path)];
  } finally {
    Deno.removeSync(path);
  }
}

Deno.test("fileLines() gives each line that is not blank, with its number and whether it is complete", () => {
  const lines = linesOf("one\n\n  \ntwo\r\nthree");
  assert.deepEqual(lines.map(({ number, text, isEnded }) => [number, text, isEnded]), [
    [1, "one", true],
    [4, "two\r", true],
    [5, "three", false],
  ]);
  assert.equal(lines.at(-1)?.offset, 18);
  assert.deepEqual(linesOf(""), []);
});

Deno.test("fileLines() joins a line that was read in several parts", () => {
  const long = "ä€😀".repeat(400_000);
  const lines = linesOf(`a\n${long}\nb\n`);
  assert.deepEqual(lines.map(({ text }) => text), ["a", long, "b"]);
});

Deno.test("fileLines() skips the text of a line that is too long", () => {
  const bytes = new Uint8Array(MAX_LINE_BYTES + 4).fill(97);
  bytes[MAX_LINE_BYTES + 1] = 10;
  assert.deepEqual(linesOf(bytes).map(({ number, text }) => [number, text]), [
    [1, null],
    [2, "aa"],
  ]);
});
