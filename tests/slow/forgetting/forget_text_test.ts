import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { normalizeForgotten, textMatcher } from "../../../src/memory/forget_text.ts";

Deno.test("a text is found in letters of either case, with any white space, composed or not", () => {
  const matcher = textMatcher("Grüße an\nZoë");
  for (const text of ["GRÜSSE", "grüße an zoe"]) assert.equal(matcher.isIn(text), false, text);
  for (const text of ["x grüße  an zoë y", "GRüßE AN\r\n\tZOË", "Grüße an Zoë".normalize("NFD")]) {
    assert.equal(matcher.isIn(text), true, text);
    assert.equal(matcher.inBytes.test(Buffer.from(text).toString("latin1")), true, text);
    matcher.inBytes.lastIndex = 0;
  }
});

Deno.test("a text that was cut short is replaced where `…` says so", () => {
  const { replaceIn } = textMatcher("the secret of Zanzibar");
  assert.equal(replaceIn("tell the secret of…"), "tell [forgotten]");
  assert.equal(replaceIn("the secret of Zanz… and"), "[forgotten] and");
  assert.equal(replaceIn("the secret of others"), "the secret of others");
  assert.equal(replaceIn("the sec…"), "the sec…");
});

Deno.test("a letter behind a backslash begins no word: `\\next` does not hold `next`", () => {
  const matcher = textMatcher("next");
  assert.equal(matcher.isInJson(JSON.stringify({ text: "one\next" })), false);
  assert.equal(matcher.replaceInJson('{"a":"\\next"}'), '{"a":"\\next"}');
});

Deno.test("property: a text is found however deep its JSON lies in JSON, and what comes out is JSON without it", () => {
  const text = fc.string({ unit: "grapheme", minLength: 3, maxLength: 12 })
    .filter((one) => one.trim().length >= 3 && one.isWellFormed());
  fc.assert(
    fc.property(text, fc.string(), fc.integer({ min: 1, max: 3 }), (word, around, depth) => {
      const matcher = textMatcher(word);
      let json = JSON.stringify({ key: `${around} ${word} ${around}`, n: [1, null, true] });
      for (let level = 1; level < depth; level++) json = JSON.stringify({ inner: json });
      assert.ok(matcher.isInJson(json), json);
      const bytes = new RegExp(matcher.inBytes.source);
      assert.ok(bytes.test(Buffer.from(json).toString("latin1")), json);
      const after = matcher.replaceInJson(json);
      JSON.parse(after);
      if (!matcher.isIn(`${around} [forgotten] ${around}`)) {
        assert.ok(!matcher.isInJson(after), after);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("normalizeForgotten() gives the spellings of one text the same digest", () => {
  assert.equal(normalizeForgotten(" Project\n Zanzibar"), normalizeForgotten("project zanzibar"));
});

Deno.test("letters with more than two forms are found in each form, and letters that only look like them are not", () => {
  const same = [["ΣΑΣ Ltd", "σας ltd"], ["σας", "ΣΑΣ"], ["σας", "σασ"], ["Straße", "STRAẞE"]];
  for (const [text, other] of [...same, ["İstanbul", "i̇stanbul"], ["i̇stanbul", "İSTANBUL"]]) {
    const matcher = textMatcher(text!);
    assert.ok(matcher.isIn(`x ${other} y`), `${text} ${other}`);
    assert.equal(matcher.replaceIn(`x ${other} y`), "x [forgotten] y");
    for (const said of [other!, escapes(other!)]) {
      assert.ok(
        new RegExp(matcher.inBytes.source).test(Buffer.from(said).toString("latin1")),
        said,
      );
    }
  }
  const others = [["ΣΑΣ", "ςΑΖ"], ["ΣΑΣ", "ϲας"], ["Straße", "Strabe"], ["istanbul", "İstanbul"]];
  for (const [text, other] of others) {
    assert.ok(!textMatcher(text!).isIn(other!), `${text} ${other}`);
  }
});

function escapes(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    const code = text.charCodeAt(at);
    return code < 128 ? text[at] : `\\u${code.toString(16).padStart(4, "0")}`;
  }).join("");
}
