/** What commands are given: the passwords that people think of, too, and what the cheap look makes of commands without one. */
import assert from "node:assert/strict";
import { redactText, redactValue } from "../../src/capture/redact.ts";
import { needsRedaction } from "../../src/capture/triggers.ts";
import { COMMAND_TEXTS, QUIET_COMMANDS } from "./command_seeds.ts";

const RULES = { patterns: [] };
const PASSWORDS = ["copper-bramble-97225", "Canyon.3982umber*", "Wordword71565!"];

for (const given of COMMAND_TEXTS) {
  Deno.test(`a password that someone thought of is masked in ${JSON.stringify(given)}`, () => {
    for (const password of PASSWORDS) {
      const text = given.replace("%", () => password);
      const payload = { tool_input: { command: text }, tool_response: { stdout: `+ ${text}\n` } };
      assert.ok(needsRedaction(JSON.stringify(payload), []), "the cheap look sees it");
      const masked = JSON.stringify(redactValue(payload, RULES));
      assert.ok(!masked.includes(password), masked);
    }
  });
}

for (const command of QUIET_COMMANDS) {
  Deno.test(`the cheap look lets ${JSON.stringify(command)} pass`, () => {
    assert.equal(needsRedaction(JSON.stringify({ tool_input: { command } }), []), false);
  });
}

Deno.test("the id and the secret of `mc alias set` are both masked, a name is none", () => {
  const secret = "wJalrXUtnFEMIK7MDENG2bPxRfiCY9EXAMPLEKEY".slice(0, 36);
  assert.equal(
    redactText(`mc alias set m http://h Q3AM3UQ867SPQQA43P2F ${secret}`, RULES),
    "mc alias set m http://h [redacted:setting] [redacted:setting]",
  );
  assert.equal(
    redactText(`mc alias set m http://h minioadmin ${secret}`, RULES),
    "mc alias set m http://h minioadmin [redacted:setting]",
  );
});

Deno.test("what a scanner logs in with is masked where it is a token", () => {
  const token = "0f89f8f9cbe440534bac581b6cadc794623b3932";
  assert.ok(needsRedaction(JSON.stringify({ text: `sonar.login=${token}` }), []));
  for (const before of ["sonar.login=", "mvn -Dsonar.login="]) {
    assert.equal(redactText(before + token, RULES), `${before}[redacted:setting]`);
  }
  assert.equal(redactText("sonar.login=admin2", RULES), "sonar.login=admin2");
});

Deno.test("a key in a sentence is masked where it was drawn by lot", () => {
  const key = "w3JhghqnCG7Ztfs6cKm4YiZsedvbABIu";
  for (const before of ["the key is ", "Key is `", 'my PAT is "', "PAT: "]) {
    const text = `${before}${key}. Go on`;
    assert.ok(needsRedaction(JSON.stringify({ text }), []), "the cheap look sees it");
    assert.equal(redactText(text, RULES), `${before}[redacted:secret]. Go on`);
  }
});

Deno.test("a code that is used once is masked", () => {
  const text = "npm publish --otp=123456 --access public";
  assert.ok(needsRedaction(JSON.stringify({ text }), []));
  assert.equal(redactText(text, RULES), "npm publish --otp=[redacted:setting] --access public");
});

Deno.test("what printf writes to a file of a secret by its format is masked", () => {
  const text = "printf '%s\\n' 'Wordword71565!' > secrets/db_password";
  assert.ok(needsRedaction(JSON.stringify({ text }), []));
  assert.equal(
    redactText(text, RULES),
    "printf '%s\\n' '[redacted:password]' > secrets/db_password",
  );
});
