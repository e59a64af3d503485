/** A secret is masked as a whole, whatever signs it has in it, in each form that has a place for any. */
import assert from "node:assert/strict";
import { redactText, redactValue } from "../../src/capture/redact.ts";
import { needsRedaction } from "../../src/capture/triggers.ts";

const RULES = { patterns: [] };
/** Neither half may be left. */
const HALVES = ["aB3dE5fG7", "hI9kL2mN4"] as const;
const SIGNS = [..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"];

interface Form {
  /** `§` is the secret. */
  readonly text: string;
  /** What means something else in that form, and ends or parts what stands there. */
  readonly without?: string;
}

const FORMS: readonly Form[] = [
  // The whole of a header, whatever its scheme.
  { text: "Authorization: SSWS §" },
  { text: "> Authorization: Zoho-oauthtoken 1000.§\n> Accept: */*" },
  { text: "curl -H 'Authorization: Ghost §' https://x.test", without: "'" },
  { text: 'curl -H "Authorization: SSWS §" https://x.test', without: '"`' },
  { text: 'Authorization: Digest username="joe", realm="x y", response="§"', without: '"' },
  { text: 'Authorization: Hawk id="a1", mac="§", nonce="x"', without: '"' },
  { text: '{"Authorization":"SSWS §"}', without: '"\\' },
];

/** What is wrong with what a text is masked to, or nothing. */
function faultOf(given: string): string | undefined {
  const payload = { tool_response: { stdout: given } };
  if (!needsRedaction(JSON.stringify(payload), [])) return `the cheap look passes ${given}`;
  const masked = redactText(given, RULES);
  const value = JSON.stringify(redactValue(payload, RULES));
  const isWhole = HALVES.every((half) => !masked.includes(half) && !value.includes(half));
  const isKept = masked.startsWith("x: 1\n") && masked.endsWith("\ny: 2\n");
  return isWhole && isKept && redactText(masked, RULES) === masked ? undefined : masked;
}

for (const { text, without = "" } of FORMS) {
  Deno.test(`in ${JSON.stringify(text)} a secret with any sign in it is masked as a whole`, () => {
    const faults = SIGNS.filter((sign) => !without.includes(sign))
      .map((sign) => faultOf(`x: 1\n${text.replace("§", () => HALVES.join(sign))}\ny: 2\n`));
    assert.deepEqual(faults.filter((fault) => fault !== undefined), []);
  });
}

/** What looks like one of those forms to a careless eye. */
const KEPT: readonly string[] = [
  "Authorization: the header is missing",
  "Authorization: Bearer header missing",
  "Authorization: required for all of the 12 routes of v2",
  "Authorization: Digest",
  "authorization: [admin, editor2]",
];

for (const text of KEPT) {
  Deno.test(`${JSON.stringify(text)} stays as it is`, () => {
    assert.equal(redactText(text, RULES), text);
    const payload = { tool_response: { stdout: `a\n${text}\nb` } };
    assert.deepEqual(redactValue(payload, RULES), payload);
  });
}
