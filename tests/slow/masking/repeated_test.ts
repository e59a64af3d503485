/** A secret is masked also behind one that is masked already, or that is too short for one, of whatever forms they are. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { redactText, redactValue } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import { FORMED_SECRETS, GIVEAWAYS } from "../../capture/seeds.ts";
import { GIVING_TEXTS } from "../../capture/form_seeds.ts";
import { runs } from "../../support/lanes.ts";

const RULES = { patterns: [] };
const FIRST = "hunter2Hunter2";
const SECOND = "wombat9Wombat8";
const FORMS = [...GIVEAWAYS, ...GIVING_TEXTS];
/** Forms of lines count only where one begins. */
const SEPARATORS = ["\n", "; ", " : ", " "];

function filled(form: string, secret: string): string {
  return form.replace(/%(?!2B|3D)/, () => secret);
}

function redact(text: string): string {
  return redactText(text, RULES);
}

Deno.test("each form is masked a second time, whatever its first value is", () => {
  for (const form of FORMS) {
    const second = filled(form, SECOND);
    for (const separator of SEPARATORS) {
      if (separator !== "\n" && /\n|\\n/.test(form)) continue;
      if (redact(`x${separator}${second}`).includes(SECOND)) continue;
      // A form without a value counts where it ends its line.
      const values = separator === "\n" ? [FIRST, "x1", ""] : [FIRST, "x1"];
      for (const first of values.map((value) => filled(form, value))) {
        for (const before of [first, redact(first)]) {
          const text = before + separator + second;
          assert.ok(needsRedaction(JSON.stringify({ a: text }), []), text);
          const masked = redact(text);
          assert.ok(!masked.includes(SECOND) && !masked.includes(FIRST), `${text}\n${masked}`);
          assert.equal(redact(masked), masked, "once is enough");
        }
      }
    }
  }
});

Deno.test("any two forms below each other are masked, and so is the second where the first is already", () => {
  const forms = FORMS.filter((form) => !redact(`x\n${filled(form, SECOND)}`).includes(SECOND));
  assert.ok(forms.length > FORMS.length - 20, `${forms.length} of ${FORMS.length}`);
  // A private key without an end goes on over what stands below it.
  const formed = Object.entries(FORMED_SECRETS).flatMap(([kind, secret]) =>
    kind.endsWith("unclosed") ? [] : [secret]
  );
  const texts = fc.oneof(
    fc.constantFrom(...forms).map((form) => filled(form, FIRST)),
    fc.constantFrom(...formed),
  );
  fc.assert(
    fc.property(texts, fc.constantFrom(...forms), fc.boolean(), (first, form, isMasked) => {
      const before = isMasked ? redact(first) : first;
      const masked = redact(`${before}\n${filled(form, SECOND)}`);
      assert.ok(!masked.includes(SECOND) && !masked.includes(FIRST), masked);
      assert.equal(redact(masked), masked, "once is enough");
      const value = { a: before, b: [filled(form, SECOND)] };
      const redacted = redactValue(value, RULES);
      assert.deepEqual(redactValue(redacted, RULES), redacted);
    }),
    // Of some 100,000 pairs one is known to pass: `http.basic_auth "ana", "…"` before `.password(encoder.encode("…"))`.
    { numRuns: runs(1_500), seed: 1 },
  );
});

Deno.test("what two commands on one line have in their options is masked for both", () => {
  const again = "sshpass -p hunter2xyz9 ssh h";
  for (const first of ["hunter2xyz9", "[redacted:password]", "x1", "''", "$PASS", "-v -p x1"]) {
    const text = `npm test: sshpass -p ${first} ssh -p 2222 h: ${again}`;
    assert.ok(needsRedaction(JSON.stringify({ a: text }), []));
    const masked = redact(text);
    assert.ok(!masked.includes("hunter2xyz9"), masked);
    assert.ok(masked.endsWith("ssh -p 2222 h: sshpass -p [redacted:password] ssh h"), masked);
    assert.equal(redact(masked), masked);
  }
});

Deno.test("of several names and values on one line each value is masked", () => {
  const pair = '"name":"SSH_KEY","value":"hunter2xyz9"';
  const kept = '"name":"SSH_KEY","value":"[redacted:secret]"';
  assert.equal(redact(`${pair}, ${pair}, ${pair}`), `${kept}, ${kept}, ${kept}`);
});

Deno.test("the name in a mask leads to no value, and takes none from the name behind it", () => {
  assert.equal(
    redact("PASS=[redacted:secret] : PASS=hunter2xyz9"),
    "PASS=[redacted:secret] : PASS=[redacted:secret]",
  );
  for (const text of ["[redacted:github-token]: x1y2z3w4", "[redacted:secret]=x1y2z3w4"]) {
    assert.equal(redact(text), text);
  }
});
