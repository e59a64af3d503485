import "../../src/operations/config_sections.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { suggestKeys } from "../../src/config/layer.ts";
import { editDistance } from "../../src/base/likeness.ts";
import CASES from "../testdata/config_cases.json" with { type: "json" };

const KNOWN = CASES.knownKeys;

Deno.test("suggestKeys() finds a slip of the keyboard in the same section", () => {
  assert.deepEqual(suggestKeys("stop.infinte", KNOWN), ["stop.infinite"]);
  assert.deepEqual(suggestKeys("capture.EXLUDE", KNOWN), ["capture.exclude"]);
  assert.deepEqual(suggestKeys("captrue", KNOWN), ["capture"]);
});

Deno.test("suggestKeys() finds the same name in other sections", () => {
  assert.deepEqual(suggestKeys("exclude", KNOWN), ["capture.exclude"]);
  assert.deepEqual(suggestKeys("stop.Folder", [...KNOWN, "a.folder", "b.folder"]), [
    "a.folder",
    "b.folder",
  ]);
});

Deno.test("suggestKeys() is silent about a word that nothing resembles", () => {
  assert.deepEqual(suggestKeys("zebra", KNOWN), []);
  assert.deepEqual(suggestKeys("a.xyz", ["a.abc"]), []);
  assert.deepEqual(suggestKeys("stop.infinitely1", KNOWN), []);
  assert.deepEqual(suggestKeys("path", [...KNOWN, "gates"]), []);
});

Deno.test("suggestKeys() names only the nearest, and at most three", () => {
  const known = ["abxyef", "abcdex", "bcdef", "abcdey", "abcdez", "abcdew"];
  assert.deepEqual(suggestKeys("abcdef", known), ["abcdex", "bcdef", "abcdey"]);
});

Deno.test("editDistance() is a distance up to three", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 6 });
  fc.assert(fc.property(word, word, (a, b) => {
    assert.equal(editDistance(a, a), 0);
    assert.equal(editDistance(a, b), editDistance(b, a));
    if (a !== b) assert.ok(editDistance(a, b) > 0);
  }));
  assert.equal(editDistance("kitten", "sitting"), 3);
});
