import assert from "node:assert/strict";
import { CONFIG_FORMAT, DEFAULT_HOOK_CONFIG } from "../../src/config/discover.ts";
import { fingerprint } from "../../src/base/ids.ts";
import { compileGlob } from "../../src/config/globs.ts";
import { configJsonSchema, type JsonSchema } from "../../src/config/config_template.ts";
import { parseConfig } from "../support/configuration.ts";
import { configSchema } from "../../src/config/config_schema.ts";
import { pattern, regexText } from "../../src/config/schema_kit.ts";
import CASES from "../testdata/config_cases.json" with { type: "json" };

const { keys: CONFIG_KEYS, sections: CONFIG_SECTIONS } = configSchema();

/** The part of a JSON Schema or the value that a dotted name leads to. */
function lookUp(start: unknown, key: string, step: (part: unknown, name: string) => unknown) {
  return key.split(".").reduce(step, start);
}

function property(schema: unknown, name: string): unknown {
  return ((schema as JsonSchema).properties as JsonSchema)[name];
}

Deno.test("configSchema gives every key of CONFIG_KEYS its default", () => {
  const config = configSchema().schema.parse({});
  for (const { key, default: fallback } of CONFIG_KEYS) {
    const value = lookUp(config, key, (part, name) => (part as Record<string, unknown>)[name]);
    assert.deepEqual(value, fallback, key);
  }
});

Deno.test("CONFIG_KEYS names every key once, with a description in whole sentences", () => {
  const names = [...CONFIG_KEYS, ...CONFIG_SECTIONS].map(({ key }) => key);
  assert.equal(new Set(names).size, names.length);
  for (const { key, description } of [...CONFIG_KEYS, ...CONFIG_SECTIONS]) {
    assert.match(description, /^[A-Z0-9`].*\.$/s, key);
  }
});

Deno.test("DEFAULT_HOOK_CONFIG is the configuration without any file", () => {
  assert.deepEqual(parseConfig([]).hook, DEFAULT_HOOK_CONFIG);
});

Deno.test("CONFIG_FORMAT is raised when keys, defaults or compiled globs change", () => {
  const keys = CONFIG_KEYS.map((
    { key, type, default: fallback, range },
  ) => [key, type, fallback, range]);
  const globs = ["*.env", "src/**/a", "/**/a?", "[!a]{b,c}"].map((glob) =>
    compileGlob(glob, { coversFolder: true })
  );
  const text = "preToolUse: {uneditableFiles: [{pattern: a, agent: b}], toolUsageValidation: " +
    "[{tool: Bash, commandPattern: a, action: block}]}\npermissionRequest: {deny: [a], allow: [b]}\n" +
    "requirements: {a: {type: dynamic, triggerTools: [Edit, {tool: Bash, commandPattern: b}]}, b: {type: guard}}\n" +
    "stop: {commands: [{run: a}], promptPrefixBlocking: {prefixes: [a], messages: [{text: b}]}}\n" +
    "subagentStop: {commands: {'*': [{run: a}]}}\nnotifications: {enabled: true, hooks: [Stop]}\n" +
    "userPromptSubmit: {contextRules: [{pattern: a, prompt: b}], commands: [{run: a}]}\n";
  const { guards, requirements, stop, subagentStop, prompts, notifications } =
    parseConfig([{ layer: "project", path: "/p/.conclaude.yaml", text }]).hook;
  const hook = Object.keys(DEFAULT_HOOK_CONFIG);
  const shape = fingerprint(JSON.stringify([
    ...[keys, hook, guards, requirements, globs],
    ...[stop, subagentStop, prompts, notifications],
  ]));
  // A new shape here needs a new number: otherwise hooks are served what an older program cached.
  assert.deepEqual([CONFIG_FORMAT, shape], [32, "c9e013f29ce0fb76780e9a168aa2cf35"]);
});

Deno.test("configJsonSchema() describes every key with its default and range", () => {
  const schema = configJsonSchema();
  assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  for (const row of CONFIG_KEYS) {
    const part = lookUp(schema, row.key, property) as JsonSchema;
    assert.equal(part.description, row.description, row.key);
    assert.deepEqual(part.default, row.default, row.key);
    // A number that need not be there is one of two kinds of value.
    const [number = part] = (part.anyOf ?? []) as JsonSchema[];
    assert.deepEqual([number.minimum, number.maximum], [row.range?.[0], row.range?.[1]], row.key);
  }
});

Deno.test("configJsonSchema() refuses unknown keys everywhere and requires none", () => {
  const schema = configJsonSchema();
  const maps = [
    schema,
    ...CONFIG_SECTIONS.map(({ key }) => lookUp(schema, key, property) as JsonSchema),
  ];
  for (const part of maps) {
    assert.equal(part.additionalProperties, false);
    assert.equal(part.required, undefined);
  }
});

Deno.test("configJsonSchema() accepts a key and a section without a value, as parseConfig() does", () => {
  const schema = configJsonSchema();
  for (const { key } of [...CONFIG_SECTIONS, ...CONFIG_KEYS]) {
    const part = lookUp(schema, key, property) as JsonSchema;
    assert.match(JSON.stringify([part.type, part.anyOf]), /"null"/, key);
  }
});

Deno.test("an invalid lifetime counts as the default, and is reported", () => {
  const text = "store: {eventRetentionHours: x, claimTimeoutMinutes: 0, taskRetentionDays: 5}\n";
  const { config, problems } = parseConfig([{
    layer: "project",
    path: "/p/.conclaude.yaml",
    text,
  }]);
  const { eventRetentionHours, claimTimeoutMinutes, taskRetentionDays } = config.store;
  assert.deepEqual([eventRetentionHours, claimTimeoutMinutes, taskRetentionDays], [24, 30, 5]);
  assert.deepEqual(
    problems.map(({ key }) => key),
    ["store.eventRetentionHours", "store.claimTimeoutMinutes"],
  );
});

/** Each takes seconds on a text of forty letters where the engine has to try every way. */
const ENDLESS = ["(a+)+$", "(a|aa)+$", "^(\\w+\\s?)*$", "((ab)*c?)*$", "(a*){2,}$"];

/** Alike to look at; none repeats what is repeated. */
const HARMLESS = CASES.harmless;

Deno.test("regexText() refuses what may take for ever, and says why", () => {
  for (const source of ENDLESS) {
    const { success, error } = regexText().safeParse(source);
    assert.equal(success, false, source);
    assert.match(error!.issues[0]!.message, /may take for ever: a group that is repeated/, source);
  }
  for (const source of HARMLESS) assert.ok(regexText().safeParse(source).success, source);
});

Deno.test("a pattern is refused only where the linear engine cannot take over", () => {
  for (const source of ENDLESS) assert.ok(pattern.safeParse(`x${source}`).success, source);
  for (const source of ["(a+)+\\1", "(?=b)(a+)+$", "(?<!b)(a+)+$", "(a+)+b{10}"]) {
    assert.ok(!pattern.safeParse(source).success, source);
  }
});
