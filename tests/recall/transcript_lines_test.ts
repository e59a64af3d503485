import assert from "node:assert/strict";
import { fileLines, MAX_LINE_BYTES } from "../../src/recall/transcripts/find.ts";

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

Deno.test("fileLines() gives every line that is not blank, with its number, and says whether it is ended", () => {
  const lines = linesOf("one\n\n  \ntwo\r\nthree");
  assert.deepEqual(lines.map(({ number, text, isEnded }) => [number, text, isEnded]), [
    [1, "one", true],
    [4, "two\r", true],
    [5, "three", false],
  ]);
  assert.equal(lines.at(-1)?.offset, 18);
  assert.deepEqual(linesOf(""), []);
});

Deno.test("fileLines() puts lines together that lie in several pieces of the file", () => {
  const long = "ä€😀".repeat(400_000);
  const lines = linesOf(`a\n${long}\nb\n`);
  assert.deepEqual(lines.map(({ text }) => text), ["a", long, "b"]);
});

Deno.test("fileLines() gives no text of a line that is too long, and goes on behind it", () => {
  const bytes = new Uint8Array(MAX_LINE_BYTES + 4).fill(97);
  bytes[MAX_LINE_BYTES + 1] = 10;
  assert.deepEqual(linesOf(bytes).map(({ number, text }) => [number, text]), [
    [1, null],
    [2, "aa"],
  ]);
});
