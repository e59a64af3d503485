/** Whatever a text is made of, masking is seen by the cheap look, settled after one pass, and takes linear time. */
import fc from "fast-check";
import assert from "node:assert/strict";
import { COMMAND_FORMS, GENERAL_FORMS } from "../../../src/secrets/general_forms.ts";
import { redactText } from "../../../src/secrets/redact.ts";
import { redactValue } from "../../../src/secrets/redact_value.ts";
import { VENDOR_FORMS } from "../../../src/secrets/vendor_forms.ts";
import texts from "../../testdata/secret_texts.json" with { type: "json" };
import { assertQuick } from "../../support/quick.ts";
import { DRAWN_SECRET, GIVEAWAYS } from "../../support/secret_texts.ts";
import { needsRedaction } from "../../../src/secrets/look.ts";
import CASES from "../../testdata/secret_cases.json" with { type: "json" };

const RULES = { patterns: [] };
const FORMS = [...VENDOR_FORMS, ...GENERAL_FORMS, ...COMMAND_FORMS];

const GLUE = CASES.glue;

const piece = fc.oneof(
  fc.constantFrom(...GLUE),
  fc.constantFrom(...FORMS.map(({ example }) => example)),
  fc.constantFrom(...FORMS.map(({ counterexample }) => counterexample)),
  fc.constantFrom(
    ...[...texts.giving, ...GIVEAWAYS].map((text) => text.replaceAll("%", DRAWN_SECRET)),
  ),
  fc.constantFrom(...[...texts.giving, ...GIVEAWAYS].map((text) => text.split("%", 1)[0]!)),
  fc.constantFrom(...texts.kept),
  fc.constantFrom("password", "api_key", "token", DRAWN_SECRET, "hunter2", "the", "is"),
  fc.string({ maxLength: 12, unit: "grapheme" }),
);

Deno.test("the cheap look sees whatever is masked, and what is masked once stays as it is", () => {
  assertSeenAndSettled(piece, { maxPieces: 6, numRuns: 6_000 });
});

Deno.test("values of any shape are masked without an error, and a second time not at all", () => {
  const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
  fc.assert(
    fc.property(value, piece, (value, text) => {
      const redacted = redactValue({ value, [text]: [text, value] }, RULES);
      return JSON.stringify(redactValue(redacted, RULES)) === JSON.stringify(redacted);
    }),
    { numRuns: 400 },
  );
});

/** Beginnings of forms, which a pattern that looks at the rest from each place would take for ever with. */
const UNITS = [
  ...GLUE.filter((text) => text.length > 0),
  ...new Set(FORMS.flatMap(({ example }) => [example, example.slice(0, 9)])),
  ...GIVEAWAYS.map((text) => text.split("%", 1)[0]!),
  ...[
    "password ",
    "password: ",
    "password=",
    "token is the ",
    "secrets:\n  - ",
    "a|password\n",
    "kind: Secret\ndata:\n",
  ],
  ...[
    "curl -a ",
    "echo a | ",
    "a:b@",
    "<private>",
    "&lt;private&gt;",
    "Cookie: a=1; ",
    '"d": "',
    "kty",
    "0a1f",
    "aB3",
  ],
];
/** So many characters take a hundredth of the time that 5 MB may. */
const SHORT_CHARS = 50_000;

Deno.test("any beginnings of secrets are looked through in linear time", () => {
  for (const unit of UNITS) {
    for (
      const text of [
        unit.repeat(SHORT_CHARS / unit.length),
        `x${unit.repeat(SHORT_CHARS / unit.length)}y`,
      ]
    ) {
      assertQuick(JSON.stringify(unit), () => redactText(text, RULES), { maxMs: 400 });
    }
  }
});

Deno.test("5 MB of code with some secrets in it are masked in less than a second and a half", () => {
  const code =
    'export function heightAt(minute: number, { token }: Options) {\n  return read(`${base}/tide`, { headers: { "x-id": id } });\n}\n';
  const block = `${code.repeat(200)}const apiKey = "${DRAWN_SECRET}";\n`;
  const text = block.repeat(5_000_000 / block.length);
  assertQuick("5 MB", () => redactText(text, RULES), { maxMs: 1_500 });
});

/** Asserts that the cheap look sees whatever is masked in such texts, and that what is masked once stays as it is. */
function assertSeenAndSettled(
  piece: fc.Arbitrary<string>,
  { maxPieces, numRuns }: { readonly maxPieces: number; readonly numRuns: number },
): void {
  const rules = { patterns: [] };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: maxPieces }), (pieces) => {
      const value = { text: pieces.join("") };
      const redacted = redactValue(value, rules);
      const isSame = JSON.stringify(redacted) === JSON.stringify(value);
      if (!isSame) assert.ok(needsRedaction(JSON.stringify(value), []), "the cheap look sees it");
      assert.deepEqual(redactValue(redacted, rules), redacted);
    }),
    { numRuns },
  );
}
