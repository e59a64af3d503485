import assert from "node:assert/strict";
import { sessionTitleOf } from "../../src/claude/payload.ts";
import { titleKey, titleKeysOf } from "../../src/memory/observe/capture_keys.ts";

Deno.test("a forgotten prompt is known by the title that it gave, whichever version gave it", () => {
  const prompt = "\n## Correct the tide table:\n- for Greenwich\n";
  const keys = titleKeysOf(prompt);
  for (const title of [sessionTitleOf(prompt), "Correct the tide table:"]) {
    assert.ok(keys.includes(titleKey(title)), title);
  }
  assert.ok(!keys.includes(titleKey("Correct the tide")));
});
