import assert from "node:assert/strict";
import { summarizeInput } from "../../src/capture/payload.ts";
import { isSameInput } from "../../src/memory/same_input.ts";

const INPUT = {
  file_path: "/work/a.ts",
  content: "x".repeat(500) + "y",
  edits: Array.from({ length: 30 }, (_, n) => ({ old_string: `a${n}`, new_string: "b" })),
};

Deno.test("isSameInput() knows an input again however short its copies are", () => {
  const copies = [100, 400, 900, 5_000].map((maxBytes) =>
    summarizeInput({ tool_input: INPUT }, { maxBytes, maxChars: 200 })["tool_input"]
  ).filter((copy) => copy !== undefined);
  assert.ok(copies.length >= 2);
  for (const copy of copies) {
    assert.ok(isSameInput(copy, INPUT));
    for (const other of copies) assert.ok(isSameInput(copy, other));
  }
  assert.ok(isSameInput({ command: "make" }, { command: "make", description: "Builds" }));
});

Deno.test("isSameInput() takes no other input for the same", () => {
  const pairs: readonly (readonly [unknown, unknown])[] = [
    [{ command: "make" }, { command: "make all" }],
    [{ command: "make" }, { command: "Make" }],
    [{ command: "make" }, { pattern: "make" }],
    [{ command: "make" }, {}],
    [{ command: "ma…" }, { command: "test" }],
    [{ n: [1, 2] }, { n: [1] }],
    [{ n: 1 }, { n: "1" }],
    [null, { command: "make" }],
  ];
  for (const [one, other] of pairs) {
    assert.ok(!isSameInput(one, other), JSON.stringify([one, other]));
    assert.ok(!isSameInput(other, one), JSON.stringify([other, one]));
  }
});
