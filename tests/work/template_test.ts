import assert from "node:assert/strict";
import fc from "fast-check";
import { renderScript, renderText, renderValue, shownScript } from "../../src/work/template.ts";
import { type TemplateContext, TemplateError } from "../../src/work/template_syntax.ts";
import { evaluateWhen } from "../../src/work/render_step.ts";
import CASES from "../testdata/work_cases.json" with { type: "json" };

const CONTEXT: TemplateContext = {
  task: { id: "foo; rm -rf /", title: "It's", tags: ["a", "b"], body: "{{.secret}}" },
  "run-tests": { output: "2 failed", success: false },
  previous: { exit_code: 0, failed: false },
  plain: "v1.2/a-b_c",
  nothing: null,
  secret: "never",
};

const text = (template: string, context = CONTEXT) =>
  renderText(template, context, { missing: "error" });
const script = (command: string, context = CONTEXT) => shownScript(renderScript(command, context));

Deno.test("renderText() puts in values by their path, also of names with hyphens", () => {
  assert.equal(text("{{ .task.title }}: {{.run-tests.output}}"), "It's: 2 failed");
  assert.equal(text("{{.task.tags}} {{.task.tags.1}} {{.nothing}}."), '["a","b"] b .');
  assert.equal(text("a {{- .plain -}} b{{/* no }} word */}}"), "av1.2/a-b_cb");
});

Deno.test("renderText() knows the functions and pipelines", () => {
  const cases: Readonly<Record<string, string>> = CASES.renderedTexts;
  for (const [template, expected] of Object.entries(cases)) {
    assert.equal(text(template), expected, template);
  }
});

Deno.test("renderText() refuses an unknown name or function, and names the tag", () => {
  for (const [template, message] of Object.entries(CASES.refusedTemplates)) {
    assert.throws(() => text(template), (error) => {
      assert.ok(error instanceof TemplateError);
      assert.match(error.message, new RegExp(message), template);
      return true;
    });
  }
});

Deno.test("renderText() can leave what is missing empty", () => {
  const text = renderText("<{{ .nope.x }}>", {}, { missing: "empty" });
  assert.equal(text, "<>");
});

Deno.test("include puts in other texts with values of their own", () => {
  const texts: Readonly<Record<string, string>> = { hello: "Hello {{.who}}{{.task.title}}" };
  const include = (name: string) => texts[name] ?? null;
  const rendered = renderText('{{ include "hello" "who" .plain }}!', CONTEXT, {
    missing: "error",
    include,
  });
  assert.equal(rendered, "Hello v1.2/a-b_cIt's!");
});

Deno.test("include refuses a circle, also through the text itself, and more than five in a row", () => {
  const inCircle = (name: string) => ({ a: '{{include "b"}}', b: '{{include "a"}}' })[name] ?? null;
  const options = { missing: "error", include: inCircle } as const;
  assert.throws(
    () => renderText('{{ include "a" }}', {}, options),
    /circular include detected: a -> b -> a/,
  );
  assert.throws(
    () => renderText('{{include "b"}}', {}, { ...options, name: "a" }),
    /circular include detected: a -> b -> a/,
  );
  const chain = (last: number) => (name: string) =>
    Number(name) === last ? "end" : `{{include "${Number(name) + 1}"}}`;
  assert.equal(renderText('{{include "1"}}', {}, { missing: "error", include: chain(5) }), "end");
  assert.throws(
    () => renderText('{{include "1"}}', {}, { missing: "error", include: chain(6) }),
    /more than 5 texts include each other: 1 -> 2/,
  );
});

Deno.test("renderValue() keeps the type of a single tag", () => {
  assert.equal(renderValue("{{ .previous.failed }}", CONTEXT), false);
  assert.deepEqual(renderValue(" {{ .task.tags }} ", CONTEXT), ["a", "b"]);
  assert.equal(renderValue("{{ .previous.failed }}!", CONTEXT), "false!");
});

Deno.test("a value that was put in is never expanded again", () => {
  assert.equal(text("{{ .task.body }}"), "{{.secret}}");
  assert.equal(script("echo {{ .task.body }}"), 'echo "{{.secret}}"');
  const include = () => "{{ .task.body }}";
  assert.equal(
    renderText('{{ include "x" }}', CONTEXT, { missing: "error", include }),
    "{{.secret}}",
  );
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => {
    const value = `${a}{{.secret}}${b}`;
    assert.equal(text("<{{.x}}>", { x: value, secret: "no" }), `<${value}>`);
  }));
});

Deno.test("renderScript() gives every value in a variable, which is one word wherever it stands", () => {
  assert.deepEqual(renderScript("bd close {{.task.id}} {{.nothing}}", CONTEXT), {
    command: 'bd close "${CONCLAUDE_VALUE_1}" "${CONCLAUDE_VALUE_2}"',
    variables: { CONCLAUDE_VALUE_1: "foo; rm -rf /", CONCLAUDE_VALUE_2: "" },
    warnings: [],
  });
  for (const [given, wanted] of Object.entries(CASES.scriptsWithValues)) {
    assert.equal(renderScript(given, CONTEXT).command, wanted);
  }
  assert.equal(script('echo {{ default "a b" .nope }}'), 'echo "a b"');
});

Deno.test("renderScript() refuses a place where it cannot tell how the shell reads it", () => {
  const places = CASES.templatePlaces;
  for (const place of places) {
    assert.throws(() => script(place), /cannot stand here: .* under `env`/, place);
  }
});

Deno.test("renderScript() refuses an unknown word and a value with NUL", () => {
  assert.throws(() => script("echo {{ date }}"), /"date" is no function/);
  assert.throws(() => script("echo {{.task.id"), /is not closed/);
  assert.throws(() => script("echo {{.x}}", { x: "a\0b" }), /holds NUL/);
  assert.throws(() => script("echo {{ upper (raw .plain) }}"), /raw is for scripts/);
});

Deno.test("renderScript() puts in raw values as they stand, says so, and keeps its place", () => {
  const { command, warnings } = renderScript('{{ raw .cmd }} {{.task.id}}" ', {
    ...CONTEXT,
    cmd: 'echo "',
  });
  assert.equal(command, 'echo " ${CONCLAUDE_VALUE_1}" ');
  assert.deepEqual(warnings, ["{{ raw .cmd }} is not quoted for the shell"]);
  const constant = renderScript('docker ps --format {{ raw "{{.Names}}" }}', {});
  assert.deepEqual([constant.command, constant.warnings], ["docker ps --format {{.Names}}", []]);
});

/** Scripts that print the value between signs, each with a place of another kind. */
const FRAMES = CASES.frames;

const HOSTILE = CASES.hostile;

/** A script in brackets with its variables, which ends what it prints with a mark. */
function alone(frame: string, x: string): string {
  const { command, variables } = renderScript(frame, { x });
  const set = Object.entries(variables).map(([name, value]) => `${name}=${inQuotes(value)}`);
  return `(\n${set.join("\n")}\n${command}\n)\nprintf '\\036'`;
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

async function run(command: string, shell: string): Promise<string> {
  const { stdout } = await new Deno.Command(shell, { args: ["-c", command], stderr: "null" })
    .output();
  return new TextDecoder().decode(stdout);
}

Deno.test("no hostile value breaks out of a script in a real shell", async () => {
  for (const shell of ["/bin/sh", "/bin/bash"]) {
    for (const frame of FRAMES) {
      const joined = HOSTILE.map((x) => alone(frame, x)).join("\n");
      const printed = (await run(joined, shell)).split("\x1e").slice(0, -1);
      assert.deepEqual(
        // sed ends what it prints with a line break
        printed.map((one) => one.replace(/\]\n$/, "]")),
        HOSTILE.map((x) => `[${x}]`),
        `${shell}: ${frame}`,
      );
    }
  }
});

Deno.test("a shell takes every value literally at every place", async () => {
  const piece = fc.constantFrom(..."'\"`$(){}<>|&;#\\*?[]~!= \n\taZ0-/.", "{{.x}}", "é", "EOF");
  const values = fc.sample(fc.array(piece, { maxLength: 12 }).map((all) => all.join("")), {
    numRuns: 150,
    seed: 7,
  });
  for (const frame of FRAMES.slice(0, 4)) {
    const scripts = values.map((x) => alone(frame, x));
    const printed = (await run(scripts.join("\n"), "/bin/sh")).split("\x1e").slice(0, -1);
    assert.deepEqual(printed, values.map((x) => `[${x}]`), frame);
  }
});

const STATE = {
  previous: { failed: true, exit_code: 3, output: " true\n", other: "maybe" },
  list: [1],
};

Deno.test("evaluateWhen() runs a step without a condition, and judges one that is true or false", () => {
  assert.deepEqual(evaluateWhen(null, {}), { run: true });
  const cases: Readonly<Record<string, boolean>> = CASES.conditions;
  for (const [when, run] of Object.entries(cases)) {
    assert.deepEqual(evaluateWhen(when, STATE), { run }, when);
  }
});

Deno.test("evaluateWhen() refuses a value that is neither true nor false, and names the value", () => {
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
    const result = evaluateWhen(when, STATE);
    assert.match("error" in result ? result.error : "", message, when);
  }
});
