import assert from "node:assert/strict";
import { plainOutput } from "../../src/memory/text.ts";
import CASES from "../testdata/memory_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

Deno.test("plainOutput() keeps of every line what was written over it last", () => {
  const expected = rowsOf<readonly [written: string, kept: string]>(CASES.overwritten);
  for (const [written, kept] of expected) assert.equal(plainOutput(written), kept);
});

Deno.test("plainOutput() reads a long line once", () => {
  const line = "x".repeat(2_000_000);
  assert.equal(plainOutput(`${line}\rdone`), "done");
});
