import assert from "node:assert/strict";
import { evaluateWhen } from "../../src/work/render_step.ts";

const CONTEXT = {
  previous: { failed: true, exit_code: 3, output: " true\n", other: "maybe" },
  list: [1],
};

Deno.test("evaluateWhen() runs a step without a condition, and judges one that is true or false", () => {
  assert.deepEqual(evaluateWhen(null, {}), { run: true });
  const cases: Readonly<Record<string, boolean>> = {
    true: true,
    False: false,
    "": false,
    "{{.previous.failed}}": true,
    "{{ not .previous.failed }}": false,
    "{{ eq .previous.exit_code 3 }}": true,
    "{{ and .previous.failed (ne .previous.exit_code 2) }}": true,
    "{{ or false (eq .previous.exit_code 2) }}": false,
    "{{ .previous.output }}": true,
    "{{ default false .plan.outputs.needed }}": false,
    "1": true,
    "0": false,
  };
  for (const [when, run] of Object.entries(cases)) {
    assert.deepEqual(evaluateWhen(when, CONTEXT), { run }, when);
  }
});

Deno.test("evaluateWhen() refuses what is neither, and says what it is", () => {
  const cases: Readonly<Record<string, RegExp>> = {
    maybe: /^when "maybe" must come to true or false, not the text "maybe"$/,
    "{{ .previous.other }}": /not the text "maybe"/,
    "{{ .previous.exit_code }}": /not the number 3/,
    "{{ .list }}": /not a list/,
    "{{ .previous }}": /not an object/,
    "{{ .nope }}": /^when: \{\{ \.nope \}\}: there is no such value$/,
    "{{ .nope": /is not closed/,
  };
  for (const [when, message] of Object.entries(cases)) {
    const result = evaluateWhen(when, CONTEXT);
    assert.match("error" in result ? result.error : "", message, when);
  }
});
