/** What is shown of a text: its plain output, and the part that holds most of the words. */
import assert from "node:assert/strict";
import { plainOutput } from "../../src/memory/text.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";
import fc from "fast-check";
import { snippetOf } from "../../src/memory/search/search.ts";

Deno.test("plainOutput() keeps of every line what was written over it last", () => {
  const expected = rowsOf<readonly [written: string, kept: string]>(CASES.overwritten);
  for (const [written, kept] of expected) assert.equal(plainOutput(written), kept);
});

Deno.test("plainOutput() reads a long line once", () => {
  const line = "x".repeat(2_000_000);
  assert.equal(plainOutput(`${line}\rdone`), "done");
});

const FILLER = "and then there was more to be said about other things ".repeat(20);

Deno.test("snippetOf() shows the part that holds most of the words", () => {
  const text =
    `A crash was seen. ${FILLER}The renderer crashed on an empty invoice.\n\tNobody knew. ${FILLER}`;
  const part = snippetOf(text, ["invoice", "renderer", "crash"], 120);
  assert.match(part, /^….*The renderer crashed on an empty invoice\. Nobody/);
  assert.ok(part.endsWith("…") && part.length <= 120, part);
});

Deno.test("snippetOf() shows a short text whole, on one line, and the beginning where no word is found", () => {
  assert.equal(snippetOf("one\n  two\tthree ", ["two"], 40), "one two three");
  assert.ok(snippetOf(FILLER, ["absent"], 60).startsWith("and then there was"));
  assert.ok(snippetOf(FILLER, [], 60).startsWith("and then there was"));
});

Deno.test("snippetOf() takes words by their beginnings, not by what stands inside of others", () => {
  const text = `reindexed ${FILLER} the indexes are stale ${FILLER}`;
  assert.match(snippetOf(text, ["indexing", "stale"], 100), /indexes are stale/);
  assert.match(snippetOf(`${FILLER} 数据库的索引坏了 ${FILLER}`, ["索引"], 100), /索引坏了/);
});

Deno.test("snippetOf() keeps to its length, whatever it is given", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 600 }),
      fc.array(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 6 }),
      fc.integer({ min: 20, max: 240 }),
      (text, words, maxChars) => {
        const part = snippetOf(text, words.map((word) => word.toLowerCase()), maxChars);
        assert.ok(part.length <= maxChars);
        assert.ok(!/[\n\t]/.test(part));
      },
    ),
  );
});
