import assert from "node:assert/strict";
import { redactText } from "../../src/secrets/redact.ts";
import { suspectedSecret, SUSPICIONS } from "../../src/secrets/suspect.ts";
import CASES from "../testdata/secret_cases.json" with { type: "json" };

for (const { name, example, counterexample, pattern, validate } of SUSPICIONS) {
  Deno.test(`what may be a secret is told from what only looks alike: ${name}`, () => {
    const fits = (text: string) =>
      [...text.matchAll(pattern)].some((found) => validate?.(found[1] ?? found[0]) ?? true);
    assert.ok(fits(example), example);
    assert.equal(redactText(example, { patterns: [] }), example, "masking leaves it");
    assert.notEqual(suspectedSecret(JSON.stringify({ text: example })), null);
    assert.equal(suspectedSecret(JSON.stringify({ text: counterexample })), null, counterexample);
  });
}

const HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/** Texts that are shared every day. */
const PLAIN = CASES.sharedTexts;

Deno.test("ids, sums of files and paths are not suspected", () => {
  for (const text of PLAIN) assert.equal(suspectedSecret(text), null, text);
});

Deno.test("a key of 32 bytes is suspected in whatever words", () => {
  for (const before of ["key=", "the key is ", "ENC_KEY ", "seed: ", '{"key": "', ""]) {
    assert.equal(suspectedSecret(before + HEX), HEX.slice(0, 4), before);
  }
});
