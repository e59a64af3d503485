/** Keys drawn by lot that are called a key and nothing else, and what addresses and headers give as one. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { redactText } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import { assertSeenAndSettled } from "../../support/pieces.ts";
import { runs } from "../../support/lanes.ts";

const RULES = { patterns: [] };
const DRAWN = ["k9Xw2mQp7LzR4tVb", "q7Zk2M9xW4vB8tJdR3nLp6Hs", "R4zV9tKm2xQb7LwYp3JdH5cTn8Gs6Fv1"];
const HEX = "9f86d081884c7d659a2feaa0c55ad015";
const CODE = "q7Zk2M9xW4vB8tJdR3nLp6HsVb8Xw3Rn5Kd7Tm2Zq9Pj4Lh6";

for (
  const form of [
    "here's the key % for the weather api",
    "Stripe key %",
    "our Datadog key `%` is in the vault",
    "key for datadog: %",
    "the key for the weather api is %",
    'curl "https://a.example/geo?address=Oslo&key=%"',
    "GET /maps/api?key=%&zoom=3",
    'curl -H "X-Api: %" https://a.example',
  ]
) {
  Deno.test(`what was drawn by lot is masked in ${JSON.stringify(form)}`, () => {
    for (const key of DRAWN) masks(form, key);
  });
}

for (
  const [form, secret] of [
    ['curl "https://a.example/weather?q=Oslo&appid=%"', HEX],
    ["https://a.example/weather?appid=%&q=Oslo", HEX],
    ["http://localhost:3000/callback?code=%&state=x", CODE],
    ["GET /callback?state=x&code=%", `4/0AX4Xf-Wh_${CODE}`],
    ["GET /callback?code=% HTTP/1.1", `4%2F0AX4XfWh${CODE}`],
    ["GET /callback?code=%", HEX.slice(0, 20)],
  ] as const
) {
  Deno.test(`what an address gives as a key is masked in ${JSON.stringify(form)}`, () => {
    masks(form, secret);
  });
}

function masks(form: string, secret: string): void {
  const text = form.replace("%", secret);
  for (const shown of [text, JSON.stringify({ text })]) {
    assert.ok(needsRedaction(JSON.stringify({ shown }), []), `the cheap look sees ${shown}`);
    const masked = redactText(shown, RULES);
    assert.ok(!masked.includes(secret), masked);
    assert.equal(redactText(masked, RULES), masked);
  }
}

for (
  const text of [
    `a foreign key ${DRAWN[0]} of the table`,
    `the primary key for users: ${DRAWN[1]}`,
    `the cache key ${DRAWN[2]} is stale`,
    `the public key ${DRAWN[2]}`,
    `the sort key is made by hash2 and id2`,
    `a key ${HEX} of the map`,
    "press the key Ctrl2, then key F12",
    "a monkey k9Xw2mQp7LzR4tVb",
    "https://a.example/app?appid=1234567890",
    "https://a.example/app?appid=wx0123456789abcdef",
    "https://a.example/error?code=ERR_NOT_FOUND_IN_TABLE_2&x=1",
    "https://a.example/login?code=challenge_required",
    `exit code=${CODE}`,
    "GET /run?code=fn%20main()%20%7B%20let%20A2%20=%201;%20%7D",
  ]
) {
  Deno.test(`nothing is masked in ${JSON.stringify(text)}`, () => {
    assert.equal(redactText(text, RULES), text);
  });
}

const piece = fc.oneof(
  fc.constantFrom(...DRAWN, HEX, CODE, "[redacted:secret]", "x".repeat(20)),
  fc.constantFrom("key", "?key=", "&code=", "&appid=", "X-Api", "cache key", "https://a.example/"),
  fc.constantFrom(" is ", ": ", " for ", " ", "weather api", "\n", "\t", '"', '\\"', "`", "("),
);

Deno.test("the cheap look sees whatever key is masked, and masked once it stays as it is", () => {
  assertSeenAndSettled(piece, { maxPieces: 16, numRuns: runs(2_000) });
});
