import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "../support/any_text.ts";
import { redactValue } from "../../src/secrets/redact_value.ts";
import { shortenJson, withoutOverlaps } from "../../src/claude/shorten.ts";

const shorten = (json: string, maxBytes: number) =>
  shortenJson(new TextEncoder().encode(json), maxBytes);

Deno.test("shortenJson() leaves an object as it is that fits", () => {
  fc.assert(fc.property(fc.dictionary(anyText(), fc.jsonValue()), (value) => {
    const { text, cutBytes } = shorten(JSON.stringify(value), 1_000_000);
    assert.deepEqual([JSON.parse(text), cutBytes], [JSON.parse(JSON.stringify(value)), 0]);
  }));
});

Deno.test("shortenJson() makes any object small, and it stays JSON", () => {
  const long = anyText(3_000, 500);
  const values = fc.dictionary(fc.string(), fc.oneof(long, fc.array(long), fc.jsonValue()));
  fc.assert(fc.property(values, fc.boolean(), (value, isAscii) => {
    const json = JSON.stringify({ ...value, more: "x".repeat(5_000) });
    const written = isAscii
      ? json.replace(
        /[\u0080-\uffff]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
      : json;
    const { text, cutBytes } = shorten(written, 2_000);
    assert.ok(text.length < 5_000, String(text.length));
    assert.ok(Number.isInteger(cutBytes) && cutBytes > 0);
    assert.equal(typeof JSON.parse(text), "object");
  }));
});

Deno.test("shortenJson() keeps what is short beside what is long, and says what is missing", () => {
  const { text, cutBytes } = shorten(
    JSON.stringify({
      session_id: "s",
      tool_input: { file_path: "/a", old_string: "b" },
      tool_response: {
        originalFile: "line\n".repeat(100_000),
        structuredPatch: [{ lines: ["+b"] }],
      },
      tool_use_id: "t",
    }),
    50_000,
  );
  const { tool_response: response, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, {
    session_id: "s",
    tool_input: { file_path: "/a", old_string: "b" },
    tool_use_id: "t",
  });
  assert.deepEqual(response.structuredPatch, [{ lines: ["+b"] }]);
  assert.match(response.originalFile, /^(?:line\n)+(?:l|li|lin|line)?\n\[… \d+ bytes cut …\]$/);
  assert.ok(cutBytes > 540_000, String(cutBytes));
});

Deno.test("shortenJson() takes a text that ends too early as closed there, and no text for an object", () => {
  const cut = JSON.stringify({ a: 1, b: "x".repeat(100_000) }).slice(0, -2);
  assert.deepEqual(Object.keys(JSON.parse(shorten(cut, 20_000).text)), ["a", "b"]);
  for (const rubbish of ["", "[1]", "x".repeat(50_000), "\u0000", '"a"']) {
    assert.ok(shorten(rubbish, 100).text.length <= 16_384);
  }
});

Deno.test("shortenJson() drops what is nested too deeply, and the later ones of many entries", () => {
  const deep = `{"deep":${'{"a":['.repeat(50_000)}${"]}".repeat(50_000)},"id":"t"}`;
  const { id, deep: kept } = JSON.parse(shorten(deep, 20_000).text);
  assert.equal(id, "t");
  assert.ok(JSON.stringify(kept).length < 1_000);
  const rows = Array.from({ length: 50_000 }, (_, i) => ({ i, name: `row ${i}` }));
  const list: unknown[] = JSON.parse(shorten(JSON.stringify({ rows }), 20_000).text).rows;
  assert.deepEqual(list.slice(0, -1), rows.slice(0, list.length - 1));
  assert.match(String(list.at(-1)), /bytes cut/);
});

Deno.test("no half of a secret is kept where a text is cut", () => {
  const token = `ghp_${"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"}`;
  for (let before = 11_900; before <= 12_000; before++) {
    const json = JSON.stringify({
      text: `${"x ".repeat(before / 2)}${token} ${"y ".repeat(9_000)}`,
    });
    const shortened = JSON.parse(shorten(json, 12_000).text);
    const { text } = withoutOverlaps(redactValue(shortened, { patterns: [] }) as { text: string });
    assert.doesNotMatch(text, /ghp/);
    assert.match(text, /\n\[… \d+ bytes cut …\]$/);
  }
});

Deno.test("withoutOverlaps() leaves what was not shortened as it is", () => {
  const value = { a: "text", b: ["[… 12 bytes cut …]", { c: 1, d: null }] };
  assert.deepEqual(withoutOverlaps(structuredClone(value)), value);
});

Deno.test("shortenJson() takes time in proportion to the text, whatever is in it", () => {
  const texts = {
    deep: `{"a":${'{"a":'.repeat(1_000_000)}1${"}".repeat(1_000_000)}}`,
    rows: `{"a":[${'{"id":1,"n":null},'.repeat(300_000)}1]}`,
    quotes: `{"a":"${'\\"'.repeat(3_000_000)}"}`,
    backslashes: `{"a":"${"\\\\".repeat(3_000_000)}"}`,
  };
  for (const [name, text] of Object.entries(texts)) {
    const from = performance.now();
    assert.equal(typeof JSON.parse(shorten(text, 100_000).text), "object");
    assert.ok(performance.now() - from < 10_000, name);
  }
});
