import assert from "node:assert/strict";
import { invalidInput } from "../../src/daemon/input.ts";

Deno.test("a refusal names the field that it refuses, or the body", () => {
  for (const [field, name] of [["title", '"title"'], ["", "the body"]] as const) {
    const { what, why } = invalidInput(field, "expected a text");
    assert.equal(what, `Cannot take ${name}`);
    assert.equal(why, "expected a text; nothing was changed");
  }
  assert.equal(invalidInput("x".repeat(61), "").what, `Cannot take "${"x".repeat(60)}"`);
});
