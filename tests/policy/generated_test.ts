import assert from "node:assert/strict";
import { generatedMarker } from "../../src/policy/guards/file_rules.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

Deno.test("generatedMarker() finds a marker in a comment near the top", () => {
  for (const [text, marker] of rowsOf<readonly [string, string]>(CASES.generatedTexts)) {
    assert.equal(generatedMarker(text), marker, text);
  }
});

Deno.test("generatedMarker() leaves code alone that speaks of generated files", () => {
  for (const text of CASES.notGenerated) assert.equal(generatedMarker(text), null, text);
});
