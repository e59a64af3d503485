/** The cheap look lets ordinary payloads pass, so that few hooks load what masks. */
import assert from "node:assert/strict";
import { needsRedaction } from "../../src/secrets/look.ts";
import CASES from "../testdata/secret_cases.json" with { type: "json" };
import { redactText } from "../../src/secrets/redact.ts";
import FORMS from "../../src/secrets/vendor_forms.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const PLACES = CASES.placesOfAPayload;

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

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const SETS: Readonly<Record<string, string>> = {
  mixed: `${LETTERS}${LETTERS.toUpperCase()}0123456789`,
  hex: "0123456789abcdef",
  upper: `${LETTERS.toUpperCase()}0123456789`,
};

/** Numbers that look random, and are the same ones in each run. */
function drawnNumbers(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

Deno.test("the cheap look sees the tokens of services however chance threw their letters", () => {
  const draw = drawnNumbers();
  const run = (set: string, length: number) =>
    Array.from({ length }, () => SETS[set]![draw(SETS[set]!.length)]).join("");
  const uuid = () => [8, 4, 4, 4, 12].map((length) => run("hex", length)).join("-");
  for (const { literals, example } of FORMS) {
    for (const literal of literals) {
      for (let round = 0; round < 80; round++) {
        const token = example.replaceAll("<literal>", literal)
          .replace(
            /<(\w+)(?: (\d+))?>/g,
            (_, set, length) => set === "uuid" ? uuid() : run(set, Number(length ?? 6)),
          );
        const text = `with ${token} in it`;
        const isMasked = redactText(text, { patterns: [] }) !== text;
        assert.ok(!isMasked || needsRedaction(JSON.stringify({ text }), []), token);
      }
    }
  }
});
