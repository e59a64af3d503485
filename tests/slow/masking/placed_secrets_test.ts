/** Where the place is that of a secret and of nothing else, a word is one. */
import assert from "node:assert/strict";
import { redactText } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import { PLACED_OPEN_TEXTS, PLACED_TEXTS } from "../../capture/placed_seeds.ts";

const RULES = { patterns: [] };
const WORD = "horsebattery";

for (const placed of PLACED_TEXTS) {
  Deno.test(`a word is masked in ${JSON.stringify(placed)}`, () => {
    const text = placed.replace("%", WORD);
    assert.ok(needsRedaction(JSON.stringify({ a: text }), []), "the cheap look sees it");
    const quoted = redactText(JSON.stringify({ a: text }), RULES).replace(":setting]", ":secret]");
    assert.equal(quoted, JSON.stringify({ a: text.replace(WORD, "[redacted:secret]") }));
    const leads = [() => "", () => "+", (line: number) => `    ${line}\t`, () => "> "];
    for (const lead of leads) {
      const led = text.split("\n").map((line, index) => lead(index + 12) + line).join("\n");
      const masked = redactText(led, RULES).replace(":setting]", ":secret]");
      assert.equal(masked, led.replace(WORD, "[redacted:secret]"));
    }
  });
}

for (const placed of PLACED_OPEN_TEXTS) {
  Deno.test(`a word with a digit is masked in ${JSON.stringify(placed)}`, () => {
    const text = placed.replace("%", "hunter2pass");
    assert.ok(needsRedaction(JSON.stringify({ a: text }), []), "the cheap look sees it");
    const masked = redactText(text, RULES).replace(/:(?:setting|password)\]/, ":secret]");
    assert.equal(masked, text.replace("hunter2pass", "[redacted:secret]"));
  });
}

Deno.test("a word is masked in the last call of a diff, before a line of nothing but its sign", () => {
  const diff = "+x\n+http.basic_auth 'ana', '%'\n+";
  assert.equal(redactText(diff.replace("%", WORD), RULES), diff.replace("%", "[redacted:secret]"));
});
