import assert from "node:assert/strict";
import { compileCommand, splitScript } from "../../src/policy/stops/stop_section.ts";
import CASES from "../testdata/config_cases.json" with { type: "json" };
import { rowsOf } from "../support/fixtures.ts";

const SCRIPTS = rowsOf<readonly [script: string, lines: readonly string[]]>(CASES.scripts);
for (const [script, lines] of SCRIPTS) {
  Deno.test(`a command is cut into its lines, and a construct stays whole: ${JSON.stringify(script)}`, () => {
    assert.deepEqual(compileCommand({ run: script }, "r").lines, lines);
  });
}

Deno.test("splitScript() loses nothing behind the first command", () => {
  const script = "a\n# why\n\nb \\\n c\ncat <<X\n y\nX\n\n d";
  assert.equal(splitScript(script).join(""), script);
});

Deno.test("a told line of a command is short", () => {
  const [line] = compileCommand({ run: "é".repeat(1000) }, "r").lines;
  assert.ok(line!.length <= 200 && line!.endsWith("…"));
});
