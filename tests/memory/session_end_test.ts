/** How a session ended, in words. */
import assert from "node:assert/strict";
import { endInWords, whyCutOff, withEnd } from "../../src/memory/tell/ended_session.ts";
import { type SessionEnd } from "../../src/db/sessions.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const ENDS = rowsOf<readonly [end: SessionEnd, cutOff: string | null, words: string]>(
  CASES.sessionEnds,
);

Deno.test("a session was cut off by an error, the person or its process, where that was in a turn", () => {
  for (const [end, cutOff, words] of ENDS) {
    assert.deepEqual([whyCutOff(end), endInWords(end)], [cutOff, words], JSON.stringify(end));
  }
});

Deno.test("a summary ends with how its session ended, and a new end replaces the old one", () => {
  const text = "Asked:\n- x\nLast: Done.";
  assert.equal(withEnd(text, "in a turn"), `${text}\nEnded: in a turn`);
  assert.equal(withEnd(withEnd(text, "in a turn"), "by itself"), `${text}\nEnded: by itself`);
  assert.equal(withEnd(withEnd(text, "in a turn"), ""), text);
});
