import assert from "node:assert/strict";
import { plainOutput } from "../../src/memory/text.ts";

Deno.test("plainOutput() keeps of every line what was written over it last", () => {
  const expected: readonly (readonly [written: string, kept: string])[] = [
    ["10 %\r20 %\rdone\nnext", "done\nnext"],
    ["windows\r\nlines\r\n", "windows\r\nlines\r\n"],
    ["10 %\rdone\r\nnext", "done\r\nnext"],
    ["waiting\r", ""],
    ["\r\r\n\r", "\r\n"],
    ["\x1b[32m10 %\r\x1b[0mdone", "done"],
    ["nothing of it", "nothing of it"],
  ];
  for (const [written, kept] of expected) assert.equal(plainOutput(written), kept);
});

Deno.test("plainOutput() reads a long line once", () => {
  const line = "x".repeat(2_000_000);
  assert.equal(plainOutput(`${line}\rdone`), "done");
});
