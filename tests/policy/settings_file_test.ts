/** A tool may change Claude Code's settings but for the keys that decide which hooks and plugins run. */
import assert from "node:assert/strict";
import { changesPolicy, holdsModules, textAfter } from "../../src/policy/guards/protected.ts";
import CASES from "../testdata/policy_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const SETTINGS = JSON.stringify(
  {
    permissions: { allow: ["Read"] },
    hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", timeout: 10 }] }] },
  },
  null,
  2,
);

/** Whether an Edit of the settings touches the hooks, or may. */
function isTouched(old_string: string, new_string: string, replace_all = false): boolean {
  const after = textAfter("Edit", { old_string, new_string, replace_all })!;
  const text = after(SETTINGS);
  return text === null || changesPolicy(SETTINGS, text);
}

Deno.test("an edit that disarms the hooks without naming them, or cannot be foreseen, counts as a change of the policy", () => {
  const rows = rowsOf<readonly [string, string]>(Object.values(CASES.disarming).flat());
  for (const [from, to] of [...rows, [SETTINGS, "[]"], [SETTINGS, ""]] as const) {
    assert.equal(isTouched(from, to), true, `${from} -> ${to}`);
  }
});

Deno.test("an edit beside the hooks is no change of the policy", () => {
  const beside = rowsOf<readonly [string, string, boolean?]>(CASES.editsBesideTheHooks);
  for (const [from, to, all] of beside) {
    assert.equal(isTouched(from, to, all), to === "$&", `${from} -> ${to}`);
  }
});

Deno.test("several edits count together, in their order; one that fails undoes all", () => {
  const multi = (...edits: { old_string: string; new_string: string; replace_all?: boolean }[]) =>
    textAfter("MultiEdit", { edits })!("a a b");
  assert.equal(
    multi({ old_string: "b", new_string: "c" }, { old_string: "c", new_string: "d" }),
    "a a d",
  );
  assert.equal(multi({ old_string: "a", new_string: "x", replace_all: true }), "x x b");
  assert.equal(
    multi({ old_string: "b", new_string: "c" }, { old_string: "b", new_string: "" }),
    null,
  );
});

Deno.test("settings are compared by their values: order, spaces and a byte order mark do not matter", () => {
  const other = JSON.stringify({ hooks: { B: [1], A: [2] }, model: "m" });
  assert.equal(changesPolicy(other, '\uFEFF{ "hooks": {"A": [2], "B": [1]} }'), false);
  assert.equal(changesPolicy(null, '{"model": "m"}'), false);
  assert.equal(changesPolicy(null, '{"hooks": {}}'), true);
  assert.equal(changesPolicy("{ broken", '{"model": "m"}'), true);
});

Deno.test("variables and plugins in settings are policy like hooks; permissions are not", () => {
  for (
    const [key, value] of Object.entries({
      env: { PATH: "/tmp" },
      enabledPlugins: { "a@b": true },
      extraKnownMarketplaces: { b: { source: { source: "directory", path: "./tools" } } },
      disableAllHooks: true,
    })
  ) {
    const text = JSON.stringify({ permissions: {}, [key]: value });
    assert.equal(changesPolicy('{"permissions": {}}', text), true, key);
    assert.equal(changesPolicy(text, '{"permissions": {}}'), true, key);
    assert.equal(changesPolicy(text, text.replace("{}", '{"allow": ["Read"]}')), false, key);
  }
});

Deno.test("a hooks.json runs code inside Claude Code where it names modules", () => {
  assert.equal(holdsModules('{"modules": ["./m.js"], "hooks": {}}'), true);
  assert.equal(holdsModules('{"mod\\u0075les": ["./m.js"]}'), true);
  assert.equal(holdsModules('{"modules": ["./m.js"'), true);
  assert.equal(holdsModules('{"hooks": {"Stop": []}}'), false);
  assert.equal(holdsModules('{"version": 1, "hooks": '), false);
});
