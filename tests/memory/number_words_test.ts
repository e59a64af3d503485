import assert from "node:assert/strict";
import { countOf } from "../../src/memory/number_words.ts";
import { readQuestion } from "../../src/memory/question.ts";

/** 15 July 2026. */
const NOW_MS = Date.UTC(2026, 6, 15, 12);

Deno.test("a time is told by a word for a number, in each language", () => {
  const told = ["what broke six weeks ago", "was war vor sechs wochen", "il y a six semaines"];
  const begins = told.map((text) => readQuestion(text, NOW_MS).time?.fromMs);
  assert.deepEqual(begins, Array(3).fill(Date.UTC(2026, 4, 30)));
});

Deno.test("digits and words come to the same", () => {
  assert.deepEqual(["2", "two", "both", "beides", "dos"].map(countOf), [2, 2, 2, 2, 2]);
  assert.ok(Number.isNaN(countOf("many")));
});
