/** What people choose for a password, told in a row of settings, beside a login or below its name. */
import assert from "node:assert/strict";
import { redactText } from "../../src/capture/redact.ts";
import { needsRedaction } from "../../src/capture/triggers.ts";

const RULES = { patterns: [] };
const CHOSEN = [
  "Summer#2023",
  "Acme2025$",
  "Tr0ub4dor&3",
  "Falcon-4397z",
  "admin123",
  "hunter2",
  "aB3dE5fG",
  "Db!Prod-2024",
  "Monkey!7",
  "n0tSoS3cret",
];

for (
  const form of [
    "prod db: host h, user app, password %, port 5432",
    "prod db: host h, password %, port 5432",
    "password %; port 5432",
    "login is app / %",
    "Login: app / %.",
    "the creds: app / %",
    "user app password % on h",
    "user=app password % port=5432",
    "username `app` and the password `%`",
    "db user app, pw %",
    "Password for the staging box - %",
    "the password of app@h.example — %, it is new",
    "Please store the password\n```\n%\n```",
    "The password for prod:\n\n```text\n%\n```\n",
  ]
) {
  Deno.test(`a chosen password is masked in ${JSON.stringify(form)}`, () => {
    for (const secret of CHOSEN) {
      const text = form.replace("%", () => secret);
      for (const shown of [text, JSON.stringify({ text })]) {
        assert.ok(needsRedaction(JSON.stringify({ shown }), []), `the cheap look sees ${shown}`);
        const masked = redactText(shown, RULES);
        assert.ok(!masked.includes(secret), masked);
        assert.equal(redactText(masked, RULES), masked);
      }
    }
  });
}

Deno.test("what was drawn by lot is masked in a block of code below its name", () => {
  for (const fence of ["```", "```text", "```sh\n"]) {
    const masked = redactText(`Please store the token\n${fence}\nk9Xw2mQp7LzR4tVb\n`, RULES);
    assert.equal(masked, `Please store the token\n${fence}\n[redacted:secret]\n`);
  }
});

for (
  const text of [
    "user enters the password twice, host h2",
    "a row of user, password, port5432",
    "(user string, password varchar2, port int32)",
    "the user model, password reset and login2fa",
    "user app password $DB_PASSWORD2, port 5432",
    "login is app / required",
    "login is at https://x2.com:8080/a",
    "Password for joe - see the wiki",
    "password of the user - sha256-hashed",
    "It reads the token\n```ts\nconst ok2 = a;\n```",
    "It checks the password\n```\nsrc/a2.ts\n```",
  ]
) {
  Deno.test(`nothing is masked in ${JSON.stringify(text)}`, () => {
    assert.equal(redactText(text, RULES), text);
  });
}
