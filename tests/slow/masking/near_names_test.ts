import assert from "node:assert/strict";
import fc from "fast-check";
import { redactText, redactValue } from "../../../src/capture/redact.ts";
import { isDrawn } from "../../../src/capture/secret_runs.ts";
import { needsRedaction } from "../../../src/capture/triggers.ts";
import { assertSeenAndSettled } from "../../support/pieces.ts";
import { runs } from "../../support/lanes.ts";

const BUILT_IN = { patterns: [] };
/** Drawn by lot, as generators of passwords and keys make them. */
const DRAWN = [
  "k9Xw2mQp7LzR4tVb",
  "q7zk2m9xw4vb8tjd",
  "Hq7#mZ2v!Kx9@wPd",
  "R4zV9tKm+2xQ/b7LwYp3Jd==",
];

/** Forms that no rule of their own knows; `%` is the secret. */
const NEAR = [
  'password: string = process.env.X || "%";',
  'Map.of("password", "%")',
  '.option("password", "%")',
  'config.set("auth", "password", "%")',
  'parser.add_argument("--password", default="%")',
  'flag.String("password", "%", "to log in")',
  'password: str = Field("%")',
  'SecretStr("%")',
  'std::string dbPassword{"%"};',
  "let(:password) { '%' }",
  "fill_in 'Password', with: '%'",
  '<Password Type="text">%</Password>',
  "redis-server --requirepass %",
  "[password] => %",
  "Password for user 'elastic': %",
  "New password set: %",
  "Unseal Key 1: %",
  "echo % > secrets/db_password.txt",
  "Here's my token %",
  "the password was changed from % to another one",
  "use % for the API key",
  "api_keys:\n  acme: %\n",
  'tokens: {\n  bob: "%",\n}',
  'openaiKey = "%"',
  "[api]\nkey = %",
  "openai:\n  key: %",
  "consumer_key=%",
  "Your API token has been created.\n\n%\n",
  "The password was reset.\nNew value: %\n",
  "the license key for it is %",
  '"password_hash": "%"',
  String.raw`{\"auth\": {\"client secret\": [\"%\"]}}`,
];

for (const form of NEAR) {
  Deno.test(`what was drawn by lot is masked in ${JSON.stringify(form)}`, () => {
    for (const secret of DRAWN) {
      const text = form.replace("%", secret);
      assert.ok(needsRedaction(JSON.stringify({ text }), []), `the cheap look sees ${text}`);
      const masked = redactText(text, BUILT_IN);
      assert.ok(!masked.includes(secret.slice(0, 12)), masked);
      assert.equal(redactText(masked, BUILT_IN), masked);
    }
  });
}

Deno.test("the last part of an address is masked that says what it is for", () => {
  const masked = redactText(
    "open https://example.com/reset-password/k9Xw2mQp7LzR4tVb now",
    BUILT_IN,
  );
  assert.equal(masked, "open https://example.com/reset-password/[redacted:secret] now");
});

/** As people choose them, and generators of passphrases and of short passwords. */
const CHOSEN = [
  "Winter2024!",
  "Harbor.3982umber*",
  "Juniper5432velvet",
  "copper-bramble-97225",
  "Rt4mj%VVO5!y8N",
  "72kurkGTXw",
];

for (
  const form of [
    'Map.of("password", "%")',
    'config.set("auth", "password", "%")',
    'parser.add_argument("--password", default="%")',
    "password reset to %",
    "the admin's password was changed to %.",
    "log in as admin using %",
    "the credentials are `admin` and `%`",
    "I used the password '%' and got a 401",
    "use % as the password",
    "Sign in with user `admin` and password `%`",
    "creds: bob / %",
    "- **password** reset to **%**",
  ]
) {
  Deno.test(`what somebody chose is masked in ${JSON.stringify(form)}`, () => {
    for (const secret of CHOSEN) {
      const text = form.replace("%", secret);
      assert.ok(needsRedaction(JSON.stringify({ text }), []), `the cheap look sees ${text}`);
      const masked = redactText(text, BUILT_IN);
      assert.ok(!masked.includes(secret), masked);
      assert.equal(redactText(masked, BUILT_IN), masked);
    }
  });
}

/** As long as a key of 16 bytes, and as the hash of a commit. */
const KEYS = ["9f86d081884c7d659a2feaa0c55ad015", "9f86d081884c7d659a2feaa0c55ad0159f86d081"];

for (
  const form of [
    'AES_KEY = bytes.fromhex("%")',
    "const SECRET = Buffer.from('%', 'hex')",
    'secret, _ := hex.DecodeString("%")',
    "datadog api key %",
    "The API key `%` is hard-coded",
    "the token for travis is %",
    "the API key we use in production: %",
    "change the token of the staging host to %",
    'api_token = os.environ.get("TOKEN") or "%"',
    'String apiKey = new Key("%")',
    "login token-prod %",
  ]
) {
  Deno.test(`a key in hexadecimal is masked in ${JSON.stringify(form)}`, () => {
    for (const key of KEYS) {
      const text = form.replace("%", key);
      assert.ok(needsRedaction(JSON.stringify({ text }), []));
      assert.ok(!redactText(text, BUILT_IN).includes(key));
    }
  });
}

/** Entries of a tool's input; `%` is the secret. */
const ENTRIES: readonly unknown[] = [
  { openai: { key: "%" } },
  { consumer_key: "%" },
  { my_token_here: "%" },
  { headers: [["X-Foo-Key", "%"]] },
  { args: ["--foo-key", "%"] },
  { element: "Password field", ref: "e12", text: "%" },
  { selector: "#password", value: "%" },
];

for (const entry of ENTRIES) {
  Deno.test(`what was drawn by lot is masked in ${JSON.stringify(entry)}`, () => {
    for (const secret of DRAWN) {
      const value = JSON.parse(JSON.stringify(entry).replace("%", secret));
      assert.ok(needsRedaction(JSON.stringify({ tool_input: value }), []));
      const masked = JSON.stringify(redactValue({ tool_input: value }, BUILT_IN));
      assert.ok(!masked.includes(secret.slice(0, 12)), masked);
    }
  });
}

Deno.test("what is entered into a field for a password is masked also where a person thought of it", () => {
  const input = { element: "Password textbox", ref: "e12", text: "Winter2024!" };
  assert.ok(needsRedaction(JSON.stringify(input), []));
  assert.equal(Object(redactValue(input, BUILT_IN)).text, "[redacted:secret]");
  const typed = { selector: "input[name='password']", value: "sunshine" };
  assert.ok(needsRedaction(JSON.stringify(typed), []));
  assert.equal(Object(redactValue(typed, BUILT_IN)).value, "[redacted:secret]");
  const label = { label: "Access token", value: "access_token" };
  assert.deepEqual(redactValue(label, BUILT_IN), label);
});

/** Beside the name of a secret, and none. */
const NO_LOT = [
  'commit 4f2a9c81d7e6b3051f8e2a4c6d9b7e1f3a5c8d02 "rotate the token"',
  "token of session 0195b7a2-1c3d-7e4f-8a9b-0c1d2e3f4a5b",
  '"js-tokens": { "integrity": "sha512-RdJUflcE3cUzKiMqQgsCu06FPu9UdIJO0beYbPhHN4k6apgJtifcoCtT9bc==" }',
  "golang.org/x/oauth2/token v0.1.0 h1:bhCQXTVyfj5cmA9uKkPFx1zeOXM=",
  "tokens are kept in /var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/a1B2c3",
  "read the manual of API keys: https://example.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74/edit",
  'tool_use_id: "toolu_01PQrs7TuVwXyZ12aBcDeFgH" asked for a password',
  "a token is read by readUInt32LE, parseHookEvent2, utf8ToBase64Url and AES256GcmSivKey",
  "the token is made of [A-Za-z0-9+/=]: ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  "the secret stands in main-BxK9d2QwZ7tR.js and on BxK9d2QwZ7tR.example.com",
  "password ******** of user4711 in eu-central-1a on ip-10-0-12-34",
  "k9Xw2mQp7LzR4tVb is an id",
  "the password is asked for by lodash@4.17.21, on Windows-1252, in login.ts#L120 and release-notes-2024",
  "Merge the fix of a token as commit 9f86d081884c7d659a2feaa0c55ad0159f86d081",
  "9f86d081884c7d659a2feaa0c55ad0159f86d081 rotate the token",
  "commit a1b2c3d introduced the token bug, revert to 4f2a9c81d7e6b3051f8e2a4c6d9b7e1f3a5c8d02",
  "revert the token change, back to 4f2a9c81d7e6b3051f8e2a4c6d9b7e1f3a5c8d02",
  "the token bug came with `4f2a9c81d7e6b3051f8e2a4c6d9b7e1f3a5c8d02`",
  "Merge branch token-fix, base 4f2a9c81d7e6b3051f8e2a4c6d9b7e1f3a5c8d02",
  "Fix the token refresh 4f2a9c81d7e6b3051f8e2a4c6d9b7e1f3a5c8d02\nAsk for a password twice 9f86d081884c7d659a2feaa0c55ad0159f86d081",
  "git revert token-fix 4f2a9c81d7e6b3051f8e2a4c6d9b7e1f3a5c8d02",
  "the auth middleware is on main at 4f2a9c81d7e6b3051f8e2a4c6d9b7e1f3a5c8d02",
  'a password by SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")',
  "the foreign key is k9x2m7p4q8w1z3v6, the primary key = k9x2m7p4q8w1z3v6",
  "the foreign key is cust_k9x2m7p4q8w1",
  "password reset for user_2NNEqL2nrIRdJ194ndJqAHwEfxC",
  "login succeeded for tenant t-9x8k7j6h5g4f, failed for account `9x8k7j6h5g4f2d`",
  'sha256 = "1b4s9xk2qpz7vw3m8c5d6f0g1h2j3k4l5n6p7q8r9s0v1w2x3y4z"; # token',
  '"cursor": "WyIyMDI2LTExLTI2IiwgMTIzNF0=", "token": null',
  'HeaderAPIKey = "X-Api-Key"',
  "from distutils.util import convert_path, Mixin2to3",
  "a password of 12345678 in test-login-page-v2 at user@mail7.example.com",
];

for (const text of NO_LOT) {
  Deno.test(`nothing is masked in ${JSON.stringify(text)}`, () => {
    assert.equal(redactText(text, BUILT_IN), text);
  });
}

const alphabets = {
  mixed: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  small: "abcdefghijklmnopqrstuvwxyz0123456789",
  url: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
};
for (const [name, letters] of Object.entries(alphabets)) {
  Deno.test(`of random runs in ${name} letters nine in ten are known for such`, () => {
    const drawn = fc.sample(
      fc.array(fc.integer({ min: 0, max: letters.length - 1 }), { minLength: 20, maxLength: 40 }),
      { numRuns: runs(2_000), seed: 7 },
    ).map((codes) => codes.map((code) => letters[code]).join(""));
    const known = drawn.filter(isDrawn).length;
    assert.ok(known > 1_800, `${known} of 2,000`);
  });
}

/** What texts about secrets are made of. */
const piece = fc.oneof(
  fc.constantFrom(
    ...DRAWN,
    "token",
    "password",
    "API key",
    "key",
    "openaiKey",
    "şifre",
    "contraseña",
  ),
  fc.constantFrom(
    " ",
    ": ",
    " = ",
    "\n",
    "\\n",
    '"',
    '\\"',
    "\t",
    "(",
    ")",
    ", ",
    "{",
    "}",
    "%22",
    "\u0007",
    "İ",
  ),
  fc.constantFrom(
    "[redacted:secret]",
    "https://a.example/",
    "x".repeat(60),
    " a few words here ",
    "=>",
    ".com",
  ),
);

Deno.test("the cheap look sees whatever stands near a name, and what is masked once stays as it is", () => {
  assertSeenAndSettled(piece, { maxPieces: 24, numRuns: runs(5_000) });
});

Deno.test("a map of a thousand secrets is masked to its end", () => {
  const secrets = Array.from({ length: 1_000 }, (_, at) => `R4zV9tKm2xQ${at}b7LwYp3Jd`);
  const text = `tokens:\n${secrets.map((secret, at) => `  user${at}: ${secret}`).join("\n")}`;
  const masked = redactText(text, BUILT_IN);
  assert.equal(secrets.filter((secret) => masked.includes(secret)).length, 0);
});
