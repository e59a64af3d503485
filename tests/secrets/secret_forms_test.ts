/** Every row of the tables of secrets masks its example, leaves its counterexample, and is seen by the cheap look. */
import assert from "node:assert/strict";
import { COMMAND_FORMS, GENERAL_FORMS } from "../../src/secrets/general_forms.ts";
import { needsRedaction } from "../../src/secrets/look.ts";
import { PRINTING_FORMS, printsSecret, redactValue } from "../../src/secrets/redact_value.ts";
import { redactText } from "../../src/secrets/redact.ts";
import { findForms } from "../../src/secrets/secret_form.ts";
import { findVendorTokens, VENDOR_FORMS } from "../../src/secrets/vendor_forms.ts";
import { DRAWN_SECRET, GIVEAWAYS, PLAIN_SECRET } from "../support/secret_texts.ts";
import texts from "../testdata/secret_texts.json" with { type: "json" };
import CASES from "../testdata/secret_cases.json" with { type: "json" };

const RULES = { patterns: [] };

/** Asserts that a text is masked, seen by the cheap look in every place, and left alone when it is masked again. */
function assertMasked(text: string): string {
  const masked = redactText(text, RULES);
  assert.notEqual(masked, text);
  assert.equal(redactText(masked, RULES), masked, "masked again");
  for (const value of [{ text }, { a: JSON.stringify({ text }) }, { list: ["x", `\t${text}`] }]) {
    assert.ok(needsRedaction(JSON.stringify(value), []), `seen: ${JSON.stringify(value)}`);
  }
  return masked;
}

Deno.test("the token of every service is masked as a whole, and text that only begins like one stays", () => {
  for (const { name, literal, example, counterexample } of VENDOR_FORMS) {
    for (
      const text of [example, `use('${example}')`, `+${example}\n`, `\u001b[32m${example}\u001b[0m`]
    ) {
      const masked = assertMasked(text);
      assert.ok(!masked.includes(example.slice(-12)), `${literal}: ${masked}`);
    }
    assert.match(redactText(example, RULES), new RegExp(`^\\[redacted:${name}\\]$`), literal);
    for (const text of [counterexample, `the ${counterexample} of it`]) {
      assert.deepEqual(findVendorTokens(text), [], literal);
      assert.equal(redactText(text, RULES), text);
    }
  }
});

Deno.test("every other form masks its example and leaves its counterexample", () => {
  for (const form of [...GENERAL_FORMS, ...COMMAND_FORMS]) {
    const { name, prefilter, example, counterexample } = form;
    assert.ok(prefilter.some((literal) => example.toLowerCase().includes(literal)), example);
    assert.equal(findForms(example, [form]).length, 1, `${name}: ${example}`);
    assert.deepEqual(findForms(counterexample, [form]), [], `${name}: ${counterexample}`);
    assertMasked(example);
    assertMasked(`x\n${example}\ny`);
  }
});

Deno.test("the output of a command that prints a secret is masked, that of a similar one is not", () => {
  const use = (command: string) => ({
    tool_name: "Bash",
    tool_input: { command },
    tool_response: { stdout: `${DRAWN_SECRET}\n`, stderr: "" },
  });
  for (const { example, counterexample } of PRINTING_FORMS) {
    const redacted = JSON.stringify(redactValue(use(example), RULES));
    assert.ok(!redacted.includes(DRAWN_SECRET), example);
    assert.ok(needsRedaction(JSON.stringify(use(example)), []), example);
    assert.ok(!printsSecret("Bash", { command: counterexample }), counterexample);
  }
});

Deno.test("a secret that only its name gives away is masked", () => {
  for (const form of [...texts.giving, ...GIVEAWAYS]) {
    const text = form.replaceAll("%", () => DRAWN_SECRET);
    const masked = assertMasked(text);
    assert.ok(!masked.includes(DRAWN_SECRET), `${text} → ${masked}`);
  }
  for (const form of GIVEAWAYS) {
    const masked = assertMasked(form.replaceAll("%", () => PLAIN_SECRET));
    assert.ok(!masked.includes(PLAIN_SECRET), masked);
  }
});

Deno.test("types, placeholders, references, ids, hashes and prose beside such a name stay", () => {
  for (const text of texts.kept) assert.equal(redactText(text, RULES), text);
});

Deno.test("a name behind a backslash is a name, also where the two look like a line break", () => {
  for (const name of ["RECOVERY_CODE", "TOKEN", "NPM_TOKEN", "password"]) {
    assertMasked(`C:\\${name}=ghp_name7X`);
  }
});

Deno.test("ids, hashes, branches, versions and integrity values are never secrets by their looks", () => {
  for (const text of CASES.neverSecret) assert.equal(redactText(text, RULES), text);
});
