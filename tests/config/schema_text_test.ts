import assert from "node:assert/strict";
import { pattern, regexText } from "../../src/config/schema_kit.ts";
import CASES from "../testdata/config_cases.json" with { type: "json" };

/** Each takes seconds on a text of forty letters where the engine has to try every way. */
const ENDLESS = ["(a+)+$", "(a|aa)+$", "^(\\w+\\s?)*$", "((ab)*c?)*$", "(a*){2,}$"];

/** Alike to look at; none repeats what is repeated. */
const HARMLESS = CASES.harmless;

Deno.test("regexText() refuses what may take for ever, and says why", () => {
  for (const source of ENDLESS) {
    const { success, error } = regexText().safeParse(source);
    assert.equal(success, false, source);
    assert.match(error!.issues[0]!.message, /may take for ever: a group that is repeated/, source);
  }
  for (const source of HARMLESS) assert.ok(regexText().safeParse(source).success, source);
});

Deno.test("a pattern is refused only where the linear engine cannot take over", () => {
  for (const source of ENDLESS) assert.ok(pattern.safeParse(`x${source}`).success, source);
  for (const source of ["(a+)+\\1", "(?=b)(a+)+$", "(?<!b)(a+)+$", "(a+)+b{10}"]) {
    assert.ok(!pattern.safeParse(source).success, source);
  }
});
