import assert from "node:assert/strict";
import fc from "fast-check";
import { readPattern } from "../../../src/requirement/import_pattern.ts";

const sourceOf = (python: string) => {
  const reading = readPattern(python);
  assert.equal(reading.kind, "pattern", python);
  return reading.kind === "pattern" ? reading.source : "";
};

Deno.test("readPattern() leaves alone what means the same in both languages", () => {
  for (const same of [String.raw`git\s+(commit|cherry-pick)`, "gh pr create$", "a{1,3}[a-z_]"]) {
    assert.equal(sourceOf(same), same);
  }
});

Deno.test("readPattern() writes anew what JavaScript would compile to something else", () => {
  const rows: readonly (readonly [python: string, javascript: string])[] = [
    [String.raw`\Agit\Z`, "^git$"],
    ["(?i)GIT push", "GIT push"],
    ["(?P<verb>push|pull) (?P=verb)", String.raw`(?<verb>push|pull) \k<verb>`],
    ["a{,3}b", "a{0,3}b"],
    ["[]x]y", String.raw`[\]x]y`],
    ["[^]x]y", String.raw`[^\]x]y`],
    ["git(?#the tool) push", "git push"],
    [String.raw`\[a]{,2}`, String.raw`\[a]{0,2}`],
    [String.raw`[\A{,3}]`, String.raw`[\A{,3}]`],
  ];
  for (const [python, javascript] of rows) assert.equal(sourceOf(python), javascript, python);
  assert.ok(new RegExp(sourceOf(String.raw`\Agit`), "i").test("git push"));
  assert.ok(!new RegExp(sourceOf(String.raw`\Agit`), "i").test("my git"));
  assert.ok(new RegExp(sourceOf("[]x]y"), "i").test("]y"));
});

Deno.test("readPattern() names what cannot be said", () => {
  for (const python of ["(?>a)b", "(?s)a.b", "(?(1)a|b)", "a++", "(", String.raw`\N{DASH}`]) {
    const reading = readPattern(python);
    assert.equal(reading.kind, "fault", python);
    assert.ok(reading.kind === "fault" && reading.why.length > 5, python);
  }
});

Deno.test("readPattern() never throws, and what it gives can be compiled", () => {
  const pieces = fc.constantFrom(..."()[]{}?P<>=!#:,\\^$.*+|aAZN13i-".split(""), "(?P<x>", "(?");
  fc.assert(fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
    const reading = readPattern(parts.join(""));
    if (reading.kind === "pattern") new RegExp(reading.source, "i");
  }));
});
