import assert from "node:assert/strict";
import fc from "fast-check";
import { diffLines } from "../../src/settings/install_settings.ts";

Deno.test("diffLines() shows changed lines with two lines around them and leaves the rest out", () => {
  assert.deepEqual(diffLines("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nD\nd\ne\nf\n"), [
    "…",
    "  b",
    "  c",
    "+ D",
    "  d",
    "  e",
    "…",
  ]);
  assert.deepEqual(diffLines("a\r\nb", "a\r\nc"), ["  a", "- b", "+ c"]);
  assert.deepEqual(diffLines("", "a\n"), ["+ a"]);
  assert.deepEqual(diffLines("same", "same"), []);
});

Deno.test("diffLines() holds every line that was added or removed", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 });
  fc.assert(fc.property(lines, lines, (before, after) => {
    const diff = diffLines(before.join("\n"), after.join("\n"));
    const count = (mark: string) => diff.filter((line) => line.startsWith(mark)).length;
    assert.equal(before.length + count("+ "), after.length + count("- "));
  }));
});
