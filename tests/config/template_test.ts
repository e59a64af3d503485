import assert from "node:assert/strict";
import { parse } from "yaml";
import { parseConfig } from "../support/configuration.ts";
import { configSchema } from "../../src/config/config_schema.ts";
import { configTemplate } from "../../src/config/config_template.ts";
import { POLICY_PRESETS } from "../../src/policy/requirements/presets.ts";

const { keys: CONFIG_KEYS, itemKeys: CONFIG_ITEM_KEYS } = configSchema();

Deno.test("configTemplate() is an empty configuration without problems", () => {
  const text = configTemplate(POLICY_PRESETS);
  const { config, problems } = parseConfig([{
    layer: "project",
    path: "/p/.conclaude.yaml",
    text,
  }]);
  assert.deepEqual(problems, []);
  assert.deepEqual(config, configSchema().schema.parse({}));
  assert.equal(parse(text), null);
});

Deno.test("configTemplate() with its comments taken away says exactly the defaults", () => {
  const text = configTemplate(POLICY_PRESETS).replaceAll(/^# /gm, "");
  assert.deepEqual(parse(text), configSchema().schema.parse({}));
  const { problems } = parseConfig([{ layer: "project", path: "/p/.conclaude.yaml", text }]);
  assert.deepEqual(problems, []);
});

Deno.test("configTemplate() survives an editor that uncomments every line", () => {
  const text = configTemplate(POLICY_PRESETS).replaceAll(/^# ?/gm, "");
  assert.deepEqual(parse(text), configSchema().schema.parse({}));
});

Deno.test("configTemplate() explains every key", () => {
  const prose = configTemplate(POLICY_PRESETS).replaceAll(/\n## +/g, " ");
  for (const { key, description } of CONFIG_KEYS) assert.ok(prose.includes(description), key);
  for (const { key, description } of CONFIG_ITEM_KEYS) {
    const name = key.split(".").at(-1)!;
    const told = prose.search(new RegExp(`- (?:\\w+\\.)*${name} \\(`));
    assert.ok(told >= 0 && prose.slice(told).includes(description), key);
  }
});

Deno.test("configTemplate() says what each preset does", () => {
  const prose = configTemplate(POLICY_PRESETS).replaceAll(/\n## +/g, " ");
  for (const [name, about] of Object.entries(POLICY_PRESETS)) {
    assert.ok(prose.includes(`--preset ${name}: ${about}`), name);
  }
});
