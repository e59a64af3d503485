/** The private keys of chains of blocks: 32 bytes in hexadecimal, as hashes are, known by what they are called. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { redactText } from "../../../src/capture/redact.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import { assertSeenAndSettled } from "../../support/pieces.ts";
import { runs } from "../../support/lanes.ts";

const RULES = { patterns: [] };
const BYTES = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const KEYS = [BYTES, `0x${BYTES}`, `0x${BYTES.toUpperCase()}`];
const ADDRESS = `0x${BYTES.slice(0, 40)}`;

for (
  const told of [
    "my private key is %",
    "private key: %",
    "wallet key: %",
    "it uses the private key `%` for now",
    "invalid account: private key % too short",
    "the private key for the deployer: %",
    "The private key of account 3 is '%'.",
    "private keys: %, %",
    "private keys: `%` and `%`",
    "set the signer key to %",
    "secret key = %",
    "privkey %",
    "use % as the private key",
    "% is my wallet's private key",
  ]
) {
  Deno.test(`a private key in hexadecimal is masked in ${JSON.stringify(told)}`, () => {
    for (const key of KEYS) masksAll(told, key);
  });
}

for (
  const listed of [
    'accounts: ["%"]',
    "accounts: ['%', '%'],",
    '"accounts": [\n  "%",\n  "%"\n]',
    '{\\"accounts\\": [\\"%\\"]}',
  ]
) {
  Deno.test(`the keys of accounts are masked in ${JSON.stringify(listed)}`, () => {
    masksAll(listed, `0x${BYTES}`);
  });
}

function masksAll(form: string, key: string): void {
  const text = form.replaceAll("%", key);
  assert.ok(needsRedaction(JSON.stringify({ text }), []), `the cheap look sees ${text}`);
  const masked = redactText(text, RULES);
  assert.ok(!masked.includes(key.slice(-64)), masked);
  assert.equal(redactText(masked, RULES), masked);
}

for (
  const text of [
    `tx 0x${BYTES}`,
    `transaction 0x${BYTES} is signed by the private key`,
    `the wallet's private key was used in 0x${BYTES}`,
    `the block 0x${BYTES}, private key unset`,
    `public key is 0x${BYTES}`,
    `the storage key 0x${BYTES}`,
    `a transfer of the token in 0x${BYTES}`,
    `the token's contract is ${ADDRESS}`,
    `private key of ${ADDRESS}`,
    `accounts: ["${ADDRESS}"]`,
    `topics: ["0x${BYTES}"], accounts: []`,
    `private key rotation in ${BYTES}`,
    `private key 0x${BYTES}${BYTES}`,
  ]
) {
  Deno.test(`a hash and an address stay in ${JSON.stringify(text)}`, () => {
    assert.equal(redactText(text, RULES), text);
  });
}

const piece = fc.oneof(
  fc.constantFrom(...KEYS, BYTES.slice(0, 40), "[redacted:secret]"),
  fc.constantFrom("private key", "wallet key", "signer_key", "privkey", "accounts", "s", "key"),
  fc.constantFrom(
    " is ",
    ": ",
    ' = ["',
    '", "',
    " for joe",
    " as the ",
    "`",
    "\n",
    "\\n",
    '\\"',
    " ",
  ),
);

Deno.test("the cheap look sees whatever private key is masked, and masked once it stays as it is", () => {
  assertSeenAndSettled(piece, { maxPieces: 12, numRuns: runs(2_000) });
});
