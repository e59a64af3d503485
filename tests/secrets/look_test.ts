/** The cheap look lets ordinary payloads pass, so that few hooks load what masks. */
import assert from "node:assert/strict";
import { needsRedaction } from "../../src/secrets/look.ts";
import CASES from "../testdata/secret_cases.json" with { type: "json" };
import { rowsOf } from "../support/rows.ts";

const PLACES = {
  session_id: "0a1f9c0a-0a1f-4a1f-8a1f-0a1f9c0a1f9c",
  transcript_path:
    "/home/ana/.claude/projects/-home-ana-tide/0a1f9c0a-0a1f-4a1f-8a1f-0a1f9c0a1f9c.jsonl",
  cwd: "/home/ana/tide",
  permission_mode: "default",
  hook_event_name: "PostToolUse",
  tool_use_id: "toolu_01A09q90qw90lq917835lq9",
};

const ORDINARY = rowsOf<Record<string, unknown>>(CASES.ordinary);

Deno.test("the cheap look lets ordinary tool uses pass", () => {
  for (const use of ORDINARY) {
    assert.equal(
      needsRedaction(JSON.stringify({ ...PLACES, ...use }), []),
      false,
      JSON.stringify(use),
    );
  }
});

Deno.test("the cheap look searches for the literal beginning of a user's pattern", () => {
  assert.equal(needsRedaction('"see CUST-1"', [/CUST-\d+/g]), true);
  assert.equal(needsRedaction('"see nothing"', [/CUST-\d+/g]), false);
  assert.equal(needsRedaction('"see nothing"', [/(?:CUST|ACME)-\d+/g]), true);
});
