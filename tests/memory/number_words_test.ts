import assert from "node:assert/strict";
import { countOf } from "../../src/memory/number_words.ts";
import { pickedIn } from "../../src/memory/prompt_picks.ts";
import { allDoneIn } from "../../src/memory/said/all.ts";
import { readQuestion } from "../../src/memory/question.ts";

/** 15 July 2026. */
const NOW_MS = Date.UTC(2026, 6, 15, 12);

Deno.test("the first five of a list are picked in the languages that one counts in", () => {
  const asked = [
    "do the first five",
    "bitte die ersten fünf",
    "haz las primeras cinco",
    "fais les premières cinq",
    "fai le prime cinque",
  ];
  for (const prompt of asked) {
    assert.deepEqual(pickedIn(prompt), { nth: [1, 2, 3, 4, 5] }, prompt);
  }
});

Deno.test("a message says of up to twelve things that all are done, and what is due is not two", () => {
  assert.equal(allDoneIn("All seven are done."), 7);
  assert.equal(allDoneIn("Both are in."), 2);
  assert.equal(allDoneIn("Beides ist fertig."), 2);
  assert.notEqual(allDoneIn("All due items are done."), 2);
});

Deno.test("a time is told by a word for a number, in each language", () => {
  const told = ["what broke six weeks ago", "was war vor sechs wochen", "il y a six semaines"];
  const begins = told.map((text) => readQuestion(text, NOW_MS).time?.fromMs);
  assert.deepEqual(begins, Array(3).fill(Date.UTC(2026, 4, 30)));
});

Deno.test("digits and words come to the same", () => {
  assert.deepEqual(["2", "two", "both", "beides", "dos"].map(countOf), [2, 2, 2, 2, 2]);
  assert.ok(Number.isNaN(countOf("many")));
});
